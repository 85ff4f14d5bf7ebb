package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Parser reads a whole text: the code, then states and actions in turn. Like
// StateParser, with which it reads each state, it accepts exactly the prefixes
// of the grammar's texts. The zero Parser is at the beginning of a text.
type Parser struct {
	phase      textPhase
	code       strings.Builder
	state      StateParser
	history    History
	action     statetree.Action
	text       textState
	source     []byte // of a breakpoint
	trajectory statetree.Trajectory
}

type textPhase uint8

const (
	atBegin textPhase = iota
	atContext
	inCode
	inState // within a state or exit
	atAction
	afterAction // before frame_sep
	inBreakpoint
	atEnd
)

// Parse reads the segments of a text. A text that was cut at a state is accepted;
// one that ends anywhere else is not.
func Parse(segments []Segment) (statetree.Trajectory, error) {
	var p Parser
	for i, s := range segments {
		if err := p.FeedSegment(s); err != nil {
			return statetree.Trajectory{}, fmt.Errorf("reading segment %d: %w", i, err)
		}
	}
	return p.Trajectory()
}

// Trajectory returns what was read so far. It fails within a state or after an
// action, where the outcome is not known. Its program has the code only, and its
// states have no file, line, function or activation.
func (p *Parser) Trajectory() (statetree.Trajectory, error) {
	if p.phase != atAction && p.phase != atEnd {
		return statetree.Trajectory{}, errIncomplete
	}
	t := p.trajectory
	t.Steps = slices.Clone(t.Steps)
	return t, nil
}

// FeedSegment reads a special token or plain text.
func (p *Parser) FeedSegment(s Segment) error {
	if s.Special != NoSpecial {
		return p.Feed(s.Special)
	}
	return p.FeedText(s.Text)
}

// Feed reads a special token. After an error the parser is as it was before.
func (p *Parser) Feed(s Special) error {
	unexpected := func(want string) error { return &SyntaxError{Got: s.String(), Want: want} }
	switch p.phase {
	case atBegin:
		if s != BeginOfText {
			return unexpected("want " + BeginOfText.String())
		}
		p.phase = atContext
	case atContext:
		if s != TraceContextStart {
			return unexpected("want " + TraceContextStart.String())
		}
		p.phase = inCode
	case inCode:
		if s != FrameSep {
			return unexpected("want the code and " + FrameSep.String())
		}
		code := p.code.String()
		if p.text.open() || !endsInOneNewline(code) {
			return unexpected("the code ends in one newline")
		}
		p.trajectory.Program.Code = code
		p.state = NewStartParser(statetree.Forward, nil)
		p.state.either = true
		p.phase = inState
		return p.state.Feed(s)
	case inState:
		if err := p.state.Feed(s); err != nil {
			return err
		}
		return p.endOutcome()
	case atAction:
		kind := s.Action()
		if kind == statetree.NoAction || kind.Direction() != p.trajectory.Direction {
			return unexpected("want an action of the " + p.trajectory.Direction.String() + " direction")
		}
		p.action = statetree.Action{Kind: kind}
		p.source, p.text = p.source[:0], textState{}
		p.phase = afterAction
		if kind == statetree.Breakpoint {
			p.phase = inBreakpoint
		}
	case afterAction, inBreakpoint:
		if s != FrameSep {
			return unexpected("want " + FrameSep.String())
		}
		if p.text.open() {
			return unexpected("a character is incomplete")
		}
		p.action.Source = string(p.source)
		p.state = p.history.Parser(p.action.Kind, nil)
		p.phase = inState
		return p.state.Feed(s)
	case atEnd:
		return unexpected("the text is complete")
	}
	return nil
}

// FeedText reads plain text. After an error the parser has read what comes before
// the byte that it rejected.
func (p *Parser) FeedText(text string) error {
	if p.phase == inState {
		return p.state.FeedText(text)
	}
	for i := 0; i < len(text); i++ {
		if err := p.feedByte(text[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Parser) feedByte(b byte) error {
	want := ""
	switch p.phase {
	case inCode:
	case inBreakpoint:
		if b == '\n' || b == '\r' {
			want = "a source is one line"
		}
	default:
		want = "want a special token"
	}
	if want == "" && !p.text.acceptsUTF8(b) {
		want = "not UTF-8"
	}
	if want != "" {
		return &SyntaxError{Got: fmt.Sprintf("byte %q", []byte{b}), Want: want}
	}
	p.text.advanceUTF8(b)
	if p.phase == inCode {
		p.code.WriteByte(b)
	} else {
		p.source = append(p.source, b)
	}
	return nil
}

func endsInOneNewline(code string) bool {
	return strings.HasSuffix(code, "\n") && !strings.HasSuffix(code, "\n\n")
}

// endOutcome takes over the outcome of the state parser once it is complete.
func (p *Parser) endOutcome() error {
	if !p.state.Done() {
		return nil
	}
	o, err := p.state.Outcome()
	if err != nil {
		return err
	}
	p.phase = atAction
	if o.Ended() {
		p.phase = atEnd
	}
	if p.action.Kind == statetree.NoAction {
		p.trajectory.Start, p.trajectory.Direction = o.State, o.State.Event.Direction()
	} else {
		p.trajectory.Steps = append(p.trajectory.Steps, statetree.Step{Action: p.action, Outcome: o})
	}
	if !o.Ended() {
		p.history = p.history.After(p.action.Kind, &o.State)
	}
	return nil
}
