package grammar

import (
	"errors"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// StateParser is the automaton that reads one outcome: a state with the
// action_sep that ends it, or an exit with the end of the text. It takes special
// tokens and bytes one at a time, accepts exactly the prefixes of what the
// grammar and its Expect allow, and rejects what cannot be continued at the first
// byte that makes it so. What it has accepted can always be completed.
//
// A decoder asks it what may come next (Allows, Try, Forced) and to which part of
// a state the next token belongs (Part, Variable). Use Clone to copy one.
type StateParser struct {
	expect    *Expect
	base      Base
	forms     forms // of a line's LOCALS; of a call's once its LOCALS is reached
	start     bool  // a start state is read; an exit cannot be one
	either    bool  // the direction is not known before the first event
	direction statetree.Direction

	phase      phase
	event      statetree.Event
	exit       statetree.Exit
	difference bool // LOCALS begins with the unchanged mark
	text       textState
	// raw is the text so far, SRC and LOCALS or ARGS in the order of the event.
	raw            []byte
	source, values span
	entries        []entry // of LOCALS, without the unchanged mark
	current        entry   // the one being read
}

// span is a part of StateParser.raw.
type span struct{ from, to int32 }

// entry is one name of LOCALS with its value, both in JSON without quotes.
type entry struct{ name, value span }

// forms are the forms in which LOCALS may be written.
type forms uint8

const (
	fullForm       forms = 1 << iota // all names
	differenceForm                   // the unchanged mark, then names
	unknownForm                      // the unchanged mark alone
)

// phase is what the automaton stands before or in.
type phase uint8

const (
	atFrame phase = iota
	atEvent
	atSource // before src_sep
	inSource
	atValues // before arg_sep
	inObject // before {
	inFirst  // after {
	inName
	inColon  // after a name
	inSpace  // after the colon
	inOpen   // before a value's quote
	inValue  // of a name
	inNext   // after a value
	inComma  // after a comma
	inQuote  // before the quote of a name that is not the first
	inArgs   // before the quote of ARGS
	inArg    // within ARGS
	afterAll // after LOCALS or ARGS
	atTraceEnd
	atEndOfText
	done
)

// onlyText reports whether no special token can come in the phase.
func (ph phase) onlyText() bool { return inObject <= ph && ph <= inArg }

// takesText reports whether plain text can come in the phase.
func (ph phase) takesText() bool { return ph == inSource || ph.onlyText() }

// NewStateParser returns a parser for the outcome of an action in a direction.
// Base is what History.Base gives for the action. A nil expect expects anything.
func NewStateParser(d statetree.Direction, base Base, expect *Expect) StateParser {
	p := StateParser{direction: d, base: base, expect: expect}
	switch {
	case d == statetree.Forward && base.Known:
		p.forms = fullForm | differenceForm
	case d == statetree.Forward:
		p.forms = fullForm
	case base.Known:
		p.forms = differenceForm
	default:
		p.forms = unknownForm
	}
	return p
}

// NewStartParser returns a parser for the start state of a text, of which perhaps
// not all values are known.
func NewStartParser(d statetree.Direction, expect *Expect) StateParser {
	return StateParser{direction: d, expect: expect, start: true, forms: fullForm | differenceForm}
}

// Clone returns a copy that shares nothing that either will change.
func (p *StateParser) Clone() StateParser {
	c := *p
	c.raw, c.entries = slices.Clip(c.raw), slices.Clip(c.entries)
	p.raw, p.entries = c.raw, c.entries
	return c
}

// Done reports whether the outcome is complete.
func (p *StateParser) Done() bool { return p.phase == done }

// Feed reads a special token. After an error the parser is as it was before.
func (p *StateParser) Feed(s Special) error {
	if want := p.rejectsSpecial(s); want != "" {
		return &SyntaxError{Got: s.String(), Want: want}
	}
	p.advanceSpecial(s)
	return nil
}

// FeedText reads plain text. After an error the parser has read what comes before
// the byte that it rejected.
func (p *StateParser) FeedText(text string) error {
	for i := 0; i < len(text); i++ {
		if want := p.rejectsByte(text[i]); want != "" {
			return &SyntaxError{Got: fmt.Sprintf("byte %q", text[i:i+1]), Want: want}
		}
		p.advanceByte(text[i])
	}
	return nil
}

// rejectsSpecial says why the special token may not come next; "" if it may.
func (p *StateParser) rejectsSpecial(s Special) string {
	only := func(want Special) string {
		if s == want {
			return ""
		}
		return "want " + want.String()
	}
	switch p.phase {
	case atFrame:
		return only(FrameSep)
	case atEvent:
		return p.rejectsEvent(s)
	case atSource:
		return only(SrcSep)
	case inSource:
		if want := only(p.afterSource()); want != "" {
			return want
		}
		if p.text.open() {
			return "a character is incomplete"
		}
		return p.rejectsSource("")
	case atValues:
		return only(ArgSep)
	case afterAll:
		if p.event == statetree.Line {
			return only(SrcSep)
		}
		return only(ActionSep)
	case atTraceEnd:
		return only(TraceEnd)
	case atEndOfText:
		return only(EndOfText)
	case done:
		return "the outcome is complete"
	}
	return "inside a JSON value"
}

func (p *StateParser) rejectsEvent(s Special) string {
	event, exit := s.Event(), s.Exit()
	switch {
	case event != statetree.NoEvent:
		if !p.either && event.Direction() != p.direction {
			return "it belongs to the other direction"
		}
		if !p.expect.allowsEvent(event) {
			return "the event is not expected here"
		}
	case exit != statetree.NoExit:
		if p.start {
			return "a text begins with a state"
		}
		if (exit == statetree.ExitEntry) != (p.direction == statetree.Inverse) {
			return "it belongs to the other direction"
		}
		if !p.expect.allowsExit(exit) {
			return "the exit is not expected here"
		}
	default:
		return "want an event or an exit"
	}
	return ""
}

// afterSource returns the special token that ends SRC.
func (p *StateParser) afterSource() Special {
	if p.event == statetree.Line || p.event == statetree.InvLineCall {
		return ActionSep
	}
	return ArgSep
}

// advanceSpecial reads a special token that rejectsSpecial has let pass.
func (p *StateParser) advanceSpecial(s Special) {
	switch p.phase {
	case atFrame:
		p.phase = atEvent
	case atEvent:
		p.event, p.exit = s.Event(), s.Exit()
		switch {
		case p.exit != statetree.NoExit:
			p.phase = atTraceEnd
		case p.event == statetree.Line:
			p.phase = atValues
		default:
			p.phase = atSource
		}
		if p.either {
			p.either, p.direction = false, p.event.Direction()
		}
	case atSource:
		p.beginSource()
	case inSource:
		p.source.to = int32(len(p.raw))
		if s == ActionSep {
			p.phase = done
		} else {
			p.beginValues()
		}
	case atValues:
		p.beginValues()
	case afterAll:
		if s == SrcSep {
			p.beginSource()
		} else {
			p.phase = done
		}
	case atTraceEnd:
		p.phase = atEndOfText
	case atEndOfText:
		p.phase = done
	}
}

func (p *StateParser) beginSource() {
	p.phase = inSource
	p.source.from = int32(len(p.raw))
}

func (p *StateParser) beginValues() {
	p.values.from = int32(len(p.raw))
	if !p.start && (p.event == statetree.Call || p.event == statetree.InvCall) {
		p.forms = fullForm
	}
	if p.event.HasLocals() {
		p.phase = inObject
	} else {
		p.phase = inArgs
	}
}

// errIncomplete is returned by Outcome before the end.
var errIncomplete = errors.New("the outcome is not complete")

// Outcome returns what was read. Its state has no file, line or function. A
// difference is read against the base: the state has the base's names with the
// values that changed. Backward, a name of it may not exist yet, since the text
// does not say which ones vanish.
func (p *StateParser) Outcome() (statetree.Outcome, error) {
	if p.phase != done {
		return statetree.Outcome{}, errIncomplete
	}
	if p.exit != statetree.NoExit {
		return statetree.Outcome{Exit: p.exit}, nil
	}
	s := statetree.State{Event: p.event, Source: string(p.in(p.source))}
	switch {
	case p.event.HasLocals():
		s.Locals, s.Partial = p.locals()
	case p.event.HasArg():
		s.Arg = unescapeJSON(string(p.in(span{p.values.from + 1, p.values.to - 1})))
	}
	return statetree.Outcome{State: s}, nil
}

func (p *StateParser) in(s span) []byte { return p.raw[s.from:s.to] }

// locals returns the LOCALS read and whether they are only partly known.
func (p *StateParser) locals() (statetree.Locals, bool) {
	var inherited statetree.Locals
	partial := false
	if p.difference {
		inherited = p.base.Locals
		partial = p.base.Partial || !p.base.Known
	}
	if len(inherited)+len(p.entries) == 0 {
		return nil, partial
	}
	locals := make(statetree.Locals, len(inherited), len(inherited)+len(p.entries))
	copy(locals, inherited)
next:
	for _, e := range p.entries {
		l := statetree.Local{
			Name: unescapeJSON(string(p.in(e.name))),
			Repr: unescapeJSON(string(p.in(e.value))),
		}
		for i := range inherited {
			if locals[i].Name == l.Name {
				locals[i].Repr = l.Repr
				continue next
			}
		}
		locals = append(locals, l)
	}
	return locals, partial
}
