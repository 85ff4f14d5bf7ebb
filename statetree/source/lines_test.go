package source_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// python returns the interpreter whose line events the package models, or skips
// the test.
func python(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"python3.11", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "-c", "import sys; print(*sys.version_info[:2])").Output()
		if err == nil && strings.TrimSpace(string(out)) == "3 11" {
			return path
		}
	}
	t.Skip("no Python 3.11")
	return ""
}

// tracedCode is a code object as testdata/lines.py prints it.
type tracedCode struct {
	name  string
	first int
	lines []int
}

func (c *tracedCode) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&c.name, &c.first, &c.lines})
}

// tracedLines asks CPython for the lines of all code objects of files.
func tracedLines(t *testing.T, paths []string) map[string][]tracedCode {
	t.Helper()
	cmd := exec.Command(python(t), "-W", "ignore", "testdata/lines.py")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	files := map[string][]tracedCode{}
	for scanner := json.NewDecoder(bufio.NewReader(bytes.NewReader(out))); scanner.More(); {
		var file struct {
			Path  string
			Codes []tracedCode
		}
		if err := scanner.Decode(&file); err != nil {
			t.Fatal(err)
		}
		files[file.Path] = file.Codes
	}
	return files
}

// lineScore counts lines of code objects.
type lineScore struct{ both, missing, extra int }

func (s lineScore) precision() float64 { return float64(s.both) / float64(max(1, s.both+s.extra)) }
func (s lineScore) recall() float64    { return float64(s.both) / float64(max(1, s.both+s.missing)) }

// compareLines compares the code objects of a file with CPython's and describes
// the differences.
func compareLines(f *source.File, want []tracedCode, score *lineScore) (differences []string) {
	type key struct {
		name  string
		first int
	}
	got := map[key][][]int{}
	for function := range f.Functions() {
		k := key{strings.ReplaceAll(function.QualifiedName, ".<locals>", ""), function.First}
		got[k] = append(got[k], function.Lines)
	}
	for _, code := range want {
		name := code.name
		for _, folded := range []string{"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<locals>"} {
			name = strings.ReplaceAll(name, "."+folded, "")
			name = strings.TrimPrefix(name, folded+".")
		}
		k := key{name, code.first}
		if len(got[k]) == 0 {
			score.missing += len(code.lines)
			differences = append(differences, fmt.Sprintf("%s:%d: no code object %s", f.Path(), code.first, code.name))
			continue
		}
		lines := got[k][0]
		got[k] = got[k][1:]
		for _, line := range code.lines {
			if slices.Contains(lines, line) {
				score.both++
			} else {
				score.missing++
				differences = append(differences, fmt.Sprintf("%s:%d: missing in %s: %s", f.Path(), line, code.name, f.Line(line)))
			}
		}
		for _, line := range lines {
			if !slices.Contains(code.lines, line) {
				score.extra++
				differences = append(differences, fmt.Sprintf("%s:%d: extra in %s: %s", f.Path(), line, code.name, f.Line(line)))
			}
		}
	}
	for k, rest := range got {
		for _, lines := range rest {
			score.extra += len(lines)
			differences = append(differences, fmt.Sprintf("%s:%d: extra code object %s", f.Path(), k.first, k.name))
		}
	}
	return differences
}

// standardLibrary returns some files of Python's standard library: every
// step-th of them, without tests.
func standardLibrary(t *testing.T, step int) []string {
	t.Helper()
	out, err := exec.Command(python(t), "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	var files []string
	for _, pattern := range []string{"*.py", "*/*.py"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range matches {
			switch filepath.Base(filepath.Dir(match)) {
			case "test", "tests", "site-packages", "lib2to3":
			default:
				files = append(files, match)
			}
		}
	}
	slices.Sort(files)
	var chosen []string
	for i := 0; i < len(files); i += step {
		chosen = append(chosen, files[i])
	}
	return chosen
}

// The lines of the standard library agree with CPython's.
func TestLinesOfStandardLibrary(t *testing.T) {
	step := 9
	if os.Getenv("SOURCE_TEST_ALL") != "" {
		step = 1
	}
	paths := standardLibrary(t, step)
	var score lineScore
	parsed := 0
	for path, codes := range tracedLines(t, paths) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := source.Parse(path, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		parsed++
		for _, difference := range compareLines(f, codes, &score) {
			t.Log(difference)
		}
	}
	t.Logf("%d files, %d lines: precision %.5f, recall %.5f", parsed, score.both+score.missing, score.precision(), score.recall())
	if score.precision() < 0.999 || score.recall() < 0.999 {
		t.Errorf("precision %.5f, recall %.5f; want 0.999", score.precision(), score.recall())
	}
}
