package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// CallTarget is a call that StepIntoCall can enter.
type CallTarget struct {
	// Label is the call as it is written.
	Label string
	// Line and Column are where it begins, EndLine and EndColumn where it ends, in
	// bytes from 1, the end exclusive. They are 0 in the driver.
	Line, Column, EndLine, EndColumn int

	functions  []string // qualified names of those that it may enter
	occurrence int      // how many calls of the line that Python makes before may enter them too
}

// CallTargets returns the calls of the line that is about to run which enter a
// function of the program, in the order in which Python makes them.
func (t *Timeline) CallTargets() []CallTarget {
	e := t.at(t.pos)
	if e.Ended() || e.State.Event != statetree.Line {
		return nil
	}
	if entry := t.target.Program.Entry; e.State.File == statetree.DriverFile {
		return []CallTarget{{Label: entry.Text, functions: []string{entry.Function}}}
	}
	file := t.target.File
	if file == nil || e.State.File != file.Path() {
		return nil
	}
	var targets []CallTarget
	for _, call := range file.CallSites(e.State.Line) {
		if len(call.Callees) == 0 {
			continue
		}
		target := CallTarget{
			Label: call.Name, functions: call.Callees,
			Line: call.Line, Column: call.Column, EndLine: call.EndLine, EndColumn: call.EndColumn,
		}
		if line := file.Line(call.Line); call.EndLine == call.Line && call.EndColumn-1 <= len(line) {
			target.Label = line[call.Column-1 : call.EndColumn-1]
		}
		for _, other := range targets {
			if slices.ContainsFunc(other.functions, func(f string) bool { return slices.Contains(target.functions, f) }) {
				target.occurrence++
			}
		}
		targets = append(targets, target)
	}
	return targets
}

// StepIntoCall steps into one of the calls that the line makes, over those
// before it. Where the line ends without that call, it stops there and says so.
func (t *Timeline) StepIntoCall(ctx context.Context, target CallTarget) (Stop, error) {
	return t.step(ctx, func() error {
		skip := target.occurrence
		for range t.options.MaxSteps {
			e, hits, err := t.arriveBy(ctx, statetree.StepInto)
			switch {
			case err != nil:
				return err
			case e.Ended() || e.State.Event != statetree.Call:
				t.listener.note(fmt.Sprintf("%s was not called.", target.Label))
				return nil
			case len(hits) > 0:
				return nil
			}
			if slices.Contains(target.functions, e.State.Function) {
				if skip == 0 {
					_, _, err := t.arriveBy(ctx, statetree.StepInto)
					return err
				}
				skip--
			}
			if _, stopped, err := t.pass(ctx, statetree.StepReturn); stopped || err != nil && !errors.Is(err, model.ErrNoTarget) {
				return err
			}
		}
		return nil
	})
}
