package corpus

import (
	"strings"
	"testing"
)

// TestParametersWithoutTypes checks that a parameter's name is told from its
// annotation, and that one with a default is no parameter that a call must give.
func TestParametersWithoutTypes(t *testing.T) {
	list, err := parseIdioms("=== take (string, small)\ndef @f(@s: str, @n: int, @k: int=2) -> str:\n    return @s[:@n]\n")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		w := newProgram(newRandom(seed, 0), DefaultStyle()).expand(list[0], map[string]bool{}, nil)
		if len(w.parameters) != 2 || strings.Contains(strings.Join(w.parameters, ""), ":") {
			t.Errorf("parameters %q of %q", w.parameters, w.lines[0])
		}
	}
}

// TestHelpersHaveTheirOwnNames checks that no function of a program replaces the
// helper of another idiom.
func TestHelpersHaveTheirOwnNames(t *testing.T) {
	list, err := parseIdioms("=== first|second ()\n@g helper\ndef @g():\n    pass\n\ndef @f():\n    @g()\n")
	if err != nil {
		t.Fatal(err)
	}
	p, functions := newProgram(newRandom(4, 0), DefaultStyle()), map[string]bool{}
	one, two := p.expand(list[0], functions, nil), p.expand(list[0], functions, nil)
	if one.lines[0] == two.lines[0] || one.name == two.name || len(functions) != 4 {
		t.Errorf("functions %v of\n%s\n\n%s", functions, strings.Join(one.lines, "\n"), strings.Join(two.lines, "\n"))
	}
}
