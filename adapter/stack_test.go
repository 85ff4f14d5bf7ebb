package adapter_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

const shapes = `class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return scaled(self.side, lambda a: a * a)

    class Corner:
        @staticmethod
        def angle():
            return 90

def scaled(side, f):
    x = side
    return f(x)

def tripled(side):
    x = side
    return f3(x)

def f3(x):
    def inner():
        return x * 3
    return inner()

total = Square(2).area()
total += tripled(total)
total += Square.Corner.angle()
`

// TestStackNames: methods, lambdas, nested functions and the module are called
// what Python calls them, and lines with the same text are told apart.
func TestStackNames(t *testing.T) {
	p := written(t, shapes, "")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		want := []string{
			"Square.__init__:3 < <module>:26",
			"Square.area:6 < <module>:26",
			"scaled:14 < Square.area:6 < <module>:26",
			"scaled:15 < Square.area:6 < <module>:26",
			"Square.area.<locals>.<lambda>:6 < scaled:15 < Square.area:6 < <module>:26",
			"tripled:18 < <module>:27",
			"f3.<locals>.inner:23 < f3:24 < tripled:19 < <module>:27",
			"Square.Corner.angle:11 < <module>:28",
		}
		seen := map[string]bool{}
		for s.StepIn(); s.ExpectStopped("").Reason != "pause"; s.StepIn() {
			var frames []string
			for _, f := range s.StackTrace() {
				frames = append(frames, f.Name+":"+strconv.Itoa(f.Line))
			}
			seen[strings.Join(frames, " < ")] = true
		}
		for _, stack := range want {
			if !seen[stack] {
				t.Errorf("never at %s", stack)
			}
		}
		if t.Failed() {
			var all []string
			for stack := range seen {
				all = append(all, stack)
			}
			slices.Sort(all)
			t.Logf("seen:\n%s", strings.Join(all, "\n"))
		}
		s.Disconnect()
	})
}
