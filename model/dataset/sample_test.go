package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadSampling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	for text, want := range map[string]string{ // of the error; "" for none
		`{"max_states": 12}`:                 "",
		`{`:                                  "not JSON: it ends too early",
		`{"weights": {}}`:                    `unknown field "weights"`,
		`{"visited_breakpoint": 1.5}`:        "visited_breakpoint is 1.5, must be between 0 and 1",
		`{"function_line": -0.5}`:            "function_line is -0.5, must be between 0 and 1",
		`{"forward_start": {"line": -1}}`:    "forward_start.line is -1, must not be negative",
		`{"max_states": -1}`:                 "max_states is -1, must not be negative",
		`{"max_states": "many"}`:             "max_states is a string, must be a whole number",
		`{"heads": {"weight": -4}}`:          "heads.weight is -4, must not be negative",
		`{"forward": [{"step_into": -0.5}]}`: "the weight of step_into is negative",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		o, err := ReadSampling(path)
		switch {
		case want == "" && (err != nil || o.MaxStates != 12 || len(o.Forward) == 0):
			t.Errorf("%s: %+v, %v", text, o, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
