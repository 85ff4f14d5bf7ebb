package replay_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

const file = "testdata/count_berry.py"

func recordCount(t *testing.T) statetree.Recording {
	t.Helper()
	r, err := record.Record(context.Background(), record.Options{File: file, Entry: `count("berry", "r")`})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, r statetree.Recording, c model.Context) (model.Session, model.Prediction) {
	t.Helper()
	p, err := replay.New(r)
	if err != nil {
		t.Fatal(err)
	}
	c.Program = r.Program
	session, first, err := p.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return session, first
}

func predict(t *testing.T, s model.Session, kind statetree.ActionKind, source string) model.Prediction {
	t.Helper()
	p, err := s.Predict(context.Background(), statetree.Action{Kind: kind, Source: source})
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return p
}

func driverCall(r statetree.Recording) statetree.State {
	return statetree.State{Event: statetree.Call, Source: "def " + r.Program.Entry.Driver + "():"}
}

// TestStepIntoIsTheRecording: only step_into is the recording itself.
func TestStepIntoIsTheRecording(t *testing.T) {
	r := recordCount(t)
	session, got := open(t, r, model.Context{Start: driverCall(r)})
	for i, want := range r.States {
		if !got.State.Matches(want.State) || got.State.Line != want.Line {
			t.Fatalf("state %d: got %+v; want %+v", i, got.State, want.State)
		}
		if got.Confidence.State != 1 {
			t.Fatalf("state %d has confidence %v; a recording is certain", i, got.Confidence.State)
		}
		got = predict(t, session, statetree.StepInto, "")
	}
	if got.Exit != statetree.ExitNormal {
		t.Errorf("the run ends with %s; want normal", got.Exit)
	}
	if _, err := session.Predict(context.Background(), statetree.Action{Kind: statetree.StepInto}); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v; want ErrExited", err)
	}
}

// TestInverseStepIntoIsTheRecordingReversed within the function's scope.
func TestInverseStepIntoIsTheRecordingReversed(t *testing.T) {
	r := recordCount(t)
	last := r.States[len(r.States)-2].State // count's return
	start := last
	start.Event = statetree.InvReturn
	session, got := open(t, r, model.Context{Direction: statetree.Inverse, Start: start})
	for i := len(r.States) - 2; r.States[i].Function == "count"; i-- {
		want := r.States[i].State
		want.Event = want.Event.Inverse()
		if !got.State.Matches(want) {
			t.Fatalf("state %d: got %+v; want %+v", i, got.State, want)
		}
		got = predict(t, session, statetree.InvStepInto, "")
	}
	if got.Exit != statetree.ExitEntry {
		t.Errorf("the beginning is %s; want entry", got.Exit)
	}
}

func TestOpen(t *testing.T) {
	r := recordCount(t)
	line := statetree.State{Event: statetree.Line, Source: "    for c in s:", Line: 3,
		Locals: statetree.Locals{{Name: "n", Repr: "1"}, {Name: "s", Repr: "'berry'"}, {Name: "t", Repr: "'r'"}, {Name: "c", Repr: "'r'"}}}
	entry := r.Program
	entry.Entry = statetree.Entry{Kind: statetree.FunctionEntry, Text: "count", Function: "count"}
	tests := []struct {
		name    string
		context model.Context
		line    int
		err     error
	}{
		{"driver", model.Context{Program: r.Program, Start: driverCall(r)}, 1, nil},
		{"line with locals in another order", model.Context{Program: r.Program, Start: line}, 3, nil},
		{"proposal", model.Context{Program: entry}, 1, nil},
		{"partial", model.Context{Program: r.Program, Start: statetree.State{Event: statetree.Line, Source: "    for c in s:", Partial: true,
			Locals: statetree.Locals{{Name: "n", Repr: "2"}}}}, 3, nil},
		{"other values", model.Context{Program: r.Program, Start: statetree.State{Event: statetree.Line, Source: "    for c in s:",
			Locals: statetree.Locals{{Name: "n", Repr: "7"}}}}, 0, replay.ErrNotRecorded},
		{"with a history", model.Context{Program: r.Program, Start: driverCall(r), History: []model.Step{
			{Action: statetree.Action{Kind: statetree.StepReturn}, Outcome: statetree.Outcome{State: r.States[len(r.States)-1].State}}}}, 2, nil},
		{"another call", model.Context{Program: otherCall(t, `count("cherry", "r")`), Start: driverCall(r)}, 0, replay.ErrOtherProgram},
		{"a changed file", model.Context{Program: changed(r.Program), Start: driverCall(r)}, 0, replay.ErrOtherProgram},
		{"with another history", model.Context{Program: r.Program, Start: driverCall(r), History: []model.Step{
			{Action: statetree.Action{Kind: statetree.StepReturn}, Outcome: statetree.Outcome{State: line}}}}, 0, replay.ErrNotRecorded},
	}
	p, err := replay.New(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, first, err := p.Open(context.Background(), test.context)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v; want %v", err, test.err)
			}
			if err == nil && first.State.Line != test.line {
				t.Errorf("at line %d; want %d", first.State.Line, test.line)
			}
		})
	}
}

// otherCall is the program of another call in the recorded file.
func otherCall(t *testing.T, call string) statetree.Program {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := source.ParseEntry(call, f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := source.Context(f, entry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// changed is a program whose file was edited.
func changed(p statetree.Program) statetree.Program {
	p.Code = strings.Replace(p.Code, "n = 0", "n = 1", 1)
	return p
}

func TestRewind(t *testing.T) {
	r := recordCount(t)
	session, _ := open(t, r, model.Context{Start: driverCall(r)})
	predict(t, session, statetree.StepInto, "")
	want := predict(t, session, statetree.StepInto, "")
	predict(t, session, statetree.Continue, "")
	if err := session.Rewind(2); err != nil {
		t.Fatal(err)
	}
	if got := predict(t, session, statetree.StepInto, ""); !got.State.Matches(want.State) {
		t.Errorf("after rewinding got %+v; want %+v", got.State, want.State)
	}
	for _, n := range []int{-1, 3} {
		if err := session.Rewind(n); err == nil {
			t.Errorf("Rewind(%d) succeeded with 2 actions in the history", n)
		}
	}
}

// TestAdopt: what was recorded is adopted, anything else is not and changes
// nothing.
func TestAdopt(t *testing.T) {
	r := recordCount(t)
	session, _ := open(t, r, model.Context{Start: driverCall(r)})
	known := func(kind statetree.ActionKind, s statetree.State) model.Step {
		return model.Step{Action: statetree.Action{Kind: kind}, Outcome: statetree.Outcome{State: s}}
	}
	for i, recorded := range r.States[1:] {
		other := recorded.State
		other.Source += " # another line"
		if err := session.Adopt(known(statetree.StepInto, other)); !errors.Is(err, replay.ErrNotRecorded) {
			t.Fatalf("state %d: %v; want ErrNotRecorded", i+1, err)
		}
		if err := session.Adopt(known(statetree.StepInto, recorded.State)); err != nil {
			t.Fatalf("state %d: %v", i+1, err)
		}
	}
	exit := model.Step{Action: statetree.Action{Kind: statetree.Continue}, Outcome: statetree.Outcome{Exit: statetree.ExitNormal}}
	if err := session.Adopt(exit); err != nil {
		t.Error(err)
	}
	if err := session.Adopt(exit); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v; want ErrExited", err)
	}
	if err := session.Rewind(len(r.States)); err != nil {
		t.Error(err)
	}
}

func TestEdit(t *testing.T) {
	r := recordCount(t)
	session, first := open(t, r, model.Context{Start: driverCall(r)})
	if err := session.Edit(first.State); err != nil {
		t.Errorf("an edit that changes nothing: %v", err)
	}
	p := predict(t, session, statetree.Breakpoint, "    for c in s:")
	p.State.Locals = p.State.Locals.Set("n", "7")
	if err := session.Edit(p.State); !errors.Is(err, replay.ErrNotRecorded) {
		t.Errorf("an edit that changes n: %v; want ErrNotRecorded", err)
	}
	p.State.Locals = p.State.Locals.Set("n", "0")
	if err := session.Edit(p.State); err != nil {
		t.Errorf("an edit back to what was recorded: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	r := recordCount(t)
	session, _ := open(t, r, model.Context{Start: driverCall(r)})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := session.Predict(ctx, statetree.Action{Kind: statetree.Continue}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
	predict(t, session, statetree.StepInto, "") // the history is as it was
}
