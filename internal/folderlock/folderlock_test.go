//go:build unix

package folderlock

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// holderEnv has this test's executable take the lock of a folder, say so, and wait.
const holderEnv = "FOLDERLOCK_TEST_HOLDS"

func TestMain(m *testing.M) {
	dir := os.Getenv(holderEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	_, err := Take(dir)
	fmt.Println("taken", err)
	select {}
}

// A lock is there for one at a time, and ends with a process that is killed.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderEnv+"="+dir)
	said, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	if n, err := said.Read(buffer); !strings.HasPrefix(string(buffer[:n]), "taken <nil>") {
		t.Fatalf("the other process says %q, %v", buffer[:n], err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), dir) {
		t.Errorf("held by another process: %v", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed

	lock, err := Take(dir)
	if err != nil {
		t.Fatalf("the other process is gone: %v", err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrHeld) {
		t.Errorf("held by this process: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := Take(dir)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}
