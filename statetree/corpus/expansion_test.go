package corpus

import (
	"regexp"
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

var topLevelFunction = regexp.MustCompile(`(?m)^def (\w+)\(`)

// TestFunctionsHaveTheirOwnNames checks that no function of a program replaces
// another, be it the helper of another idiom.
func TestFunctionsHaveTheirOwnNames(t *testing.T) {
	for i := range uint64(3000) {
		source := newProgram(newRandom(4, i), DefaultStyle()).pipelineProgram().Source
		seen := map[string]bool{}
		for _, m := range topLevelFunction.FindAllStringSubmatch(source, -1) {
			if seen[m[1]] {
				t.Errorf("two functions %s:\n%s", m[1], source)
			}
			seen[m[1]] = true
		}
	}
}
