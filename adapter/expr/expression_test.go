package expr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
)

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":            "there is no expression",
		"  ":          "there is no expression",
		"1 +":         "invalid syntax",
		"n = 1":       "to compare, write ==",
		"n += 1":      "to compare, write ==",
		"(n := 1)":    "not supported",
		"await n":     "await is not supported",
		"print n":     "print is a function",
		"f(a=1, a=2)": "keyword argument repeated",
		"f(a=1, 2)":   "positional argument follows keyword argument",
		"'a' b'b'":    "cannot mix bytes and nonbytes",
		"b'é'":        "ASCII",
		`'\N{DASH}'`:  "not supported",
		"012":         "invalid number",
		"del n":       "an expression is expected",
		"a; b":        "an expression is expected",
		"if a: b":     "an expression is expected",
		"f'{}'":       "expected",
		"f'{n!q}'":    "conversion",
	} {
		_, err := expr.Parse(text)
		if err == nil && text == "f'{n!q}'" { // seen when it is evaluated
			_, err = eval(text, map[string]string{"n": "1"})
		}
		var e *expr.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v; want %q", text, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	e, err := expr.Parse("[x + y for x in xs if len(x) > n] + [x, (lambda n, k=m: n + k)(1)]")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Names(), []string{"xs", "len", "n", "y", "x", "m"}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
}

func TestReasons(t *testing.T) {
	for text, want := range map[string]expr.Reason{
		"1 / 0": expr.Raised, "count(1)": expr.NotFound, "open('x')": expr.Unsupported, "cut + 1": expr.Unknown, "10**10**9": expr.Limit,
	} {
		_, err := eval(text, map[string]string{"cut": "[1, 2..."})
		var e *expr.Error
		if !errors.As(err, &e) || e.Reason != want {
			t.Errorf("%s: got %v; want reason %d", text, err, want)
		}
	}
}

// TestOnce evaluates one expression with several scopes at the same time.
func TestOnce(t *testing.T) {
	e, err := expr.Parse("sum(v * n for v in range(n))")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	for range 8 {
		go func() {
			v, err := e.Eval(context.Background(), scopeOf(map[string]string{"n": "10"}))
			if err != nil {
				done <- err.Error()
				return
			}
			done <- v.Repr()
		}()
	}
	for range 8 {
		if got := <-done; got != "450" {
			t.Error(got)
		}
	}
}

// TestShadow lets the program's names hide built-in ones.
func TestShadow(t *testing.T) {
	if v, err := eval("len + 1", map[string]string{"len": "3"}); err != nil || v.Repr() != "4" {
		t.Errorf("got %v, %v", v.Repr(), err)
	}
}

// CPython's words for integers of too many digits, from CPython 3.11.
func TestIntegersOfManyDigits(t *testing.T) {
	const limit = "ValueError: Exceeds the limit (4300 digits) for integer string conversion"
	const advice = "; use sys.set_int_max_str_digits() to increase the limit"
	for text, want := range map[string]string{
		"int('9'*10**7)":        limit + ": value has 10000000 digits" + advice,
		"int('-'+'9'*4301)":     limit + ": value has 4301 digits" + advice,
		"int(' '+'9'*5000+'x')": limit + ": value has 5000 digits" + advice,
		"int('9_'*4301+'1')":    limit + ": value has 4302 digits" + advice,
		"int('z'*5000, 36)":     limit + ": value has 5000 digits" + advice,
		"int('9'*5000, 0)":      limit + ": value has 5000 digits" + advice,
		"str(10**5000)":         limit + advice,
		"f'{10**5000}'":         limit + advice,
		"'%d' % 10**5000":       limit + advice,
		"int('_'+'9'*5000)":     "invalid literal for int()",
		"int('9__'*5000)":       "invalid literal for int()",
	} {
		if _, err := eval(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %s", text, err, want)
		}
	}
	for _, text := range []string{"int('9'*4300) > 0", "int('f'*5000, 16) > 0", "int('0x'+'f'*5000, 0) > 0"} {
		if v, err := eval(text, nil); err != nil || v.Repr() != "True" {
			t.Errorf("%s: %v, %v", text, v.Repr(), err)
		}
	}
}

func TestPrint(t *testing.T) {
	var out strings.Builder
	scope := scopeOf(map[string]string{"n": "3", "s": "'a'"})
	scope.Print = func(text string) { out.WriteString(text) }
	for _, text := range []string{"print(n, s)", "print()", "print(s, n, sep='-', end='!')", "print(*'ab', sep='')", "print(f'{n=}', flush=True)", "print([s], None, 1.0, file=None)"} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := e.Eval(context.Background(), scope); err != nil || v.Repr() != "None" {
			t.Errorf("%s is %v, %v", text, v.Repr(), err)
		}
	}
	if want := "3 a\n\na-3!ab\nn=3\n['a'] None 1.0\n"; out.String() != want {
		t.Errorf("printed %q; want %q", out.String(), want)
	}
	scope.Print = nil
	e, _ := expr.Parse("print(n)")
	if _, err := e.Eval(context.Background(), scope); err == nil || !strings.Contains(err.Error(), "print is not supported here") {
		t.Errorf("got %v", err)
	}
}

func TestTemplate(t *testing.T) {
	names := map[string]string{"n": "3", "s": "'it\\'s'", "d": "{'a': [1, 2]}", "f": "2.5"}
	for text, want := range map[string]string{
		"plain":                               "plain",
		"n is {n}":                            "n is 3",
		"{n}{n}":                              "33",
		"{s} {s!r} {n:>3}|{f:.2f}":            "it's \"it's\"   3|2.50",
		"{{n}} {n}":                           "{n} 3",
		"{d['a'][0]}":                         "1",
		`{d["a"]}`:                            "[1, 2]",
		"{ {'x': n}['x'] }":                   "3",
		"{n=}":                                "n=3",
		"100% {n} \\n 'x'":                    "100% 3 \\n 'x'",
		"{', '.join(str(v) for v in d['a'])}": "1, 2",
		"{'}'}":                               "}",
		"é {n} ❤":                             "é 3 ❤",
		"{n:{n}}|":                            "  3|",
		"":                                    "",
	} {
		m, err := expr.ParseTemplate(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := m.Format(context.Background(), scopeOf(names)); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"{", "}", "{n", "n}", "{}", "{ }", "{1 +}", "{n!}", "{n = 1; x}", "a {b} {"} {
		if _, err := expr.ParseTemplate(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if m, err := expr.ParseTemplate("{1/0}"); err != nil {
		t.Error(err)
	} else if _, err := m.Format(context.Background(), expr.Scope{}); err == nil {
		t.Error("1/0 is formatted")
	}
}

// FuzzEval evaluates any text over any value: there is an answer or a refusal,
// and what comes out is a repr that can be used again.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		"n + 1", "n[0]", "n[::-1]", "[x for x in n if x]", "f'{n!r:>{n}}'", "'%s' % n", "n.upper()", "sorted(n, key=lambda x: -x)", "{**n}", "n < n <= n",
		"sum(x for x in n)", "n ** n", "n // n", "'{0[a].b!r:{1}}'.format(n, n)", "a, *b", "print(n)", "\x00", "'\\ud800'", "-0.0", "(lambda *a, k=1: a)(n)",
	} {
		for _, value := range []string{"3", "'berry'", "[1, 2]", "{'a': 1}", "nan", "P(x=1)", "<a b>", "{1, 2}", "1j", "'…", "b'\\xff'", "deque([1])"} {
			f.Add(seed, value)
		}
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		e, err := expr.Parse(text)
		if err != nil {
			requireError(t, err)
			return
		}
		scope := expr.Scope{Lookup: func(string) (string, bool) { return value, true }, Print: func(string) {}}
		v, err := e.Eval(context.Background(), scope)
		if err != nil {
			requireError(t, err)
			return
		}
		_, _ = v.Truth()
		if out := v.Repr(); !utf8.ValidString(out) || out == "" && value != "" {
			t.Errorf("%q over %q is %q", text, value, out)
		}
		again, err := eval("n", map[string]string{"n": v.Repr()})
		if err != nil {
			requireError(t, err)
		} else if squeeze(again.Repr()) != squeeze(v.Repr()) && !strings.Contains(v.Repr(), "<") {
			t.Errorf("%q over %q is %q, which reads as %q", text, value, v.Repr(), again.Repr())
		}
	})
}

// squeeze drops white space: a text that is no repr has its own.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func requireError(t *testing.T, err error) {
	t.Helper()
	var e *expr.Error
	if !errors.As(err, &e) || e.Message == "" && e.Exception == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("got the error %q", err)
	}
}

// FuzzTemplate formats any log message.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"a {n} b", "{{}}", "{n!r:>5}", "{d['a']}", "{'}'}", "{", "}{", "{{{n}}}", `{"""}`, "{n=}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := expr.ParseTemplate(text)
		if err != nil {
			requireError(t, err)
			return
		}
		if out, err := m.Format(context.Background(), scopeOf(map[string]string{"n": "1"})); err != nil {
			requireError(t, err)
		} else if !strings.ContainsAny(text, "{}") && utf8.ValidString(text) && out != text {
			t.Errorf("%q is %q", text, out)
		}
	})
}
