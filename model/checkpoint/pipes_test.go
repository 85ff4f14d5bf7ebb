//go:build unix

package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
)

// A pipe in place of any of a checkpoint's files is told at once: nobody may ever
// write into it.
func TestPipes(t *testing.T) {
	for _, name := range []string{
		"config.json", tokenizer.File, neural.CalibrationFile, "model.safetensors", "model.safetensors.index.json", SumsFile,
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../nano")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
		told := make(chan string, 1)
		go func() {
			d, err := Describe(dir)
			text := d.Reason
			if err != nil {
				text += err.Error()
			}
			if _, err := Verify(dir); err != nil {
				text += err.Error()
			}
			told <- text
		}()
		select {
		case text := <-told:
			if !strings.Contains(text, path+": it is a pipe") {
				t.Errorf("%s: told is %q", name, text)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: waits for a writer", name)
		}
	}
}
