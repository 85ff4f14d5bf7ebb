package adapter_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// observer is the ground truth that shares no code with the recorder: bdb, the
// base of Python's own debugger, steps through a call and prints each stop as
// JSON: the event, the line, and the locals or the returned value. Comprehensions
// are left out: they belong to the line that holds them.
const observer = `
import bdb, json, sys

class Observer(bdb.Bdb):
    def emit(self, event, frame, **more):
        if frame.f_code.co_filename == path and not frame.f_code.co_name.endswith("comp>"):
            print(json.dumps({"event": event, "line": frame.f_lineno, "function": frame.f_code.co_qualname, **more}))
    def locals(self, frame):
        return {name: repr(value) for name, value in frame.f_locals.items()}
    def user_call(self, frame, arguments):
        self.emit("call", frame, locals=self.locals(frame))
        self.set_step()
    def user_line(self, frame):
        self.emit("line", frame, locals=self.locals(frame))
        self.set_step()
    def user_return(self, frame, value):
        self.emit("return", frame, value=repr(value))
        self.set_step()

path, call = sys.argv[1:]
module = {"__name__": "observed"}
exec(compile(open(path).read(), path, "exec"), module)
Observer().runeval(call, module)
`

// observed is one stop of the observer.
type observed struct {
	Event    string
	Line     int
	Function string
	Locals   map[string]string
	Value    string
}

func observe(t *testing.T, path, call string) []observed {
	t.Helper()
	cmd := exec.Command("python3", "-c", observer, path, call)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var stops []observed
	for d := json.NewDecoder(out); d.More(); {
		var o observed
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		stops = append(stops, o)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return stops
}

// TestStepInShowsWhatRunningShows steps through programs by stepIn and compares
// every stop with what Python's bdb stops at.
func TestStepInShowsWhatRunningShows(t *testing.T) {
	for _, test := range []struct{ file, call string }{
		{"count_berry.py", "main()"},
		{"ledger.py", "main()"},
	} {
		t.Run(test.file, func(t *testing.T) {
			program := testdata(t, test.file)
			want := observe(t, program, test.call)
			if len(want) < 10 {
				t.Fatalf("the observer saw %d stops only", len(want))
			}
			s := connect(t, replaying(t, test.call))
			s.Initialize()
			s.Launch(map[string]any{"program": program, "entry": test.call})
			s.ConfigurationDone()
			s.ExpectStopped("entry")
			depth := 0
			for i, w := range want {
				if w.Event == "call" {
					depth++
				}
				if w.Event == "call" && i > 0 {
					continue // stepIn goes through calls to the callee's first line
				}
				if i > 0 {
					s.StepIn()
					s.ExpectStopped("step")
				}
				frames := s.StackTrace()
				name := w.Function
				if w.Event != "line" {
					name += " (" + w.Event + ")"
				}
				line := w.Line
				if frames[0].Line != line || frames[0].Name != name || len(frames) != depth {
					t.Fatalf("stop %d: %s at line %d, depth %d; running shows %s at line %d, depth %d",
						i, frames[0].Name, frames[0].Line, len(frames), name, line, depth)
				}
				got := s.Locals()
				if w.Event == "return" {
					if value := got["(return) "+w.Function]; value != w.Value {
						t.Fatalf("stop %d: %s returns %q; running returns %q", i, w.Function, value, w.Value)
					}
					depth--
					continue
				}
				if !maps.Equal(got, w.Locals) {
					t.Fatalf("stop %d, line %d: locals are %v; running has %v", i, line, got, w.Locals)
				}
			}
			s.StepIn()
			if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: "+statetree.ExitNormal.String() {
				t.Errorf("after the last stop: %q", stop.Description)
			}
			s.Disconnect()
		})
	}
}
