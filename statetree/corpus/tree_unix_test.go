//go:build unix

package corpus

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestScanTreePassesOverWhatIsNoFile(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.py": "def f(x):\n    return x\nassert f(1) == 1\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.py"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tree, err := ScanTree(ctx, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.Provenance().Dropped["link to nothing, or no regular file"]; tree.Len() != 1 || got != 1 {
		t.Errorf("%d entries, %d files passed over; want one of each", tree.Len(), got)
	}
}
