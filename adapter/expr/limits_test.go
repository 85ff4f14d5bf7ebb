package expr_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
)

// fastEnough is far more than any evaluation may take on a busy machine.
const fastEnough = 30 * time.Second

// TestLimits evaluates what would take for ever, or all memory.
func TestLimits(t *testing.T) {
	names := map[string]string{"s": "'ab'", "n": "7"}
	for _, text := range []string{
		`"a" * 10**9`, `[0] * 10**10`, `10**10**10`, `2 ** 10**6 * 2 ** 10**6`, `1 << 10**9`, `(1, 2) * 10**9`,
		`[x for x in range(10**9)]`, `sum(range(10**10))`, `list(range(10**8))`, `max(x for x in range(10**9))`,
		`[[[0 for a in range(10000)] for b in range(10000)] for c in range(10000)]`,
		`any(x < 0 for x in range(10**9))`, `sorted(range(10**8))`, `",".join("a" for _ in range(10**9))`,
		`s.center(10**12)`, `s.zfill(10**9)`, `s.ljust(10**9, "é")`, `"%1000000000d" % n`, `f"{n:1000000000}"`, `f"{n:.1000000000f}"`,
		`"{:{}}".format(n, 10**9)`, `("a" * 10**6).replace("a", "b" * 10**6)`, `("a," * 10**6).split(",") * 1000`,
		`(lambda f: f(f(f(f(f(f(f([0]))))))))(lambda a: [a] * 100)`,
		`bytes(10**10)`, `pow(7, 10**5000, 10**5000)`, `"\t".expandtabs(10**9)`, `set(range(10**8))`,
		`[(x, y) for x in range(10**5) for y in range(10**5) if False]`, `{x: x for x in range(10**8)}`,
		`all(True for x in range(10**6) for y in range(10**6))`, `dict.fromkeys(range(10))`,
		`10**10000`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000), strings.Repeat("-", 100_000) + "1",
		strings.Repeat("(", 100_000), strings.Repeat("n+", 50_000) + "n",
	} {
		start := time.Now()
		v, err := eval(text, names)
		var e *expr.Error
		if !errors.As(err, &e) || e.Exception != "" {
			t.Errorf("%.60s is %.60v, %v; want a refusal", text, v, err)
		}
		if took := time.Since(start); took > fastEnough {
			t.Errorf("%.60s took %v", text, took)
		}
	}
}

// TestLargeResults refuses results that nobody can read, and that take long to show.
func TestLargeResults(t *testing.T) {
	for text, fits := range map[string]bool{
		`("ab" * 10**6).split("a")`: false, `("ab" * 10**4).split("a")`: true, `len(("ab" * 10**6).split("a"))`: true,
		`[[]] * 100_000`: false, `[[]] * 99_000`: true, `"é" * 600_000`: false, `"é" * 500_000`: true,
		`[["a" * 1000] * 100] * 100`: false,
	} {
		_, err := eval(text, nil)
		var e *expr.Error
		if fits != (err == nil) || err != nil && (!errors.As(err, &e) || e.Reason != expr.Limit || !strings.Contains(e.Message, "look at a part of it")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCancel ends an evaluation with its context.
func TestCancel(t *testing.T) {
	e, err := expr.Parse(`[x for x in range(10**6) if x < 0 for y in range(10**6)] + [x for x in range(10**6) if x < 0]`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Eval(ctx, expr.Scope{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLargeValues uses values whose reprs are large or deep.
func TestLargeValues(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	names := map[string]string{
		"deep": deep, "text": "'" + strings.Repeat("x", 1<<20) + "'", "list": "[" + strings.Repeat("1234, ", 200_000) + "0]",
		"brackets": strings.Repeat("[", 1<<20), "number": strings.Repeat("9", 1<<20), "tuples": strings.Repeat("(", 10_000) + ")" + strings.Repeat(",)", 9999),
	}
	for text, want := range map[string]string{
		"len(text)": "1048576", "len(list)": "200001", "len(deep)": "1", "deep == deep": "True", "sum(list)": "246800000", "deep[0] is None": "False",
		"text[-1]": "'x'", "list[-2:]": "[1234, 0]", "list.count(0)": "1",
	} {
		if v, err := eval(text, names); err != nil || v.Repr() != want {
			t.Errorf("%s is %v, %v; want %s", text, v.Repr(), err, want)
		}
	}
	for _, text := range []string{"brackets[0]", "number + 1", "tuples[0]", "deep", "deep < deep", "str(deep)", "{tuples: 1}", "tuples in [tuples]"} {
		start := time.Now()
		_, _ = eval(text, names) // an answer or a refusal, but soon
		if took := time.Since(start); took > fastEnough {
			t.Errorf("%s took %v", text, took)
		}
	}
}

// TestCutValues never computes with a value of which only a part is known.
func TestCutValues(t *testing.T) {
	names := map[string]string{
		"s": "'hello wor…", "l": "[1, 2, 3...", "d": "{'a': 1, 'b': [1, 2…", "o": "Point(x=1, y=...", "a": "array([0, 1, ..., 98, 99])",
		"i": "12345...", "object": "<__main__.Node object>", "loop": "[1, [...]]",
	}
	for _, text := range []string{
		"s + 'x'", "len(s)", "s[0]", "s == 'hello world'", "s in ['a']", "s.upper()", "f'{s}'", "'%s' % s", "bool(s)", "not s", "s and 1", "str(s)", "repr(s)",
		"l[0]", "len(l)", "l == [1, 2, 3]", "1 in l", "[x for x in l]", "sum(l)", "d['a']", "len(d)", "o.x", "a[0]", "len(a)", "i + 1", "i == 12345", "[s][0] == 'a'",
		"{s: 1}", "sorted([s, 'a'])", "max(s, 'a')", "1 if s else 2", "object.x", "object == 1", "len(object)", "object + 1", "object()", "loop[1][0]",
		"len(loop[1])", "int(s)", "x.y if s else 0",
	} {
		v, err := eval(text, names)
		var e *expr.Error
		if !errors.As(err, &e) || e.Reason != expr.Unknown && e.Reason != expr.Unsupported {
			t.Errorf("%s is %q, %v; want a refusal", text, v.Repr(), err)
		}
	}
	for text, want := range map[string]string{
		"s": "'hello wor...", "s is None": "False", "s is not None": "True", "type(l)": "<class 'list'>", "isinstance(s, str)": "True", "object is None": "False",
		"[object, 1][1]": "1", "repr(object)": "'<__main__.Node object>'", "1 if object is not None else 2": "1", "loop[0]": "1", "len(loop)": "2",
	} {
		if v, err := eval(text, names); err != nil || v.Repr() != want {
			t.Errorf("%s is %q, %v; want %s", text, v.Repr(), err, want)
		}
	}
}
