package corpus

// Style says what generated programs are like. Shares are probabilities.
type Style struct {
	// Idiom is the share of programs that are a function as people write it
	// again and again, Pipeline of those in which a function calls several such
	// functions, Relay of those in which random functions hand their arguments
	// on to each other, Drill of those that are a row of single operations. The
	// others are one random function; what follows DrillKinds is about these.
	Idiom, Pipeline, Relay, Drill float64
	// DrillKinds are the kinds of the drills, out of those of the function
	// DrillKinds. Without them a drill has operations of many sorts.
	DrillKinds []string
	// Helper is the share of programs in which the entry's function calls
	// another function, Recursion of those whose function calls itself.
	Helper, Recursion float64
	// Module is the share of programs that run as a module, Constant of those
	// with a module-level constant, Never of those without an end.
	Module, Constant, Never float64
	// Guard is the share of functions that begin with an early return, Try of
	// those whose main part is in a try statement.
	Guard, Try float64
	// Depth is how deep expressions nest: 1 is an operation on names.
	Depth int
	// Letters are the fewest and most letters of a word, Items the fewest and
	// most items of a list or dict among the inputs.
	Letters, Items [2]int
	// Small bounds most integers, Large the few that are beyond.
	Small, Large int
}

// DefaultStyle is meant for a model of some million parameters: small values,
// few lines, loops of two to six iterations.
func DefaultStyle() Style {
	return Style{
		Idiom: 0.45, Pipeline: 0.17, Relay: 0.06,
		Helper: 0.2, Recursion: 0.05,
		Module: 0.06, Constant: 0.06, Never: 0.01,
		Guard: 0.12, Try: 0.06,
		Depth:   2,
		Letters: [2]int{2, 8}, Items: [2]int{2, 5},
		Small: 12, Large: 120,
	}
}

// DrillStyle is for programs that are nothing but drills: of the given kinds, which must
// be among those of the function DrillKinds, or of operations of many sorts on larger
// numbers.
func DrillStyle(kinds ...string) Style {
	s := DefaultStyle()
	s.Idiom, s.Pipeline, s.Relay, s.Never, s.Drill = 0, 0, 0, 0, 1
	s.DrillKinds = kinds
	if len(kinds) == 0 {
		s.Small = 60
	}
	return s
}
