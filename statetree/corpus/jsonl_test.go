package corpus

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestReadJSONL(t *testing.T) {
	const text = `{"code": "def f(s):\n    return s[0]", "input": "'ab'", "output": "'a'", "id": "sample_0"}

{"code": "def f(a, b):\n    return {a: b}", "input": "1, [\"x\"]", "output": "{1: ['x']}"}`
	var cases []Case
	for c, err := range ReadJSONL(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	want := []Case{
		{Index: 0, Source: "def f(s):\n    return s[0]\n", Entry: "f('ab')", Output: "'a'", ID: "sample_0"},
		{Index: 1, Source: "def f(a, b):\n    return {a: b}\n", Entry: `f(1, ["x"])`, Output: "{1: ['x']}"},
	}
	if !slices.Equal(cases, want) {
		t.Fatalf("read %+v, want %+v", cases, want)
	}
	for r, err := range Record(context.Background(), slices.Values(cases), RecordOptions{Workers: 1, Time: patient}) {
		if err != nil {
			t.Fatal(err)
		}
		last := r.Recording.States[len(r.Recording.States)-1]
		if last.Arg != r.Case.Output {
			t.Errorf("case %d returns %s, want %s", r.Case.Index, last.Arg, r.Case.Output)
		}
	}
}

func TestReadJSONLRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"not JSON", "{\"code\": \"x\", \"input\": \"\"}\nhello\n", "line 2: not a JSON object with code, input and output: invalid character 'h' looking for beginning of value"},
		{"no code", "\n{\"input\": \"1\"}\n", "line 2: it has no code"},
		{"no input", `{"code": "x"}`, `line 1: it has no input; that of a function without parameters is ""`},
		{"a list", "[1]", "line 1: it is a JSON array, and no object with code, input and output"},
		{"another type", `{"code": "x", "input": 7}`, "line 1: input is no string, but a JSON number"},
		{"cut off", `{"code": "x", "in`, "line 1: not a JSON object with code, input and output: unexpected end of JSON input"},
		{"endless", strings.Repeat("x", maxJSONLine+1), "line 1: it has more than 16 MB: not a program as JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var last error
			for _, err := range ReadJSONL(strings.NewReader(c.text)) {
				last = err
			}
			if last == nil || last.Error() != c.want {
				t.Errorf("error %v, want %s", last, c.want)
			}
		})
	}
	if _, err := ReadJSONLFile("no/such.jsonl"); err == nil || !strings.Contains(err.Error(), "opening the cases") {
		t.Errorf("error %v for a missing file", err)
	}
}

func FuzzReadJSONL(f *testing.F) {
	f.Add(`{"code": "def f(): pass", "input": "", "output": "None"}` + "\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		for c, err := range ReadJSONL(strings.NewReader(text)) {
			if err == nil && (c.Source == "\n" || !strings.HasSuffix(c.Source, "\n")) {
				t.Fatalf("case %+v", c)
			}
		}
	})
}
