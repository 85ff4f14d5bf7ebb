package adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

const printing = `def report(name, sizes):
    print(name, sizes, sep=': ')
    for size in sizes:
        print(f'{size:>3}', end=' ')  # a comment
    print()
    print(
        'in all',
        sum(sizes),
    )
    print(lookup(name))
    print(UNKNOWN)
    try:
        print(1 // len(name[9:]))
    except ZeroDivisionError:
        print('none', None, ['a'], *sizes)
    return name

def lookup(name):
    print('looking up')
    return name.upper()

UNKNOWN = object()

def main():
    return report('sizes', [1, 20])
`

// TestPrint: what print would have written is shown as output, when its arguments
// are known, at the line of the print, and once.
func TestPrint(t *testing.T) {
	p := written(t, printing, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		if first := output(s, "console"); !strings.Contains(first, "what print writes is predicted too") {
			t.Errorf("the console begins with %q", first)
		}
		for s.StepIn(); s.ExpectStopped("").Reason != "pause"; s.StepIn() {
		}
		want := "sizes: [1, 20]\n  1  20 \nin all 21\nlooking up\nnone None ['a'] 1 20\n"
		if got := output(s, "stdout"); got != want {
			t.Errorf("output %q; want %q", got, want)
		}
		for range 10 {
			s.StepBack()
			s.ExpectStopped("")
		}
		for range 10 {
			s.StepIn()
			s.ExpectStopped("")
		}
		if got := output(s, "stdout"); got != want {
			t.Errorf("after going back and forth: %q", got)
		}
		for _, m := range s.Client.Transcript() {
			if o, ok := m.(*dap.OutputEvent); ok && o.Body.Output == "in all 21\n" && (o.Body.Line < 6 || o.Body.Line > 8 || o.Body.Source == nil || o.Body.Source.Path != p.path) {
				t.Errorf("where it was written: %+v", o.Body)
			}
		}
		s.Disconnect()
	})
}
