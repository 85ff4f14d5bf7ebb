package source_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func TestSyntaxErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"x =\n", "t.py:1:3: invalid syntax: x ="},
		{"ok = 1\nx = = 2\n", "t.py:2:5: invalid syntax: x = = 2"},
		{"def f(:\n    pass\n", "t.py:1:6: '(' was never closed: def f(:"},
		{"def f()\n    pass\n", "t.py:1:8: expected ':': def f()"},
		{"x = 1)\n", "t.py:1:6: unmatched ')': x = 1)"},
		{"x = [1, 2)\n", "t.py:1:10: closing ')' does not match opening '[': x = [1, 2)"},
		{"  x = 1\n", "t.py:1:3: unexpected indent: x = 1"},
		{"def f():\nx = 1\n", `t.py:2:1: expected an indented block after "def f():": x = 1`},
		{"for x in y:\n", `t.py:1:1: expected an indented block after "for x in y:": for x in y:`},
		{"def f():\n    x = 1\n   y = 2\n", "t.py:3:4: unindent does not match any outer indentation level: y = 2"},
		{"x = 'abc\n", "t.py:1:5: unterminated string literal: x = 'abc"},
		{"'''abc\n", "t.py:1:1: unterminated string literal: '''abc"},
		{"try:\n    x\ny = 1\n", "t.py:1:1: expected 'except' or 'finally' block: try:"},
		{"print 'a'\n", "t.py:1:1: print is a function: print(...): print 'a'"},
		{"exec 'a'\n", "t.py:1:1: exec is a function: exec(...): exec 'a'"},
		{"a <> b\n", "t.py:1:3: the operator is != since Python 3: a <> b"},
		{"`a`\n", "t.py:1:1: backquotes are gone since Python 3: repr(...): `a`"},
		{"if True:\n    x = [1, 2\n    y = 4\nz = 5\n", "t.py:2:9: '[' was never closed: x = [1, 2"},
		{"f(a b)\n", "t.py:1:5: invalid syntax: f(a b)"},
		{"x = ?\n", "t.py:1:5: invalid syntax: x = ?"},
		{"x = 'a" + strings.Repeat("b", 300) + "\n", "t.py:1:5: unterminated string literal: x = 'a" + strings.Repeat("b", 74) + "…"},
		{"x = " + strings.Repeat("lambda: ", 5000) + "1\n", "t.py:1:7981: too many levels of nesting: x =" + strings.Repeat(" lambda:", 9) + " lamb…"},
		{"x = 1\x00\n", "t.py:1: source code cannot contain null bytes"},
		{"x = 1\ny = '\xff'\n", "t.py:2: byte 0xff is not UTF-8, and no encoding is declared; add a line such as # -*- coding: latin-1 -*-"},
		{"# coding: klingon\n", `t.py:1: unknown encoding "klingon"; save the file as UTF-8`},
		{"\xef\xbb\xbf# coding: latin-1\n", "t.py:1: the encoding cookie says latin-1, but the file begins with a UTF-8 byte order mark"},
	}
	for _, test := range tests {
		_, err := source.Parse("t.py", []byte(test.text))
		var syntax *source.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error is %v", test.text, err)
			continue
		}
		if err.Error() != test.want {
			t.Errorf("%q: got  %s\nwant %s", test.text, err, test.want)
		}
	}
}

func TestLineEndsAndEncodings(t *testing.T) {
	tests := []struct {
		name, text string
		lines      []string
	}{
		{"LF", "a = 1\nb = 2\n", []string{"a = 1", "b = 2"}},
		{"no end", "a = 1\nb = 2", []string{"a = 1", "b = 2"}},
		{"CRLF", "if a:\r\n    b = '''x\r\ny'''\r\n", []string{"if a:", "    b = '''x", "y'''"}},
		{"CR", "a = 1\rb = 2\r", []string{"a = 1", "b = 2"}},
		{"mixed", "a = 1\r\nb = 2\rc = 3\n\n", []string{"a = 1", "b = 2", "c = 3", ""}},
		{"empty", "", []string{""}},
		{"one line end", "\n", []string{""}},
		{"other separators", "a = '\u2028\x0c\x1c'\n", []string{"a = '\u2028\x0c\x1c'"}},
		{"BOM", "\xef\xbb\xbfé = 1\n", []string{"é = 1"}},
		{"utf-8 cookie", "# -*- coding: UTF_8 -*-\né = 1\n", []string{"# -*- coding: UTF_8 -*-", "é = 1"}},
		{"latin-1 cookie", "#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n", []string{"#!/usr/bin/python", "# vim: set fileencoding=latin-1 :", "x = 'é'"}},
		{"iso-8859-15 cookie", "# coding=iso-8859-15\nx = '\xa4'\n", []string{"# coding=iso-8859-15", "x = '€'"}},
		{"cp1252 cookie", "# coding: cp1252\nx = '\x80'\n", []string{"# coding: cp1252", "x = '€'"}},
		{"too late a cookie", "x = 1\n# coding: latin-1\ny = 'é'\n", []string{"x = 1", "# coding: latin-1", "y = 'é'"}},
	}
	for _, test := range tests {
		f, err := source.Parse("t.py", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !slices.Equal(f.Lines(), test.lines) {
			t.Errorf("%s: lines are %q", test.name, f.Lines())
		}
		if strings.Contains(f.Text(), "\r") {
			t.Errorf("%s: a carriage return is left", test.name)
		}
		if f.Line(0) != "" || f.Line(len(test.lines)+1) != "" || f.Line(1) != test.lines[0] {
			t.Errorf("%s: Line is wrong", test.name)
		}
	}
}

func TestFunctions(t *testing.T) {
	f := parse(t, `import os

@decorate(1)
@other
def outer(a, b=1, /, c: int = 2, *args: int, d, e=(lambda q: q), **kw):
    """Doc."""
    def inner():
        yield a
    if a:
        return [lambda: b
                for b in c]
    return inner

class Stack(
        Base):
    """Doc."""
    size = 0

    async def push(self, x): return x

    class Inner: pass

def generator_expression():
    return (x for x in y if (yield_ := x))
`)
	tests := []struct {
		name                   string
		kind                   source.CodeKind
		line, first, last      int
		parameters, decorators string
		lines, returns         []int
		async, generator       bool
		parent                 string
	}{
		{name: "<module>", kind: source.ModuleCode, first: 1, last: 24, lines: []int{1, 3, 4, 5, 14, 15, 23}},
		{name: "outer", kind: source.FunctionCode, line: 5, first: 3, last: 12, parameters: "a b c args d e kw",
			decorators: "decorate(1) other", lines: []int{7, 9, 10, 11, 12}, returns: []int{10, 12}, parent: "<module>"},
		{name: "<lambda>", kind: source.LambdaCode, line: 5, first: 5, last: 5, parameters: "q", lines: []int{5}, parent: "<module>"},
		{name: "outer.<locals>.inner", kind: source.FunctionCode, line: 7, first: 7, last: 8, lines: []int{8}, generator: true, parent: "outer"},
		{name: "outer.<locals>.<lambda>", kind: source.LambdaCode, line: 10, first: 10, last: 10, lines: []int{10}, parent: "outer"},
		{name: "Stack", kind: source.ClassCode, line: 14, first: 14, last: 21, lines: []int{14, 16, 17, 19, 21}, parent: "<module>"},
		{name: "Stack.push", kind: source.FunctionCode, line: 19, first: 19, last: 19, parameters: "self x", lines: []int{19}, returns: []int{19}, async: true, parent: "Stack"},
		{name: "Stack.Inner", kind: source.ClassCode, line: 21, first: 21, last: 21, lines: []int{21}, parent: "Stack"},
		{name: "generator_expression", kind: source.FunctionCode, line: 23, first: 23, last: 24, lines: []int{24}, returns: []int{24}, parent: "<module>"},
	}
	for _, test := range tests {
		function := f.FunctionNamed(test.name)
		if function == nil {
			t.Errorf("no %s", test.name)
			continue
		}
		if function.Kind != test.kind || function.Line != test.line || function.First != test.first || function.Last != test.last ||
			strings.Join(function.Parameters, " ") != test.parameters || strings.Join(function.Decorators, " ") != test.decorators ||
			!slices.Equal(function.Returns, test.returns) || function.Async != test.async || function.Generator != test.generator {
			t.Errorf("%s: got %+v", test.name, function)
		}
		if !slices.Equal(function.Lines, test.lines) {
			t.Errorf("%s: lines are %v, want %v", test.name, function.Lines, test.lines)
		}
		if function.Parent == nil != (test.parent == "") || function.Parent != nil && function.Parent.QualifiedName != test.parent {
			t.Errorf("%s: parent is %v", test.name, function.Parent)
		}
	}
	if f.FunctionNamed("missing") != nil {
		t.Error("a function that is not there was found")
	}
	for line, want := range map[int]string{1: "<module>", 2: "<module>", 3: "outer", 5: "outer", 8: "outer.<locals>.inner",
		10: "outer", 13: "<module>", 15: "Stack", 19: "Stack.push", 21: "Stack.Inner", 22: "<module>", 99: "<module>"} {
		if got := f.FunctionAt(line).QualifiedName; got != want {
			t.Errorf("line %d is in %s, want %s", line, got, want)
		}
	}
}

// FuzzParse: no input makes the package panic, and lines stay in the file.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		countBerry, editorText, benchmarkProgram, "x = (1,\n", "def f(:", "# coding: latin-1\n\xe9", "match x:\n case [a, *_]: pass\n",
		"with a as b, c: pass\n", "try: pass\nexcept* E as e: pass\n", "f'{x!r:>{w}}'", "@d\nasync def f(): await (yield x)\n", "lambda *a, b=1: (b := a)",
		"for a, (b, c) in d: break\nelse: continue\n", "a[1:2, ::3] += b if c else d\n", "class A(B, c=D): x: int = 1\n", "x = y = 'a' % (1, b)\n",
		"global x; del x, (y, z)\n", "A = (): b\n", "while 0: pass\nassert a, b\nraise a from b\n", "from . import (a as b, c)\nfrom __future__ import annotations\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := source.Parse("x.py", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !utf8.ValidString(err.Error()) && utf8.Valid(data) {
				t.Fatalf("error is not one line: %q", err)
			}
			return
		}
		for function := range file.Functions() {
			for _, line := range function.Lines {
				if line < 1 || line > len(file.Lines()) {
					t.Fatalf("line %d of %d", line, len(file.Lines()))
				}
			}
			if entry, err := source.ParseEntry(function.QualifiedName, file); err == nil {
				program, err := source.Context(file, entry)
				if err != nil {
					t.Fatal(err)
				}
				// What a block leaves out may be what made it a program.
				_, _ = source.NewFlow(program)
			}
		}
		entry, err := source.ParseEntry("", file)
		if err != nil {
			t.Fatal(err)
		}
		program, err := source.Context(file, entry)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(program.Code, "\n") {
			t.Fatalf("code is %q", program.Code)
		}
		for line := range len(file.Lines()) + 2 {
			file.Snap(line)
			file.CallSites(line)
			file.ExpressionAt(line, 1)
		}
	})
}
