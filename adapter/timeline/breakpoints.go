package timeline

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Breakpoint is a line where Continue stops.
type Breakpoint struct {
	// ID is unique in its Breakpoints and never used twice. A line that is set
	// again keeps it.
	ID   int
	File string
	// Requested is the line that was asked for; Line is the executable line
	// that it was moved to, or Requested when the breakpoint is not verified.
	Requested int
	Line      int
	Modifiers
	Verified bool
	// Message says why the breakpoint was moved or is not verified.
	Message string
}

// LineRequest asks for a breakpoint on a line.
type LineRequest struct {
	Line int
	Modifiers
}

// Snapped is the answer of a Snap: the executable line for a requested one.
type Snapped struct {
	Line    int
	Message string // why Line is not the requested one; empty when it is
}

// Snap finds the executable line for a requested line of a file. An error says
// why there is none.
type Snap func(line int) (Snapped, error)

// SnapTo returns the Snap of a parsed file, which is source.File.Snap.
func SnapTo(file *source.File) Snap {
	return func(line int) (Snapped, error) {
		snapped, ok, why := file.Snap(line)
		if !ok {
			return Snapped{}, errors.New(why)
		}
		return Snapped{Line: snapped, Message: why}, nil
	}
}

// FunctionBreakpoint stops at the calls of a function.
type FunctionBreakpoint struct {
	ID int
	FunctionRequest
	// Refusal says what is wrong with the request whatever functions there are;
	// empty when nothing is.
	Refusal string
}

// FunctionRequest asks for a breakpoint on a function.
type FunctionRequest struct {
	// Name is a function's qualified name, or the last part of it.
	Name string
	Modifiers
}

// Matches reports whether the breakpoint is for a function.
func (b FunctionBreakpoint) Matches(qualified string) bool {
	if b.Name == "" || b.Refusal != "" {
		return false
	}
	return qualified == b.Name || strings.HasSuffix(qualified, "."+b.Name)
}

// Breakpoints are the breakpoints of a session: on lines, functions, values and
// exceptions. They may be changed at any time, from any goroutine: a Continue
// that is going on obeys the new set.
type Breakpoints struct {
	mu           sync.Mutex
	lastID       int
	lastRevision int
	files        map[string][]Breakpoint
	functions    []FunctionBreakpoint
	data         []DataBreakpoint
	exceptions   []ExceptionBreakpoint
	guards       map[int]guard // by id; those that are refused have none
}

// NewBreakpoints returns an empty set.
func NewBreakpoints() *Breakpoints {
	return &Breakpoints{files: map[string][]Breakpoint{}, guards: map[int]guard{}}
}

// Set is SetLines for breakpoints that only have a line.
func (b *Breakpoints) Set(file string, lines []int, snap Snap) []Breakpoint {
	requests := make([]LineRequest, len(lines))
	for i, line := range lines {
		requests[i].Line = line
	}
	return b.SetLines(file, requests, snap)
}

// SetLines replaces the breakpoints of a file, named as in the states' File. It
// returns one entry for each request, in the same order.
func (b *Breakpoints) SetLines(file string, requests []LineRequest, snap Snap) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := newIDs[int](b)
	for _, bp := range b.files[file] {
		ids.had(bp.Requested, bp.ID)
	}
	set := make([]Breakpoint, len(requests))
	for i, r := range requests {
		bp := Breakpoint{ID: ids.take(r.Line), File: file, Requested: r.Line, Line: r.Line, Modifiers: r.Modifiers}
		snapped, err := snap(r.Line)
		if err == nil {
			err = b.setGuard(bp.ID, r.Modifiers)
		}
		if err != nil {
			bp.Message = err.Error()
		} else {
			bp.Verified, bp.Line, bp.Message = true, snapped.Line, snapped.Message
		}
		set[i] = bp
	}
	ids.drop()
	b.files[file] = set
	return slices.Clone(set)
}

// SetFunctions replaces the breakpoints on functions. It returns one entry for
// each request, in the same order.
func (b *Breakpoints) SetFunctions(requests []FunctionRequest) []FunctionBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := newIDs[string](b)
	for _, bp := range b.functions {
		ids.had(bp.Name, bp.ID)
	}
	set := make([]FunctionBreakpoint, len(requests))
	for i, r := range requests {
		set[i] = FunctionBreakpoint{ID: ids.take(r.Name), FunctionRequest: r}
		if err := b.setGuard(set[i].ID, r.Modifiers); err != nil {
			set[i].Refusal = err.Error()
		}
	}
	ids.drop()
	b.functions = set
	return slices.Clone(set)
}

// setGuard reads the modifiers of the breakpoint with an id. Those that it had
// before keep their revision.
func (b *Breakpoints) setGuard(id int, m Modifiers) error {
	old, existed := b.guards[id]
	if existed && old.Modifiers == m {
		return nil
	}
	delete(b.guards, id)
	g, err := m.guard()
	if err != nil {
		return err
	}
	b.lastRevision++
	g.revision = b.lastRevision
	b.guards[id] = g
	return nil
}

// ids gives the breakpoints of a new set the ids of the old one, by a key.
type ids[K comparable] struct {
	b   *Breakpoints
	old map[K][]int
}

func newIDs[K comparable](b *Breakpoints) ids[K] { return ids[K]{b, map[K][]int{}} }

// had says that the old set has an id for a key.
func (i ids[K]) had(key K, id int) { i.old[key] = append(i.old[key], id) }

// take returns the first id that the old set has for a key, and takes it away; a
// new one, when there is none.
func (i ids[K]) take(key K) int {
	if ids := i.old[key]; len(ids) > 0 {
		i.old[key] = ids[1:]
		return ids[0]
	}
	i.b.lastID++
	return i.b.lastID
}

// drop forgets what was known of the ids that nobody took.
func (i ids[K]) drop() {
	for _, ids := range i.old {
		for _, id := range ids {
			delete(i.b.guards, id)
		}
	}
}

// All returns all breakpoints of a file.
func (b *Breakpoints) All(file string) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Breakpoint{}, b.files[file]...)
}

// Functions returns the breakpoints on functions.
func (b *Breakpoints) Functions() []FunctionBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.functions)
}

// armed is a breakpoint with what it asks for.
type armed struct {
	id   int
	kind Reason // of a stop there
	guard
	changes change // of a data breakpoint: what has changed
}

func (b *Breakpoints) armed(id int, kind Reason) armed {
	return armed{id: id, kind: kind, guard: b.guards[id]}
}

// at returns the breakpoints at whose place a state is: those of its line for a
// line state; for a call state those of its function and of its def line, unless
// the function has a line state there too. A return is not a visit of its line.
func (b *Breakpoints) at(s statetree.State, l *locator) []armed {
	if !s.Event.StopsAtBreakpoint() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []armed
	call := s.Event == statetree.Call
	for _, bp := range b.files[s.File] {
		if bp.Verified && bp.Line == s.Line && !(call && l.ownsPlace(s.Function, statetree.Origin{File: s.File, Line: s.Line})) {
			out = append(out, b.armed(bp.ID, ReasonBreakpoint))
		}
	}
	if call {
		for _, bp := range b.functions {
			if bp.Matches(s.Function) {
				out = append(out, b.armed(bp.ID, ReasonFunctionBreakpoint))
			}
		}
	}
	return out
}

// wanted is a place at which Continue may stop.
type wanted struct {
	line   int    // of the program's code
	source string // its text
	// call says that a call state there is meant too, not only a line state.
	call bool
}

// reachable returns the places in the target's code at which a breakpoint can
// stop. Code that the entry cannot reach is not in it.
func (b *Breakpoints) reachable(t *Target) []wanted {
	b.mu.Lock()
	defer b.mu.Unlock()
	var places []wanted
	lines := t.Program.Lines()
	for i, origin := range t.Program.Origins {
		if i >= len(lines) || origin.Line <= 0 {
			continue
		}
		onLine := slices.ContainsFunc(b.files[origin.File], func(bp Breakpoint) bool { return bp.Verified && bp.Line == origin.Line })
		onCall := onLine
		if function, ok := t.definedAt(origin); ok && len(b.functions) > 0 {
			onCall = onCall || slices.ContainsFunc(b.functions, func(bp FunctionBreakpoint) bool { return bp.Matches(function) })
		}
		if onLine || onCall {
			places = append(places, wanted{line: i + 1, source: lines[i], call: onCall})
		}
	}
	return places
}

// within reports whether a breakpoint can stop in a function's frames.
func (b *Breakpoints) within(l *locator, function string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for file, set := range b.files {
		for _, bp := range set {
			place := statetree.Origin{File: file, Line: bp.Line}
			if bp.Verified && (l.ownsPlace(function, place) || l.isDef(function, place)) {
				return true
			}
		}
	}
	return slices.ContainsFunc(b.functions, func(bp FunctionBreakpoint) bool { return bp.Matches(function) }) ||
		slices.ContainsFunc(b.data, func(bp DataBreakpoint) bool { return bp.Verified && bp.Function == function })
}
