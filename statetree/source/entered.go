package source

import "slices"

// MayEnter reports whether a code object for which wanted holds can be entered, at
// any depth of calls, between a state at a position and the next one of its level.
// Where nothing is known, it may.
func (f *Flow) MayEnter(at Position, wanted func(*Function) bool) bool {
	functions, known := f.Entered(at)
	return !known || slices.ContainsFunc(functions, wanted)
}

// Entered returns the code objects that can be entered, at any depth of calls,
// between a state at a position and the next one of its level. known is false
// where the program cannot have the position, so that nothing is said.
func (f *Flow) Entered(at Position) (functions []*Function, known bool) {
	places := f.find(at)
	var units []*unit // in the order in which they are found
	add := func(p place) {
		for _, instruction := range p.flowState().calls {
			for _, u := range p.graph.callees[instruction].units {
				if !slices.Contains(units, u) {
					units = append(units, u)
				}
			}
		}
	}
	for _, p := range places {
		add(p)
	}
	for i := 0; i < len(units); i++ {
		if g := f.graphOf(units[i]); g != nil {
			for state := range g.states {
				add(place{g, state})
			}
		}
	}
	for _, u := range units {
		functions = append(functions, &u.Function)
	}
	return functions, len(places) > 0
}
