package record

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestPytest records a test run: the run is as it is without the recorder, and what
// the tests call can be taken out of its traces.
func TestPytest(t *testing.T) {
	if exec.Command(interpreter(), "-c", "import pytest").Run() != nil {
		t.Skipf("%s has no pytest; RECORD_TEST_PYTHON may name an interpreter that has it", interpreter())
	}
	files := make(map[string]string)
	for _, name := range []string{"shapes.py", "tests/test_shapes.py"} {
		text, err := os.ReadFile(filepath.Join("testdata/suite", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	folder := tree(t, files)
	command := []string{interpreter(), "-m", "pytest", "-q", "-p", "no:cacheprovider"}
	var plain, recorded bytes.Buffer
	alone := exec.Command(command[0], command[1:]...)
	alone.Dir, alone.Stdout = folder, &plain
	_ = alone.Run() // one test fails
	o := CommandOptions{Command: command, Dir: folder, Folder: filepath.Join(t.TempDir(), "traces"), Stdout: &recorded}
	result, err := Command(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := steady(recorded.String()), steady(plain.String()); got != want || result.ExitCode != alone.ProcessState.ExitCode() {
		t.Errorf("exit code %d, output\n%s\nwithout the recorder %d,\n%s", result.ExitCode, got, alone.ProcessState.ExitCode(), want)
	}
	want := []string{
		"shapes.py <module> 1", "shapes.py Circle 1", "shapes.py Circle.__init__ 7", "shapes.py Circle.area 6", "shapes.py largest 3",
		"tests/test_shapes.py <module> 1", "tests/test_shapes.py circles 2", "tests/test_shapes.py test_largest 1",
		"tests/test_shapes.py test_area 2", "tests/test_shapes.py test_refuses 1", "tests/test_shapes.py test_in_a_thread 1",
		"tests/test_shapes.py test_in_a_thread.<locals>.<lambda> 1", "tests/test_shapes.py test_fails 1",
	}
	if got := calls(t, o.Folder); !slices.Equal(got, want) || len(result.Traces) != 2 {
		t.Errorf("%d traces, calls %q; want 2, %q", len(result.Traces), got, want)
	}
	exits := make(map[string]statetree.Exit)
	for _, trace := range result.Traces {
		for x, err := range Extract(trace.Path, ExtractOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			exits[x.Name] = x.Recording.Exit
			for _, s := range x.Recording.States {
				if s.File != x.File {
					t.Errorf("%s shows a state of %s", x.Name, s.File)
				}
				for _, l := range s.Locals {
					if strings.HasPrefix(l.Name, "@") {
						t.Errorf("%s shows %s, which pytest made", x.Name, l.Name)
					}
				}
			}
		}
	}
	if exits["test_fails"] != statetree.ExitError || exits["test_refuses"] != statetree.ExitNormal || exits["Circle.__init__"] != statetree.ExitNormal {
		t.Errorf("exits %v", exits)
	}
}

// steady leaves out what differs from run to run.
func steady(output string) string {
	output = regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(output, "0x")
	return regexp.MustCompile(`in [0-9.]+s`).ReplaceAllString(output, "in 0s")
}
