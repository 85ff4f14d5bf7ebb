//go:build unix

package rpc

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A client that holds the lock for too long is named.
func TestLockNamesItsHolder(t *testing.T) {
	s := starter{dir: RuntimeDir(t.TempDir())}
	unlock, err := s.lock(context.Background(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.lock(context.Background(), 30*time.Millisecond)
	if want := fmt.Sprintf("(pid %d)", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to name %s", err, want)
	}
	unlock()
	if unlock, err = s.lock(context.Background(), time.Second); err != nil {
		t.Fatal(err)
	}
	unlock()
}
