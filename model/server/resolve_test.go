package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	models := t.TempDir()
	nano := filepath.Join(models, "nano")
	if err := os.Mkdir(nano, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(nano, "config.json")
	if err := os.WriteFile(config, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ModelsEnv, models)
	for _, tt := range []struct{ name, want, wrong string }{
		{name: "nano", want: nano},
		{name: nano, want: nano},
		{name: "micro", wrong: filepath.Join(models, "micro")},
		{name: "", wrong: "no model"},
		{name: filepath.Join(models, "none"), wrong: "no such file"},
		{name: config, wrong: "is a file"},
	} {
		got, err := Resolve(tt.name)
		if tt.wrong == "" && (err != nil || got != tt.want) {
			t.Errorf("%q: %q, %v; want %q", tt.name, got, err, tt.want)
		}
		if tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%q: %v, want %q in it", tt.name, err, tt.wrong)
		}
	}
}
