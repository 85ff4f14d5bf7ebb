package expr_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// goldenCase is one expression with what CPython says of it.
type goldenCase struct {
	Expression string `json:"expression"`
	Value      string `json:"value"`
	Raises     string `json:"raises"`
	Refused    bool   `json:"refused"`
}

// readGolden reads what testdata/generate.py writes.
func readGolden(t testing.TB, data []byte) (names map[string]string, cases []goldenCase) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if names == nil {
			var head struct {
				Names map[string]string `json:"names"`
			}
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				t.Fatal(err)
			}
			names = head.Names
			continue
		}
		var c goldenCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return names, cases
}

// scopeOf is a scope with the given reprs.
func scopeOf(names map[string]string) expr.Scope {
	return expr.Scope{
		Lookup: func(name string) (string, bool) { text, ok := names[name]; return text, ok },
		Print:  func(string) {},
	}
}

func eval(text string, names map[string]string) (expr.Value, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return expr.Value{}, err
	}
	return e.Eval(context.Background(), scopeOf(names))
}

// TestGolden compares with CPython: the same value, the same exception, or a
// refusal where expressions.txt says so.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	names, cases := readGolden(t, data)
	if len(cases) < 1000 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		v, err := eval(c.Expression, names)
		if problem := c.check(v, err); problem != "" {
			t.Errorf("%s: %s", c.Expression, problem)
		}
	}
}

// check returns what is wrong with an answer, or "".
func (c goldenCase) check(v expr.Value, err error) string {
	var e *expr.Error
	switch refused := errors.As(err, &e) && e.Exception == ""; {
	case c.Refused && !refused:
		return "is not refused"
	case c.Refused:
		return ""
	case err != nil && c.Raises == "":
		return "fails with " + err.Error() + "; want " + c.Value
	case err == nil && c.Raises != "":
		return "is " + v.Repr() + "; want " + c.Raises
	case c.Raises != "" && e.Exception != c.Raises:
		return "fails with " + err.Error() + "; want " + c.Raises
	case c.Raises == "" && !sameRepr(v.Repr(), c.Value):
		return "is " + v.Repr() + "; want " + c.Value
	}
	return ""
}

// addresses are left out of reprs, as the recorder does.
var addresses = regexp.MustCompile(` at 0x[0-9a-f]+`)

// sameRepr compares two reprs; the elements of sets may be in any order.
func sameRepr(a, b string) bool {
	a, b = addresses.ReplaceAllString(a, ""), addresses.ReplaceAllString(b, "")
	if a == b {
		return true
	}
	return strings.Contains(a, "{") && !strings.Contains(a, ": ") && repr.Equal(repr.Parse(a), repr.Parse(b))
}

// TestGoldenIsPythons makes sure that the golden file is what the Python of this
// machine says. Other versions of Python may differ.
func TestGoldenIsPythons(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if version, err := exec.Command(python, "-c", "import sys; print(*sys.version_info[:2])").Output(); err != nil || strings.TrimSpace(string(version)) != "3 11" {
		t.Skipf("python3 is version %s; the golden file is 3.11's", version)
	}
	cmd := exec.Command(python, "testdata/generate.py")
	cmd.Env = append(os.Environ(), "PYTHONHASHSEED=0")
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("testdata/golden.jsonl is not what testdata/generate.py writes; run it again")
	}
}
