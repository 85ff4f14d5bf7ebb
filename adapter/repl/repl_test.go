package repl_test

import (
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"n": "n", " next ": "n", "p x + 1": "p x + 1", "p -1": "p -1", "p (1, 2)": "p (1, 2)", "pp  d": "pp d", "b": "b", "b 12": "b 12",
		"b f, x > 1": "b f, x > 1", "l .": "l .", "l 1, 5": "l 1, 5", "? pp": "h pp", "h n": "h n", "q": "q", "u 2": "u 2", "set n 3": "set n 3", "set n = 3": "set n = 3",
		// What follows makes an expression of it.
		"n + 1": "", "n - 1": "", "c == 'a'": "", "c = 2": "", "p = 2": "", "s.upper()": "", "s[0]": "", "n is None": "", "c in s": "", "a if b else c": "",
		"s (1)": "", "b -1": "", "d [0]": "", "a and b": "", "n extra": "", "bogus": "", "": "", "nn": "", "u == 1": "", "l * 2": "",
	} {
		c, argument, ok := repl.Parse(line)
		got := ""
		if ok {
			got = strings.TrimSpace(c.Names[0] + " " + argument)
		}
		if got != want {
			t.Errorf("%q is the command %q; want %q", line, got, want)
		}
	}
}

// TestNames: no name is taken twice, and help knows all of them.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	help, err := repl.HelpText("", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range repl.Commands() {
		for _, n := range c.Names {
			if seen[n] {
				t.Errorf("%s is the name of two commands", n)
			}
			seen[n] = true
			if one, err := repl.HelpText(n, true); err != nil || !strings.Contains(help, one) {
				t.Errorf("help %s is %q, %v", n, one, err)
			}
		}
		if (c.Kind.Movement() != nil) != c.Moves {
			t.Errorf("%s moves: %v", c.Names[0], c.Moves)
		}
	}
	if got := strings.Join(repl.Complete("st"), " "); got != "step" {
		t.Errorf("st goes on as %q", got)
	}
}

func TestPretty(t *testing.T) {
	long := "'" + strings.Repeat("x", 50) + "'"
	for text, want := range map[string]string{
		"[1, 2]":                       "[1, 2]",
		"[" + long + ", " + long + "]": "[" + long + ",\n " + long + "]",
		"{'a': [" + long + ", " + long + "], 'b': 1}": "{'a': [" + long + ",\n  " + long + "],\n 'b': 1}",
		"P(x=" + long + ", y=" + long + ")":           "P(x=" + long + ",\n y=" + long + ")",
		"'" + strings.Repeat("x", 200) + "'":          "'" + strings.Repeat("x", 200) + "'",
		"<object>":                                    "<object>",
		"[" + long + ", " + long + ", ...":            "[" + long + ", " + long + ", ...",
	} {
		if got := repl.Pretty(text); got != want {
			t.Errorf("%s\nis\n%s\nwant\n%s", text, got, want)
		}
	}
	deep := strings.Repeat("["+long+", ", 2000) + strings.Repeat("]", 2000)
	if got := repl.Pretty(deep); len(got) < len(deep) {
		t.Errorf("a deep value is cut to %d bytes of %d", len(got), len(deep))
	}
}

func TestListText(t *testing.T) {
	file, err := source.Parse("f.py", []byte("def f(x):\n\ty = x\n\treturn y\n\nf(1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	marked := func(line int) bool { return line == 3 }
	for argument, want := range map[string]string{
		"":     "   1     def f(x):\n   2  ->         y = x\n   3 B           return y\n   4\n   5     f(1)\n",
		".":    "   1     def f(x):\n   2  ->         y = x\n   3 B           return y\n   4\n   5     f(1)\n",
		"3, 3": "   3 B           return y\n",
		"5,1":  "",
	} {
		if got, err := repl.ListText(file, argument, 2, marked); err != nil || got != want {
			t.Errorf("l %s: %v\n%s\nwant\n%s", argument, err, got, want)
		}
	}
	for _, argument := range []string{"0", "6", "x", "1, x", "-1", "99999999999999999999"} {
		if got, err := repl.ListText(file, argument, 2, marked); err == nil {
			t.Errorf("l %s gives %q", argument, got)
		}
	}
	for argument, want := range map[string]int{"f": 1, "3, y > 1": 3, " 2 ": 2} {
		if line, _, err := repl.BreakpointLine(file, argument); err != nil || line != want {
			t.Errorf("b %s: line %d, %v", argument, line, err)
		}
	}
	if _, _, err := repl.BreakpointLine(file, "<module>"); err == nil {
		t.Error("a breakpoint on the module is accepted")
	}
}
