package corpus

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A drillKind is one sort of operation to drill: the pieces that a drill of it is a row
// of.
//
// The file drills/drills.txt holds the kinds in this form:
//
//	=== sums (int, int, int?) 4-7      the kind's name, its parameters, of which those
//	                                   with a ? are there half the time, and the fewest
//	                                   and most pieces of a drill
//	@int= = @int + «$int 1 30»         a piece; an empty line ends it
//
// In a piece @int is an int: a name that the piece does not have yet, or a literal where
// there is none; @int! is always a name, so that a piece that asks for one is left out
// where no int has one. With a number, as in @ints1!, it is the same name throughout the
// piece. @int= is a name to assign to, mostly a new one. @total:int is a new name for an
// int out of slotNames, @total the same again; without a kind of value, as for what a
// loop goes over, it is not to be used after the piece. Alternatives are those of an
// idiom.
type drillKind struct {
	name       string
	parameters []kind
	optional   []bool
	low, high  int
	pieces     []string
}

//go:embed drills/drills.txt
var drillFile string

// drillSlots are the names of kinds in drills.txt.
var drillSlots = map[string]kind{
	"int": intKind, "flag": boolKind, "char": charKind, "str": strKind,
	"ints": intListKind, "words": strListKind, "counts": intDictKind,
}

var drillHead = regexp.MustCompile(`^=== (\w+) \(([\w, ?]*)\) (\d+)-(\d+)$`)

// drillKinds returns the kinds of drills.txt.
var drillKinds = sync.OnceValue(func() []*drillKind {
	var all []*drillKind
	for block := range strings.SplitSeq(strings.TrimSpace(drillFile), "\n\n") {
		if !strings.HasPrefix(block, "===") {
			last := all[len(all)-1]
			last.pieces = append(last.pieces, block)
			continue
		}
		m := drillHead.FindStringSubmatch(block)
		if m == nil {
			panic(fmt.Sprintf("drills.txt: not the head of a kind: %q", block))
		}
		d := &drillKind{name: m[1]}
		for parameter := range strings.SplitSeq(m[2], ", ") {
			name, optional := strings.CutSuffix(parameter, "?")
			k, ok := drillSlots[name]
			if !ok {
				panic(fmt.Sprintf("drills.txt: no kind of value is called %s", name))
			}
			d.parameters, d.optional = append(d.parameters, k), append(d.optional, optional)
		}
		d.low, _ = strconv.Atoi(m[3])
		d.high, _ = strconv.Atoi(m[4])
		all = append(all, d)
	}
	return all
})

// wholeDrills make the drills that are more than a row of pieces, by the names of their
// kinds.
var wholeDrills = map[string]func(*program){"calls": (*program).relay, "recursion": (*program).recursion}

// DrillKinds are the names of the kinds that NewDrills takes.
func DrillKinds() []string {
	var names []string
	for _, d := range drillKinds() {
		names = append(names, d.name)
	}
	return append(names, slices.Sorted(maps.Keys(wholeDrills))...)
}

// drillOf makes a drill of one of DrillKinds.
func (p *program) drillOf(kind string) {
	if whole := wholeDrills[kind]; whole != nil {
		whole(p)
		return
	}
	at := slices.IndexFunc(drillKinds(), func(d *drillKind) bool { return d.name == kind })
	if at < 0 {
		panic(fmt.Sprintf("there are no drills of the kind %q", kind))
	}
	p.row(drillKinds()[at])
}

// row makes a program whose function is a row of pieces of one kind.
func (p *program) row(d *drillKind) {
	r := p.random
	f := p.drillFunction()
	for i, k := range d.parameters {
		if !d.optional[i] || r.chance(0.5) {
			p.parameters = append(p.parameters, k)
		}
	}
	r.Shuffle(len(p.parameters), func(i, j int) {
		p.parameters[i], p.parameters[j] = p.parameters[j], p.parameters[i]
	})
	f.head(p.parameters)
	for range r.between(d.low, d.high) {
		f.piece(d)
	}
	if last := f.variables[len(f.variables)-1]; r.chance(0.5) {
		f.body.line("return " + last.name)
	} else {
		f.body.line("return " + f.use(f.findWhere(func(*variable) bool { return true })).text)
	}
	p.enter(false)
}

// piece writes a piece of the kind, one that the names in scope suffice for.
func (f *function) piece(d *drillKind) {
	for range attempts {
		x := newDrillPiece(f)
		if lines := x.fill(pick(f.random, d.pieces)); lines != nil {
			for _, line := range lines {
				f.body.line(line)
			}
			f.variables = append(f.variables, x.defined...)
			return
		}
	}
}
