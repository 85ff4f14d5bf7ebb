package grammar_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

func TestParserRejects(t *testing.T) {
	const begin = "<|begin_of_text|><|trace_context_start|>x = 1\n"
	const call = begin + "<|frame_sep|><|call_sep|><|src_sep|><|arg_sep|>{}<|action_sep|>"
	const invCall = begin + "<|frame_sep|><|inv_call_sep|><|src_sep|><|arg_sep|>{}<|action_sep|>"
	for _, test := range []struct{ name, text string }{
		{"no beginning", "<|trace_context_start|>"},
		{"text at the beginning", "x"},
		{"no context", "<|begin_of_text|>x"},
		{"no code", "<|begin_of_text|><|trace_context_start|><|frame_sep|>"},
		{"no newline", "<|begin_of_text|><|trace_context_start|>x<|frame_sep|>"},
		{"two newlines", "<|begin_of_text|><|trace_context_start|>x\n\n<|frame_sep|>"},
		{"not UTF-8", "<|begin_of_text|><|trace_context_start|>\xff"},
		{"half a character", "<|begin_of_text|><|trace_context_start|>\xc3<|frame_sep|>"},
		{"action in the code", "<|begin_of_text|><|trace_context_start|>x\n<|action_sep|>"},
		{"begins with an exit", begin + "<|frame_sep|><|exit_normal|>"},
		{"state without an action", call + "<|frame_sep|>"},
		{"action that is none", call + "<|call_sep|>"},
		{"action of the other direction", call + "<|inv_step_into|>"},
		{"action of the other direction, backward", invCall + "<|step_into|>"},
		{"text after an action", call + "<|step_into|>x"},
		{"text after a state", call + "x"},
		{"line end in a breakpoint", call + "<|breakpoint|>x\n"},
		{"half a character in a breakpoint", call + "<|breakpoint|>\xc3<|frame_sep|>"},
		{"difference at a breakpoint's target", call + "<|breakpoint|>x<|frame_sep|><|line_sep|><|arg_sep|>{\"..\""},
		{"after the end", call + "<|continue|><|frame_sep|><|exit_normal|><|trace_end|><|end_of_text|><|begin_of_text|>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			segments := split(test.text)
			var p grammar.Parser
			for i, s := range segments {
				err := p.FeedSegment(s)
				var syntax *grammar.SyntaxError
				switch last := i == len(segments)-1; {
				case !last && err != nil:
					t.Fatalf("segment %d is rejected: %v", i, err)
				case last && !errors.As(err, &syntax):
					t.Fatalf("error %v, want a syntax error", err)
				}
			}
		})
	}
}

func TestParseIncomplete(t *testing.T) {
	const start = "<|begin_of_text|><|trace_context_start|>x = 1\n<|frame_sep|><|call_sep|><|src_sep|><|arg_sep|>{}"
	for _, text := range []string{"", start, start + "<|action_sep|><|step_into|>", start + "<|action_sep|><|continue|><|frame_sep|><|exit_normal|>"} {
		if _, err := grammar.Parse(split(text)); err == nil {
			t.Errorf("%q is a whole text", text)
		}
	}
	cut, err := grammar.Parse(split(start + "<|action_sep|>"))
	if err != nil || cut.Exit() != statetree.NoExit || cut.Start.Event != statetree.Call {
		t.Errorf("a text cut at a state is read as %+v, %v", cut, err)
	}
}

// FuzzParser feeds any text. Reading it byte by byte must come out the same as at
// once, and what was read must be read again from its own writing.
func FuzzParser(f *testing.F) {
	f.Add(goldenText(f, "count_berry.forward.txt"))
	f.Add(goldenText(f, "count_berry.inverse.txt"))
	for _, sample := range randomTrajectories(f, 4, 2) {
		var w grammar.Writer
		f.Add(text(w.AppendTrajectory(nil, &sample)))
	}
	f.Fuzz(func(t *testing.T, input string) {
		segments := split(input)
		read, err := grammar.Parse(segments)
		var p grammar.Parser
		var slow error
		for i := 0; i < len(segments) && slow == nil; i++ {
			if s := segments[i]; s.Special != grammar.NoSpecial {
				slow = p.Feed(s.Special)
			} else {
				for j := 0; j < len(s.Text) && slow == nil; j++ {
					slow = p.FeedText(s.Text[j : j+1])
				}
			}
		}
		again, slowErr := p.Trajectory()
		if slow != nil {
			slowErr = slow
		}
		if (err == nil) != (slowErr == nil) || err == nil && !reflect.DeepEqual(read, again) {
			t.Fatalf("at once: %+v, %v; byte by byte: %+v, %v", read, err, again, slowErr)
		}
		if err != nil {
			return
		}
		var w grammar.Writer
		written := w.AppendTrajectory(nil, &read)
		again, err = grammar.Parse(written)
		if err != nil {
			t.Fatalf("%v in what was written: %s", err, grammar.Display(written))
		}
		if !again.Start.Matches(read.Start) || again.Program.Code != read.Program.Code || len(again.Steps) != len(read.Steps) {
			t.Fatalf("read %+v, then %+v", read, again)
		}
		for i, step := range read.Steps {
			got := again.Steps[i]
			if got.Action != step.Action || got.Outcome.Exit != step.Outcome.Exit || !got.Outcome.State.Matches(step.Outcome.State) {
				t.Fatalf("step %d: read %+v, then %+v", i, step, got)
			}
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	samples := randomTrajectories(b, 20, 5)
	var w grammar.Writer
	var segments []grammar.Segment
	bytes, states := 0, 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		sample := &samples[i%len(samples)]
		segments = w.AppendTrajectory(segments[:0], sample)
		for _, s := range segments {
			bytes += len(s.Text)
		}
		states += sample.States()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
	b.ReportMetric(float64(bytes)/b.Elapsed().Seconds()/1e6, "MB/s")
}

func BenchmarkParse(b *testing.B) {
	segments := split(goldenText(b, "count_berry.forward.txt"))
	b.SetBytes(int64(len(text(segments))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := grammar.Parse(segments); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTry is what a decoder pays to check one token.
func BenchmarkTry(b *testing.B) {
	var sources, names []string
	for i := range 100 {
		sources = append(sources, "    x"+string(rune('a'+i%26))+" = f(x)")
		names = append(names, "name"+string(rune('a'+i%26)))
	}
	expect := &grammar.Expect{Sources: map[statetree.Event][]string{statetree.Line: sources}, Names: names}
	for _, test := range []struct{ name, before, token string }{
		{"value", `<|frame_sep|><|line_sep|><|arg_sep|>{"..": "..", "namea": "[1, `, " 2, 3]"},
		{"name", `<|frame_sep|><|line_sep|><|arg_sep|>{"..": "..", "na`, "meb"},
		{"source", `<|frame_sep|><|line_sep|><|arg_sep|>{"..": ".."}<|src_sep|>   `, " xb ="},
	} {
		b.Run(test.name, func(b *testing.B) {
			p := grammar.NewStateParser(statetree.Forward, known, expect)
			if err := feed(&p, test.before); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if !p.Try(test.token) {
					b.Fatal("rejected")
				}
			}
		})
	}
}

func BenchmarkForced(b *testing.B) {
	p := grammar.NewStateParser(statetree.Inverse, known, nil)
	if err := feed(&p, `<|frame_sep|><|inv_line_sep|><|src_sep|>x<|arg_sep|>`); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, ok := p.Forced(); !ok {
			b.Fatal("nothing is forced")
		}
	}
}
