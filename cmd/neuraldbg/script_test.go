package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata/script")

// TestMain lets the scripts run this package's command as a process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"neuraldbg": main})
}

// TestScripts runs the command line as users do; $EXAMPLES is the folder of the
// examples, $TOKENIZER is nano's, and there is no neuraldbg-model.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := filepath.Abs("../../model/nano/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("TOKENIZER", tokenizer)
			env.Setenv("XDG_RUNTIME_DIR", env.WorkDir)
			env.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o755)
		},
	})
}
