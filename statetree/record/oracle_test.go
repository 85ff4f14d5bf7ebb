package record

import (
	"context"
	"encoding/json"
	"os/exec"
	"reflect"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// independent is another, simpler reading of sys.settrace: the test's oracle.
const independent = `
import sys, json, re
path, entry = sys.argv[1:3]
source = open(path).read()
names = {"__name__": "app"}
exec(compile(source, path, "exec"), names)
rows = []
def show(v):
    return re.sub(" at 0x[0-9a-f]+>", ">", repr(v))
def trace(frame, event, arg):
    code = frame.f_code
    if code.co_filename != path or code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return None
    line = source.split("\n")[frame.f_lineno - 1]
    if event in ("call", "line"):
        rows.append([event, line, {k: show(v) for k, v in frame.f_locals.items()}])
    else:
        rows.append([event, line, show(arg if event == "return" else arg[1])])
    return trace
sys.settrace(trace)
try:
    eval(entry, names)
except BaseException:
    pass
sys.settrace(None)
json.dump(rows, sys.stdout)
`

func TestAgainstAnotherReading(t *testing.T) {
	for _, c := range []struct{ file, entry string }{
		{"count_berry.py", "main()"},
		{"generator.py", "main()"},
		{"exceptions.py", `parse(["1", "x"])`},
		{"exceptions.py", `parse(["1", "20", ""])`},
		{"sorting.py", `bubble([5, 3, 8, 1])`},
	} {
		t.Run(c.file+" "+c.entry, func(t *testing.T) {
			name := python()
			if name == "" {
				name = DefaultPython
			}
			out, err := exec.Command(name, "-c", independent, "testdata/"+c.file, c.entry).Output()
			if err != nil {
				t.Fatal(err)
			}
			var rows [][]any
			if err := json.Unmarshal(out, &rows); err != nil {
				t.Fatal(err)
			}
			recording, err := Record(context.Background(), Options{Python: python(), File: "testdata/" + c.file, Entry: c.entry})
			if err != nil {
				t.Fatal(err)
			}
			var states []statetree.Recorded
			for _, s := range recording.States {
				if s.File != statetree.DriverFile {
					states = append(states, s)
				}
			}
			if len(states) != len(rows) {
				t.Fatalf("%d states, the other reading has %d", len(states), len(rows))
			}
			for i, s := range states {
				got := []any{s.Event.String(), s.Source, any(s.Arg)}
				if s.Event.HasLocals() {
					locals := map[string]any{}
					for _, l := range s.Locals {
						locals[l.Name] = l.Repr
					}
					got[2] = locals
				}
				if !reflect.DeepEqual(got, rows[i]) {
					t.Fatalf("state %d is %v, the other reading has %v", i, got, rows[i])
				}
			}
		})
	}
}
