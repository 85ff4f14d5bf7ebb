package eval

import (
	"context"
	"os/exec"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/eval/judge"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

func needPython(t *testing.T) *judge.Judge {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	j, err := judge.New(context.Background(), judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func callSet(t *testing.T) *Set {
	t.Helper()
	set, err := FileSet("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// collect returns all questions.
func collect(t *testing.T, questions Questions) []Question {
	t.Helper()
	var all []Question
	for q, err := range questions {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// With the recorded truth as the model every output and every input is right,
// against the file's own outputs: the evaluation's own test.
func TestCallsOfTheTruth(t *testing.T) {
	j := needPython(t)
	r := Runner{Log: NewLog()}
	if err := r.Run(t.Context(), CallQuestions(t.Context(), callSet(t), CallOptions{Judge: j, Samples: 1})); err != nil {
		t.Fatal(err)
	}
	table := NewReport(model.Info{}, r.Log.Answers()).Calls[0]
	for i, want := range []CallRow{
		{Measure: Output, Passed: Score{6, 6}, Exact: Score{6, 6}},
		// One function has no return line.
		{Measure: Breakpoint, Passed: Score{5, 5}, Exact: Score{5, 5}},
		{Measure: Input, Passed: Score{6, 6}, Exact: Score{6, 6}},
	} {
		got := table.Rows[i]
		if got.Measure != want.Measure || got.Passed != want.Passed || got.Exact != want.Exact || got.Unknown != want.Unknown || got.Failed != 0 {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got.Samples != 1 || got.PassAt[1] != 1 {
			t.Errorf("%s: samples %d, pass@1 %v", got.Measure, got.Samples, got.PassAt)
		}
	}
	if t.Failed() {
		for _, a := range r.Log.Answers() {
			t.Logf("%s %s: %s %s %s", a.Measure, a.ID, a.Passed, a.Reason, a.Error)
		}
	}
}

// Other values than the recorded ones are right when they give the output, and
// wrong when they do not.
func TestChecks(t *testing.T) {
	j := needPython(t)
	questions := map[Measure]Question{}
	for _, q := range collect(t, CallQuestions(t.Context(), callSet(t), CallOptions{Judge: j, Cases: 1})) {
		questions[q.Measure] = q
	}
	if len(questions) != 3 {
		t.Fatalf("%d questions", len(questions))
	}
	with := func(m Measure, change func(*statetree.State)) statetree.Outcome {
		o := questions[m].Want
		change(&o.State)
		return o
	}
	for _, test := range []struct {
		name    string
		measure Measure
		got     statetree.Outcome
		want    Passed
	}{
		{"output", Output, questions[Output].Want, Yes},
		{"output, as another text", Output, with(Output, func(s *statetree.State) { s.Arg = "[ 'CDE' ]" }), Yes},
		{"another output", Output, with(Output, func(s *statetree.State) { s.Arg = "['AB']" }), No},
		{"an exit", Output, statetree.Outcome{Exit: statetree.ExitNormal}, No},
		{"locals", Breakpoint, questions[Breakpoint].Want, Yes},
		{"other locals, same value", Breakpoint, with(Breakpoint, func(s *statetree.State) { s.Locals = s.Locals.Set("k", "7") }), Yes},
		{"other value", Breakpoint, with(Breakpoint, func(s *statetree.State) { s.Locals = s.Locals.Set("out", "[]") }), No},
		{"another line", Breakpoint, with(Breakpoint, func(s *statetree.State) { s.Source = "    out = []" }), No},
		{"input", Input, questions[Input].Want, Yes},
		{"another input", Input, with(Input, func(s *statetree.State) { s.Locals = s.Locals.Set("words", "['cde']") }), Yes},
		{"a wrong input", Input, with(Input, func(s *statetree.State) { s.Locals = s.Locals.Set("k", "3") }), No},
	} {
		got, reason, err := questions[test.measure].check(t.Context(), test.got)
		if err != nil {
			t.Fatal(err)
		}
		if got != test.want || (reason == "") != (got == Yes) {
			t.Errorf("%s: %q (%s), want %q", test.name, got, reason, test.want)
		}
	}
}

// The prompts are those that the grammar's description of CruxEval asks for.
func TestCallPrompts(t *testing.T) {
	j := needPython(t)
	all := collect(t, CallQuestions(t.Context(), callSet(t), CallOptions{Judge: j, Cases: 1, Samples: 2, Sampling: model.Sampling{Temperature: .6, Seed: 5}}))
	if len(all) != 9 {
		t.Fatalf("%d questions", len(all))
	}
	q := all[0]
	events := []statetree.Event{q.Context.Start.Event}
	for _, h := range q.Context.History {
		events = append(events, h.Outcome.State.Event)
		if h.Action.Kind != statetree.StepInto {
			t.Errorf("the history has %v", h.Action)
		}
	}
	if !slices.Equal(events, []statetree.Event{statetree.Call, statetree.Line, statetree.Call}) || q.Action.Kind != statetree.StepReturn {
		t.Errorf("output: %v, then %v", events, q.Action)
	}
	if b := all[3]; b.Action != (statetree.Action{Kind: statetree.Breakpoint, Source: "    return out"}) || len(b.Context.History) != 2 {
		t.Errorf("breakpoint: %+v", b.Action)
	}
	if i := all[6]; i.Context.Start.Event != statetree.InvReturn || len(i.Context.History) != 0 || i.Action.Kind != statetree.InvStepCall || i.Context.Program.Entry.Driver != "" {
		t.Errorf("input: %+v", i)
	}
	for i, want := range []model.Sampling{{}, {Temperature: .6, Seed: 5}, {Temperature: .6, Seed: 6}} {
		if got := all[i]; got.Context.Sampling != want || got.Sample != i {
			t.Errorf("sample %d: %d, %+v", i, got.Sample, got.Context.Sampling)
		}
	}
}

func TestHorizonOfTheTruth(t *testing.T) {
	needPython(t)
	r := Runner{Log: NewLog()}
	questions := HorizonQuestions(t.Context(), callSet(t), HorizonOptions{Functions: 2, Points: 4, Samples: 2})
	if err := r.Run(t.Context(), questions); err != nil {
		t.Fatal(err)
	}
	table := NewReport(model.Info{}, r.Log.Answers()).Horizon[0]
	jumps := 0
	for _, bin := range table.Bins {
		jumps += bin.Questions
		if bin.Questions > 0 && (bin.MatchAt[1] != 1 || bin.Skipped <= bin.From || bin.Skipped > bin.To+1e-9) {
			t.Errorf("%+v", bin)
		}
	}
	// The recursive function has three states of its own, two of them far from all
	// but the first point.
	if jumps != 6 || table.Samples != 2 || table.Failed != 0 {
		t.Errorf("%d jumps, %d samples, %+v", jumps, table.Samples, table.Trouble)
	}
}

// Questions are the same in every run, all actions are asked for as often as was
// said, and the truth knows the answers.
func TestNextStateQuestions(t *testing.T) {
	j := needPython(t)
	p := dataset.DefaultParams()
	p.HeldOut = .5
	set := GeneratedSet("generated", 7, 0, p)
	o := NextStateOptions{Predictions: 4, Judge: j}
	all := collect(t, NextStateQuestions(t.Context(), set, o))
	counts := map[statetree.ActionKind]int{}
	checked := 0
	for _, q := range all {
		counts[q.Action.Kind]++
		if q.check != nil {
			checked++
		}
	}
	for _, k := range AllActions {
		if counts[k] != 4 {
			t.Errorf("%v is asked for %d times", k, counts[k])
		}
	}
	if checked == 0 || checked > counts[statetree.InvStepCall] {
		t.Errorf("%d questions are checked", checked)
	}
	for i, q := range collect(t, NextStateQuestions(t.Context(), set, o)) {
		if q.Key != all[i].Key || q.Action != all[i].Action {
			t.Errorf("question %d was %v, is %v", i, all[i].Key, q.Key)
		}
	}
	r := Runner{Log: NewLog()}
	if err := r.Run(t.Context(), stream(all)); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, a := range r.Log.Answers() {
		if !a.Grades[Whole] || a.Passed == No {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d true answers are wrong", wrong, len(all))
	}
}

// Programs that a model was trained on are left out, whatever calls them.
func TestTrainedProgramsAreLeftOut(t *testing.T) {
	needPython(t)
	const known = "def f(a):\n    # a comment\n    return a\n"
	set := &Set{Name: "x", Finite: true, Params: dataset.DefaultParams(), Cases: slices.Values([]corpus.Case{
		{Index: 0, Source: "def f(a):\n    return a\n\n\ndef unused():\n    pass\n", Entry: "f(2)", ID: "known"},
		{Index: 1, Source: "def g(a):\n    return a\n", Entry: "g(2)", ID: "new"},
	})}
	set.Params.HeldOut = 1
	set.Trained = map[uint64]bool{dataset.Key(known): true}
	var names []string
	for p, err := range set.programs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, p.name)
	}
	if !slices.Equal(names, []string{"new"}) || set.Left[leftTrained] != 1 {
		t.Errorf("%q, left out %v", names, set.Left)
	}
}
