package main

import (
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		probability float64
		want        string
	}{
		{0, "0 %"},
		{0.004, "0 %"},
		{0.496, "50 %"},
		{0.9949, "99 %"},
		{0.99999, "99 %"},
		{1, "100 %"},
	} {
		if got := percent(c.probability); got != c.want {
			t.Errorf("percent(%v) = %q, want %q", c.probability, got, c.want)
		}
	}
}

func TestParseActions(t *testing.T) {
	file, err := source.Parse("f.py", []byte("def f(x):\n    y = x + 1\n\n    return y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		actions   string
		want      []statetree.Action
		direction statetree.Direction
		err       string
	}{
		{
			actions: "step_into, breakpoint:4 ,continue",
			want: []statetree.Action{
				{Kind: statetree.StepInto}, {Kind: statetree.Breakpoint, Source: "    return y"}, {Kind: statetree.Continue},
			},
		},
		{
			actions:   "inv_step_call",
			want:      []statetree.Action{{Kind: statetree.InvStepCall}},
			direction: statetree.Inverse,
		},
		{actions: "step_into,inv_step_into", err: "different directions"},
		{actions: "inv_step_into,step_into", err: "different directions"},
		{actions: "none", err: "unknown action"},
		{actions: "", err: "unknown action"},
		{actions: "breakpoint", err: "breakpoint:LINE"},
		{actions: "step_into:4", err: "breakpoint:LINE"},
		{actions: "breakpoint:four", err: "no line of f.py"},
		{actions: "breakpoint:0", err: "no line of f.py"},
		{actions: "breakpoint:6", err: "no line of f.py"},
	} {
		got, direction, err := parseActions(strings.Split(c.actions, ","), file)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("parseActions(%q): error %v, want one with %q", c.actions, err, c.err)
			}
			continue
		}
		if err != nil || direction != c.direction || len(got) != len(c.want) {
			t.Errorf("parseActions(%q) = %v, %v, %v; want %v, %v", c.actions, got, direction, err, c.want, c.direction)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("parseActions(%q)[%d] = %v, want %v", c.actions, i, got[i], c.want[i])
			}
		}
	}
}

func TestOrderedLocals(t *testing.T) {
	for _, c := range []struct {
		locals orderedLocals
		want   string
	}{
		{orderedLocals{}, `null`},
		{orderedLocals{known: true}, `{}`},
		{
			orderedLocals{known: true, locals: statetree.Locals{{Name: "z", Repr: `'<a>"'`}, {Name: "a", Repr: "1"}}},
			`{"z":"'<a>\"'","a":"1"}`,
		},
	} {
		got, err := encodeJSON(c.locals)
		if err != nil || got != c.want {
			t.Errorf("encodeJSON(%v) = %s, %v; want %s", c.locals, got, err, c.want)
		}
	}
}
