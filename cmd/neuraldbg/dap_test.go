package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

func TestDapOnBusyPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var stdout, stderr bytes.Buffer
	code := run([]string{"dap", "--listen", listener.Addr().String()}, strings.NewReader(""), &stdout, &stderr)
	message := stderr.String()
	if code != 1 || strings.Count(message, "\n") != 1 || !strings.Contains(message, "already in use") || !strings.Contains(message, "another port") {
		t.Errorf("exit code %d, stderr %q; want 1 and one line that says the port is in use and what to do", code, message)
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout is %q, want nothing", stdout.String())
	}
}

func TestDapEndsWithItsInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"dap"}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || stdout.Len() > 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q; want 0 and nothing", code, stdout.String(), stderr.String())
	}
}
