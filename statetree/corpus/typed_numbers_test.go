package corpus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNumericTypes draws from every type: each has several values, and those of
// whole numbers and of lists of them are such.
func TestNumericTypes(t *testing.T) {
	few := map[string]int{"tiny": 4, "nat": 5} // all that there are
	for name := range numericTypes {
		values := map[string]bool{}
		for round := range uint64(40) {
			in := &inputs{program: newProgram(newRandom(3, round), DefaultStyle())}
			value := in.typed(name)
			values[value] = true
			var numbers []string
			switch plainType(name) {
			case "int":
				numbers = []string{value}
			case "ints":
				if value[0] != '[' || value[len(value)-1] != ']' {
					t.Fatalf("%s: %s is no list", name, value)
				}
				if value != "[]" {
					numbers = strings.Split(value[1:len(value)-1], ", ")
				}
			}
			for _, n := range numbers {
				if _, err := strconv.Atoi(n); err != nil {
					t.Errorf("%s: %q in %s: %v", name, n, value, err)
				}
			}
		}
		if len(values) < cmp.Or(few[name], 12) {
			t.Errorf("%s: only %d different values of 40", name, len(values))
		}
	}
}

func TestAscending(t *testing.T) {
	in := &inputs{program: newProgram(newRandom(3, 4), DefaultStyle())}
	for range 40 {
		if values := in.ascending(); !slices.IsSorted(values) || len(slices.Compact(slices.Clone(values))) < len(values) {
			t.Errorf("not ascending: %v", values)
		}
	}
}
