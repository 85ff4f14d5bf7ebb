package corpus

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// drillPiece is one filling of a piece.
type drillPiece struct {
	*function
	names   map[string]string
	used    map[string]bool // the names of the program that the piece has
	defined []variable
}

func newDrillPiece(f *function) *drillPiece {
	return &drillPiece{function: f, names: map[string]string{}, used: map[string]bool{}}
}

// The parts of a slot: its letters, a number, and what it is to be.
var drillSlot = regexp.MustCompile(`@([a-z]+)([0-9]?)(=|!|:[a-z]+)?`)

// fill returns the lines of a piece with its slots filled, or nil if a name that it
// needs is not there.
func (x *drillPiece) fill(piece string) []string {
	text := x.program.choices(piece)
	missing := false
	replace := func(assigned bool) {
		text = drillSlot.ReplaceAllStringFunc(text, func(slot string) string {
			m := drillSlot.FindStringSubmatch(slot)
			if (m[3] == "=") != assigned {
				return slot
			}
			name := x.slot(m[1], m[2], m[3])
			missing = missing || name == ""
			return name
		})
	}
	replace(false)
	if missing {
		return nil
	}
	replace(true) // last, since a piece that is left out assigns to nothing
	if x.program.quote == `"` {
		text = exchangeQuotes.Replace(text)
	}
	return strings.Split(text, "\n")
}

// unused returns a name of the kind that the piece does not have yet, or nil.
func (x *drillPiece) unused(k kind) *variable {
	return x.findWhere(func(v *variable) bool { return v.kind == k && !x.used[v.name] })
}

// slot is the text for a slot, "" if there is no name for it.
func (x *drillPiece) slot(letters, number, role string) string {
	k, value := drillSlots[letters]
	if name, ok := x.names[letters+number]; ok && (number != "" || !value) {
		return name
	}
	var text string
	switch {
	case role == "=":
		if v := x.find(k); v != nil && x.chance(0.3) {
			return v.name
		}
		name := x.freeName(slices.Concat(temporaryNames[k], variableNames[k][:3]))
		x.defined = append(x.defined, variable{name: name, kind: k})
		return name
	case !value:
		text = x.freeName(slotNames[letters])
		if of, ok := strings.CutPrefix(role, ":"); ok {
			x.defined = append(x.defined, variable{name: text, kind: drillSlots[of]})
		}
	case role == "!":
		if v := cmp.Or(x.unused(k), x.find(k)); v != nil {
			text = x.use(v).text
		}
	default:
		if v := x.unused(k); v != nil {
			text = x.use(v).text
		} else if text = x.literal(k).text; x.program.quote == `"` {
			text = exchangeQuotes.Replace(text) // they are exchanged again
		}
	}
	x.names[letters+number], x.used[text] = text, true
	return text
}
