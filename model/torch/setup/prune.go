package setup

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// pruneGo keeps, of the functions in a generated Go file, those named in keep,
// and returns the file and the C functions that they call.
func pruneGo(name string, source []byte, keep map[string]bool) (pruned []byte, cNames map[string]bool, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments)
	if err != nil {
		return nil, nil, fmt.Errorf("parse %s: %w", name, err)
	}
	cNames = map[string]bool{}
	var out bytes.Buffer
	usesUnsafe := false
	var body bytes.Buffer
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !keep[fn.Name.Name] {
			continue
		}
		start, end := files.Position(fn.Pos()).Offset, files.Position(fn.End()).Offset
		fmt.Fprintf(&body, "\n%s\n", source[start:end])
		ast.Inspect(fn, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch pkg, ok := sel.X.(*ast.Ident); {
			case ok && pkg.Name == "unsafe":
				usesUnsafe = true
			case ok && pkg.Name == "C" && strings.HasPrefix(sel.Sel.Name, "atg_"):
				cNames[sel.Sel.Name] = true
			}
			return true
		})
	}
	out.WriteString("package libtch\n\n//#include \"stdbool.h\"\n//#include \"torch_api.h\"\nimport \"C\"\n")
	if usesUnsafe {
		out.WriteString("\nimport \"unsafe\"\n")
	}
	out.Write(body.Bytes())
	pruned, err = format.Source(out.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("prune %s: %w", name, err)
	}
	return pruned, cNames, nil
}

var cFunction = regexp.MustCompile(`^(?:void |tensor \*|int64_t |int |double |bool |tensor )\s*\*?(atg_\w+)\(`)

// pruneHeader keeps the declarations of the functions in keep; one stands on
// one line.
func pruneHeader(source string, keep map[string]bool) string {
	var out strings.Builder
	for _, line := range strings.Split(source, "\n") {
		if m := cFunction.FindStringSubmatch(line); m != nil && keep[m[1]] {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// pruneCPP keeps the definitions of the functions in keep. A definition starts
// at the beginning of a line and ends with a closing brace alone on one.
func pruneCPP(source string, keep map[string]bool) string {
	var out strings.Builder
	inside := false
	for _, line := range strings.Split(source, "\n") {
		if m := cFunction.FindStringSubmatch(line); m != nil {
			inside = keep[m[1]]
		}
		if inside {
			out.WriteString(line + "\n")
		}
		if line == "}" {
			inside = false
		}
	}
	return out.String()
}

// replaceBody gives the C++ function name a body that only throws message. It
// stands in for a function that the LibTorch at hand does not have, so that
// the same Go code compiles and the call becomes an error.
func replaceBody(source, name, message string) (string, error) {
	start := strings.Index(source, " "+name+"(")
	if start < 0 {
		return "", fmt.Errorf("there is no %s", name)
	}
	open := start + strings.Index(source[start:], "{\n")
	end := start + strings.Index(source[start:], "\n}\n")
	if open < start || end < open {
		return "", fmt.Errorf("%s has no body", name)
	}
	body := fmt.Sprintf("{\n  PROTECT(throw std::runtime_error(%q);)", message)
	return source[:open] + body + source[end:], nil
}
