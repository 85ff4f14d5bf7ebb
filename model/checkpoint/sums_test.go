package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSums(t *testing.T) {
	dir := folder(t, `{"model_type": "llama"}`, []string{"<|x|>"})
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("model.safetensors", "weights")
	write("README.md", "not part of the model")
	if _, err := Verify(dir); !errors.Is(err, ErrNoSums) {
		t.Errorf("without sums: %v", err)
	}
	if err := WriteSums(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, SumsFile))
	if err != nil || strings.Count(string(text), "\n") != 3 || strings.Contains(string(text), "README") {
		t.Errorf("the sums are\n%s%v", text, err)
	}
	write("README.md", "changed")
	if v, err := Verify(dir); err != nil || v.Good != 3 || v.Others != nil {
		t.Errorf("%+v, %v", v, err)
	}
	write("pytorch_model.bin", "more weights")
	if v, err := Verify(dir); err != nil || v.Good != 3 || !slices.Equal(v.Others, []string{"pytorch_model.bin"}) {
		t.Errorf("with another file: %+v, %v", v, err)
	}
	write("model.safetensors.index.json", "{}") // would be read in place of the weights
	if _, err := Verify(dir); err == nil || !strings.Contains(err.Error(), "model.safetensors.index.json has no sum in SHA256SUMS") {
		t.Errorf("with an index that has no sum: %v", err)
	}
	write("model.safetensors", "weightz")
	if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(dir)
	if v.Good != 1 || err == nil || !strings.Contains(err.Error(), "model.safetensors is not what it was") || !strings.Contains(err.Error(), "tokenizer.json is missing") {
		t.Errorf("%+v, %v", v, err)
	}
	for _, damaged := range []string{"", "x  y\n", strings.Repeat("0", 64) + "  ../y\n", strings.Repeat("0", 63) + "  y\n", strings.Repeat(strings.Repeat("0", 64)+"  y\n", 2)} {
		write(SumsFile, damaged)
		if _, err := Verify(dir); err == nil || !strings.Contains(err.Error(), SumsFile+" is ") {
			t.Errorf("%q: %v", damaged, err)
		}
	}
}

func TestDescribeNano(t *testing.T) {
	d, err := Describe("../nano")
	if err != nil {
		t.Fatal(err)
	}
	if d.Dialect != States || d.Reason != "" || d.Parameters < 1e6 || d.Context == 0 || len(d.DTypes) != 1 || d.Bytes < 2*d.Parameters {
		t.Errorf("%+v", d)
	}
	dirs, err := List("..")
	if err != nil || len(dirs) != 1 || filepath.Base(dirs[0]) != "nano" {
		t.Errorf("the models are %v, %v", dirs, err)
	}
	if dirs, err := List("none"); err != nil || dirs != nil {
		t.Errorf("no folder: %v, %v", dirs, err)
	}
}

// The bundled model is what its sums say.
func TestNanoIsWhole(t *testing.T) {
	if _, err := Verify("../nano"); err != nil {
		t.Error(err)
	}
}
