package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// serveEnv makes this test's executable a model process.
const serveEnv = "NEURALDBG_TEST_MODEL_PROCESS"

func TestMain(m *testing.M) {
	switch os.Getenv(serveEnv) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot open shared object file: libtorch.so")
		os.Exit(127)
	default:
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// killsEnv names a folder with one file for each time that a process is killed,
// named by the moment: load, load-2.
const killsEnv = "NEURALDBG_TEST_KILLS"

// dieAt kills this process if that is due at a moment.
func dieAt(moment string) {
	due, _ := filepath.Glob(filepath.Join(os.Getenv(killsEnv), moment+"*"))
	if os.Getenv(killsEnv) != "" && len(due) > 0 && os.Remove(due[0]) == nil {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // it is on its way
	}
}

// serve is what the model process does, with a predictor that counts.
func serve() error {
	dieAt("start")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if len(os.Args) != 4 || os.Args[1] != "serve" || os.Args[2] != "--runtime-dir" {
		return fmt.Errorf("arguments %q", os.Args)
	}
	listener, err := server.Listen(rpc.RuntimeDir(os.Args[3]))
	if err != nil {
		return err
	}
	build := os.Getenv(serveEnv)
	if build == "current" {
		if build, err = rpc.ExecutableID(os.Args[0]); err != nil {
			return err
		}
	}
	return server.New(server.Options{Load: loadCounter, Build: build, Log: zerolog.Nop(), IdleTimeout: time.Minute}).
		Serve(ctx, listener)
}

// counter is a predictor whose nth state is `line n`, so that a state tells how
// much history its session had. Continue waits to be cancelled; Breakpoint ends
// the process; StepReturn panics.
type counter struct{ name string }

func loadCounter(_ context.Context, params rpc.LoadParams) (model.Predictor, error) {
	dieAt("load")
	if params.Model == "missing" {
		return nil, errors.New("no such model")
	}
	return counter{name: params.Model}, nil
}

func (c counter) Info() model.Info { return model.Info{Name: c.name, Device: fmt.Sprint(os.Getpid())} }
func (c counter) Close() error     { return nil }

func (c counter) Open(_ context.Context, context model.Context) (model.Session, model.Prediction, error) {
	dieAt("open")
	s := &counterSession{states: []string{context.Start.Source}}
	for _, step := range context.History {
		s.states = append(s.states, step.Outcome.State.Source)
	}
	return s, s.last(), nil
}

type counterSession struct{ states []string }

func (s *counterSession) last() model.Prediction {
	source := s.states[len(s.states)-1]
	return model.Prediction{Outcome: statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: source}}, Confidence: model.Certain()}
}

func (s *counterSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	dieAt("predict")
	switch a.Kind {
	case statetree.Continue:
		<-ctx.Done()
		return model.Prediction{}, ctx.Err()
	case statetree.Breakpoint:
		os.Exit(3)
	case statetree.StepReturn:
		panic("a fault")
	case statetree.InvStepOver: // deaf to cancelling
		time.Sleep(4 * time.Second)
	case statetree.InvStepCall:
		return model.Prediction{}, fmt.Errorf("inverse: %w", model.ErrNoTarget)
	case statetree.StepOver:
		s.states = append(s.states, "exit")
		return model.Prediction{Outcome: statetree.Outcome{Exit: statetree.ExitNormal}}, nil
	}
	s.states = append(s.states, fmt.Sprintf("%s+%d", s.states[len(s.states)-1], len(s.states)))
	return s.last(), nil
}

func (s *counterSession) Adopt(known model.Step) error {
	if known.Outcome.State.Source == "" {
		return errors.New("an adopted state needs a source line")
	}
	s.states = append(s.states, known.Outcome.State.Source)
	return nil
}

func (s *counterSession) Rewind(n int) error {
	s.states = s.states[:len(s.states)-n]
	return nil
}

func (s *counterSession) Edit(state statetree.State) error {
	if state.Source == "" {
		return errors.New("an edited state needs a source line")
	}
	s.states[len(s.states)-1] = state.Source
	return nil
}

func (s *counterSession) Close() error { return nil }

// newPredictor returns a client whose model process is this executable, ended
// with the test.
func newPredictor(t *testing.T, dir rpc.RuntimeDir, name string) *rpc.Predictor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := rpc.NewPredictor(rpc.Options{Model: name, Executable: self, RuntimeDir: dir, Log: zerolog.Nop()})
	t.Cleanup(func() {
		if pid := p.Info().Device; pid != "" {
			var n int
			fmt.Sscan(pid, &n)
			_ = syscall.Kill(n, syscall.SIGTERM)
		}
		p.Close()
	})
	return p
}

// shortDir is a temporary folder whose path fits into a socket address.
func shortDir(t *testing.T) rpc.RuntimeDir {
	t.Helper()
	dir, err := os.MkdirTemp("", "ndbg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return rpc.RuntimeDir(filepath.Join(dir, "run"))
}

func startAt(source string) model.Context {
	return model.Context{Start: statetree.State{Event: statetree.Line, Source: source}}
}

var stepInto = statetree.Action{Kind: statetree.StepInto}

func predict(t *testing.T, s model.Session, want string) {
	t.Helper()
	p, err := s.Predict(context.Background(), stepInto)
	if err != nil {
		t.Fatal(err)
	}
	if p.State.Source != want {
		t.Fatalf("predicted %q, want %q", p.State.Source, want)
	}
}

func TestStartsTheProcessAndPredicts(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	if info, err := p.Load(context.Background()); err != nil || info.Name != "count" {
		t.Fatal(info, err)
	}
	s, first, err := p.Open(context.Background(), startAt("a"))
	if err != nil || first.State.Source != "a" {
		t.Fatal(first, err)
	}
	predict(t, s, "a+1")
	predict(t, s, "a+1+2")
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(statetree.State{Event: statetree.Line, Source: "e"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(statetree.State{}); err == nil {
		t.Error("an edit that the process refuses was accepted")
	}
	if err := s.Rewind(2); err == nil {
		t.Error("rewound two steps of one")
	}
	predict(t, s, "e+2")
	adopted := model.Step{Action: stepInto, Outcome: statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "k"}}}
	if err := s.Adopt(adopted); err != nil {
		t.Fatal(err)
	}
	if err := s.Adopt(model.Step{Action: stepInto}); err == nil {
		t.Error("a step that the process refuses was adopted")
	}
	predict(t, s, "k+4")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestErrorsKeepTheirKind(t *testing.T) {
	t.Setenv(serveEnv, "current")
	dir := shortDir(t)
	p := newPredictor(t, dir, "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Predict(context.Background(), statetree.Action{Kind: statetree.InvStepCall}); !errors.Is(err, model.ErrNoTarget) {
		t.Errorf("got %v, want ErrNoTarget", err)
	}
	if _, err := s.Predict(context.Background(), statetree.Action{Kind: statetree.StepReturn}); err == nil || !strings.Contains(err.Error(), "a fault") {
		t.Errorf("a panic came back as %v", err)
	}
	predict(t, s, "a+1")
	if _, err := s.Predict(context.Background(), statetree.Action{Kind: statetree.StepOver}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Predict(context.Background(), stepInto); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v", err)
	}
	missing := newPredictor(t, dir, "missing")
	if _, _, err := missing.Open(context.Background(), startAt("a")); err == nil || err.Error() != "no such model" {
		t.Errorf("a missing model: %v", err)
	}
}

func TestCancelTravelsAndLeavesTheHistory(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		want error
	}{
		{"cancel", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(30*time.Millisecond, cancel)
			return ctx, cancel
		}, context.Canceled},
		{"deadline", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 30*time.Millisecond)
		}, context.DeadlineExceeded},
	} {
		ctx, stop := tt.ctx()
		began := time.Now()
		if _, err := s.Predict(ctx, statetree.Action{Kind: statetree.Continue}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %v", tt.name, took)
		}
		stop()
	}
	predict(t, s, "a+1")
}

// A process that ends cancels what it computes. That is no cancelling by the
// user: the prediction goes on in the next process, until the user's own time is
// over.
func TestProcessThatEndsIsNotTakenForCancelled(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	ended := p.Info().Device
	pid, err := strconv.Atoi(ended)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGTERM) })
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if _, err = s.Predict(ctx, statetree.Action{Kind: statetree.Continue}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	predict(t, s, "a+1")
	if p.Info().Device == ended {
		t.Error("the process did not end")
	}
}

// A process that does not stop in time does not hold the client up: the session
// is given up there and made again.
func TestCancelDoesNotWaitForADeafProcess(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	predict(t, s, "a+1")
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer stop()
	began := time.Now()
	if _, err := s.Predict(ctx, statetree.Action{Kind: statetree.InvStepOver}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("cancelling took %v", took)
	}
	predict(t, s, "a+1+2")
}

func TestRebuildsSessionsOfADeadProcess(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	predict(t, s, "a+1")
	if err := s.Edit(statetree.State{Event: statetree.Line, Source: "e"}); err != nil {
		t.Fatal(err)
	}
	predict(t, s, "e+2")
	first := p.Info().Device
	_, err = s.Predict(context.Background(), statetree.Action{Kind: statetree.Breakpoint, Source: "x"})
	if !errors.Is(err, model.ErrUnavailable) {
		t.Fatalf("the process ended during a call, which returned %v", err)
	}
	if err := s.Rewind(1); err != nil {
		t.Fatalf("rewinding without a process: %v", err)
	}
	predict(t, s, "e+2")
	if now := p.Info().Device; now == first {
		t.Error("the process was not replaced")
	}
}

func TestTwoClientsShareOneProcess(t *testing.T) {
	t.Setenv(serveEnv, "current")
	dir := shortDir(t)
	var wg sync.WaitGroup
	pids := make([]string, 4)
	for i := range pids {
		p := newPredictor(t, dir, "count")
		wg.Add(1)
		go func() {
			defer wg.Done()
			info, err := p.Load(context.Background())
			if err != nil {
				t.Error(err)
			}
			pids[i] = info.Device
		}()
	}
	wg.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Fatalf("processes %v, want one", pids)
		}
	}
}

func TestReplacesAStaleProcess(t *testing.T) {
	dir := shortDir(t)
	t.Setenv(serveEnv, "another build")
	old := newPredictor(t, dir, "count")
	oldInfo, err := old.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, dir, "count")
	info, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if info.Device == oldInfo.Device {
		t.Error("the stale process still answers")
	}
}

func TestProcessThatCannotStart(t *testing.T) {
	t.Setenv(serveEnv, "broken")
	p := newPredictor(t, shortDir(t), "count")
	_, err := p.Load(context.Background())
	if !errors.Is(err, model.ErrUnavailable) || !strings.Contains(err.Error(), "libtorch.so") {
		t.Errorf("got %v, want ErrUnavailable with the process's words", err)
	}
	none := rpc.NewPredictor(rpc.Options{Model: "count", Executable: "/nonexistent", RuntimeDir: shortDir(t)})
	if _, err := none.Load(context.Background()); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("without an executable: %v", err)
	}
}

func TestSocketIsTheOwnersAlone(t *testing.T) {
	t.Setenv(serveEnv, "current")
	dir := shortDir(t)
	p := newPredictor(t, dir, "count")
	if _, err := p.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{string(dir): 0o700, dir.Socket(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", path, got, want)
		}
	}

	open := shortDir(t)
	if err := os.Mkdir(string(open), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := newPredictor(t, open, "count").Load(context.Background()); err == nil || !strings.Contains(err.Error(), "other users") {
		t.Errorf("a folder that others can enter: %v", err)
	}
	long := rpc.RuntimeDir(filepath.Join(t.TempDir(), strings.Repeat("x", 120)))
	if _, err := newPredictor(t, long, "count").Load(context.Background()); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a path that is too long: %v", err)
	}
}
