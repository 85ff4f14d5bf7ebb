package statetree_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

var update = flag.Bool("update", false, "write the goldens anew")

// goldenPython is the version whose events the goldens have: which lines of a
// statement are visited differs by minor version.
const goldenPython = "3.11."

// shape is the recording of a program in testdata/shapes, whose main() is run.
type shape struct {
	name  string
	trace record.Trace
	tree  *statetree.Tree
}

// forShapes records the programs, all by one worker, and runs a test on each.
func forShapes(t *testing.T, test func(t *testing.T, s shape)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/shapes/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	worker, err := record.NewWorker(record.WorkerOptions{
		Python: os.Getenv("RECORD_TEST_PYTHON"), Limits: record.Limits{Time: time.Minute}, // on a busy machine
	})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".py")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			trace, err := worker.Record(context.Background(), record.Job{Path: name + ".py", Source: string(text), Entry: "main()"})
			if err != nil {
				if name == "matching" {
					t.Skipf("this Python has no match: %v", err)
				}
				t.Fatal(err)
			}
			tree, err := statetree.NewTree(trace.Recording)
			if err != nil {
				t.Fatal(err)
			}
			test(t, shape{name: name, trace: trace, tree: tree})
		})
	}
}

// TestShapes draws the trees of odd programs, forward and inverse.
func TestShapes(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		if !strings.HasPrefix(s.trace.Python, goldenPython) {
			t.Skipf("the goldens are of Python %s*, this is %s", goldenPython, s.trace.Python)
		}
		r := s.trace.Recording
		got := draw(s.tree) + "exit " + r.Exit.String() + r.Cut + "\n\n" + draw(s.tree.Invert()) + "exit entry\n"
		path := "testdata/shapes/" + s.name + ".golden.txt"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("the trees differ from %s (-update writes it anew); they are\n%s", path, got)
		}
	})
}

// draw writes a tree, a state a line, indented below its owner.
func draw(tree *statetree.Tree) string {
	var b strings.Builder
	for n := range tree.Len() {
		s := tree.State(n)
		for owner := tree.Level(tree.LevelOf(n)).Owner; owner >= 0; owner = tree.Level(tree.LevelOf(owner)).Owner {
			b.WriteString("  ")
		}
		fmt.Fprintf(&b, "%s %s:%d", s.Event, s.Function, s.Line)
		if s.Event.HasArg() {
			fmt.Fprintf(&b, " -> %s", s.Arg)
		}
		for _, l := range s.Locals {
			fmt.Fprintf(&b, " %s=%s", l.Name, l.Repr)
		}
		fmt.Fprintf(&b, " | %s\n", strings.TrimSpace(s.Source))
	}
	return b.String()
}

// TestShapesKeepTheRules checks on real recordings what the rules promise.
func TestShapesKeepTheRules(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		r := s.trace.Recording
		checkStepInto(t, s.tree)
		if again := s.tree.Invert().Invert(); !reflect.DeepEqual(again, s.tree) {
			t.Error("inverting twice gives another tree")
		}
		plain := plainForward(r)
		rng := rand.New(rand.NewPCG(1, 1))
		checkTargets(t, rng, s.tree, plain)
		checkTargets(t, rng, s.tree.Invert(), plain.inverse())
		checkFlat(t, rng, s.tree)
		for _, tree := range []*statetree.Tree{s.tree, s.tree.Invert()} {
			kinds := statetree.ForwardActions
			if tree.Direction() == statetree.Inverse {
				kinds = statetree.InverseActions
			}
			for _, kind := range kinds {
				checkText(t, statetree.WalkAll(tree.Cursor(statetree.Whole), r.Program, kind))
			}
		}
	})
}

// checkText writes a walk and reads it: the states come back as far as they were
// told, and every prefix is accepted.
func checkText(t *testing.T, walk statetree.Trajectory) {
	t.Helper()
	var w grammar.Writer
	segments := w.AppendTrajectory(nil, &walk)
	var p grammar.Parser
	for i, s := range segments {
		if err := p.FeedSegment(s); err != nil {
			t.Fatalf("segment %d, %v %q, is not accepted: %v", i, s.Special, s.Text, err)
		}
	}
	read, err := p.Trajectory()
	if err != nil || len(read.Steps) != len(walk.Steps) || read.Program.Code != walk.Program.Code {
		t.Fatalf("read %d steps, %v; want %d", len(read.Steps), err, len(walk.Steps))
	}
	if !read.Start.Matches(walk.Start) {
		t.Errorf("start %+v, want %+v", read.Start, walk.Start)
	}
	for i, step := range walk.Steps {
		got, want := read.Steps[i].Outcome, step.Outcome
		if got.Exit != want.Exit || got.State.Event != want.State.Event || got.State.Source != want.State.Source || got.State.Arg != want.State.Arg {
			t.Fatalf("step %d: read %+v, want %+v", i, got, want)
		}
		for _, l := range got.State.Locals {
			repr, ok := want.State.Locals.Get(l.Name)
			// Going back, the text does not mark a name that vanishes.
			if vanished := !ok && got.State.Partial; !vanished && repr != l.Repr {
				t.Errorf("step %d: read %s = %s, want %s", i, l.Name, l.Repr, repr)
			}
		}
		if !got.State.Partial && len(got.State.Locals) != len(want.State.Locals) {
			t.Errorf("step %d: read %v, want %v", i, got.State.Locals, want.State.Locals)
		}
	}
}
