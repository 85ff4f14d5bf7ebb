package source

import (
	"cmp"
	"slices"
)

// CallSite is a call in the text of a file.
type CallSite struct {
	// Name is the called expression as written: "count", "stack.push".
	Name string
	// Line and Column are where the call begins, EndLine and EndColumn where it
	// ends; columns are bytes from 1, the end exclusive.
	Line, Column, EndLine, EndColumn int
	// Callees are the qualified names of the functions of this file that the
	// call can enter directly: the function, the methods of that name, or the
	// class's constructor. It is empty for calls of what the file does not
	// define.
	Callees []string
}

// CallSites returns the calls that begin on a line, in the order in which
// Python makes them: arguments before the call that they are for.
func (f *File) CallSites(line int) []CallSite {
	var calls []*node
	var visit func(*node)
	visit = func(n *node) {
		if line < n.line || line > n.last {
			return
		}
		for c := range n.operands() {
			visit(c)
		}
		if n.kind == "call" && n.line == line {
			calls = append(calls, n)
		}
	}
	visit(f.root)
	sites := make([]CallSite, 0, len(calls))
	for _, n := range calls {
		s := CallSite{Name: n.at("function").text(f.text), Callees: f.directCallees(n.at("function"))}
		s.Line, s.Column = f.position(n.start)
		s.EndLine, s.EndColumn = f.position(n.end)
		sites = append(sites, s)
	}
	return sites
}

// directCallees returns the functions that a called expression names.
func (f *File) directCallees(callee *node) []string {
	callee = stripParentheses(callee)
	var names []string
	add := func(u *unit) {
		if u.Kind == FunctionCode && !slices.Contains(names, u.QualifiedName) {
			names = append(names, u.QualifiedName)
		}
	}
	switch callee.kind {
	case "identifier":
		name := callee.text(f.text)
		for _, u := range f.units[1:] {
			switch {
			case u.Name != name || u.Kind == FunctionCode && u.owner.Kind == ClassCode:
			case u.Kind == ClassCode:
				for _, v := range f.units {
					if v.owner == u && v.Name == "__init__" {
						add(v)
					}
				}
			default:
				add(u)
			}
		}
	case "attribute":
		name := callee.at("attribute").text(f.text)
		for _, u := range f.units[1:] {
			if u.Name == name && u.owner.Kind == ClassCode {
				add(u)
			}
		}
	}
	return names
}

// position returns the line and column of an offset.
func (f *File) position(offset int) (line, column int) {
	line = f.lineAt(offset)
	return line, offset - f.starts[line-1] + 1
}

// offset returns the offset of a line and column; ok is false outside the text.
func (f *File) offset(line, column int) (offset int, ok bool) {
	if line < 1 || line > len(f.lines) || column < 1 || column > len(f.lines[line-1])+1 {
		return 0, false
	}
	return f.starts[line-1] + column - 1, true
}

// Expression is an expression in the text of a file.
type Expression struct {
	Text                             string
	Line, Column, EndLine, EndColumn int // bytes from 1, the end exclusive
}

// ExpressionAt returns the expression under a cursor, as hovering means it: the
// name with all that stands before it in an attribute chain (`a.b` on b, `a` on
// a), or the whole subscript `a[i]` on its last bracket. Calls, keywords, operators,
// literals and names that are only being defined are no such expressions.
func (f *File) ExpressionAt(line, column int) (Expression, bool) {
	offset, ok := f.offset(line, column)
	if !ok {
		return Expression{}, false
	}
	n := f.root.leafAt(offset)
	if n == nil {
		return Expression{}, false
	}
	switch {
	case n.kind == "identifier" || n.kind == ".":
		if n.parent.kind == "attribute" && n != n.parent.first {
			n = n.parent
		}
	case n.kind == "]" && n.parent.kind == "subscript":
		n = n.parent
	default:
		return Expression{}, false
	}
	if !hoverable(n) {
		return Expression{}, false
	}
	e := Expression{Text: n.text(f.text)}
	e.Line, e.Column = f.position(n.start)
	e.EndLine, e.EndColumn = f.position(n.end)
	return e, true
}

// leafAt returns the leaf that includes an offset. Between two leaves it is the
// one before, so that a cursor after a name is on it.
func (n *node) leafAt(offset int) *node {
	for {
		var in, before *node
		for c := range n.children() {
			switch {
			case c.start <= offset && offset < c.end:
				in = c
			case c.end == offset && c.start < c.end:
				before = c
			}
		}
		next := cmp.Or(in, before)
		if in != nil && before != nil && !in.named {
			next = before
		}
		if next == nil {
			return nil
		}
		if next.first == nil {
			return next
		}
		n = next
	}
}

// hoverable reports whether a name or attribute has a value to show: it is not
// a keyword's name, an import's part, or the name of a definition.
func hoverable(n *node) bool {
	if n.kind != "identifier" {
		return !containsCall(n)
	}
	switch n.parent.kind {
	case "keyword_argument":
		return n.field != "name"
	case "dotted_name", "aliased_import", "global_statement", "nonlocal_statement":
		return false
	case "function_definition", "class_definition":
		return false
	}
	return true
}

// containsCall reports whether evaluating n would run functions.
func containsCall(n *node) bool {
	switch n.kind {
	case "call", "await", "yield", "named_expression", "lambda":
		return true
	}
	for c := range n.operands() {
		if containsCall(c) {
			return true
		}
	}
	return false
}
