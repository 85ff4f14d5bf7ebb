package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
)

// -kills 50 is the long form of TestKilledProcess:
//
//	go test ./cmd/neuraldbg-model -run KilledProcess -kills 50 -v
var (
	kills    = flag.Int("kills", 4, "how often TestKilledProcess kills the model process")
	killSeed = flag.Uint64("kill-seed", 1, "seed of the moments at which it does")
)

// patience is how long a movement may take: it may have to start a process, on a
// machine that does other things, and once more.
const patience = 3 * time.Minute

// nanoProcess is a model process with nano that this test's executable becomes
// when a client starts it.
type nanoProcess struct {
	dir        rpc.RuntimeDir
	executable string
}

// newNanoProcess prepares a folder for the process to be met in, and ends the
// process with the test.
func newNanoProcess(t *testing.T) *nanoProcess {
	t.Helper()
	models, err := filepath.Abs("../../model")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(server.ModelsEnv, models)
	t.Setenv(processEnv, "1")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ndbg") // its path fits into a socket's address
	if err != nil {
		t.Fatal(err)
	}
	p := &nanoProcess{dir: rpc.RuntimeDir(filepath.Join(dir, "run")), executable: executable}
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		os.RemoveAll(dir)
	})
	return p
}

func (p *nanoProcess) predictor() *rpc.Predictor {
	return rpc.NewPredictor(rpc.Options{
		Model: "nano", Device: "cpu", Executable: p.executable, RuntimeDir: p.dir, Log: zerolog.Nop(),
	})
}

// ids returns the processes that were started in the folder and run.
func (p *nanoProcess) ids() []int {
	var ids []int
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range commands {
		text, err := os.ReadFile(path) // empty for one that has ended
		if err == nil && bytes.Contains(text, []byte("\x00"+string(p.dir)+"\x00")) {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			ids = append(ids, id)
		}
	}
	return ids
}

// signal sends a signal to the processes, and returns how many there were.
func (p *nanoProcess) signal(s syscall.Signal) (sent int) {
	for _, id := range p.ids() {
		if syscall.Kill(id, s) == nil {
			sent++
		}
	}
	return sent
}

// A model process is killed at random moments while two debuggers use it: as it
// starts, loads, computes, waits. A request that meets one kill is answered by the
// next process; one that meets another as well fails with a line that says so.
// Nothing hangs, and the sessions go on from their history to the same states as
// without. At the end no process and no socket is left.
//
// While the sessions begin there is one kill: two in a row, which are not said to
// be survived, would end one.
func TestKilledProcess(t *testing.T) {
	p := newNanoProcess(t)
	undisturbed := &debugging{process: p, killer: &killer{}}
	if err := undisturbed.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer undisturbed.client.Close()
	if err := undisturbed.goOn(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	k := &killer{process: p, random: rand.New(rand.NewPCG(*killSeed, 0)), left: *kills}
	killed := make([]debugging, 2)
	inEach := func(do func(*debugging) error) {
		var sessions sync.WaitGroup
		for i := range killed {
			sessions.Go(func() {
				if err := do(&killed[i]); err != nil {
					t.Errorf("session %d: %v", i+1, err)
				}
			})
		}
		sessions.Wait()
	}
	p.signal(syscall.SIGKILL) // so that one has to be started
	k.aim()
	inEach(func(d *debugging) error {
		*d = debugging{process: p, killer: k, expected: undisturbed.seen}
		return d.begin(t.Context())
	})
	k.wait()
	if t.Failed() {
		return
	}
	inEach(func(d *debugging) error {
		defer d.client.Close()
		return d.goOn()
	})
	k.wait()
	failures := slices.Concat(killed[0].failures, killed[1].failures)
	t.Logf("%d kills in %v, %d movements that failed and were repeated", k.done, time.Since(began).Round(time.Second), len(failures))
	for _, text := range slices.Compact(slices.Sorted(slices.Values(failures))) {
		t.Log(text)
	}
	switch {
	case k.done != *kills:
		t.Errorf("%d kills; want %d", k.done, *kills)
	case len(failures) > k.done:
		t.Errorf("more failures than two sessions can have of pairs of kills")
	}
	p.expectQuiet(t)
}

// A model process that is killed while it loads for a session that begins is
// replaced, and the session begins all the same.
func TestKilledAtLaunch(t *testing.T) {
	p := newNanoProcess(t)
	d := &debugging{process: p, killer: &killer{}}
	killed := make(chan int, 1)
	go func() {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(p.dir.Socket()); err == nil { // it listens: it is greeted, and loads
				break
			}
		}
		killed <- p.signal(syscall.SIGKILL)
	}()
	if err := d.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer d.client.Close()
	select {
	case n := <-killed:
		if n != 1 {
			t.Errorf("%d processes were killed; want one", n)
		}
	default:
		t.Error("the session began before the process was killed")
	}
	if err := d.goOn(); err != nil {
		t.Error(err)
	}
}

// expectQuiet has a process ended in order, and looks for what is left.
func (p *nanoProcess) expectQuiet(t *testing.T) {
	t.Helper()
	last := p.predictor() // takes the place of one that was killed
	if _, err := last.Load(t.Context()); err != nil {
		t.Error(err)
	}
	last.Close()
	if ids := p.ids(); len(ids) > 1 {
		t.Errorf("processes %v; want one", ids)
	}
	p.signal(syscall.SIGTERM)
	for deadline := time.Now().Add(patience); len(p.ids()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("processes %v do not end", p.ids())
		}
	}
	if _, err := os.Stat(p.dir.Socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	for _, path := range []string{"neuraldbg/adapter", "neuraldbg/model/rpc"} {
		if leaks := daptest.Leaks(path); len(leaks) > 0 {
			t.Errorf("goroutines are left:\n%s", strings.Join(leaks, "\n\n"))
		}
	}
}

// killer kills a process at random moments.
type killer struct {
	process *nanoProcess
	random  *rand.Rand
	pending sync.WaitGroup

	mu   sync.Mutex
	left int // kills that were not aimed yet
	done int
}

// aim begins a kill after some time, of any order between a millisecond and a
// second. It reports whether any are left to be aimed.
func (k *killer) aim() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == 0 {
		return false
	}
	k.left--
	delay := time.Duration(math.Pow(1000, k.random.Float64()) * float64(time.Millisecond))
	k.pending.Add(1)
	go func() {
		defer k.pending.Done()
		time.Sleep(delay)
		// One that was killed before may not have a successor yet.
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if k.process.signal(syscall.SIGKILL) > 0 {
				k.mu.Lock()
				k.done++
				k.mu.Unlock()
				return
			}
		}
	}()
	return true
}

// wait returns when all aimed kills were done.
func (k *killer) wait() { k.pending.Wait() }

// debugging is one debug session that goes through the same movements again and
// again as long as there are kills left, and at least once.
type debugging struct {
	process  *nanoProcess
	killer   *killer
	expected []string // what it has to see; nil in the first one

	client   *daptest.Client
	seen     []string
	failures []string // what was said of movements that failed
}

// program is debugged; nano is sure of what it does up to the edit.
const program = "../../examples/count_berry.py"

// movements are one round. The edit cuts the future, so that every round is
// predicted anew; so does the restart at its end.
var movements = []struct {
	command   string
	arguments map[string]any
	answered  bool // by a response alone: no stop follows
	several   bool // predictions, of which the first may have succeeded
}{
	{command: "stepIn"}, {command: "stepIn", several: true}, {command: "next"}, {command: "next"},
	{command: "stepBack"},
	{command: "setExpression", arguments: map[string]any{"expression": "n", "value": "3"}, answered: true},
	{command: "next"}, {command: "stepOut", several: true},
	{command: "restart"},
}

// begin launches the program and waits for its first stop.
func (d *debugging) begin(ctx context.Context) error {
	factory := func(ctx context.Context, _ adapter.LaunchConfig) (model.Predictor, error) {
		p := d.process.predictor()
		_, err := p.Load(ctx)
		return p, err
	}
	d.client = daptest.Serve(ctx, (&adapter.Server{Factory: factory, Log: zerolog.Nop()}).Serve)
	d.client.Timeout = patience
	if _, err := d.client.Initialize(); err != nil {
		return err
	}
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if err := d.client.Launch(map[string]any{"program": path, "entry": "main()"}); err != nil {
		return err
	}
	if err := d.client.ConfigurationDone(); err != nil {
		return err
	}
	_, err = d.client.ExpectStopped("entry")
	return err
}

// goOn makes the movements and ends the session.
func (d *debugging) goOn() error {
	for round := 0; ; round++ {
		d.seen = d.seen[:0]
		aimed := false
		for i := range movements {
			aimed = d.killer.aim() || aimed
			if err := d.move(i); err != nil {
				return fmt.Errorf("round %d: %s: %w", round+1, movements[i].command, err)
			}
		}
		if d.expected != nil && !slices.Equal(d.seen, d.expected) {
			return fmt.Errorf("round %d:\n got %s\nwant %s", round+1, strings.Join(d.seen, "\n     "), strings.Join(d.expected, "\n     "))
		}
		if !aimed {
			return d.client.Disconnect()
		}
	}
}

// move makes one movement, again where it fails, and notes where it leads to.
// One prediction that fails stays where it was.
func (d *debugging) move(i int) error {
	for {
		failure, err := d.try(i)
		if err != nil {
			return err
		}
		here, err := d.place()
		if err != nil {
			return err
		}
		if failure == "" {
			d.seen = append(d.seen, here)
			return nil
		}
		d.failures = append(d.failures, failure)
		if !strings.Contains(failure, "model process") || strings.Contains(failure, "\n") {
			return fmt.Errorf("failed with %q", failure)
		}
		if n := len(d.seen); n > 0 && here != d.seen[n-1] && !movements[i].several {
			return fmt.Errorf("failed, and went from %s to %s", d.seen[n-1], here)
		}
	}
}

// try makes one movement. failure is what the user was told when it failed.
func (d *debugging) try(i int) (failure string, err error) {
	arguments := map[string]any{"threadId": 1}
	if movements[i].arguments != nil {
		arguments = movements[i].arguments
	}
	_, err = d.client.Request(movements[i].command, arguments)
	var refused *daptest.ResponseError
	switch {
	case errors.As(err, &refused):
		return refused.Message, nil
	case err != nil || movements[i].answered:
		return "", err
	}
	stop, err := d.client.Event("stopped", "terminated")
	if err != nil {
		return "", err
	}
	stopped, ok := stop.(*dap.StoppedEvent)
	if !ok {
		return "", fmt.Errorf("the session has ended; it said %q", d.words())
	}
	if failure, failed := strings.CutPrefix(stopped.Body.Description, "Prediction failed: "); failed {
		return failure, nil
	}
	return "", nil
}

// words is all that the user was told.
func (d *debugging) words() (text string) {
	for _, m := range d.client.Transcript() {
		if output, ok := m.(*dap.OutputEvent); ok {
			text += output.Body.Output
		}
	}
	return text
}

// place is where the session is, with the values that it has there.
func (d *debugging) place() (string, error) {
	frames, err := d.client.StackTrace()
	if err != nil {
		return "", err
	}
	locals, err := d.client.Locals()
	if err != nil {
		return "", err
	}
	text := ""
	for _, f := range frames {
		text += fmt.Sprintf("%s:%d ", f.Name, f.Line)
	}
	for _, v := range locals {
		text += fmt.Sprintf("%s=%s ", v.Name, v.Value)
	}
	return text, nil
}
