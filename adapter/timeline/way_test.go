package timeline_test

import (
	"context"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

const chatty = `def double(n):
    print('doubling', n)
    m = 2 * n
    return m

def main():
    print('first')
    a = double(4)
    print('then', a)
    b = double(a)
    return b
`

// TestWay: of a target that was reached by single steps it is known which frames
// are open and what was printed, once; of a jump it is not.
func TestWay(t *testing.T) {
	path := write(t, chatty)
	launch := timeline.Launch{Path: path, Entry: "main()"}
	recording, err := record.Record(context.Background(), record.Options{File: path, Entry: launch.Entry})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		jumps       stepwise.Jumps
		at, printed string
	}{
		{stepwise.Steps, "line double:3 < main:8 n=4", "first\ndoubling 4\n"},
		{stepwise.Direct, "line double:3 < [callers not predicted] < main:6 n=4", ""},
	} {
		t.Run(test.jumps.String(), func(t *testing.T) {
			p, err := replay.New(recording)
			if err != nil {
				t.Fatal(err)
			}
			printed := ""
			f := opened(t, stepwise.NewPredictor(p, stepwise.Options{Jumps: test.jumps}), launch, timeline.Options{
				Listener: timeline.Listener{Output: func(text string, _ statetree.Origin) { printed += text }},
			})
			f.breakAt(3)
			f.script(
				[2]string{"continue", test.at},
				[2]string{"back", "call main:6"},
				[2]string{"continue", test.at},
			)
			if printed != test.printed {
				t.Errorf("printed %q; want %q", printed, test.printed)
			}
		})
	}
}
