package safetensors

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzHeader checks that no file makes parseHeader fail other than with an
// error, and that what it accepts lies inside the file.
func FuzzHeader(f *testing.F) {
	file := func(header string, data int) []byte {
		text := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
		return append(append(text, header...), make([]byte, data)...)
	}
	f.Add(file(`{"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}`, 24))
	f.Add(file(`{"__metadata__": {"format": "pt"}, "a": {"dtype": "BF16", "shape": [], "data_offsets": [0, 2]}}`, 2))
	f.Add(file(`{"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}}`, 0))
	f.Add(file(`{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [8, 4]}}`, 8))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, content []byte) {
		tensors, _, err := parseHeader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		for name, tensor := range tensors {
			if tensor.offset < 8 || tensor.bytes < 0 || tensor.offset+tensor.bytes > int64(len(content)) {
				t.Errorf("%q is at %d with %d bytes in a file of %d", name, tensor.offset, tensor.bytes, len(content))
			}
			if int64(tensor.Len())*elementBytes[tensor.DType] != tensor.bytes {
				t.Errorf("%q has %d bytes for shape %v of %s", name, tensor.bytes, tensor.Shape, tensor.DType)
			}
		}
	})
}

// TestOpenDirOfShards reads a checkpoint in two files, and names what is wrong
// with an index.
func TestOpenDirOfShards(t *testing.T) {
	dir := t.TempDir()
	for file, name := range map[string]string{"one.safetensors": "a", "two.safetensors": "b"} {
		if err := Write(filepath.Join(dir, file), []Entry{{Name: name, Shape: []int{1}, Data: []float32{7}}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	index := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index(`{"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}`)
	archive, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if got := strings.Join(archive.Names(), " "); got != "a b" {
		t.Errorf("tensors are %s", got)
	}
	for _, test := range []struct{ text, want string }{
		{`{"weight_map": {"a": "one.safetensors", "c": "two.safetensors"}}`, "tensor c, which no file has"},
		{`{"weight_map": {"a": "../one.safetensors"}}`, "outside its folder"},
		{`{"weight_map": {"a": "three.safetensors"}}`, "three.safetensors"},
		{`{`, "index.json"},
	} {
		index(test.text)
		if _, err := OpenDir(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error of %s is %v, want %q in it", test.text, err, test.want)
		}
	}
}
