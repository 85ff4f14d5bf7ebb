//go:build unix

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
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

// TestInterruptedOpening interrupts this process while a completions server does not
// say which models it has: nothing waits for the time-out.
func TestInterruptedOpening(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	for _, command := range []string{"predict", "run"} {
		var stderr bytes.Buffer
		code := make(chan int, 1)
		go func() {
			args := []string{command, "../../examples/count_berry.py", "--model", server.URL + "/v1#m", "--tokenizer", "../../model/nano"}
			if command == "predict" {
				args = append(args, "--actions", "step_into")
			}
			code <- run(args, strings.NewReader(""), &bytes.Buffer{}, &stderr)
		}()
		<-asked
		begun := time.Now()
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if got := <-code; got != exitInterrupted || stderr.String() != "neuraldbg: interrupted\n" {
			t.Errorf("%s: exit code %d, and it says %q", command, got, &stderr)
		}
		if d := time.Since(begun); d > 5*time.Second {
			t.Errorf("%s: interrupted after %v", command, d)
		}
	}
}

// pythonString is a path as Python writes it.
func pythonString(path string) string { return "'" + strings.ReplaceAll(path, "'", `\'`) + "'" }
