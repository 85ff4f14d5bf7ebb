package grammar_test

import (
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// text returns segments as one string, with the special tokens' names.
func text(segments []grammar.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Special.String())
		b.WriteString(s.Text)
	}
	return b.String()
}

// split is the reverse of text: it takes whatever looks like a special token for
// one, which only tests may do.
func split(text string) (segments []grammar.Segment) {
	for text != "" {
		at, found := len(text), grammar.NoSpecial
		for _, s := range grammar.Specials() {
			if i := strings.Index(text, s.String()); i >= 0 && i < at {
				at, found = i, s
			}
		}
		if at > 0 {
			segments = append(segments, grammar.Segment{Text: text[:at]})
		}
		if found != grammar.NoSpecial {
			segments = append(segments, grammar.Segment{Special: found})
			at += len(found.String())
		}
		text = text[at:]
	}
	return segments
}

// plainText is a second reading of the grammar: it writes a trajectory the slow
// way, by the activations that the trajectory names.
func plainText(t *statetree.Trajectory) string {
	p := plainWriter{shown: make(map[int]statetree.Locals), shownAt: make(map[int]int)}
	p.b.WriteString("<|begin_of_text|><|trace_context_start|>" + t.Program.Code)
	p.state(statetree.Action{}, t.Start, t.StartActivation)
	for _, step := range t.Steps {
		p.b.WriteString("<|" + step.Action.Kind.String() + "|>" + step.Action.Source)
		if x := step.Outcome.Exit; x == statetree.ExitEntry {
			p.b.WriteString("<|frame_sep|><|inv_exit_entry|><|trace_end|><|end_of_text|>")
		} else if x != statetree.NoExit {
			p.b.WriteString("<|frame_sep|><|exit_" + x.String() + "|><|trace_end|><|end_of_text|>")
		} else {
			p.state(step.Action, step.Outcome.State, step.Activation)
		}
	}
	return p.b.String()
}

type plainWriter struct {
	b           strings.Builder
	activations []int                    // of the states so far
	shown       map[int]statetree.Locals // the last LOCALS of an activation
	shownAt     map[int]int              // and the number of its state
}

func (p *plainWriter) state(a statetree.Action, s statetree.State, activation int) {
	sep := "<|" + s.Event.String() + "_sep|>"
	p.b.WriteString("<|frame_sep|>" + sep)
	switch {
	case s.Event == statetree.Line:
		p.b.WriteString("<|arg_sep|>" + p.locals(a, s, activation) + "<|src_sep|>" + s.Source)
	case s.Event == statetree.InvLineCall:
		p.b.WriteString("<|src_sep|>" + s.Source)
	case s.Event.HasLocals():
		p.b.WriteString("<|src_sep|>" + s.Source + "<|arg_sep|>" + p.locals(a, s, activation))
	default:
		p.b.WriteString("<|src_sep|>" + s.Source + "<|arg_sep|>" + plainJSON(s.Arg))
	}
	p.b.WriteString("<|action_sep|>")
	if s.Event.HasLocals() {
		p.shown[activation] = s.Locals
		p.shownAt[activation] = len(p.activations)
	}
	p.activations = append(p.activations, activation)
}

func (p *plainWriter) locals(a statetree.Action, s statetree.State, activation int) string {
	base, known := p.shown[activation]
	start := a.Kind == statetree.NoAction
	difference := "{" + strings.Join(append([]string{`"..": ".."`}, entries(s.Locals, base)...), ", ") + "}"
	full := "{" + strings.Join(entries(s.Locals, nil), ", ") + "}"
	if start || s.Event == statetree.Call || s.Event == statetree.InvCall {
		return full
	}
	if s.Event == statetree.InvLine {
		if !known {
			return `{"..": ".."}`
		}
		return difference
	}
	if a.Kind == statetree.Breakpoint || !known || len(s.Locals) == 0 {
		return full
	}
	for _, other := range p.activations[p.shownAt[activation]:] {
		if other != activation {
			return full
		}
	}
	for _, l := range base {
		if _, ok := s.Locals.Get(l.Name); !ok {
			return full
		}
	}
	return difference
}

// entries returns the locals that base does not have, as JSON.
func entries(locals, base statetree.Locals) (entries []string) {
	for _, l := range locals {
		if repr, ok := base.Get(l.Name); !ok || repr != l.Repr {
			entries = append(entries, plainJSON(l.Name)+": "+plainJSON(l.Repr))
		}
	}
	return entries
}

func plainJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"':
			b.WriteString(`\"`)
		case '\\':
			b.WriteString(`\\`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			if r < ' ' {
				b.WriteString(`\u00` + string("01"[r>>4]) + string("0123456789abcdef"[r&15]))
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainRead returns the states of a trajectory as a reader of its text knows
// them. Forward that is all; backward, what was shown so far.
func plainRead(t *statetree.Trajectory) []statetree.Outcome {
	outcomes := []statetree.Outcome{{State: t.Start}}
	activations := []int{t.StartActivation}
	for _, step := range t.Steps {
		outcomes = append(outcomes, step.Outcome)
		activations = append(activations, step.Activation)
	}
	if t.Direction == statetree.Forward {
		return outcomes
	}
	truth := make(map[int]statetree.Locals)
	read := make(map[int]statetree.State)
	for i := range outcomes {
		s, a := &outcomes[i].State, activations[i]
		if !s.Event.HasLocals() {
			continue
		}
		locals := s.Locals
		if s.Event == statetree.InvLine && i > 0 {
			last, known := read[a]
			s.Locals, s.Partial = last.Locals, last.Partial || !known
			for _, l := range locals {
				if repr, ok := truth[a].Get(l.Name); known && (!ok || repr != l.Repr) {
					s.Locals = s.Locals.Set(l.Name, l.Repr)
				}
			}
		}
		truth[a], read[a] = locals, *s
	}
	return outcomes
}
