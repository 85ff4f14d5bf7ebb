package corpus

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// assigned finds the names that a line gives a value: the first group has one, or more
// with commas between them.
var assigned = regexp.MustCompile(`(?m)^ *(\w+(?:, \w+)*) = `)

// TestDrillPieces fills every piece where all kinds of values have names: in scope
// afterwards is what it assigns to, and nothing else that is new.
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
				got, want := map[string]bool{}, map[string]bool{}
				for _, v := range x.defined {
					got[v.name] = true
				}
				for _, m := range assigned.FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
					for name := range strings.SplitSeq(m[1], ", ") {
						if !strings.HasPrefix(name, "some_") {
							want[name] = true
						}
					}
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s: in scope are %v after\n%s", d.name, slices.Sorted(maps.Keys(got)), strings.Join(lines, "\n"))
				}
			}
		}
	}
}

// TestDrillSlots: what the slots of every piece ask for is there.
func TestDrillSlots(t *testing.T) {
	for _, d := range drillKinds() {
		for _, piece := range d.pieces {
			for _, m := range drillSlot.FindAllStringSubmatch(piece, -1) {
				_, value := drillSlots[m[1]]
				of, defines := strings.CutPrefix(m[3], ":")
				switch _, known := drillSlots[of]; {
				case !value && slotNames[m[1]] == nil:
					t.Errorf("%s: no names for %s in %q", d.name, m[0], piece)
				case defines && (value || !known), !defines && m[3] != "" && !value:
					t.Errorf("%s: %s means nothing in %q", d.name, m[0], piece)
				}
			}
		}
	}
}
