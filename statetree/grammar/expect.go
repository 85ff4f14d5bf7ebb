package grammar

import "github.com/neuraldbg/neuraldbg/statetree"

// Expect narrows what a StateParser accepts. The zero Expect allows all that the
// grammar does.
type Expect struct {
	Events *Set[statetree.Event] // nil: any of the direction
	Exits  *Set[statetree.Exit]  // nil: any of the direction
	// Sources are the exact sources that a state of an event may have. An event
	// without an entry may have any, one with an empty entry cannot occur. Sources
	// are lines of the code as the text has it: valid UTF-8 without line ends.
	Sources map[statetree.Event][]string
	// Names are the names that LOCALS may list; nil means any.
	Names []string
}

// Set is a set of events or of exits.
type Set[E statetree.Event | statetree.Exit] struct{ bits uint64 }

// NewSet returns the set of the given elements.
func NewSet[E statetree.Event | statetree.Exit](elements ...E) *Set[E] {
	var s Set[E]
	for _, e := range elements {
		s.bits |= 1 << e
	}
	return &s
}

// Has reports whether e is in the set. A nil set has everything.
func (s *Set[E]) Has(e E) bool { return s == nil || s.bits&(1<<e) != 0 }

// allowsEvent reports whether a state of the event can be completed.
func (e *Expect) allowsEvent(event statetree.Event) bool {
	if e == nil {
		return true
	}
	sources, limited := e.Sources[event]
	return e.Events.Has(event) && (!limited || len(sources) > 0)
}

func (e *Expect) allowsExit(exit statetree.Exit) bool { return e == nil || e.Exits.Has(exit) }

// sources returns the exact sources allowed for an event, if they are limited.
func (e *Expect) sources(event statetree.Event) (sources []string, limited bool) {
	if e == nil {
		return nil, false
	}
	sources, limited = e.Sources[event]
	return sources, limited
}

func (e *Expect) limitsNames() bool { return e != nil && e.Names != nil }
