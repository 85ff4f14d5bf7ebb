package grammar

import (
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Writer writes the text of one trajectory after another. Its methods append
// segments to dst and return the extended slice. A Writer is used by one
// goroutine at a time; the zero Writer is ready to use.
type Writer struct {
	history History
	action  statetree.ActionKind // the action that leads to the next state
	scratch []byte
}

// WriterAfter returns a Writer that goes on behind the last state of a history.
func WriterAfter(h History) *Writer { return &Writer{history: h} }

// AppendTrajectory appends the whole text of a trajectory.
func (w *Writer) AppendTrajectory(dst []Segment, t *statetree.Trajectory) []Segment {
	dst = AppendBegin(dst, t.Program.Code)
	dst = w.AppendStart(dst, &t.Start, t.ProposeStart)
	for i := range t.Steps {
		step := &t.Steps[i]
		dst = w.AppendOutcome(w.AppendAction(dst, step.Action), &step.Outcome)
	}
	return dst
}

// AppendBegin appends the beginning of a text up to the first state. Code gets
// exactly one newline at its end.
func AppendBegin(dst []Segment, code string) []Segment {
	if trimmed := strings.TrimRight(code, "\n"); len(trimmed)+1 != len(code) {
		code = trimmed + "\n"
	}
	return append(dst,
		Segment{Special: BeginOfText}, Segment{Special: TraceContextStart}, Segment{Text: cleanText(code)})
}

// AppendStart begins a new history with a start state, which is written in full.
// Predicted says whether it is counted in the loss.
func (w *Writer) AppendStart(dst []Segment, s *statetree.State, predicted bool) []Segment {
	w.history = NewHistory(s)
	w.action = statetree.NoAction
	return w.appendState(dst, s, w.localsInFull(s), predicted)
}

// AppendAction appends an action without the action_sep before it, which ends
// the state.
func (w *Writer) AppendAction(dst []Segment, a statetree.Action) []Segment {
	w.action = a.Kind
	return AppendAction(dst, a)
}

// AppendOutcome appends what the last action led to: a state or an exit.
func (w *Writer) AppendOutcome(dst []Segment, o *statetree.Outcome) []Segment {
	if o.Ended() {
		return AppendExit(dst, o.Exit)
	}
	return w.AppendState(dst, &o.State)
}

// AppendState appends the state that the last action led to, with the action_sep
// that ends it. Its LOCALS are a difference where the grammar has one.
func (w *Writer) AppendState(dst []Segment, s *statetree.State) []Segment {
	locals := ""
	if s.Event.HasLocals() {
		locals = w.locals(s)
	}
	w.history = w.history.After(w.action, s)
	return w.appendState(dst, s, locals, true)
}

// AppendAction appends an action without the action_sep before it.
func AppendAction(dst []Segment, a statetree.Action) []Segment {
	dst = append(dst, Segment{Special: actionSpecials[a.Kind]})
	if a.Kind == statetree.Breakpoint {
		dst = appendText(dst, cleanSource(a.Source), false)
	}
	return dst
}

// AppendExit appends an exit and the end of the text.
func AppendExit(dst []Segment, x statetree.Exit) []Segment {
	return append(dst,
		Segment{Special: FrameSep, Predicted: true}, Segment{Special: exitSpecials[x], Predicted: true},
		Segment{Special: TraceEnd, Predicted: true}, Segment{Special: EndOfText, Predicted: true})
}

// AppendFull appends a given state in full, as a session needs it for its start
// and for a state that a user has edited. A state that is only partly known
// begins with the unchanged mark, so that it does not claim to be all.
func AppendFull(dst []Segment, s *statetree.State) []Segment {
	var w Writer
	return w.appendState(dst, s, w.localsInFull(s), false)
}

// appendState appends a state and the action_sep that ends it.
func (w *Writer) appendState(dst []Segment, s *statetree.State, locals string, predicted bool) []Segment {
	special := func(sp Special) { dst = append(dst, Segment{Special: sp, Predicted: predicted}) }
	separator, ok := eventSpecials[s.Event]
	if !ok {
		panic(fmt.Sprintf("grammar: writing a state of event %v", s.Event))
	}
	special(FrameSep)
	special(separator)
	if s.Event == statetree.Line {
		special(ArgSep)
		dst = appendText(dst, locals, predicted)
		special(SrcSep)
		dst = appendText(dst, cleanSource(s.Source), predicted)
	} else {
		special(SrcSep)
		dst = appendText(dst, cleanSource(s.Source), predicted)
		switch {
		case s.Event.HasLocals():
			special(ArgSep)
			dst = appendText(dst, locals, predicted)
		case s.Event.HasArg():
			special(ArgSep)
			w.scratch = appendJSONString(w.scratch[:0], s.Arg)
			dst = appendText(dst, string(w.scratch), predicted)
		}
	}
	special(ActionSep)
	return dst
}

func appendText(dst []Segment, text string, predicted bool) []Segment {
	if text == "" {
		return dst
	}
	return append(dst, Segment{Text: text, Predicted: predicted})
}

// nothingChanged is the difference without a changed name.
const nothingChanged = `{"..": ".."}`

// locals returns the LOCALS of the state after w.action.
func (w *Writer) locals(s *statetree.State) string {
	base := w.history.Base(w.action)
	switch {
	case s.Event == statetree.Call || s.Event == statetree.InvCall:
		return w.localsInFull(s)
	case s.Event == statetree.InvLine && !base.Known:
		return nothingChanged
	case s.Event == statetree.Line && (!base.Known || len(s.Locals) == 0):
		return w.localsInFull(s)
	}
	w.scratch = append(w.scratch[:0], nothingChanged[:len(nothingChanged)-1]...)
	kept := 0
	for i := range s.Locals {
		l := &s.Locals[i]
		repr, ok := "", false
		if i < len(base.Locals) && base.Locals[i].Name == l.Name {
			repr, ok = base.Locals[i].Repr, true
		} else {
			repr, ok = base.Locals.Get(l.Name)
		}
		if ok {
			kept++
		}
		if !ok || repr != l.Repr {
			w.appendEntry(l)
		}
	}
	if s.Event == statetree.Line && kept < len(base.Locals) { // a name vanished
		return w.localsInFull(s)
	}
	return w.scratchString()
}

// localsInFull returns LOCALS with all names, or "" for a state without LOCALS.
func (w *Writer) localsInFull(s *statetree.State) string {
	if !s.Event.HasLocals() {
		return ""
	}
	w.scratch = append(w.scratch[:0], '{')
	if s.Partial {
		w.scratch = append(w.scratch, nothingChanged[1:len(nothingChanged)-1]...)
	}
	for i := range s.Locals {
		w.appendEntry(&s.Locals[i])
	}
	return w.scratchString()
}

// appendEntry appends one name with its value to the open object in scratch. A
// name like the unchanged mark cannot be written and is left out.
func (w *Writer) appendEntry(l *statetree.Local) {
	if l.Name == unchanged {
		return
	}
	if len(w.scratch) > 1 {
		w.scratch = append(w.scratch, ", "...)
	}
	w.scratch = appendJSONString(w.scratch, l.Name)
	w.scratch = append(w.scratch, ": "...)
	w.scratch = appendJSONString(w.scratch, l.Repr)
}

// scratchString closes the object in scratch and returns it; the two that come
// most often without an allocation.
func (w *Writer) scratchString() string {
	w.scratch = append(w.scratch, '}')
	switch string(w.scratch) {
	case "{}":
		return "{}"
	case nothingChanged:
		return nothingChanged
	}
	return string(w.scratch)
}
