package neural

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormatInConfig(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	if _, err := ReadFormat(dir); err == nil || !strings.Contains(err.Error(), "no config.json") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"model_type": "llama", "rope_theta": 10000.0}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFormat(dir); err == nil || !strings.Contains(err.Error(), "not trained") {
		t.Errorf("another model: %v", err)
	}
	if err := CurrentFormat().Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFormat(dir)
	if err != nil || got != CurrentFormat() || got.Check() != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(text, &config); err != nil || config["model_type"] != "llama" || config["rope_theta"] != 10000.0 {
		t.Errorf("the other keys became %v, %v", config, err)
	}
	if err := os.WriteFile(path, []byte(`{"neuraldbg": {`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFormat(dir); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestFormatCheck(t *testing.T) {
	other := CurrentFormat()
	other.Grammar = "0123"
	if err := other.Check(); err == nil || !strings.Contains(err.Error(), "0123") || !strings.Contains(err.Error(), CurrentFormat().Grammar) {
		t.Errorf("another grammar: %v", err)
	}
	other.Grammar = ""
	if err := other.Check(); err == nil || !strings.Contains(err.Error(), "does not say the grammar") {
		t.Errorf("no grammar: %v", err)
	}
	other = CurrentFormat()
	other.Dialect = "cwm"
	if err := other.Check(); err == nil || !strings.Contains(err.Error(), "cwm") {
		t.Errorf("another dialect: %v", err)
	}
}
