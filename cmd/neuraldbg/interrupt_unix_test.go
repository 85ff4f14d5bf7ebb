//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedRecording interrupts this process while it records: the exit code
// is the same for a file and for a command, and what was recorded is there.
func TestInterruptedRecording(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
	for name, args := range map[string]func(file, trace string) []string{
		"file": func(file, trace string) []string { return []string{"record", file, "-o", trace} },
		"command": func(file, trace string) []string {
			return []string{"record", "-o", trace, "--include", file, "--", "python3", file}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, trace, started := filepath.Join(dir, "wait.py"), filepath.Join(dir, "out"), filepath.Join(dir, "started")
			text := "import time\nopen(" + pythonString(started) + ", 'w').close()\ntime.sleep(600)\n"
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			code := make(chan int, 1)
			go func() { code <- run(args(file, trace), &bytes.Buffer{}, &bytes.Buffer{}, &stderr) }()
			for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(started); err == nil {
					break
				}
				if time.Since(begun) > time.Minute {
					t.Fatal("the program does not start")
				}
			}
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if got := <-code; got != exitInterrupted {
				t.Errorf("exit code %d, want %d", got, exitInterrupted)
			}
			if got := stderr.String(); !strings.HasPrefix(got, "neuraldbg: interrupted; ") || strings.Count(got, "\n") != 1 {
				t.Errorf("it says %q", got)
			}
			if _, err := os.Stat(trace); err != nil {
				t.Error(err)
			}
		})
	}
}

// pythonString is a path as Python writes it.
func pythonString(path string) string { return "'" + strings.ReplaceAll(path, "'", `\'`) + "'" }
