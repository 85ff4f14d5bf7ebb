package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// thinking is a predictor that takes until it is cancelled; what it is asked to
// evaluate it knows.
type thinking struct{ begun chan struct{} }

func (thinking) Info() model.Info { return model.Info{Name: "thinking"} }
func (thinking) Close() error     { return nil }

func (p thinking) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	first := model.Prediction{Outcome: statetree.Outcome{State: c.Start}, Confidence: model.Certain()}
	return thought{p, strings.Contains(c.Program.Code, "def evaluate(")}, first, nil
}

type thought struct {
	thinking
	evaluates bool
}

func (s thought) Predict(ctx context.Context, _ statetree.Action) (model.Prediction, error) {
	if s.evaluates {
		return model.Prediction{
			Outcome:    statetree.Outcome{State: statetree.State{Event: statetree.Return, Arg: "12"}},
			Confidence: model.Confidence{State: 0.4},
		}, nil
	}
	s.begun <- struct{}{}
	<-ctx.Done()
	return model.Prediction{}, ctx.Err()
}
func (thought) Adopt(model.Step) error     { return nil }
func (thought) Rewind(int) error           { return nil }
func (thought) Edit(statetree.State) error { return nil }

// lockedBuffer is a buffer that is read while it is written to.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// TestTerminal: Ctrl-C ends a prediction and not the debugger, a value is
// changed, the model is asked for what cannot be computed, and the end of input
// is the end.
func TestTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.py")
	if err := os.WriteFile(path, []byte("def g(x):\n    return x\n\ndef f(x):\n    y = g(x)\n    return y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := timeline.Load(timeline.Launch{Path: path, Entry: "f", Arguments: map[string]string{"x": "[3, 4]"}})
	if err != nil {
		t.Fatal(err)
	}
	p := thinking{make(chan struct{})}
	var out lockedBuffer
	in, typed := io.Pipe()
	ended := make(chan error)
	go func() {
		ended <- (&terminal{in: in, out: &out, predictor: p, target: target}).run(context.Background())
	}()

	for _, line := range []string{"s", "", "c"} { // an empty line repeats s
		io.WriteString(typed, line+"\n")
		<-p.begun
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if err := self.Signal(os.Interrupt); err != nil {
			t.Skip("no interrupts here: ", err)
		}
	}
	io.WriteString(typed, "x[0] = x[1] * 2\np x\np g(x)\np unknown(x)\np '\\t\x07'\n\xff\xfe\n"+strings.Repeat("(", 5000)+"\n")
	typed.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the end of input is not the end")
	}
	got := out.String()
	for _, want := range []string{
		"> f.py(4)f() is called", "   x = [8, 4]\n", "(neuraldbg) [8, 4]\n", "12  (predicted, 40 %)\n", "*** NameError: name 'unknown' is not defined",
		`'\t\x07'`, "*** '(' was never closed at column 5000",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "(stopped)") + strings.Count(got, "*** interrupted"); n != 3 {
		t.Errorf("%d interrupts are told in\n%s", n, got)
	}
	if strings.ContainsAny(got, "\t\x1b\x07") {
		t.Errorf("tabs or control characters are in %q", got)
	}
}
