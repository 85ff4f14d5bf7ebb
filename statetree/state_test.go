package statetree_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

func TestLocals(t *testing.T) {
	l := statetree.Locals{{Name: "a", Repr: "1"}, {Name: "b", Repr: "2"}}
	if repr, ok := l.Get("b"); !ok || repr != "2" {
		t.Errorf("b is %q, %v", repr, ok)
	}
	if repr, ok := l.Get("c"); ok {
		t.Errorf("c is %q", repr)
	}
	changed, added := l.Set("a", "3"), l.Set("c", "4")
	if want := (statetree.Locals{{Name: "a", Repr: "3"}, {Name: "b", Repr: "2"}}); !slices.Equal(changed, want) {
		t.Errorf("changed to %v, want %v", changed, want)
	}
	if want := (statetree.Locals{{Name: "a", Repr: "1"}, {Name: "b", Repr: "2"}, {Name: "c", Repr: "4"}}); !slices.Equal(added, want) {
		t.Errorf("extended to %v, want %v", added, want)
	}
	for _, test := range []struct {
		other statetree.Locals
		want  bool
	}{
		{l, true},
		{statetree.Locals{{Name: "b", Repr: "2"}, {Name: "a", Repr: "1"}}, true},
		{changed, false}, {added, false}, {l[:1], false}, {nil, false},
		{statetree.Locals{{Name: "a", Repr: "1"}, {Name: "c", Repr: "2"}}, false},
	} {
		if got := l.Equal(test.other); got != test.want {
			t.Errorf("%v equals %v: %v", l, test.other, got)
		}
	}
}

func TestStateMatches(t *testing.T) {
	s := statetree.State{Event: statetree.Line, Source: "x", Locals: statetree.Locals{{Name: "a", Repr: "1"}}}
	elsewhere := s
	elsewhere.File, elsewhere.Line, elsewhere.Function = "f.py", 3, "f"
	if !s.Matches(elsewhere) {
		t.Error("where a state is makes a difference")
	}
	for name, change := range map[string]func(*statetree.State){
		"event":   func(s *statetree.State) { s.Event = statetree.Call },
		"source":  func(s *statetree.State) { s.Source = "y" },
		"locals":  func(s *statetree.State) { s.Locals = nil },
		"partial": func(s *statetree.State) { s.Partial = true },
		"arg":     func(s *statetree.State) { s.Arg = "1" },
	} {
		other := s
		change(&other)
		if s.Matches(other) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

// TestNames writes and reads all values of the closed sets.
func TestNames(t *testing.T) {
	all := struct {
		Events     []statetree.Event
		Exits      []statetree.Exit
		Actions    []statetree.ActionKind
		Directions []statetree.Direction
	}{
		Exits:      []statetree.Exit{statetree.NoExit, statetree.ExitNormal, statetree.ExitError, statetree.ExitNever, statetree.ExitEntry},
		Actions:    slices.Concat(statetree.ForwardActions, statetree.InverseActions),
		Directions: []statetree.Direction{statetree.Forward, statetree.Inverse},
	}
	for e := statetree.NoEvent; e <= statetree.InvLineCall; e++ {
		all.Events = append(all.Events, e)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	read := all
	read.Events, read.Exits, read.Actions, read.Directions = nil, nil, nil, nil
	if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, all) {
		t.Errorf("%s is read as %v, %v", text, read, err)
	}
	for name, into := range map[string]any{
		"event": new(statetree.Event), "exit": new(statetree.Exit),
		"action": new(statetree.ActionKind), "direction": new(statetree.Direction),
	} {
		if err := json.Unmarshal([]byte(`"jump"`), into); err == nil {
			t.Errorf("an unknown %s is accepted", name)
		}
	}
	for _, d := range all.Directions {
		kinds := statetree.ForwardActions
		if d == statetree.Inverse {
			kinds = statetree.InverseActions
		}
		for _, k := range kinds {
			if k.Direction() != d {
				t.Errorf("%v is %v", k, k.Direction())
			}
		}
	}
	for _, e := range all.Events {
		if e.Inverse().Inverse() != e {
			t.Errorf("the inverse of the inverse of %v is %v", e, e.Inverse().Inverse())
		}
		if e.HasLocals() != e.Inverse().HasLocals() || e.HasArg() != e.Inverse().HasArg() {
			t.Errorf("%v and %v do not carry the same", e, e.Inverse())
		}
	}
	if got := (statetree.Action{Kind: statetree.Breakpoint, Source: "    return n"}).String(); got != "breakpoint return n" {
		t.Errorf("a breakpoint is shown as %q", got)
	}
}

func TestProgramLines(t *testing.T) {
	p := statetree.Program{Code: "a\n\n b\n"}
	if got, want := p.Lines(), []string{"a", "", " b"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}
