package source

// certain reports whether a site enters a function of the program whenever it
// does not raise first: a call of a name that can mean nothing else.
func (c *calls) certain(s *site) bool {
	return s.kind == nameSite && c.fixed[s.name] != nil
}

// reflective are names by whose means a program may rebind others unseen.
var reflective = nameSet(`exec eval compile globals locals vars setattr delattr patch modules
import_module reload __import__ __dict__ __globals__ __code__ __builtins__ __setattr__ _getframe
settrace setprofile f_locals f_globals`)

// isReflective reports whether the program can bind names in ways that its syntax
// does not tell: by reflection, or by importing all that a module has.
func (f *File) isReflective() bool {
	found := false
	var visit func(*node)
	visit = func(n *node) {
		switch n.kind {
		case "identifier":
			found = found || reflective[n.text(f.text)]
		case "wildcard_import":
			found = true
		}
		for child := n.first; child != nil && !found; child = child.next {
			visit(child)
		}
	}
	visit(f.root)
	return found
}

// fixedFunctions returns the functions whose name nothing but their one
// definition binds, wherever it is read: a read gives the function, or raises.
// Calling one enters it at once.
func (f *File) fixedFunctions() map[string]*unit {
	if f.isReflective() {
		return nil
	}
	fixed := map[string]*unit{}
	count := map[string]int{}
	for _, u := range f.units[1:] {
		if u.Kind == LambdaCode {
			continue
		}
		count[u.Name]++
		if u.Kind == FunctionCode && !u.Generator && !u.Async && len(u.Decorators) == 0 && !builtinNames[u.Name] {
			fixed[u.Name] = u
		}
	}
	bound := map[string]bool{}
	for _, u := range f.units[1:] {
		for _, name := range u.Parameters {
			bound[name] = true
		}
	}
	f.boundAnywhere(f.root, bound)
	for name := range fixed {
		if count[name] > 1 || bound[name] {
			delete(fixed, name)
		}
	}
	return fixed
}

// boundAnywhere adds all names that something in n binds, other than by def and
// class: in whatever scope, and attributes too, since a module's are its names.
func (f *File) boundAnywhere(n *node, bound map[string]bool) {
	bindings(n, f.text, bound)
	switch n.kind {
	case "for_in_clause":
		bindTarget(n.at("left"), f.text, bound)
	case "assignment", "augmented_assignment", "for_statement":
		f.attributeTargets(n.at("left"), bound)
	case "delete_statement", "as_pattern_target":
		f.attributeTargets(n, bound)
	}
	for child := range n.operands() {
		f.boundAnywhere(child, bound)
	}
}

// attributeTargets adds the names of all attributes in an assignment's target.
func (f *File) attributeTargets(n *node, bound map[string]bool) {
	if n.kind == "attribute" {
		bound[n.at("attribute").text(f.text)] = true
	}
	for child := range n.operands() {
		f.attributeTargets(child, bound)
	}
}

// quitters are names by which a program may raise SystemExit.
var quitters = nameSet(`SystemExit BaseException exit quit exec eval compile __import__ __builtins__`)

// mayQuit reports whether a program may raise SystemExit: by its own text or in
// what it imports.
func (f *File) mayQuit() bool {
	found := false
	var visit func(*node)
	visit = func(n *node) {
		switch n.kind {
		case "identifier":
			found = found || quitters[n.text(f.text)]
		case "import_statement", "import_from_statement":
			found = true
		}
		for child := n.first; child != nil && !found; child = child.next {
			visit(child)
		}
	}
	visit(f.root)
	return found
}
