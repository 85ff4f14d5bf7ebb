package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Context returns the CODE that a model is shown for an entry of file.
//
// For a module entry it is the whole file. Otherwise it is the top-level
// function or class that the entry names and all top-level statements that are
// statically reachable from it. A choice of this project, one rule for
// training, evaluation and use:
//
//   - A statement uses a name when it reads it and no scope inside binds it.
//     Attribute names count for nothing, since their object's class is reached
//     through the name that makes it; nor do names inside strings.
//   - A used name reaches every top-level statement that binds it: def, class,
//     import, assignment (also to an attribute or item of the name), and a
//     compound statement such as `try: import x` that does so inside. An import
//     reaches nothing further. `if __name__ == "__main__":` is never reached.
//   - Reached functions and classes are blocks; reached plain statements that
//     follow each other form one block. Blocks are in file order with one blank
//     line between them, and the driver is the last block.
//   - Lines are copied whole, comments included; what stands between the
//     statements is not copied.
//
// The error says that the file has no such entry.
func Context(file *File, entry statetree.Entry) (statetree.Program, error) {
	program := statetree.Program{Entry: entry}
	if entry.Kind == statetree.ModuleEntry {
		last := len(file.lines)
		for last > 1 && strings.TrimSpace(file.lines[last-1]) == "" {
			last--
		}
		var b codeBuilder
		b.copy(file, 1, last)
		program.Code, program.Origins = b.text.String(), b.origins
		return program, nil
	}
	r := newReach(file)
	root := entry.Function
	if entry.Kind == statetree.CallEntry {
		expression, err := parseEntryExpression(entry.Text)
		if err != nil {
			return program, err
		}
		freeNames(expression, entry.Text, r.use)
	} else {
		root, _, _ = strings.Cut(root, ".")
		r.use(root)
	}
	if !r.found {
		return program, unknownFunction(entry.Text, entry.Function, file)
	}
	r.follow()
	program.Code, program.Origins = r.code(entry)
	return program, nil
}

// topLevel is the top-level statements of a file that can be reached, in order.
type topLevel struct {
	statements []topStatement
	binding    map[string][]int // the statements that bind a name, by their numbers
}

// topStatement is a top-level statement.
type topStatement struct {
	node  *node
	block bool // a function or class
	leaf  bool // an import: reaches nothing further
}

// add adds a statement that binds a name, once for each of its names.
func (t *topLevel) add(s topStatement, binds ...string) {
	for _, name := range binds {
		t.binding[name] = append(t.binding[name], len(t.statements))
	}
	t.statements = append(t.statements, s)
}

// findTopLevel returns the top-level statements that can be reached. It is asked
// once a file, by File.topLevel.
func (f *File) findTopLevel() *topLevel {
	t := &topLevel{binding: make(map[string][]int)}
	for n := range f.root.operands() {
		s := topStatement{node: n}
		switch n.kind {
		case "function_definition", "class_definition":
			s.block = true
			t.add(s, n.at("name").text(f.text))
		case "decorated_definition":
			s.block = true
			t.add(s, n.at("definition").at("name").text(f.text))
		case "import_statement", "import_from_statement", "future_import_statement":
			s.leaf = true
			fallthrough
		default:
			if f.isMainGuard(n) {
				continue
			}
			top := scope{bound: map[string]bool{}}
			bindScope(n, f.text, &top)
			f.bindItems(n, top.bound)
			if len(top.bound) > 0 {
				t.add(s, slices.Collect(maps.Keys(top.bound))...)
			}
		}
	}
	return t
}

// bindItems adds the root names of item and attribute assignments: TABLE in
// `TABLE["a"] = 1`.
func (f *File) bindItems(n *node, bound map[string]bool) {
	if n.kind != "expression_statement" || n.first == nil {
		return
	}
	if n.first.kind != "assignment" && n.first.kind != "augmented_assignment" {
		return
	}
	target := n.first.at("left")
	for target != nil && (target.kind == "subscript" || target.kind == "attribute") {
		target = target.first
	}
	if target != nil && target.kind == "identifier" {
		bound[target.text(f.text)] = true
	}
}

// isMainGuard reports whether n is `if __name__ == "__main__":`.
func (f *File) isMainGuard(n *node) bool {
	if n.kind != "if_statement" {
		return false
	}
	condition := n.at("condition")
	return condition.kind == "comparison_operator" && strings.HasPrefix(condition.text(f.text), "__name__")
}

// moduleNames returns the names that the file's top level binds.
func (f *File) moduleNames() map[string]bool {
	top := scope{bound: map[string]bool{}}
	for n := range f.root.operands() {
		bindScope(n, f.text, &top)
	}
	return top.bound
}

// reach walks the top-level statements by the names that they use.
type reach struct {
	file    *File
	top     *topLevel
	reached []bool // by the number of a statement
	queue   []int
	found   bool
}

func newReach(f *File) *reach {
	top := f.topLevel()
	return &reach{file: f, top: top, reached: make([]bool, len(top.statements))}
}

func (r *reach) use(name string) {
	for _, i := range r.top.binding[name] {
		r.found = true
		if !r.reached[i] {
			r.reached[i] = true
			r.queue = append(r.queue, i)
		}
	}
}

func (r *reach) follow() {
	for len(r.queue) > 0 {
		s := &r.top.statements[r.queue[0]]
		r.queue = r.queue[1:]
		if !s.leaf {
			freeNames(s.node, r.file.text, r.use)
		}
	}
}

func (r *reach) code(entry statetree.Entry) (string, []statetree.Origin) {
	var b codeBuilder
	last, plain := 0, false
	for i := range r.top.statements {
		s := &r.top.statements[i]
		if !r.reached[i] || s.node.last <= last { // two statements on one line
			continue
		}
		if last > 0 && (s.block || !plain) && s.node.line > last {
			b.blank()
		}
		b.copy(r.file, max(s.node.line, last+1), s.node.last)
		last, plain = s.node.last, !s.block
	}
	if driver := DriverSource(entry); driver != "" {
		b.blank()
		for i, line := range strings.Split(strings.TrimSuffix(driver, "\n"), "\n") {
			b.line(line, statetree.Origin{File: statetree.DriverFile, Line: i + 1})
		}
	}
	return b.text.String(), b.origins
}

// codeBuilder gathers lines with their origins.
type codeBuilder struct {
	text    strings.Builder
	origins []statetree.Origin
}

func (b *codeBuilder) line(text string, origin statetree.Origin) {
	b.text.WriteString(text)
	b.text.WriteByte('\n')
	b.origins = append(b.origins, origin)
}

func (b *codeBuilder) blank() { b.line("", statetree.Origin{}) }

func (b *codeBuilder) copy(f *File, first, last int) {
	for line := first; line <= last; line++ {
		b.line(f.lines[line-1], statetree.Origin{File: f.path, Line: line})
	}
}
