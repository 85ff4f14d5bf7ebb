package source_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/record"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// flowChecker checks a program's flow against what it really did.
type flowChecker struct {
	t      *testing.T
	name   string
	flow   *source.Flow
	lines  []string
	places map[statetree.Origin]int
	// textOnly checks from the text of a state's line instead of its number.
	textOnly bool
	failed   int
	checks   int
	// sums of candidates, for how tight they are, by action
	candidates map[statetree.ActionKind]int
	counts     map[statetree.ActionKind]int
}

func newFlowChecker(t *testing.T, name string, program statetree.Program) *flowChecker {
	t.Helper()
	flow, err := source.NewFlow(program)
	if err != nil {
		t.Fatal(err)
	}
	c := &flowChecker{
		t: t, name: name, flow: flow, lines: program.Lines(), places: map[statetree.Origin]int{},
		candidates: map[statetree.ActionKind]int{}, counts: map[statetree.ActionKind]int{},
	}
	for i, origin := range program.Origins {
		if origin.Line > 0 {
			c.places[origin] = i + 1
		}
	}
	return c
}

// line returns the line in the code of a state; 0 for the call of the module.
func (c *flowChecker) line(s statetree.State) (int, bool) {
	if s.Source == "" && s.Function == statetree.ModuleFunction && (s.Event == statetree.Call || s.Event == statetree.InvCall) {
		return 0, true
	}
	line, ok := c.places[statetree.Origin{File: s.File, Line: s.Line}]
	return line, ok
}

// check checks one transition.
func (c *flowChecker) check(from statetree.State, a statetree.Action, outcome statetree.Outcome) {
	line, ok := c.line(from)
	if !ok {
		c.fail("state %s %d %q has no line in the code", from.Event, from.Line, from.Source)
		return
	}
	c.checks++
	at := source.Position{Event: from.Event, Lines: []int{line}}
	if c.textOnly {
		at = c.flow.Locate(from.Event, from.Source)
	}
	targets := c.flow.Targets(a.Kind, at)
	if a.Kind == statetree.Breakpoint {
		targets = c.flow.BreakpointTargets(a.Source)
	}
	c.candidates[a.Kind] += len(targets.Candidates)
	c.counts[a.Kind]++
	if outcome.Ended() {
		// What ends in the middle is the exit of the whole process.
		if !targets.Exit && a.Kind != statetree.StepReturn && outcome.Exit != statetree.ExitNever {
			c.fail("%s from %s line %d: exit %s is not expected", a, from.Event, line, outcome.Exit)
		}
		return
	}
	to := outcome.State
	toLine, ok := c.line(to)
	if !ok {
		c.fail("state %s %d %q has no line in the code", to.Event, to.Line, to.Source)
		return
	}
	want := source.Candidate{Event: to.Event, Line: toLine, Source: to.Source}
	if !slices.Contains(targets.Candidates, want) {
		c.fail("%s from %s line %d %q: %s line %d %q is not among %v", a, from.Event, line, from.Source,
			to.Event, toLine, to.Source, summary(targets))
	}
}

func (c *flowChecker) fail(format string, arguments ...any) {
	c.failed++
	if c.failed <= 10 {
		c.t.Errorf("%s: %s", c.name, fmt.Sprintf(format, arguments...))
	}
}

func summary(t source.Targets) string {
	var parts []string
	for _, c := range t.Candidates {
		parts = append(parts, fmt.Sprintf("%s %d", c.Event, c.Line))
	}
	if t.Exit {
		parts = append(parts, "exit")
	}
	return strings.Join(parts, ", ")
}

// checkTree checks all actions from all nodes of a tree.
func (c *flowChecker) checkTree(tree *statetree.Tree, kinds []statetree.ActionKind) {
	cursor := tree.Cursor(statetree.Whole)
	for n := range tree.Len() {
		for _, kind := range kinds {
			cursor.Seek(n)
			a := statetree.Action{Kind: kind}
			if kind == statetree.Breakpoint {
				a.Source = c.lines[n%len(c.lines)]
				if strings.TrimSpace(a.Source) == "" {
					continue
				}
			}
			from := cursor.State()
			outcome, err := cursor.Go(a)
			if err != nil {
				continue
			}
			c.check(from, a, outcome)
		}
	}
}

// recordedPrograms are the generated programs of a seed that can be recorded. Half
// of n have to be, unless the loop over them is left.
func recordedPrograms(t *testing.T, seed uint64, n int) iter.Seq[corpus.Recorded] {
	interpreter := python(t)
	if said, err := strconv.Atoi(os.Getenv("SOURCE_TEST_PROGRAMS")); err == nil {
		n = said
	}
	generator := corpus.NewGenerator(seed, corpus.DefaultStyle())
	options := corpus.RecordOptions{Workers: 1, Python: interpreter}
	return func(yield func(corpus.Recorded) bool) {
		kept := 0
		for recorded, err := range corpus.Record(context.Background(), generator.Cases(0, n), options) {
			if err != nil {
				t.Fatal(err)
			}
			if recorded.Dropped != corpus.Kept {
				continue
			}
			kept++
			if !yield(recorded) {
				return
			}
		}
		if kept < n/2 {
			t.Errorf("only %d programs were recorded", kept)
		}
	}
}

// The same for many generated programs, starting from positions of which only
// the line's text is known, as a text form has it.
func TestFlowOfGeneratedPrograms(t *testing.T) {
	var all []*flowChecker
	for recorded := range recordedPrograms(t, 3, 200) {
		c := newFlowChecker(t, recorded.Case.Source, recorded.Recording.Program)
		c.textOnly = true
		tree, err := statetree.NewTree(recorded.Recording)
		if err != nil {
			t.Fatal(err)
		}
		c.checkTree(tree, statetree.ForwardActions)
		if recorded.Recording.Exit != statetree.ExitNever { // that has no end to begin at
			c.checkTree(tree.Invert(), statetree.InverseActions)
		}
		all = append(all, c)
		if t.Failed() && len(all) > 20 {
			break
		}
	}
	logTightness(t, all)
}

// logTightness says how many candidates there are on average.
func logTightness(t *testing.T, all []*flowChecker) {
	for _, kind := range append(slices.Clone(statetree.ForwardActions), statetree.InverseActions...) {
		candidates, count := 0, 0
		for _, c := range all {
			candidates += c.candidates[kind]
			count += c.counts[kind]
		}
		if count > 0 {
			t.Logf("%-14s %6d transitions, %.1f candidates", kind, count, float64(candidates)/float64(count))
		}
	}
}

// The states that follow in recordings are among the candidates, for every
// action in both directions.
func TestFlowOfRecordings(t *testing.T) {
	interpreter := python(t)
	files, err := filepath.Glob("testdata/flow/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	worker, err := record.NewWorker(record.WorkerOptions{Python: interpreter, Limits: record.Limits{Time: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	var all []*flowChecker
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		header, _, _ := strings.Cut(string(text), "\n")
		for _, entry := range strings.Split(strings.TrimPrefix(header, "# entries: "), "; ") {
			entry = strings.Trim(entry, "; ")
			t.Run(filepath.Base(path)+"/"+entry, func(t *testing.T) {
				trace, err := worker.Record(context.Background(), record.Job{Path: path, Source: string(text), Entry: entry})
				if err != nil {
					t.Fatal(err)
				}
				recording := trace.Recording
				c := newFlowChecker(t, path, recording.Program)
				tree, err := statetree.NewTree(recording)
				if err != nil {
					t.Fatal(err)
				}
				c.checkTree(tree, statetree.ForwardActions)
				c.checkTree(tree.Invert(), statetree.InverseActions)
				if c.checks < 10 {
					t.Errorf("only %d transitions were checked", c.checks)
				}
				all = append(all, c)
			})
		}
	}
	logTightness(t, all)
}
