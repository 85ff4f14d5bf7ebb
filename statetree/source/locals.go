package source

import "slices"

// Locals returns the names that f_locals can have in a frame of a function of
// this file: its parameters in order, then every name that its scope binds, and
// those that it may take from functions around it. For a module and a class
// body, whose names nothing bounds, it returns nil.
func (f *File) Locals(function *Function) []string {
	if function.Kind != FunctionCode && function.Kind != LambdaCode {
		return nil
	}
	names := []string{}
	add := func(more ...string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for u := f.unitOf(function); u != nil; u = u.owner {
		switch u.Kind {
		case FunctionCode, LambdaCode:
			add(u.Parameters...)
			s := &scope{bound: map[string]bool{}}
			bindScope(u.node.at("body"), f.text, s)
			bound := make([]string, 0, len(s.bound))
			for name := range s.bound {
				if !s.globals[name] {
					bound = append(bound, name)
				}
			}
			slices.Sort(bound)
			add(bound...)
		case ClassCode:
			add("__class__") // of super() and of the name itself
		}
	}
	return names
}

// unitOf returns the unit that a Function of this file is part of, or nil.
func (f *File) unitOf(function *Function) *unit {
	for _, u := range f.units {
		if &u.Function == function {
			return u
		}
	}
	return nil
}
