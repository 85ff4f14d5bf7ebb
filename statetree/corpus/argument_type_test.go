package corpus

import (
	"slices"
	"testing"
)

// TestArgumentTypesAreThoseOfIdioms checks that each type in the head of an idiom can
// be drawn, and that no type is without an idiom.
func TestArgumentTypesAreThoseOfIdioms(t *testing.T) {
	used := map[string]bool{}
	for _, d := range slices.Concat(idiomGroups()...) {
		for _, parameter := range d.parameters {
			used[parameter] = true
			if _, ok := argumentTypes[parameter]; !ok {
				t.Errorf("%s takes a %s, which is no argument type", d.names[0], parameter)
			}
		}
	}
	for name := range argumentTypes {
		if !used[name] {
			t.Errorf("no idiom takes a %s", name)
		}
	}
}

// TestStagesHaveNames checks that a pipeline finds a name for whatever it passes to
// an idiom and gets from it.
func TestStagesHaveNames(t *testing.T) {
	for _, d := range stages() {
		for _, parameter := range d.parameters {
			if typeNames[plainType(parameter)] == nil {
				t.Errorf("%s takes a %s, which has no names", d.names[0], parameter)
			}
		}
		if resultTypeNames[plainType(d.returns)] == nil {
			t.Errorf("%s gives a %s, which has no names", d.names[0], d.returns)
		}
	}
}

func TestPlainTypes(t *testing.T) {
	for name, want := range map[string]string{"small": "int", "readings": "floats", "url": "string", "int": "int", "tree": "tree"} {
		if got := plainType(name); got != want {
			t.Errorf("the plain type of %s is %s, want %s", name, got, want)
		}
	}
	if !accepts("string", "url") || accepts("url", "string") || accepts("int", "float") {
		t.Error("a bounded parameter takes what is not bounded, or a plain one refuses what is")
	}
}
