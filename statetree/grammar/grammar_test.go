package grammar_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/statetreetest"
)

// randomTrajectories returns samples of both directions from random recordings.
func randomTrajectories(t testing.TB, recordings, samples int) (all []statetree.Trajectory) {
	t.Helper()
	options := statetree.DefaultSampling()
	options.MaxStates = 60
	for seed := range uint64(recordings) {
		rng := rand.New(rand.NewPCG(11, seed))
		r := statetreetest.Random(rng, 150)
		tree, err := statetree.NewTree(r)
		if err != nil {
			t.Fatal(err)
		}
		s := statetree.Subject{Tree: tree, Whole: statetree.Listing{Program: r.Program, Lines: []string{r.States[0].Source}}}
		if level, ok := tree.EntryLevel(); ok {
			s.Level, s.Function.Program = level, statetreetest.Functions()
		}
		sampler, err := statetree.NewSampler(s)
		if err != nil {
			t.Fatal(err)
		}
		for range samples {
			for _, d := range []statetree.Direction{statetree.Forward, statetree.Inverse} {
				if sample, ok := sampler.Sample(rng, d, &options); ok {
					all = append(all, sample)
				}
			}
		}
	}
	return all
}

func TestWriterAgainstPlainText(t *testing.T) {
	var w grammar.Writer
	var segments []grammar.Segment
	for i, sample := range randomTrajectories(t, 100, 10) {
		segments = w.AppendTrajectory(segments[:0], &sample)
		if got, want := text(segments), plainText(&sample); got != want {
			t.Fatalf("trajectory %d:\ngot  %s\nwant %s", i, grammar.Display(segments), grammar.Display(split(want)))
		}
	}
}

func TestParseWhatWasWritten(t *testing.T) {
	var w grammar.Writer
	for i, sample := range randomTrajectories(t, 100, 10) {
		segments := w.AppendTrajectory(nil, &sample)
		read, err := grammar.Parse(segments)
		if err != nil {
			t.Fatalf("trajectory %d: %v\n%s", i, err, grammar.Display(segments))
		}
		if read.Program.Code != sample.Program.Code || read.Direction != sample.Direction || len(read.Steps) != len(sample.Steps) {
			t.Fatalf("trajectory %d: read %+v, want %+v", i, read, sample)
		}
		want := plainRead(&sample)
		if !read.Start.Matches(want[0].State) {
			t.Fatalf("trajectory %d: start %+v, want %+v", i, read.Start, want[0].State)
		}
		for j, step := range read.Steps {
			if step.Action != sample.Steps[j].Action {
				t.Fatalf("trajectory %d, step %d: %v, want %v", i, j, step.Action, sample.Steps[j].Action)
			}
			if step.Outcome.Exit != want[j+1].Exit || !step.Outcome.State.Matches(want[j+1].State) {
				t.Fatalf("trajectory %d, step %d: %+v, want %+v\n%s", i, j, step.Outcome, want[j+1], grammar.Display(segments))
			}
		}
	}
}

func TestParseGoldens(t *testing.T) {
	r, _ := countBerry(t)
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	walk := statetree.WalkAll(tree.Cursor(statetree.Whole), r.Program, statetree.StepInto)
	read, err := grammar.Parse(split(goldenText(t, "count_berry.forward.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if read.Exit() != statetree.ExitNormal || len(read.Steps) != len(walk.Steps) || !read.Start.Matches(walk.Start) {
		t.Errorf("read %+v, want %+v", read, walk)
	}
	for i, step := range walk.Steps {
		if !read.Steps[i].Outcome.State.Matches(step.Outcome.State) {
			t.Errorf("step %d: %+v, want %+v", i, read.Steps[i], step)
		}
	}
	read, err = grammar.Parse(split(goldenText(t, "count_berry.inverse.txt")))
	if err != nil {
		t.Fatal(err)
	}
	// Going back, the values become known where they change.
	for i, want := range map[int]statetree.Locals{
		2:  nil,
		4:  {{Name: "c", Repr: "'r'"}, {Name: "n", Repr: "1"}},
		12: {{Name: "c", Repr: "'b'"}, {Name: "n", Repr: "0"}},
	} {
		if s := read.Steps[i].Outcome.State; !s.Partial || !s.Locals.Equal(want) {
			t.Errorf("step %d: partial %v, %v; want %v", i, s.Partial, s.Locals, want)
		}
	}
	call := read.Steps[13].Outcome.State
	if want := (statetree.Locals{{Name: "s", Repr: "'berry'"}, {Name: "t", Repr: "'r'"}}); call.Partial || !slices.Equal(call.Locals, want) {
		t.Errorf("the call is %+v, want %v", call, want)
	}
}

// TestPredicted checks which segments count in the loss: from each state's
// frame_sep to its action_sep, and the exit; not the start, nor the actions.
func TestPredicted(t *testing.T) {
	for _, sample := range randomTrajectories(t, 20, 10) {
		var w grammar.Writer
		inOutcome, outcomes := false, 0
		for i, s := range w.AppendTrajectory(nil, &sample) {
			if s.Special == grammar.FrameSep {
				inOutcome = true
				outcomes++
			}
			want := inOutcome && (outcomes > 1 || sample.ProposeStart)
			if s.Predicted != want {
				t.Fatalf("segment %d, %v %q: predicted %v, want %v", i, s.Special, s.Text, s.Predicted, want)
			}
			if s.Special == grammar.ActionSep {
				inOutcome = false
			}
		}
	}
}

// TestLocals is the table of the rules for LOCALS that the paper's example has
// no case of.
func TestLocals(t *testing.T) {
	locals := func(pairs ...string) (l statetree.Locals) {
		for i := 0; i < len(pairs); i += 2 {
			l = append(l, statetree.Local{Name: pairs[i], Repr: pairs[i+1]})
		}
		return l
	}
	line := func(pairs ...string) statetree.State {
		return statetree.State{Event: statetree.Line, Source: "L", Locals: locals(pairs...)}
	}
	call := func(pairs ...string) statetree.State {
		return statetree.State{Event: statetree.Call, Source: "C", Locals: locals(pairs...)}
	}
	invLine := func(pairs ...string) statetree.State {
		return statetree.State{Event: statetree.InvLine, Source: "L", Locals: locals(pairs...)}
	}
	with := func(e statetree.Event) statetree.State { return statetree.State{Event: e, Source: "R", Arg: "1"} }
	const (
		into, over, breakpoint = statetree.StepInto, statetree.StepOver, statetree.Breakpoint
		invInto, invOver       = statetree.InvStepInto, statetree.InvStepOver
	)
	type step struct {
		action statetree.ActionKind
		state  statetree.State
		want   string // LOCALS or ARGS
	}
	for _, test := range []struct {
		name  string
		steps []step // the first is the start
	}{
		{"start at a line", []step{{0, line("a", "1"), `{"a": "1"}`}, {into, line("a", "1"), `{"..": ".."}`}}},
		{"start at a line that is partly known", []step{
			{0, statetree.State{Event: statetree.Line, Source: "L", Partial: true, Locals: locals("a", "1")}, `{"..": "..", "a": "1"}`}}},
		{"no names", []step{{0, call(), `{}`}, {into, line(), `{}`}, {into, line("a", "1"), `{"..": "..", "a": "1"}`}, {into, line(), `{}`}}},
		{"a name vanishes", []step{{0, call("a", "1", "b", "2"), `{"a": "1", "b": "2"}`}, {into, line("b", "2"), `{"b": "2"}`},
			{into, line("b", "3"), `{"..": "..", "b": "3"}`}}},
		{"one name replaces another", []step{{0, line("a", "1"), `{"a": "1"}`}, {into, line("b", "1"), `{"b": "1"}`}}},
		{"order changes", []step{{0, line("a", "1", "b", "2"), `{"a": "1", "b": "2"}`}, {into, line("c", "0", "b", "3", "a", "1"), `{"..": "..", "c": "0", "b": "3"}`}}},
		{"breakpoint's target", []step{{0, line("a", "1"), `{"a": "1"}`}, {breakpoint, line("a", "1"), `{"a": "1"}`}, {into, line("a", "1"), `{"..": ".."}`}}},
		{"back from a call", []step{{0, line("a", "1"), `{"a": "1"}`}, {into, call("x", "0"), `{"x": "0"}`},
			{into, line("x", "0"), `{"..": ".."}`}, {into, with(statetree.Return), `"1"`}, {over, line("a", "1"), `{"a": "1"}`}}},
		{"over a call", []step{{0, line("a", "1"), `{"a": "1"}`}, {over, line("a", "2"), `{"..": "..", "a": "2"}`}}},
		{"exception in between", []step{{0, line("a", "1"), `{"a": "1"}`}, {into, with(statetree.Exception), `"1"`}, {into, line("a", "1"), `{"..": ".."}`}}},
		{"call and exception in between", []step{{0, line("a", "1"), `{"a": "1"}`}, {into, call(), `{}`}, {into, with(statetree.Return), `"1"`},
			{into, with(statetree.Exception), `"1"`}, {into, line("a", "1"), `{"a": "1"}`}}},
		{"recursion", []step{{0, call("n", "2"), `{"n": "2"}`}, {into, line("n", "2"), `{"..": ".."}`}, {into, call("n", "1"), `{"n": "1"}`},
			{into, line("n", "1"), `{"..": ".."}`}}},
		{"backward from a return", []step{{0, with(statetree.InvReturn), `"1"`}, {invInto, invLine("a", "1", "b", "2"), `{"..": ".."}`},
			{invInto, invLine("a", "0", "b", "2"), `{"..": "..", "a": "0"}`}, {invInto, invLine("a", "0"), `{"..": ".."}`},
			{statetree.InvStepCall, statetree.State{Event: statetree.InvCall, Source: "C", Locals: locals("a", "0")}, `{"a": "0"}`}}},
		{"backward from a line", []step{{0, invLine("a", "1"), `{"a": "1"}`}, {invInto, invLine("a", "0"), `{"..": "..", "a": "0"}`}}},
		{"backward without names", []step{{0, invLine(), `{}`}, {invInto, invLine(), `{"..": ".."}`}}},
		{"backward through a call", []step{{0, invLine("a", "1"), `{"a": "1"}`},
			{invInto, statetree.State{Event: statetree.InvLineCall, Source: "L"}, ""}, {invInto, with(statetree.InvReturn), `"1"`},
			{invInto, invLine("x", "1"), `{"..": ".."}`}, {invOver, statetree.State{Event: statetree.InvCall, Source: "C"}, `{}`},
			{invOver, invLine("a", "0"), `{"..": "..", "a": "0"}`}}},
		{"backward through two calls", []step{{0, invLine("a", "1"), `{"a": "1"}`},
			{invInto, statetree.State{Event: statetree.InvLineCall, Source: "L"}, ""}, {invInto, with(statetree.InvReturn), `"1"`},
			{invOver, statetree.State{Event: statetree.InvCall, Source: "C"}, `{}`}, {invInto, with(statetree.InvReturn), `"1"`},
			{invInto, invLine("x", "1"), `{"..": ".."}`}, {invOver, statetree.State{Event: statetree.InvCall, Source: "C"}, `{}`},
			{invInto, invLine("a", "0"), `{"..": "..", "a": "0"}`}}},
		{"backward out of where it began", []step{{0, invLine("x", "1"), `{"x": "1"}`}, {invOver, statetree.State{Event: statetree.InvCall, Source: "C"}, `{}`},
			{invOver, invLine("x", "7"), `{"..": ".."}`}, {invOver, invLine("x", "8"), `{"..": "..", "x": "8"}`}}},
		{"the mark as a name cannot be written", []step{{0, line("..", "1", "a", "2"), `{"a": "2"}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w grammar.Writer
			for i, step := range test.steps {
				var segments []grammar.Segment
				if i == 0 {
					segments = w.AppendStart(nil, &step.state, false)
					if full := grammar.AppendFull(nil, &step.state); !slices.Equal(full, segments) {
						t.Errorf("AppendFull gives %q, AppendStart %q", text(full), text(segments))
					}
				} else {
					w.AppendAction(nil, statetree.Action{Kind: step.action})
					segments = w.AppendState(nil, &step.state)
				}
				got := ""
				for j, s := range segments {
					if s.Special == grammar.ArgSep {
						got = segments[j+1].Text
					}
				}
				if got != step.want {
					t.Errorf("state %d: got %s, want %s", i, got, step.want)
				}
			}
		})
	}
}

func TestBeginAndSources(t *testing.T) {
	for code, want := range map[string]string{
		"x = 1\n": "x = 1\n", "x = 1": "x = 1\n", "x = 1\n\n\n": "x = 1\n", "": "\n", "\xff\n": "\uFFFD\n",
	} {
		segments := grammar.AppendBegin(nil, code)
		if got := segments[len(segments)-1].Text; got != want {
			t.Errorf("code %q is written %q, want %q", code, got, want)
		}
	}
	for source, want := range map[string]string{"  a": "  a", "": "", "a\r\n": "a", "a\xc3": "a\uFFFD"} {
		got := text(grammar.AppendAction(nil, statetree.Action{Kind: statetree.Breakpoint, Source: source}))
		if want := "<|breakpoint|>" + want; got != want {
			t.Errorf("source %q is written %q, want %q", source, got, want)
		}
	}
}

// TestSpecialsInText has a program whose text looks like special tokens.
func TestSpecialsInText(t *testing.T) {
	code := "def f(): # <|frame_sep|>\n"
	start := statetree.State{Event: statetree.Call, Source: "def f(): # <|frame_sep|>", Locals: statetree.Locals{{Name: "a", Repr: "'<|action_sep|>'"}}}
	sample := statetree.Trajectory{Program: statetree.Program{Code: code}, Start: start}
	var w grammar.Writer
	segments := w.AppendTrajectory(nil, &sample)
	read, err := grammar.Parse(segments)
	if err != nil || read.Program.Code != code || !read.Start.Matches(start) {
		t.Errorf("read %+v, %v", read, err)
	}
}

func TestSpecials(t *testing.T) {
	seen := make(map[string]bool)
	for i, s := range grammar.Specials() {
		name := s.String()
		if int(s) != i+1 || seen[name] || !strings.HasPrefix(name, "<|") || !strings.HasSuffix(name, "|>") {
			t.Errorf("special %d is %q", i, name)
		}
		seen[name] = true
	}
	for e := statetree.Call; e <= statetree.InvLineCall; e++ {
		if name := "<|" + e.String() + "_sep|>"; !seen[name] {
			t.Errorf("no special %s", name)
		}
	}
	for _, k := range slices.Concat(statetree.ForwardActions, statetree.InverseActions) {
		if name := "<|" + k.String() + "|>"; !seen[name] {
			t.Errorf("no special %s", name)
		}
	}
	// A checkpoint's token ids depend on these: additions go to the end.
	if got := len(grammar.Specials()); got != 29 || grammar.Specials()[28] != grammar.InvExitEntry {
		t.Errorf("%d specials, the last %v", got, grammar.Specials()[got-1])
	}
}

// TestHash holds the hash fast: when it changes, checkpoints are lost.
func TestHash(t *testing.T) {
	const want = "ea039d4a3362219c"
	if got := grammar.Hash(); got != want {
		t.Errorf("hash %s, want %s: a changed grammar refuses all checkpoints", got, want)
	}
}
