package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// ParseEntry reads what a user wrote to say what runs in file:
//
//	""                      the file itself, from its first line
//	count("berry", "r")     a call; any call expression whose names the file has
//	main()                  the file's own main, which needs no driver
//	count, Stack.push       a function, with arguments for a model to propose
//
// The error is one clear line.
func ParseEntry(text string, file *File) (statetree.Entry, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return statetree.Entry{Kind: statetree.ModuleEntry, Function: statetree.ModuleFunction}, nil
	}
	expression, err := parseEntryExpression(text)
	if err != nil {
		return statetree.Entry{}, fmt.Errorf("entry %s: %w", excerpt(text), err)
	}
	if expression.kind != "call" {
		f := file.FunctionNamed(text)
		if f == nil || f.Kind != FunctionCode {
			return statetree.Entry{}, unknownFunction(text, text, file)
		}
		return statetree.Entry{Kind: statetree.FunctionEntry, Text: text, Function: text}, nil
	}
	names := file.moduleNames()
	var unknown string
	known := false
	freeNames(expression, text, func(name string) {
		switch {
		case names[name]:
			known = true
		case !builtinNames[name] && unknown == "":
			unknown = name
		}
	})
	callee := expression.at("function")
	switch {
	case unknown != "":
		return statetree.Entry{}, unknownFunction(text, unknown, file)
	case !known:
		return statetree.Entry{}, unknownFunction(text, callee.text(text), file)
	}
	entry := statetree.Entry{Kind: statetree.CallEntry, Text: text, Function: callee.text(text)}
	own := file.FunctionNamed("main")
	if text == "main()" && own != nil && own.Kind == FunctionCode {
		return entry, nil
	}
	entry.Driver = "main"
	for names[entry.Driver] {
		entry.Driver += "_"
	}
	return entry, nil
}

// parseEntryExpression parses text as a single call, name or dotted name.
func parseEntryExpression(text string) (*node, error) {
	if strings.ContainsAny(text, "\n\r") {
		return nil, errors.New("write the call on one line")
	}
	root, bad := parseTree(text, func(int) int { return 1 })
	if bad != nil {
		return nil, fmt.Errorf("%s at column %d; write a call such as f(1, 2), or a function's name", bad.message, bad.start+1)
	}
	statement := root.operand(0)
	if statement != nil && statement.kind == "expression_statement" && root.count() == 1 && statement.count() == 1 {
		expression := statement.operand(0)
		dotted := expression
		for dotted.kind == "attribute" {
			dotted = dotted.at("object")
		}
		if expression.kind == "call" || dotted.kind == "identifier" {
			return expression, nil
		}
	}
	return nil, errors.New("write a call such as f(1, 2), or a function's name")
}

// unknownFunction says that the file has no such name, and which it has.
func unknownFunction(entry, name string, file *File) error {
	var names []string
	for _, u := range file.units[1:] {
		if u.Kind != LambdaCode && !strings.Contains(u.QualifiedName, "<") && !slices.Contains(names, u.QualifiedName) {
			names = append(names, u.QualifiedName)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("entry %s: %s is not defined, and %s has no functions; leave the entry empty to run the file", excerpt(entry), name, file.path)
	}
	slices.SortStableFunc(names, func(a, b string) int { return editDistance(name, a) - editDistance(name, b) })
	const most = 5
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += ", ..."
	}
	return fmt.Errorf("entry %s: %s has no function %s; it has %s", excerpt(entry), file.path, excerpt(name), list)
}

// editDistance is the Levenshtein distance of two names.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// DriverSource returns the function that wraps an entry's call, the last lines
// of its program's code and the whole of statetree.DriverFile:
//
//	def main():
//	    return count("berry", "r")
//
// It is "" for an entry without a driver.
func DriverSource(entry statetree.Entry) string {
	if entry.Driver == "" {
		return ""
	}
	return "def " + entry.Driver + "():\n    return " + entry.Text + "\n"
}
