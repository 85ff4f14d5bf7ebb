package grammar_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// countBerry returns the recording of figure C.1 and its program without driver.
func countBerry(t testing.TB) (statetree.Recording, statetree.Program) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "count_berry.recording.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r statetree.Recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	function, _, ok := strings.Cut(r.Program.Code, "\ndef main():")
	if !ok {
		t.Fatal("the recording has no driver")
	}
	return r, statetree.Program{Code: function, Entry: statetree.Entry{Kind: statetree.FunctionEntry, Function: "count"}}
}

func TestGoldens(t *testing.T) {
	r, function := countBerry(t)
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	level, ok := tree.EntryLevel()
	if !ok {
		t.Fatal("no entry level")
	}
	for _, test := range []struct {
		golden     string
		trajectory statetree.Trajectory
	}{
		{"count_berry.forward.txt", statetree.WalkAll(tree.Cursor(statetree.Whole), r.Program, statetree.StepInto)},
		{"count_berry.inverse.txt", statetree.WalkAll(tree.Invert().Cursor(level), function, statetree.InvStepInto)},
	} {
		t.Run(test.golden, func(t *testing.T) {
			var w grammar.Writer
			got := grammar.Display(w.AppendTrajectory(nil, &test.trajectory))
			path := filepath.Join("testdata", test.golden)
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
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// goldenText returns a golden without what is for display only.
func goldenText(t testing.TB, name string) string {
	t.Helper()
	golden, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	s := string(golden)
	code, states, ok := strings.Cut(s, "\n\n<|frame_sep|>")
	if !ok {
		t.Fatalf("%s has no states", name)
	}
	return code + "\n" + strings.ReplaceAll("<|frame_sep|>"+states, "\n", "")
}
