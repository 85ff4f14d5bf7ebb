//go:build linux

package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// patience is what the tests have of it; far more than an idle process needs.
const patience = 500 * time.Millisecond

// impatient is newPredictor with little patience.
func impatient(t *testing.T, dir rpc.RuntimeDir) *rpc.Predictor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := rpc.NewPredictor(rpc.Options{Model: "count", Executable: self, RuntimeDir: dir, Patience: patience})
	t.Cleanup(func() {
		var pid int
		if fmt.Sscan(p.Info().Device, &pid); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		p.Close()
	})
	return p
}

// A process that listens and never answers is told of, with its id, and is not
// ended: it may be busy.
func TestProcessThatNeverAnswers(t *testing.T) {
	for _, accepts := range []bool{true, false} {
		t.Run(fmt.Sprintf("accepts=%v", accepts), func(t *testing.T) {
			dir := shortDir(t)
			listener, err := server.Listen(dir) // the process is this one
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			if accepts {
				go swallow(listener)
			}
			began := time.Now()
			_, err = impatient(t, dir).Load(context.Background())
			if took := time.Since(began); took < patience || took > patience+5*time.Second {
				t.Errorf("it took %v", took)
			}
			want := fmt.Sprintf("process %d has not answered for 500ms; end it (kill -9 %[1]d)", os.Getpid())
			if !errors.Is(err, model.ErrUnavailable) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// swallow reads what clients write, and says nothing.
func swallow(listener net.Listener) {
	for {
		stream, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			buffer := make([]byte, 1024)
			for {
				if _, err := stream.Read(buffer); err != nil {
					return
				}
			}
		}()
	}
}

// A stopped process is replaced, and sessions go on in its successor.
func TestReplacesAStoppedProcess(t *testing.T) {
	t.Setenv(serveEnv, "current")
	dir := shortDir(t)
	p := impatient(t, dir)
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	predict(t, s, "a+1")
	var stopped int
	fmt.Sscan(p.Info().Device, &stopped)
	if err := syscall.Kill(stopped, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(stopped, syscall.SIGKILL)

	// Who is waiting for an answer gets it from the successor.
	predict(t, s, "a+1+2")
	var successor int
	if fmt.Sscan(p.Info().Device, &successor); successor == stopped {
		t.Error("the stopped process still counts")
	}
	// A new client meets the successor.
	info, err := impatient(t, dir).Load(context.Background())
	if err != nil || info.Device != fmt.Sprint(successor) {
		t.Errorf("a new client got %v, %v", info, err)
	}
}

// A stopped process is noticed long before its silence would tell.
func TestStoppedProcessIsReplacedSoon(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count") // has the patience that users have
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	var stopped int
	fmt.Sscan(p.Info().Device, &stopped)
	if err := syscall.Kill(stopped, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(stopped, syscall.SIGKILL)
	began := time.Now()
	predict(t, s, "a+1")
	if took := time.Since(began); took > rpc.DefaultPatience/2 {
		t.Errorf("it took %v", took)
	}
}

// A process that computes for long is not taken for one that is stuck.
func TestPatienceWithABusyProcess(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := impatient(t, shortDir(t))
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 3*patience)
	defer stop()
	_, err = s.Predict(ctx, statetree.Action{Kind: statetree.Continue}) // waits to be cancelled
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	predict(t, s, "a+1")
}
