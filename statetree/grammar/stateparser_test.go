package grammar_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// feedSegment feeds a special token or plain text.
func feedSegment(p *grammar.StateParser, s grammar.Segment) error {
	if s.Special != grammar.NoSpecial {
		return p.Feed(s.Special)
	}
	return p.FeedText(s.Text)
}

// feed feeds a text with special tokens' names.
func feed(p *grammar.StateParser, text string) error {
	for _, s := range split(text) {
		if err := feedSegment(p, s); err != nil {
			return err
		}
	}
	return nil
}

// complete feeds what the parser allows until the outcome is complete, and
// reports false when it comes to a dead end.
func complete(p *grammar.StateParser) bool {
	for range 1000 {
		if p.Done() {
			return true
		}
		if specials := p.AllowedSpecials(nil); len(specials) > 0 {
			if p.Feed(specials[len(specials)-1]) != nil {
				return false
			}
			continue
		}
		fed := false
		for b := -6; b < 256 && !fed; b++ {
			next := byte(b)
			if b < 0 { // what closes things comes first
				next = `"}: "{`[b+6]
			}
			fed = p.FeedText(string([]byte{next})) == nil
		}
		if !fed {
			return false
		}
	}
	return false
}

var known = grammar.Base{Known: true, Locals: statetree.Locals{{Name: "a", Repr: "1"}, {Name: "b", Repr: "2"}}}

func TestStateParserReads(t *testing.T) {
	l := func(pairs ...string) (l statetree.Locals) {
		for i := 0; i < len(pairs); i += 2 {
			l = append(l, statetree.Local{Name: pairs[i], Repr: pairs[i+1]})
		}
		return l
	}
	partial := known
	partial.Partial = true
	const forward, inverse = statetree.Forward, statetree.Inverse
	for _, test := range []struct {
		name      string
		direction statetree.Direction
		base      grammar.Base
		text      string
		want      statetree.Outcome
	}{
		{"call", forward, known, `<|frame_sep|><|call_sep|><|src_sep|>def f():<|arg_sep|>{"x": "'\"'"}<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Call, Source: "def f():", Locals: l("x", `'"'`)}}},
		{"call of a module", forward, grammar.Base{}, `<|frame_sep|><|call_sep|><|src_sep|><|arg_sep|>{}<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Call}}},
		{"full line", forward, grammar.Base{}, `<|frame_sep|><|line_sep|><|arg_sep|>{"x": ".."}<|src_sep|>  y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "  y", Locals: l("x", "..")}}},
		{"full line although there is a base", forward, known, `<|frame_sep|><|line_sep|><|arg_sep|>{"b": "3"}<|src_sep|>y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "y", Locals: l("b", "3")}}},
		{"nothing changed", forward, known, `<|frame_sep|><|line_sep|><|arg_sep|>{"..": ".."}<|src_sep|>y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "y", Locals: l("a", "1", "b", "2")}}},
		{"difference", forward, known, `<|frame_sep|><|line_sep|><|arg_sep|>{"..": "..", "b": "3", "c": "4"}<|src_sep|>y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "y", Locals: l("a", "1", "b", "3", "c", "4")}}},
		{"difference from what is partly known", forward, partial, `<|frame_sep|><|line_sep|><|arg_sep|>{"..": ".."}<|src_sep|>y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "y", Partial: true, Locals: l("a", "1", "b", "2")}}},
		{"return", forward, known, `<|frame_sep|><|return_sep|><|src_sep|>return<|arg_sep|>"a\n\u001f\\é"<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Return, Source: "return", Arg: "a\n\x1f\\é"}}},
		{"exception", forward, known, `<|frame_sep|><|exception_sep|><|src_sep|>raise<|arg_sep|>"E()"<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.Exception, Source: "raise", Arg: "E()"}}},
		{"exit", forward, known, `<|frame_sep|><|exit_error|><|trace_end|><|end_of_text|>`, statetree.Outcome{Exit: statetree.ExitError}},
		{"unknown", inverse, grammar.Base{}, `<|frame_sep|><|inv_line_sep|><|src_sep|>y<|arg_sep|>{"..": ".."}<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.InvLine, Source: "y", Partial: true}}},
		{"inverse difference", inverse, known, `<|frame_sep|><|inv_line_sep|><|src_sep|>y<|arg_sep|>{"..": "..", "a": "0"}<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.InvLine, Source: "y", Locals: l("a", "0", "b", "2")}}},
		{"inverse call", inverse, grammar.Base{}, `<|frame_sep|><|inv_call_sep|><|src_sep|>y<|arg_sep|>{"a": "0"}<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.InvCall, Source: "y", Locals: l("a", "0")}}},
		{"line of calls", inverse, known, `<|frame_sep|><|inv_line_call_sep|><|src_sep|>y<|action_sep|>`,
			statetree.Outcome{State: statetree.State{Event: statetree.InvLineCall, Source: "y"}}},
		{"entry", inverse, known, `<|frame_sep|><|inv_exit_entry|><|trace_end|><|end_of_text|>`, statetree.Outcome{Exit: statetree.ExitEntry}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := grammar.NewStateParser(test.direction, test.base, nil)
			for _, s := range split(test.text) {
				if p.Done() {
					t.Fatal("done too early")
				}
				if _, err := p.Outcome(); err == nil {
					t.Error("an outcome before the end")
				}
				if err := feedSegment(&p, s); err != nil {
					t.Fatal(err)
				}
			}
			got, err := p.Outcome()
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("read %+v, %v; want %+v", got, err, test.want)
			}
			if len(p.AllowedSpecials(nil)) > 0 || p.AllowsText() {
				t.Error("the complete outcome can go on")
			}
		})
	}
}

// TestStateParserRejects has texts whose last byte or special token is the first
// that must be rejected.
func TestStateParserRejects(t *testing.T) {
	const line, call, inv, ret = `<|frame_sep|><|line_sep|><|arg_sep|>`, `<|frame_sep|><|call_sep|><|src_sep|>f<|arg_sep|>`,
		`<|frame_sep|><|inv_line_sep|><|src_sep|>y<|arg_sep|>`, `<|frame_sep|><|return_sep|><|src_sep|>f<|arg_sep|>`
	const forward, inverse = statetree.Forward, statetree.Inverse
	limited := &grammar.Expect{
		Events: grammar.NewSet(statetree.Line, statetree.Return, statetree.Exception),
		Exits:  grammar.NewSet(statetree.ExitError),
		Sources: map[statetree.Event][]string{
			statetree.Line: {"    x = 1", "    x = 10", "    yé"}, statetree.Exception: {}, statetree.Call: {"f"},
		},
		Names: []string{"n", "name", "é\""},
	}
	for _, test := range []struct {
		name      string
		direction statetree.Direction
		base      grammar.Base
		expect    *grammar.Expect
		text      string
	}{
		{"no frame", forward, known, nil, `<|line_sep|>`},
		{"text first", forward, known, nil, `x`},
		{"wrong separator", forward, known, nil, `<|frame_sep|><|line_sep|><|src_sep|>`},
		{"wrong separator of a return", forward, known, nil, `<|frame_sep|><|return_sep|><|arg_sep|>`},
		{"event of the other direction", forward, known, nil, `<|frame_sep|><|inv_line_sep|>`},
		{"event of the other direction, backward", inverse, known, nil, `<|frame_sep|><|line_sep|>`},
		{"exit of the other direction", forward, known, nil, `<|frame_sep|><|inv_exit_entry|>`},
		{"exit of the other direction, backward", inverse, known, nil, `<|frame_sep|><|exit_normal|>`},
		{"action as an event", forward, known, nil, `<|frame_sep|><|step_into|>`},
		{"event not expected", forward, known, limited, `<|frame_sep|><|call_sep|>`},
		{"event without a source", forward, known, limited, `<|frame_sep|><|exception_sep|>`},
		{"exit not expected", forward, known, limited, `<|frame_sep|><|exit_normal|>`},
		{"exit without an end", forward, known, nil, `<|frame_sep|><|exit_normal|><|end_of_text|>`},
		{"line end in a source", forward, known, nil, `<|frame_sep|><|call_sep|><|src_sep|>f` + "\n"},
		{"carriage return in a source", forward, known, nil, `<|frame_sep|><|call_sep|><|src_sep|>f` + "\r"},
		{"half a character", forward, known, nil, "<|frame_sep|><|call_sep|><|src_sep|>\xc3<|arg_sep|>"},
		{"not UTF-8", forward, known, nil, "<|frame_sep|><|call_sep|><|src_sep|>\xc3x"},
		{"overlong", forward, known, nil, call + "{\"\xe0\x9f"},
		{"overlong, short", forward, known, nil, call + "{\"\xc1"},
		{"surrogate", forward, known, nil, call + "{\"\xed\xa0"},
		{"four bytes overlong", forward, known, nil, call + "{\"\xf0\x8f"},
		{"above U+10FFFF", forward, known, nil, call + "{\"\xf4\x90"},
		{"lone continuation", forward, known, nil, call + "{\"\x80"},
		{"quote within a character", forward, known, nil, call + "{\"\xc3\""},
		{"no white space", forward, known, nil, call + `{ `},
		{"no space after the colon", forward, known, nil, call + `{"a":"`},
		{"no space after the comma", forward, known, nil, call + `{"a": "1","`},
		{"value is no string", forward, known, nil, call + `{"a": 1`},
		{"trailing comma", forward, known, nil, call + `{"a": "1", }`},
		{"text after LOCALS", forward, known, nil, call + `{} `},
		{"special in LOCALS", forward, known, nil, call + `{"a<|action_sep|>`},
		{"LOCALS not closed", forward, known, nil, call + `{"a": "1"<|action_sep|>`},
		{"name twice", forward, known, nil, call + `{"a": "1", "b": "1", "a"`},
		{"difference in a call", forward, known, nil, call + `{".."`},
		{"difference without a base", forward, grammar.Base{}, nil, line + `{".."`},
		{"mark not first", forward, known, nil, line + `{"a": "1", ".."`},
		{"mark with a value", forward, known, nil, line + `{"..": "1`},
		{"mark with a longer value", forward, known, nil, line + `{"..": "...`},
		{"mark twice", forward, known, nil, line + `{"..": "..", ".."`},
		{"full line backward", inverse, known, nil, inv + `{"a`},
		{"longer than the mark", inverse, known, nil, inv + `{"...`},
		{"empty line backward", inverse, known, nil, inv + `{}`},
		{"difference without a base backward", inverse, grammar.Base{}, nil, inv + `{"..": "..",`},
		{"control character", forward, known, nil, ret + "\"\x1f"},
		{"line end", forward, known, nil, ret + "\"a\n"},
		{"escaped slash", forward, known, nil, ret + `"\/`},
		{"escape of what has a short one", forward, known, nil, ret + `"\u000a`},
		{"escape of what needs none", forward, known, nil, ret + `"\u002`},
		{"escape of a letter", forward, known, nil, ret + `"\u00e`},
		{"upper-case escape", forward, known, nil, ret + `"\u001F`},
		{"long escape", forward, known, nil, ret + `"\u2`},
		{"number as ARGS", forward, known, nil, ret + `1`},
		{"ARGS not closed", forward, known, nil, ret + `"1<|action_sep|>`},
		{"text after ARGS", forward, known, nil, ret + `"1"2`},
		{"source not expected", forward, known, limited, line + `{"..": ".."}<|src_sep|>    z`},
		{"source too long", forward, known, limited, line + `{"..": ".."}<|src_sep|>    x = 100`},
		{"source too short", forward, known, limited, line + `{"..": ".."}<|src_sep|>    x =<|action_sep|>`},
		{"source ends in a character", forward, known, limited, line + `{"..": ".."}<|src_sep|>    y` + "\xc3<|action_sep|>"},
		{"name not expected", forward, known, limited, line + `{"x`},
		{"name too long", forward, known, limited, line + `{"namex`},
		{"name too short", forward, known, limited, line + `{"na"`},
		{"name whose longer forms are taken", forward, known, limited, line + `{"name": "1", "na`},
		{"all names taken", forward, known, limited, line + `{"..": "..", "name": "1", "n": "1", "é\"": "1",`},
		{"no names expected", forward, grammar.Base{}, &grammar.Expect{Names: []string{}}, line + `{"`},
		{"mark expected as a name", forward, grammar.Base{}, &grammar.Expect{Names: []string{".."}}, line + `{"`},
		{"after the end", forward, known, nil, line + `{}<|src_sep|>x<|action_sep|><|step_into|>`},
		{"text after the end", forward, known, nil, line + `{}<|src_sep|>x<|action_sep|>x`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := grammar.NewStateParser(test.direction, test.base, test.expect)
			segments := split(test.text)
			last := segments[len(segments)-1]
			accepted := segments[:len(segments)-1]
			if last.Special == grammar.NoSpecial {
				accepted = append(slices.Clone(accepted), grammar.Segment{Text: last.Text[:len(last.Text)-1]})
				last.Text = last.Text[len(last.Text)-1:]
			}
			for _, s := range accepted {
				if err := feedSegment(&p, s); err != nil {
					t.Fatalf("rejected too early: %v", err)
				}
			}
			before := p.Clone()
			err := feedSegment(&p, last)
			if _, ok := err.(*grammar.SyntaxError); !ok {
				t.Fatalf("error %v, want a syntax error", err)
			}
			if !p.Done() && (!reflect.DeepEqual(p, before) || !complete(&p)) {
				t.Error("after the error the parser cannot go on as before")
			}
		})
	}
}

func TestStartParser(t *testing.T) {
	p := grammar.NewStartParser(statetree.Forward, nil)
	if err := feed(&p, `<|frame_sep|><|exit_normal|>`); err == nil {
		t.Error("a text begins with an exit")
	}
	for _, locals := range []string{`{"a": "1"}`, `{"..": "..", "a": "1"}`} {
		for _, d := range []statetree.Direction{statetree.Forward, statetree.Inverse} {
			text := `<|frame_sep|><|line_sep|><|arg_sep|>` + locals + `<|src_sep|>x<|action_sep|>`
			event := statetree.Line
			if d == statetree.Inverse {
				text = `<|frame_sep|><|inv_line_sep|><|src_sep|>x<|arg_sep|>` + locals + `<|action_sep|>`
				event = statetree.InvLine
			}
			p := grammar.NewStartParser(d, nil)
			if err := feed(&p, text); err != nil {
				t.Fatal(err)
			}
			o, err := p.Outcome()
			want := statetree.State{Event: event, Source: "x", Partial: strings.Contains(locals, ".."), Locals: statetree.Locals{{Name: "a", Repr: "1"}}}
			if err != nil || !o.State.Matches(want) {
				t.Errorf("%v: %+v, %v; want %+v", d, o.State, err, want)
			}
		}
	}
}

// TestPrefixesCanBeCompleted checks on random outcomes, under random
// expectations that fit them, that every prefix is accepted, can be completed,
// and is left as it was by all that only asks.
func TestPrefixesCanBeCompleted(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for _, sample := range randomTrajectories(t, 8, 2) {
		var w grammar.Writer
		w.AppendStart(nil, &sample.Start, false)
		h := grammar.NewHistory(&sample.Start)
		for _, step := range sample.Steps {
			w.AppendAction(nil, step.Action)
			var segments []grammar.Segment
			if step.Outcome.Ended() {
				segments = grammar.AppendExit(nil, step.Outcome.Exit)
			} else {
				segments = w.AppendState(nil, &step.Outcome.State)
			}
			expect := h.Expect(step.Action)
			if step.Action.Kind != statetree.Breakpoint && rng.IntN(2) == 0 {
				expect.Sources = map[statetree.Event][]string{step.Outcome.State.Event: {step.Outcome.State.Source, "other", step.Outcome.State.Source + "0"}}
			}
			if rng.IntN(2) == 0 {
				expect.Names = []string{"zz"}
				for _, l := range step.Outcome.State.Locals {
					expect.Names = append(expect.Names, l.Name)
				}
			}
			p := h.Parser(step.Action.Kind, &expect)
			for _, s := range segments {
				checkPrefixes(t, &p, s)
			}
			o, err := p.Outcome()
			if err != nil || o.Exit != step.Outcome.Exit || o.State.Event != step.Outcome.State.Event || o.State.Source != step.Outcome.State.Source {
				t.Fatalf("%+v, %v; want %+v", o, err, step.Outcome)
			}
			if !o.Ended() {
				// The writer's history has the truth, the reader's what it read.
				h = h.After(step.Action.Kind, &o.State)
			}
		}
	}
}

func checkPrefixes(t *testing.T, p *grammar.StateParser, s grammar.Segment) {
	t.Helper()
	check := func() {
		clone := p.Clone()
		if forced, ok := p.Forced(); ok && forced.Special != s.Special {
			t.Fatalf("%v %q is forced before %v %q", forced.Special, forced.Text, s.Special, s.Text)
		}
		if !reflect.DeepEqual(*p, clone) {
			t.Fatal("asking changes the parser")
		}
		if !complete(&clone) {
			t.Fatalf("no way on before %v %q", s.Special, s.Text)
		}
		if q := p.Clone(); !reflect.DeepEqual(*p, q) {
			t.Fatal("completing a clone changes the parser")
		}
	}
	if s.Special != grammar.NoSpecial {
		if !p.Allows(s.Special) || !slices.Contains(p.AllowedSpecials(nil), s.Special) {
			t.Fatalf("%v is not allowed", s.Special)
		}
		check()
		if err := p.Feed(s.Special); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := 0; i < len(s.Text); i++ {
		if !p.Try(s.Text[i:]) || !p.AllowsText() {
			t.Fatalf("%q is not allowed after %q", s.Text[i:], s.Text[:i])
		}
		check()
		if err := p.FeedText(s.Text[i : i+1]); err != nil {
			t.Fatalf("%q: %v", s.Text[:i+1], err)
		}
	}
}

func TestForced(t *testing.T) {
	sources := &grammar.Expect{
		Events:  grammar.NewSet(statetree.Line),
		Exits:   grammar.NewSet[statetree.Exit](),
		Sources: map[statetree.Event][]string{statetree.Line: {"    return x", "    return y"}},
		Names:   []string{"x"},
	}
	for _, test := range []struct {
		name   string
		base   grammar.Base
		expect *grammar.Expect
		before string
		want   string // "" for a choice
	}{
		{"frame", known, nil, "", "<|frame_sep|>"},
		{"event", known, nil, "<|frame_sep|>", ""},
		{"only event", known, sources, "<|frame_sep|>", "<|line_sep|>"},
		{"separator", known, nil, "<|frame_sep|><|line_sep|>", "<|arg_sep|>"},
		{"beginning of LOCALS", known, nil, "<|frame_sep|><|line_sep|><|arg_sep|>", "{"},
		{"mark or name", known, sources, "<|frame_sep|><|line_sep|><|arg_sep|>{", ""},
		{"the mark", known, sources, `<|frame_sep|><|line_sep|><|arg_sep|>{".`, `.": ".."`},
		{"the only name", grammar.Base{}, sources, `<|frame_sep|><|line_sep|><|arg_sep|>{"`, `x": "`},
		{"no name left", known, sources, `<|frame_sep|><|line_sep|><|arg_sep|>{"x": "1"`, `}`},
		{"after LOCALS", known, nil, `<|frame_sep|><|line_sep|><|arg_sep|>{}`, `<|src_sep|>`},
		{"common beginning", known, sources, `<|frame_sep|><|line_sep|><|arg_sep|>{}<|src_sep|>`, "    return "},
		{"end of the source", known, sources, `<|frame_sep|><|line_sep|><|arg_sep|>{}<|src_sep|>    return x`, "<|action_sep|>"},
		{"the end", known, nil, `<|frame_sep|><|exit_normal|>`, "<|trace_end|>"},
		{"nothing", known, nil, `<|frame_sep|><|exit_normal|><|trace_end|><|end_of_text|>`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := grammar.NewStateParser(statetree.Forward, test.base, test.expect)
			if err := feed(&p, test.before); err != nil {
				t.Fatal(err)
			}
			got, ok := p.Forced()
			if s := got.Special.String() + got.Text; s != test.want || ok != (test.want != "") {
				t.Errorf("forced %q, %v; want %q", s, ok, test.want)
			}
		})
	}
}

// TestParts follows the parts, the variable and the source through a state.
func TestParts(t *testing.T) {
	p := grammar.NewStateParser(statetree.Forward, known, nil)
	type place struct {
		part     grammar.Part
		variable string
	}
	for _, step := range []struct {
		text string
		want place // before the text
	}{
		{"<|frame_sep|>", place{grammar.PartEvent, ""}},
		{"<|line_sep|>", place{grammar.PartEvent, ""}},
		{"<|arg_sep|>", place{grammar.PartEvent, ""}},
		{`{`, place{grammar.PartLocals, ""}},
		{`"`, place{grammar.PartLocals, ""}},
		{`..`, place{grammar.PartName, ""}},
		{`": `, place{grammar.PartName, ""}},
		{`".."`, place{grammar.PartValue, ""}},
		{`, "`, place{grammar.PartLocals, ""}},
		{`b": `, place{grammar.PartName, ""}},
		{`"`, place{grammar.PartValue, "b"}},
		{`3"`, place{grammar.PartValue, "b"}},
		{`}`, place{grammar.PartLocals, ""}},
		{"<|src_sep|>", place{grammar.PartEnd, ""}},
		{"  x", place{grammar.PartSource, ""}},
		{"<|action_sep|>", place{grammar.PartSource, ""}},
	} {
		if got := (place{p.Part(), p.Variable()}); got != step.want {
			t.Errorf("before %q: %v, want %v", step.text, got, step.want)
		}
		if err := feed(&p, step.text); err != nil {
			t.Fatal(err)
		}
	}
	if p.Source() != "  x" || p.Event() != statetree.Line || !slices.Equal(p.Changed(), []string{"b"}) {
		t.Errorf("source %q, event %v, changed %v", p.Source(), p.Event(), p.Changed())
	}
	p = grammar.NewStateParser(statetree.Forward, known, nil)
	if err := feed(&p, `<|frame_sep|><|return_sep|><|src_sep|>ret`); err != nil {
		t.Fatal(err)
	}
	if p.Source() != "ret" {
		t.Errorf("source so far %q", p.Source())
	}
	if err := feed(&p, `urn<|arg_sep|>"1`); err != nil || p.Part() != grammar.PartArg {
		t.Errorf("part %v, %v", p.Part(), err)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	p := grammar.NewStateParser(statetree.Forward, known, nil)
	if err := feed(&p, `<|frame_sep|><|line_sep|><|arg_sep|>{"a": "1"`); err != nil {
		t.Fatal(err)
	}
	q := p.Clone()
	for _, f := range []struct {
		p    *grammar.StateParser
		text string
	}{{&p, `, "pp": "p"}<|src_sep|>ppp<|action_sep|>`}, {&q, `, "qq": "q"}<|src_sep|>qqq<|action_sep|>`}} {
		if err := feed(f.p, f.text); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]*grammar.StateParser{"p": &p, "q": &q} {
		o, err := r.Outcome()
		want := statetree.Locals{{Name: "a", Repr: "1"}, {Name: name + name, Repr: name}}
		if err != nil || o.State.Source != name+name+name || !slices.Equal(o.State.Locals, want) {
			t.Errorf("%s read %+v, %v", name, o, err)
		}
	}
}

func TestTryAllocatesNothing(t *testing.T) {
	p := grammar.NewStateParser(statetree.Forward, known, &grammar.Expect{Names: []string{"name", "other"}})
	if err := feed(&p, `<|frame_sep|><|line_sep|><|arg_sep|>{"..": ".."`); err != nil {
		t.Fatal(err)
	}
	p = p.Clone()
	if n := testing.AllocsPerRun(100, func() {
		if !p.Try(`, "name": "abc", "other": "`) || p.Try(`, "x`) {
			t.Fatal("wrong answer")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
