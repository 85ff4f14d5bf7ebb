package statetree_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/statetreetest"
)

// subject returns what a tree from statetreetest is sampled from.
func subject(tree *statetree.Tree) statetree.Subject {
	lines := func(p statetree.Program) (lines []string) {
		for _, line := range p.Lines() {
			if line != "" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	s := statetree.Subject{Tree: tree}
	s.Whole.Program = tree.Recording().Program
	s.Whole.Lines = lines(s.Whole.Program)
	if level, ok := tree.EntryLevel(); ok {
		s.Level = level
		s.Function.Program = statetreetest.Functions()
		s.Function.Lines = lines(s.Function.Program)
	}
	return s
}

// wholeTree returns a tree of a recording that was not cut.
func wholeTree(t testing.TB, size int) *statetree.Tree {
	t.Helper()
	for seed := uint64(0); ; seed++ {
		r := statetreetest.Random(rand.New(rand.NewPCG(3, seed)), size)
		if len(r.States) > size/2 && r.Cut == "" && r.Exit != statetree.ExitNever {
			tree, err := statetree.NewTree(r)
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}
	}
}

func newSampler(t testing.TB, s statetree.Subject) *statetree.Sampler {
	t.Helper()
	sampler, err := statetree.NewSampler(s)
	if err != nil {
		t.Fatal(err)
	}
	return sampler
}

// TestSamplesFollowTheTree replays sampled trajectories on the tree.
func TestSamplesFollowTheTree(t *testing.T) {
	options := statetree.DefaultSampling()
	options.MaxStates = 40
	forRandomTrees(t, 100, 120, func(t *testing.T, rng *rand.Rand, tree *statetree.Tree) {
		s := subject(tree)
		sampler := newSampler(t, s)
		for range 20 {
			for _, d := range []statetree.Direction{statetree.Forward, statetree.Inverse} {
				sample, ok := sampler.Sample(rng, d, &options)
				if hasInverse := s.Function.Program.Code != "" && tree.Closed(s.Level); d == statetree.Inverse && ok != hasInverse {
					t.Errorf("an inverse sample: %v, want %v", ok, hasInverse)
				}
				if ok {
					checkSample(t, tree, s, d, sample, options.MaxStates)
				}
			}
		}
	})
}

func checkSample(t *testing.T, tree *statetree.Tree, s statetree.Subject, d statetree.Direction, sample statetree.Trajectory, maxStates int) {
	t.Helper()
	if d == statetree.Inverse {
		tree = tree.Invert()
	}
	scope := statetree.Whole
	if sample.Program.Entry.Driver == "" {
		scope = s.Level
	}
	if sample.Direction != d || sample.ProposeStart && scope == statetree.Whole {
		t.Errorf("a sample of direction %v in scope %d, proposed %v", sample.Direction, scope, sample.ProposeStart)
	}
	if sample.States() > maxStates {
		t.Errorf("%d states, want at most %d", sample.States(), maxStates)
	}
	if cut := sample.Cut != statetree.NotCut; cut == (sample.Exit() != statetree.NoExit) {
		t.Errorf("exit %v, cut %q", sample.Exit(), sample.Cut)
	}
	// The same state may occur at several nodes; one of them fits all steps.
	for n := range tree.Len() {
		if !reflect.DeepEqual(tree.State(n), sample.Start) || tree.LevelOf(n) != sample.StartActivation {
			continue
		}
		c := tree.Cursor(scope)
		c.Seek(n)
		fits := true
		for _, step := range sample.Steps {
			o, err := c.Go(step.Action)
			if fits = err == nil && reflect.DeepEqual(o, step.Outcome) && c.Level() == step.Activation; !fits {
				break
			}
		}
		if fits {
			return
		}
	}
	t.Errorf("the tree has no such walk: %+v", sample)
}

func TestSamplingIsDeterministic(t *testing.T) {
	tree := wholeTree(t, 200)
	options := statetree.DefaultSampling()
	draw := func(seed uint64) (samples []statetree.Trajectory) {
		sampler, rng := newSampler(t, subject(tree)), rand.New(rand.NewPCG(seed, 0))
		for range 5 {
			for _, d := range []statetree.Direction{statetree.Forward, statetree.Inverse} {
				sample, _ := sampler.Sample(rng, d, &options)
				samples = append(samples, sample)
			}
		}
		return samples
	}
	if !reflect.DeepEqual(draw(1), draw(1)) {
		t.Error("the same seed gives different samples")
	}
	if reflect.DeepEqual(draw(1), draw(2)) {
		t.Error("different seeds give the same samples")
	}
}

// TestActionFrequencies compares the first actions drawn, where all have a
// target, with table A.1.
func TestActionFrequencies(t *testing.T) {
	tree := wholeTree(t, 200)
	const draws = 20000
	for _, test := range []struct {
		direction statetree.Direction
		want      map[statetree.ActionKind]float64
	}{
		{statetree.Forward, map[statetree.ActionKind]float64{
			statetree.StepInto:   .5*.35/.8 + .25,
			statetree.StepOver:   .5*.1/.8 + .25,
			statetree.StepReturn: .5 * .2 / .8,
			statetree.Breakpoint: .5 * .1 / .8,
			statetree.Continue:   .5 * .05 / .8,
		}},
		{statetree.Inverse, map[statetree.ActionKind]float64{
			statetree.InvStepInto: .45, statetree.InvStepOver: .27, statetree.InvStepCall: .28,
		}},
	} {
		options := statetree.DefaultSampling()
		options.MaxStates = 2
		options.ForwardStart = statetree.StartWeights{Entry: 1}
		options.InverseStart = options.ForwardStart
		sampler, rng := newSampler(t, subject(tree)), rand.New(rand.NewPCG(5, 5))
		got := make(map[statetree.ActionKind]int)
		visited := 0
		lines := subject(tree).Whole.Lines
		for range draws {
			sample, _ := sampler.Sample(rng, test.direction, &options)
			a := sample.Steps[0].Action
			got[a.Kind]++
			if a.Kind == statetree.Breakpoint && !slices.Contains(lines, a.Source) {
				t.Fatalf("a breakpoint on %q, no line of the code", a.Source)
			}
			if a.Kind == statetree.Breakpoint && !sample.Steps[0].Outcome.Ended() {
				visited++
			}
		}
		for kind, n := range got {
			checkShare(t, kind.String(), n, draws, test.want[kind])
		}
		if test.direction == statetree.Forward {
			// Every line but the driver's def is visited after the start here, so
			// one breakpoint in four is on any line, of which one is not hit.
			share := .75 + .25*float64(len(lines)-1)/float64(len(lines))
			checkShare(t, "breakpoint that is hit", visited, got[statetree.Breakpoint], share)
		}
	}
}

// checkShare fails when n of total is further from the expected share than four
// standard deviations.
func checkShare(t *testing.T, what string, n, total int, want float64) {
	t.Helper()
	got := float64(n) / float64(total)
	if deviation := math.Sqrt(want * (1 - want) / float64(total)); math.Abs(got-want) > 4*deviation {
		t.Errorf("%s: %.4f of %d, want %.4f", what, got, total, want)
	}
}

func TestBreakpointVisited(t *testing.T) {
	tree := trace{
		{0, statetree.Call, "def main():"}, {0, statetree.Line, "a"}, {0, statetree.Line, "b"},
		{0, statetree.Line, "a"}, {0, statetree.Line, "c"}, {0, statetree.Return, "1"},
	}.tree(t, statetree.ExitNormal)
	s := statetree.Subject{Tree: tree}
	s.Whole.Program.Code = "code\n"
	s.Whole.Lines = []string{"never visited"}
	options := statetree.DefaultSampling()
	options.Forward = []statetree.Policy{{statetree.Breakpoint: 1}}
	options.ForwardStart = statetree.StartWeights{Entry: 1}
	sampler, rng := newSampler(t, s), rand.New(rand.NewPCG(1, 1))
	const draws = 4000
	first := make(map[string]int)
	for range draws {
		sample, _ := sampler.Sample(rng, statetree.Forward, &options)
		at := 0
		for i, step := range sample.Steps {
			if i == 0 {
				first[step.Action.Source]++
			}
			if step.Outcome.Ended() {
				// Past the last visit only the other kind of line is left.
				if step.Action.Source != "never visited" {
					t.Fatalf("breakpoint %q set after its last visit", step.Action.Source)
				}
			} else {
				at++
			}
		}
		if at > 4 {
			t.Fatalf("%d breakpoints hit, want at most 4", at)
		}
	}
	checkShare(t, "not visited", first["never visited"], draws, .25)
	for _, line := range []string{"a", "b", "c"} {
		checkShare(t, line, first[line], draws, .25)
	}
}

func TestStarts(t *testing.T) {
	tree := wholeTree(t, 200)
	whole := subject(tree)
	onlyFunction, onlyWhole := whole, whole
	onlyFunction.Whole = statetree.Listing{}
	onlyWhole.Function = statetree.Listing{}
	options := statetree.DefaultSampling()
	options.MaxStates = 2
	const draws = 4000
	for _, test := range []struct {
		name      string
		subject   statetree.Subject
		direction statetree.Direction
		want      map[string]float64
	}{
		{"both", whole, statetree.Forward, map[string]float64{
			"driver call": .5, "driverless call proposed": .25, "driver line": .125, "driverless line": .125}},
		{"repository trace", onlyFunction, statetree.Forward, map[string]float64{
			"driverless call": .5, "driverless call proposed": .25, "driverless line": .25}},
		{"module", onlyWhole, statetree.Forward, map[string]float64{
			"driver call": 2. / 3, "driver line": 1. / 3}},
		{"backward", whole, statetree.Inverse, map[string]float64{
			"driverless inv_return": .75, "driverless inv_line": .25}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sampler, rng := newSampler(t, test.subject), rand.New(rand.NewPCG(7, 7))
			got := make(map[string]int)
			for range draws {
				sample, ok := sampler.Sample(rng, test.direction, &options)
				if !ok {
					t.Fatal("no sample")
				}
				key := "driver "
				if sample.Program.Entry.Driver == "" {
					key = "driverless "
				}
				key += sample.Start.Event.String()
				if sample.ProposeStart {
					key += " proposed"
				}
				got[key]++
			}
			for key, n := range got {
				checkShare(t, key, n, draws, test.want[key])
			}
			if len(got) != len(test.want) {
				t.Errorf("starts %v, want %v", got, test.want)
			}
		})
	}
}

func TestNewSamplerErrors(t *testing.T) {
	tree := wholeTree(t, 50)
	s := subject(tree)
	for _, test := range []struct {
		name   string
		change func(*statetree.Subject)
		want   string
	}{
		{"no tree", func(s *statetree.Subject) { s.Tree = nil }, "forward tree"},
		{"inverse tree", func(s *statetree.Subject) { s.Tree = s.Tree.Invert() }, "forward tree"},
		{"no code", func(s *statetree.Subject) { s.Whole, s.Function = statetree.Listing{}, statetree.Listing{} }, "needs the code"},
		{"no such level", func(s *statetree.Subject) { s.Level = 1e6 }, "no activation 1000000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s
			test.change(&s)
			if _, err := statetree.NewSampler(s); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestPolicyJSON(t *testing.T) {
	options := statetree.DefaultSampling()
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"inv_step_call":0.28,"inv_step_into":0.45,"inv_step_over":0.27}`; !strings.Contains(string(text), want) {
		t.Errorf("%s has no %s", text, want)
	}
	var again statetree.SampleOptions
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, options) {
		t.Errorf("%v, %v; want %v", again, err, options)
	}
	for _, bad := range []string{`{"jump":1}`, `{"step_into":-1}`, `[1]`} {
		var p statetree.Policy
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func BenchmarkSample(b *testing.B) {
	tree := wholeTree(b, 2000)
	for _, d := range []statetree.Direction{statetree.Forward, statetree.Inverse} {
		b.Run(d.String(), func(b *testing.B) {
			options := statetree.DefaultSampling()
			sampler, rng := newSampler(b, subject(tree)), rand.New(rand.NewPCG(1, 1))
			states := 0
			b.ReportAllocs()
			for b.Loop() {
				sample, _ := sampler.Sample(rng, d, &options)
				states += sample.States()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
		})
	}
}
