package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/eval/judge"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// CallOptions say how whole calls are asked for.
type CallOptions struct {
	// Cases is the most programs to ask about; 0 is all of a finite set, and 800
	// of another.
	Cases int
	// Measures are those among Output, Breakpoint and Input to ask for; default
	// all.
	Measures []Measure
	// Samples is how many predictions are sampled for each, beside the greedy one.
	Samples int
	// Sampling has the temperature and the nucleus of those; its seed is that of
	// the first.
	Sampling model.Sampling
	// Judge runs the programs; required.
	Judge *judge.Judge
}

// CallQuestions asks for the output and the input of the calls that are the
// entries of the set's programs, as grammar prescribes for CruxEval:
//
//	Output      the driver and the steps into the function are shown; step_return
//	            leads to the value
//	Breakpoint  the same, and a breakpoint at the return line; the value is that
//	            of the line's expression over the predicted locals
//	Input       the return is shown; inv_step_call leads to the arguments
//
// Where a function has several return lines, the breakpoint is at the one that
// was reached, which tells something of the run.
func CallQuestions(ctx context.Context, set *Set, o CallOptions) Questions {
	if o.Cases == 0 && !set.Finite {
		o.Cases = 800
	}
	if len(o.Measures) == 0 {
		o.Measures = []Measure{Output, Breakpoint, Input}
	}
	ask := map[Measure]func(*program, *judge.Judge, Key) (Question, bool, error){
		Output: (*program).outputQuestion, Breakpoint: (*program).breakpointQuestion, Input: (*program).inputQuestion,
	}
	return func(yield func(Question, error) bool) {
		cases := 0
		for p, err := range set.programs(ctx) {
			if err != nil {
				yield(Question{}, err)
				return
			}
			if p.Source == "" || p.subject.Function.Program.Code == "" || !p.subject.Tree.Closed(p.subject.Level) {
				set.Left[leftNoCall]++
				continue
			}
			for _, m := range o.Measures {
				q, ok, err := ask[m](&p, o.Judge, Key{Measure: m, Data: set.Name, ID: p.name})
				if err != nil {
					yield(q, err)
					return
				}
				if ok && !sampled(q, o.Samples, o.Sampling, yield) {
					return
				}
			}
			if cases++; cases == o.Cases {
				return
			}
		}
	}
}

// sampled yields the greedy question and its samples.
func sampled(q Question, samples int, s model.Sampling, yield func(Question, error) bool) bool {
	for i := range samples + 1 {
		asked := q
		asked.Sample = i
		if i > 0 {
			asked.Context.Sampling = s
			asked.Context.Sampling.Seed = s.Seed + uint64(i) - 1
		}
		if !yield(asked, nil) {
			return false
		}
	}
	return true
}

// output is what the call should return: what the dataset says, or what was
// recorded.
func (p *program) output(recorded string) string {
	if p.Output != "" {
		return p.Output
	}
	return recorded
}

// toCall walks by step_into to the first state of the function's activation, the
// driver's states before it, and then takes one action.
func (p *program) toCall(last statetree.Action) (statetree.Trajectory, bool) {
	return p.toState(p.subject.Tree.Level(p.subject.Level).First, last)
}

// toState walks by step_into to a node and then takes one action. It reports
// false when that has no recorded outcome.
func (p *program) toState(node int, last statetree.Action) (statetree.Trajectory, bool) {
	taken := false
	t := statetree.Walk(p.subject.Tree.Cursor(statetree.Whole), p.subject.Whole.Program, 0,
		func(c *statetree.Cursor) (statetree.Action, bool) {
			if c.Node() < node {
				return statetree.Action{Kind: statetree.StepInto}, true
			}
			again := taken
			taken = true
			return last, !again
		})
	return t, len(t.Steps) == node+1
}

func (p *program) outputQuestion(_ *judge.Judge, k Key) (Question, bool, error) {
	t, ok := p.toCall(statetree.Action{Kind: statetree.StepReturn})
	if !ok {
		return Question{}, false, nil
	}
	q, err := p.question(k, &t, len(t.Steps)-1)
	want := p.output(q.Want.State.Arg)
	q.check = func(_ context.Context, got statetree.Outcome) (Passed, string, error) {
		switch {
		case got.Ended() || got.State.Event != statetree.Return:
			return No, "no return", nil
		case !repr.Equal(repr.Parse(got.State.Arg), repr.Parse(want)):
			return No, "gives " + shorten(got.State.Arg), nil
		}
		return Yes, "", nil
	}
	return q, true, err
}

func (p *program) breakpointQuestion(j *judge.Judge, k Key) (Question, bool, error) {
	tree := p.subject.Tree
	last := tree.State(tree.Level(p.subject.Level).Last)
	if last.Event != statetree.Return || !strings.HasPrefix(strings.TrimSpace(last.Source), "return") {
		return Question{}, false, nil // it came to the function's end, or an exception left it
	}
	t, ok := p.toCall(statetree.Action{Kind: statetree.Breakpoint, Source: last.Source})
	if !ok {
		return Question{}, false, nil
	}
	q, err := p.question(k, &t, len(t.Steps)-1)
	truth := t.Steps[len(t.Steps)-1].Outcome.State
	judged := p.judged(p.output(last.Arg))
	q.check = func(ctx context.Context, got statetree.Outcome) (Passed, string, error) {
		if got.Ended() || got.State.Event != statetree.Line || got.State.Source != last.Source {
			return No, "another state", nil
		}
		return decide(truth.Locals, got.State.Locals, func(candidates ...statetree.Locals) ([]judge.Verdict, error) {
			return j.Return(ctx, judged, last.Line, candidates...)
		})
	}
	return q, true, err
}

func (p *program) inputQuestion(j *judge.Judge, k Key) (Question, bool, error) {
	c := p.subject.Tree.Invert().Cursor(p.subject.Level)
	if c.State().Event != statetree.InvReturn {
		return Question{}, false, nil
	}
	taken := false
	t := statetree.Walk(c, p.subject.Function.Program, 0, func(*statetree.Cursor) (statetree.Action, bool) {
		again := taken
		taken = true
		return statetree.Action{Kind: statetree.InvStepCall}, !again
	})
	if len(t.Steps) != 1 || t.Steps[0].Outcome.Ended() {
		return Question{}, false, nil
	}
	q, err := p.question(k, &t, 0)
	q.check = p.checkInput(j, t.Steps[0].Outcome.State, p.output(t.Start.Arg))
	return q, true, err
}

// checkInput judges predicted arguments of a call by whether it returns an
// output. call is the recorded call.
func (p *program) checkInput(j *judge.Judge, call statetree.State, output string) check {
	judged := p.judged(output)
	return func(ctx context.Context, got statetree.Outcome) (Passed, string, error) {
		if got.Ended() || got.State.Event != statetree.InvCall || got.State.Source != call.Source {
			return No, "another state", nil
		}
		return decide(call.Locals, got.State.Locals, func(candidates ...statetree.Locals) ([]judge.Verdict, error) {
			return j.Call(ctx, judged, call.Function, candidates...)
		})
	}
}

// judged is the program with what it should give.
func (p *program) judged(output string) judge.Program {
	entry := p.subject.Tree.State(p.subject.Tree.Level(p.subject.Level).First)
	return judge.Program{Source: p.Source, Output: output, Entry: p.Entry, Arguments: entry.Locals}
}

// decide judges a prediction together with the truth: where that does not pass,
// nothing is known of the prediction.
func decide(truth, got statetree.Locals, run func(...statetree.Locals) ([]judge.Verdict, error)) (Passed, string, error) {
	candidates := []statetree.Locals{truth}
	if !got.Equal(truth) {
		candidates = append(candidates, got)
	}
	verdicts, err := run(candidates...)
	switch {
	case err != nil:
		return NotChecked, "", err
	case !verdicts[0].Passed:
		return Unknown, "the recorded values: " + verdicts[0].Reason, nil
	case !verdicts[len(verdicts)-1].Passed:
		return No, verdicts[len(verdicts)-1].Reason, nil
	}
	return Yes, "", nil
}

func shorten(text string) string {
	const most = 200
	if len(text) > most {
		return fmt.Sprintf("%.*s…", most, text)
	}
	return text
}
