package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
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

// What is wrong with a model's name fails the launch itself, and the client may
// launch again.
func TestLaunchOfAModelThatIsNone(t *testing.T) {
	tokenizer, err := filepath.Abs("../../model/nano")
	if err != nil {
		t.Fatal(err)
	}
	noModel := t.TempDir()
	configOnly, untrained := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(configOnly, "config.json", `{"model_type": "llama"}`)
	if err := os.CopyFS(untrained, os.DirFS(tokenizer)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(tokenizer, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(untrained, "tokenizer.json", strings.ReplaceAll(string(text), "<|frame_sep|>", "<|other|>"))
	t.Setenv("PATH", noModel) // there is no neuraldbg-model
	client := daptest.Serve(t.Context(), (&app{log: zerolog.Nop()}).dapServer().Serve)
	defer client.Close()
	if _, err := client.Initialize(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		launch map[string]any
		want   string
	}{
		{map[string]any{"model": "nanoo"}, `there is no model "nanoo"`},
		{map[string]any{"model": noModel}, "config.json"},
		{map[string]any{"model": "replay:"}, "needs the path of a trace"},
		{map[string]any{"model": "replay:/nowhere"}, "make a trace with neuraldbg record"},
		{map[string]any{"model": "replay:../../README.md"}, "README.md: it is not a trace file"},
		{map[string]any{"model": "replay:."}, "open .: it is a folder"},
		{map[string]any{"model": configOnly}, "has no weights"},
		{map[string]any{"model": untrained}, "was not trained to predict states"},
		{map[string]any{"model": "http://127.0.0.1:1/v1#m"}, `in launch.json: "tokenizer"`},
		{map[string]any{"model": "http://127.0.0.1:1/v1#m", "tokenizer": noModel}, "config.json"},
		{map[string]any{"model": "nano", "tokenizer": tokenizer}, "a checkpoint folder has its own"},
		{map[string]any{"device": "gpu"}, `device "gpu" is unknown`},
		{map[string]any{"dtype": "int8"}, `number type "int8" is unknown`},
		{map[string]any{"model": "nano"}, "neuraldbg-model is neither beside this program nor on $PATH"},
	} {
		tt.launch["program"] = "../../examples/count_berry.py"
		err := client.Launch(tt.launch)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v; want %q", tt.launch, err, tt.want)
		}
	}
	// Whether a server is there is not waited for.
	if err := client.Launch(map[string]any{
		"program": "../../examples/count_berry.py", "model": "http://127.0.0.1:1/v1#m", "tokenizer": tokenizer,
	}); err != nil {
		t.Error(err)
	}
	if _, err := client.Event("terminated"); err != nil {
		t.Error(err)
	}
	if err := client.Disconnect(); err != nil {
		t.Error(err)
	}
}
