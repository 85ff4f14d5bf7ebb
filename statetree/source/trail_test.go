package source_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// trailWalker takes debuggers through recordings and checks that a trail allows
// what really happened, from what a text form tells of the states.
type trailWalker struct {
	*flowChecker
	rng *rand.Rand
	// single counts the transitions with one candidate, of all.
	single, all map[statetree.ActionKind]int
}

func newTrailWalker(t *testing.T, name string, program statetree.Program, seed uint64) *trailWalker {
	t.Helper()
	return &trailWalker{
		flowChecker: newFlowChecker(t, name, program), rng: rand.New(rand.NewPCG(seed, 1)),
		single: map[statetree.ActionKind]int{}, all: map[statetree.ActionKind]int{},
	}
}

// position is what is known of a state: its line, or only the line's text.
func (w *trailWalker) position(s statetree.State) source.Position {
	if line, ok := w.line(s); ok && w.rng.IntN(2) == 0 {
		return source.Position{Event: s.Event, Lines: []int{line}}
	}
	return w.flow.Locate(s.Event, s.Source)
}

func namesOf(s statetree.State) []string {
	if !s.Event.HasLocals() || s.Partial {
		return nil
	}
	names := []string{}
	for _, l := range s.Locals {
		names = append(names, l.Name)
	}
	return names
}

// walk goes from a node by random actions.
func (w *trailWalker) walk(c statetree.Cursor, rooted bool, kinds []statetree.ActionKind, steps int) {
	state := c.State()
	trail := w.flow.Begin(w.position(state), rooted, namesOf(state))
	var path []string
	for range steps {
		a := statetree.Action{Kind: kinds[w.rng.IntN(len(kinds))]}
		if a.Kind == statetree.Breakpoint {
			if a.Source = w.lines[w.rng.IntN(len(w.lines))]; strings.TrimSpace(a.Source) == "" {
				continue
			}
		}
		outcome, err := c.Go(a)
		if err != nil {
			continue
		}
		path = append(path, fmt.Sprintf("%s -> %s %d", a, outcome.State.Event, outcome.State.Line))
		if w.checkTargets(trail, a, outcome); w.t.Failed() {
			w.fail("on the way from %s %d: %s", state.Event, state.Line, strings.Join(path, "; "))
			return
		}
		if outcome.Ended() {
			return
		}
		to := outcome.State
		w.checkNames(trail, a, to)
		if trail = trail.After(a, w.position(to), namesOf(to)); to.Event == statetree.Return {
			trail = trail.Returning(to.Arg)
		}
		if line, ok := w.line(to); ok && !slices.Contains(trail.Position().Lines, line) {
			w.fail("%s: line %d is not among %v", path[len(path)-1], line, trail.Position().Lines)
			return
		}
	}
}

func (w *trailWalker) checkTargets(trail source.Trail, a statetree.Action, outcome statetree.Outcome) {
	targets := trail.Targets(a)
	w.candidates[a.Kind] += len(targets.Candidates)
	w.counts[a.Kind]++
	w.checks++
	choices := len(targets.Candidates) + len(targets.Exits)
	w.all[a.Kind]++
	if choices == 1 {
		w.single[a.Kind]++
	}
	switch {
	case outcome.Exit == statetree.ExitNever || outcome.Ended() && a.Kind == statetree.StepReturn:
	case outcome.Ended() && a.Kind.Direction() == statetree.Inverse:
		if !targets.Exit {
			w.fail("%s: the entry is not expected", a)
		}
	case outcome.Ended():
		if !slices.Contains(targets.Exits, outcome.Exit) {
			w.fail("%s: exit %s is not among %v", a, outcome.Exit, targets.Exits)
		}
	default:
		line, ok := w.line(outcome.State)
		want := source.Candidate{Event: outcome.State.Event, Line: line, Source: outcome.State.Source}
		if !ok || !slices.Contains(targets.Candidates, want) {
			w.fail("%s: %s line %d %q is not among %s", a, want.Event, line, want.Source, summary(targets))
		}
	}
}

func (w *trailWalker) checkNames(trail source.Trail, a statetree.Action, to statetree.State) {
	if to.Event != statetree.Line {
		return
	}
	names := trail.Names(a)
	shown := namesOf(to)
	for _, name := range shown {
		if names.Allowed != nil && !slices.Contains(names.Allowed, name) {
			w.fail("%s to line %d %q: the name %s is not among %v", a, to.Line, to.Source, name, names.Allowed)
		}
	}
	for _, name := range names.Required {
		if !slices.Contains(shown, name) {
			w.fail("%s to line %d %q: the name %s is missed in %v", a, to.Line, to.Source, name, shown)
		}
	}
}

// walkRecording walks forward and backward through a recording, from its
// beginning and from anywhere, over the whole and within activations.
func (w *trailWalker) walkRecording(recording statetree.Recording, walks int) {
	tree, err := statetree.NewTree(recording)
	if err != nil {
		w.t.Fatal(err)
	}
	inverse := tree.Invert()
	for i := range walks {
		// Steps that enter everything find most, jumps check what they leave unknown.
		forward := statetree.ForwardActions
		if i%3 == 0 {
			forward = []statetree.ActionKind{statetree.StepInto, statetree.StepInto, statetree.StepOver}
		}
		c := tree.Cursor(statetree.Whole)
		rooted := i%2 == 0
		if !rooted {
			c.Seek(w.rng.IntN(tree.Len()))
		}
		w.walk(c, rooted, forward, 60)
		if recording.Exit == statetree.ExitNever || recording.Exit == statetree.NoExit {
			continue
		}
		c = inverse.Cursor(statetree.Whole)
		if !rooted {
			c.Seek(w.rng.IntN(inverse.Len()))
		}
		w.walk(c, rooted, statetree.InverseActions, 60)
		if w.failed > 0 {
			return
		}
	}
}

// Whatever a debugger does in a generated program, what really happens is among
// what its trail allows.
func TestTrailOfGeneratedPrograms(t *testing.T) {
	var all []*trailWalker
	for recorded := range recordedPrograms(t, 11, 80) {
		w := newTrailWalker(t, recorded.Case.Source, recorded.Recording.Program, recorded.Case.Index)
		w.walkRecording(recorded.Recording, 12)
		all = append(all, w)
		if t.Failed() {
			break
		}
	}
	logTrails(t, all)
}

// The same for programs of odd shapes.
func TestTrailOfRecordings(t *testing.T) {
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
	walks := 12
	if n, err := strconv.Atoi(os.Getenv("SOURCE_TEST_WALKS")); err == nil {
		walks = n
	}
	var all []*trailWalker
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
				w := newTrailWalker(t, path, trace.Recording.Program, 7)
				w.walkRecording(trace.Recording, walks)
				all = append(all, w)
			})
		}
	}
	logTrails(t, all)
}

// The same for code that nobody wrote for tests: modules of the standard library
// at work.
func TestTrailOfStandardLibrary(t *testing.T) {
	interpreter := python(t)
	worker, err := record.NewWorker(record.WorkerOptions{Python: interpreter, Limits: record.Limits{Time: time.Minute, Events: 6000}})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	out, err := exec.Command(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		t.Fatal(err)
	}
	walks := 4
	if n, err := strconv.Atoi(os.Getenv("SOURCE_TEST_WALKS")); err == nil {
		walks = n
	}
	var all []*trailWalker
	for _, tt := range []struct{ file, entry string }{
		{"textwrap.py", `wrap("Hello there: how are you this fine day? I'm glad to hear it!", 12, fix_sentence_endings=True)`},
		{"textwrap.py", `dedent("  a\n   b\n")`},
		{"shlex.py", `split("for o in $(ls 'a b') # rest", comments=True)`},
		{"fnmatch.py", `translate("[!a-c]*.p?")`},
		{"heapq.py", `nsmallest(3, [5, 1, 4, 2, 3], key=lambda v: -v)`},
		{"heapq.py", `list(merge([1, 4], [2, 3], reverse=False))`},
		{"difflib.py", `list(unified_diff(["a\n", "b\n"], ["a\n", "c\n"]))`},
		{"difflib.py", `get_close_matches("appel", ["ape", "apple", "peach"])`},
		{"statistics.py", `quantiles([1, 2, 3, 4, 5])`},
		{"statistics.py", `variance([2.5, 3.25, 5.5])`},
		{"calendar.py", `TextCalendar().formatmonth(2026, 11)`},
		{"string.py", `Template("$a ${b} $$").safe_substitute(a=1)`},
		{"contextlib.py", `nullcontext(3).__enter__()`},
		{"configparser.py", `RawConfigParser({"a": "1"}).read_string("[s]\nb = 2\n")`},
		{"ast.py", `literal_eval("{'a': (1, -2j)}")`},
		{"fractions.py", `Fraction("3/4").limit_denominator(3)`},
		{"ipaddress.py", `ip_network("10.0.0.0/29")`},
		{"pprint.py", `pformat({"a": list(range(40))}, width=30)`},
		{"base64.py", `b85encode(b"hello")`},
		{"quopri.py", `encodestring(b"a=b")`},
		{"colorsys.py", `rgb_to_hls(0.2, 0.4, 0.4)`},
		{"graphlib.py", `tuple(TopologicalSorter({"D": {"B", "C"}, "B": {"A"}}).static_order())`},
	} {
		t.Run(tt.file+"/"+tt.entry, func(t *testing.T) {
			path := filepath.Join(strings.TrimSpace(string(out)), tt.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Skip(err)
			}
			trace, err := worker.Record(context.Background(), record.Job{Path: path, Source: string(text), Entry: tt.entry})
			if err != nil {
				t.Fatal(err)
			}
			w := newTrailWalker(t, path, trace.Recording.Program, 5)
			w.walkRecording(trace.Recording, walks)
			if w.checks < 10 {
				t.Errorf("only %d transitions were checked", w.checks)
			}
			all = append(all, w)
		})
	}
	logTrails(t, all)
}

// logTrails says how tight the candidates are.
func logTrails(t *testing.T, all []*trailWalker) {
	for _, kind := range append(slices.Clone(statetree.ForwardActions), statetree.InverseActions...) {
		candidates, count, single := 0, 0, 0
		for _, w := range all {
			candidates += w.candidates[kind]
			count += w.counts[kind]
			single += w.single[kind]
		}
		if count > 0 {
			t.Logf("%-14s %6d transitions, %.1f candidates, %4.1f %% certain",
				kind, count, float64(candidates)/float64(count), 100*float64(single)/float64(count))
		}
	}
}
