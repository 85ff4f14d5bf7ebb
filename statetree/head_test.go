package statetree_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestSyntaxSampling compares how often heads are stopped at and how they are left.
func TestSyntaxSampling(t *testing.T) {
	tree := headTree(t)
	count := func(o statetree.SampleOptions) (heads, breakpoints, leaps, steps int) {
		sampler, err := statetree.NewSampler(statetree.Subject{Tree: tree, Whole: statetree.Listing{
			Program: tree.Recording().Program,
			Lines:   strings.Split(strings.TrimSuffix(tree.Recording().Program.Code, "\n"), "\n"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 3000 {
			trajectory, ok := sampler.Sample(rng, statetree.Forward, &o)
			if !ok {
				t.Fatal("no trajectory")
			}
			at := trajectory.Start
			for _, step := range trajectory.Steps {
				if step.Action.Kind == statetree.Breakpoint {
					breakpoints++
					if strings.HasPrefix(strings.TrimSpace(step.Action.Source), "for ") {
						heads++
					}
				}
				if at.Event == statetree.Line && strings.HasPrefix(strings.TrimSpace(at.Source), "for ") {
					if step.Action.Kind == statetree.StepInto || step.Action.Kind == statetree.StepOver {
						steps++
					} else {
						leaps++
					}
				}
				at = step.Outcome.State
			}
		}
		return heads, breakpoints, leaps, steps
	}
	heads, breakpoints, leaps, steps := count(statetree.DefaultSampling())
	moreHeads, moreBreakpoints, fewerLeaps, moreSteps := count(statetree.SyntaxSampling())
	if before, after := float64(heads)/float64(breakpoints), float64(moreHeads)/float64(moreBreakpoints); after < 1.5*before {
		t.Errorf("heads are %.2f of the breakpoints, before %.2f", after, before)
	}
	if before, after := float64(leaps)/float64(leaps+steps), float64(fewerLeaps)/float64(fewerLeaps+moreSteps); after > .7*before {
		t.Errorf("%.2f of the heads are left by a leap, before %.2f", after, before)
	}
}

func TestSyntaxSamplingAsJSON(t *testing.T) {
	text, err := json.Marshal(statetree.SyntaxSampling())
	if err != nil {
		t.Fatal(err)
	}
	var read statetree.SampleOptions
	if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, statetree.SyntaxSampling()) {
		t.Errorf("%v: %s", err, text)
	}
	if text, err = json.Marshal(statetree.DefaultSampling()); err != nil || strings.Contains(string(text), "heads") {
		t.Errorf("the default options are written with heads: %s, %v", text, err)
	}
}

// headTree is a module with a loop.
func headTree(t *testing.T) *statetree.Tree {
	t.Helper()
	lines := []string{"n = 0", "for c in 'berry':", "    n += 1", "    n += 2", "    n += 3", "print(n)"}
	r := statetree.Recording{Program: statetree.Program{Code: strings.Join(lines, "\n") + "\n"}, Exit: statetree.ExitNormal}
	for i := range lines {
		r.Program.Origins = append(r.Program.Origins, statetree.Origin{File: "p.py", Line: i + 1})
	}
	add := func(event statetree.Event, line int) {
		source := ""
		if line > 0 {
			source = lines[line-1]
		}
		r.States = append(r.States, statetree.Recorded{State: statetree.State{Event: event, Source: source, File: "p.py", Line: line, Function: statetree.ModuleFunction, Arg: "None"}})
	}
	add(statetree.Call, 0)
	add(statetree.Line, 1)
	for range 5 {
		for line := 2; line <= 5; line++ {
			add(statetree.Line, line)
		}
	}
	add(statetree.Line, 2)
	add(statetree.Line, 6)
	add(statetree.Return, 6)
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
