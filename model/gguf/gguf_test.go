package gguf

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// TestConvert compares with what the gguf library makes of the same file.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	if err := Convert("testdata/tiny.gguf", dir, "F32"); err != nil {
		t.Fatal(err)
	}
	got, err := safetensors.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	want, err := safetensors.Open("testdata/expected.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if !slices.Equal(got.Names(), want.Names()) {
		t.Fatalf("the tensors are %v, want %v", got.Names(), want.Names())
	}
	for _, name := range want.Names() {
		a, err := got.Tensors[name].Float32()
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Tensors[name].Float32()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Tensors[name].Shape, want.Tensors[name].Shape) || !slices.Equal(a, b) {
			t.Errorf("%s is not as expected: shape %v, begins with %v, want %v", name, got.Tensors[name].Shape, a[:4], b[:4])
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.ModelType != "llama" || c.VocabSize != 264 || c.HeadDim != 8 || c.KeyValueHeads != 2 || c.RopeTheta != 5000 || !c.Tied || *c.EOS != 261 {
		t.Errorf("config.json is %s", text)
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		t.Fatal(err)
	}
	if ids := tok.Encode(nil, "def r<tool>"); !slices.Equal(ids, []int32{258, 259, 260}) {
		t.Errorf("the text is encoded as %v", ids)
	}
	if id, ok := tok.Special("<|eos|>"); !ok || id != 261 {
		t.Errorf("<|eos|> is %d, %v", id, ok)
	}
}

func TestDamagedFiles(t *testing.T) {
	good, err := os.ReadFile("testdata/tiny.gguf")
	if err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("the file has no %q", old)
		}
		return bytes.Replace(good, []byte(old), []byte(new), 1)
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "cut short"},
		{"another format", []byte(strings.Repeat("GGML", 20)), "begins with"},
		{"cut in the header", good[:1000], "cut short"},
		{"cut in the data", good[:len(good)-4000], "cut short: tensor"},
		{"another architecture", replace("general.architecture\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00llama", "general.architecture\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00mamba"), `"mamba" is not supported`},
		{"another tokenizer", replace("gpt2", "bert"), `type "bert"`},
		{"another pre-tokenizer", replace("llama-bpe", "mamma-bpe"), `"mamma-bpe" is not supported`},
		{"an unknown tensor", replace("blk.0.ffn_up", "blk.0.ffn_xx"), "blk.0.ffn_xx.weight is none of a llama model"},
		{"no width", replace("llama.embedding_length", "llama.embedding_lengtx"), "no llama.embedding_length"},
	} {
		path := filepath.Join(t.TempDir(), "x.gguf")
		if err := os.WriteFile(path, test.data, 0o644); err != nil {
			t.Fatal(err)
		}
		err := Convert(path, t.TempDir(), "F32")
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error is %v, want %q in it", test.name, err, test.want)
		}
	}
}

// FuzzParse checks that no file makes the parser fail other than with an error,
// and that what it accepts lies inside the file.
func FuzzParse(f *testing.F) {
	good, err := os.ReadFile("testdata/tiny.gguf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:24])
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for name, tensor := range file.Tensors {
			if tensor.offset < 0 || tensor.bytes < 0 || tensor.offset+tensor.bytes > int64(len(data)) {
				t.Errorf("%q is at %d with %d bytes in a file of %d", name, tensor.offset, tensor.bytes, len(data))
			}
		}
	})
}
