package source_test

import (
	"slices"
	"strings"
	"testing"
)

const editorText = `"""Docstring."""
import os

LIMIT = 3  # comment


# a comment
@decorator
def f(a,
      b=2):
    """Doc."""
    global LIMIT

    x = [
        a,
        b,
    ]
    # trailing

    return x


class Stack:
    size = 0

    def push(self, x):
        self.items[x].append(count(x, y=g(2)))

    # end of class

def empty():
    """Only a docstring."""
é = f(1, 2); Stack().push(é.real)
`

func TestSnap(t *testing.T) {
	f := parse(t, editorText)
	tests := []struct {
		line, want int
		ok         bool
		why        string
	}{
		{1, 1, true, ""},
		{2, 2, true, ""},
		{3, 4, true, "line 3 is blank; moved to line 4"},
		{4, 4, true, ""},
		{7, 8, true, "line 7 is a comment; moved to line 8"},
		{8, 8, true, ""},
		{10, 10, true, ""},
		{11, 14, true, "line 11 is a docstring or a constant; moved to line 14"},
		{12, 14, true, "line 12 is a declaration; moved to line 14"},
		{13, 14, true, "line 13 is blank; moved to line 14"},
		{15, 15, true, ""},
		{17, 20, true, "line 17 is part of the statement on line 14; moved to line 20"},
		{18, 20, true, "line 18 is a comment; moved to line 20"},
		{20, 20, true, ""},
		{21, 23, true, "line 21 is blank; moved to line 23"},
		{27, 27, true, ""},
		{18, 20, true, "line 18 is a comment; moved to line 20"},
		{29, 29, false, "line 29 is a comment: no code follows in Stack"},
		{31, 31, true, ""},
		{32, 32, false, "line 32 is a docstring or a constant: no code follows in empty"},
		{99, 99, false, "there is no line 99; the file has 33"},
		{0, 0, false, "there is no line 0; the file has 33"},
	}
	for _, test := range tests {
		line, ok, why := f.Snap(test.line)
		if line != test.want || ok != test.ok || why != test.why {
			t.Errorf("line %d %q: got %d %v %q, want %d %v %q", test.line, f.Line(test.line), line, ok, why, test.want, test.ok, test.why)
		}
	}
	lines := f.ExecutableLines()
	for line := range 40 {
		if f.Executable(line) != slices.Contains(lines, line) {
			t.Errorf("line %d: Executable disagrees with ExecutableLines", line)
		}
	}
}

func TestSnapWithoutCode(t *testing.T) {
	f := parse(t, "x = 1\n\n# the end\n")
	line, ok, why := f.Snap(3)
	if line != 3 || ok || why != "line 3 is a comment: no code follows in the file" {
		t.Errorf("got %d %v %q", line, ok, why)
	}
}

func TestCallSites(t *testing.T) {
	f := parse(t, editorText)
	var got []string
	for _, line := range []int{20, 27, 33} {
		for _, s := range f.CallSites(line) {
			text := f.Line(s.Line)[s.Column-1 : s.EndColumn-1]
			got = append(got, s.Name+" <"+text+"> "+strings.Join(s.Callees, ","))
		}
	}
	want := []string{
		"g <g(2)> ",
		"count <count(x, y=g(2))> ",
		"self.items[x].append <self.items[x].append(count(x, y=g(2)))> ",
		"f <f(1, 2)> f",
		"Stack <Stack()> ",
		"Stack().push <Stack().push(é.real)> Stack.push",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExpressionAt(t *testing.T) {
	tests := []struct{ text, want string }{ // | is the cursor
		{"x = |abc.de", "abc"},
		{"x = abc.d|e", "abc.de"},
		{"x = abc|.de", "abc"},
		{"x = abc.de|", "abc.de"},
		{"x = abc.de.f|g + 1", "abc.de.fg"},
		{"|x = 1", "x"},
		{"x = a|[i]", "a"},
		{"x = a[|i]", "i"},
		{"x = a[i|]", "i"},
		{"x = a[i]|", "a[i]"},
		{"x = f(|a, k=b)", "a"},
		{"x = f(a, |k=b)", ""},
		{"x = f(a, k=|b)", "b"},
		{"x = |f(a)", "f"},
		{"x = f(a).b|c", ""},
		{"import o|s", ""},
		{"x = 'te|xt'", ""},
		{"x = 1|2", ""},
		{"x |= 1", ""},
		{"é = ü.|x", "ü.x"},
	}
	for _, test := range tests {
		before, after, _ := strings.Cut(test.text, "|")
		f := parse(t, before+after)
		e, ok := f.ExpressionAt(1, len(before)+1)
		if e.Text != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q", test.text, e.Text)
		}
		if ok && f.Line(e.Line)[e.Column-1:e.EndColumn-1] != e.Text {
			t.Errorf("%s: columns %d to %d do not hold %q", test.text, e.Column, e.EndColumn, e.Text)
		}
	}
}
