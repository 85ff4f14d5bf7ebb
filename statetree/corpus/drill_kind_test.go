package corpus

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestDrillKindsRun records drills of each kind: all of them are Python, nearly all end
// with a value, and they do what the kind is for.
func TestDrillKindsRun(t *testing.T) {
	marks := map[string]string{
		"sums": " + ", "products": " // ", "comparisons": " < ", "branches": "if ", "loops": "for ",
		"letters": "for ", "slices": "[1:]", "lists": ".append(", "texts": ".replace(", "dicts": ".get(",
		"calls": "return ", "recursion": "return ",
	}
	const n = 60
	for _, kind := range DrillKinds() {
		g := NewGenerator(1, DrillStyle(kind))
		ended, marked := 0, 0
		for r, err := range Record(context.Background(), g.Cases(0, n), RecordOptions{Workers: 2, Events: 200, Value: 120}) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.Case.Source, marks[kind]) {
				marked++
			}
			if strings.ContainsAny(r.Case.Source, "@«»") {
				t.Errorf("a slot was left:\n%s", r.Case.Source)
			}
			if r.Dropped != Kept {
				continue
			}
			if last := r.Recording.States[len(r.Recording.States)-1]; last.Event != statetree.Exception {
				ended++
			}
		}
		if ended < n*8/10 {
			t.Errorf("%s: %d of %d drills came to their end", kind, ended, n)
		}
		if marks[kind] == "" || marked < n/6 {
			t.Errorf("%s: %d of %d drills have %q", kind, marked, n, marks[kind])
		}
	}
}

// TestDrillPieces fills every piece where all kinds of values have names: what a piece
// assigns to is in scope afterwards, and its other names are not.
func TestDrillPieces(t *testing.T) {
	for _, d := range drillKinds() {
		for _, piece := range d.pieces {
			for seed := range uint64(20) {
				p := newProgram(newRandom(1, seed), DrillStyle(d.name))
				f := p.newFunction("f")
				for name, k := range drillSlots {
					f.define(k, []string{"some_" + name})
				}
				x := newDrillPiece(f)
				lines := x.fill(piece)
				if lines == nil {
					t.Fatalf("%s: not filled: %s", d.name, piece)
				}
				for _, v := range x.defined {
					if !strings.Contains(lines[0], v.name) && !strings.Contains(strings.Join(lines, "\n"), v.name+" = ") {
						t.Errorf("%s: %s is not assigned to in %q", d.name, v.name, lines)
					}
				}
			}
		}
	}
	if known := DrillKinds(); len(known) < 2 || len(slices.Compact(slices.Sorted(slices.Values(known)))) != len(known) {
		t.Errorf("the kinds are %v", known)
	}
}
