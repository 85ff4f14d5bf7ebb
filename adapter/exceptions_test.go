package adapter_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
)

// TestExceptions: an exception stops a step with its own reason, it can be asked
// about, and the return that unwinds its frame shows no value.
func TestExceptions(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(program, []byte("def f(x):\n    return 1 // x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := connect(t, replaying(t, "f(0)"))
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": "f", "arguments": map[string]string{"x": "0"}})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Next()
	s.ExpectStopped("step")
	s.Next()
	const zero = "ZeroDivisionError('integer division or modulo by zero')"
	if stop := s.ExpectStopped("exception"); stop.Text != zero || stop.Description != "Predicted exception: "+zero {
		t.Errorf("stopped with %+v", stop)
	}
	s.ExpectLocal("(exception)", zero)
	s.ExpectLocal("x", "0")
	info := s.Request("exceptionInfo", map[string]any{"threadId": 1}).(*dap.ExceptionInfoResponse).Body
	if info.ExceptionId != "ZeroDivisionError" || info.Description != zero || info.Details == nil || info.Details.StackTrace != program+", line 2, in f" {
		t.Errorf("exception info %+v, details %+v", info, info.Details)
	}
	s.Next()
	s.ExpectStopped("step")
	s.ExpectStack("f (return):2")
	if v, ok := s.Locals()["(return) f"]; ok {
		t.Errorf("a frame that an exception leaves shows the value %s", v)
	}
	s.Continue()
	if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: error" {
		t.Errorf("at the end: %q", stop.Description)
	}
	s.Continue()
	s.ExpectEnd(1)
	s.Disconnect()
}
