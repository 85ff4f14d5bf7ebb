package rpc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// Clients of two installations that begin at once all get their predictions, from
// a process for each installation.
func TestInstallationsDoNotReplaceEachOther(t *testing.T) {
	t.Setenv(serveEnv, "current")
	base := filepath.Dir(string(shortDir(t)))
	t.Setenv("XDG_RUNTIME_DIR", base)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const installations, clients = 2, 4
	var (
		all  sync.WaitGroup
		pids [installations][clients]string
	)
	for i := range installations {
		executable := filepath.Join(base, fmt.Sprint("model", i))
		if err := os.Link(self, executable); err != nil {
			t.Skip(err)
		}
		for j := range clients {
			all.Go(func() {
				p := rpc.NewPredictor(rpc.Options{Model: "count", Executable: executable})
				defer p.Close()
				if _, err := p.Load(context.Background()); err != nil {
					t.Error(err)
					return
				}
				s, _, err := p.Open(context.Background(), startAt("a"))
				if err != nil {
					t.Error(err)
					return
				}
				for range 5 {
					if _, err := s.Predict(context.Background(), stepInto); err != nil {
						t.Error(err)
					}
				}
				pids[i][j] = p.Info().Device
			})
		}
	}
	all.Wait()
	defer func() {
		for i := range pids {
			var pid int
			if fmt.Sscan(pids[i][0], &pid); pid > 0 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}()
	for i := range pids {
		for j := range pids[i] {
			if pids[i][j] != pids[i][0] || pids[i][j] == pids[1-i][0] {
				t.Fatalf("processes %v; want one for each installation", pids)
			}
		}
	}
}
