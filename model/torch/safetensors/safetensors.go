// Package safetensors reads and writes the safetensors format: a header in JSON
// with each tensor's number type, shape and place, and then the numbers,
// little-endian and row-major. It reads F32, F16 and BF16 as float32 and knows
// nothing of models.
//
// A file is: 8 bytes, the header's length as uint64; the header,
// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …,
// "__metadata__": {"key": "value"}}; the data that the offsets count from.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

// maxHeader is the format's own limit, in bytes.
const maxHeader = 100 << 20

// Tensor is where a tensor is in a file.
type Tensor struct {
	DType   string
	Shape   []int
	offset  int64 // in the file
	bytes   int64
	archive *os.File
}

// Path is the file that the tensor is in.
func (t Tensor) Path() string { return t.archive.Name() }

// Bytes is the size of the numbers in the file.
func (t Tensor) Bytes() int64 { return t.bytes }

// Len is the number of numbers.
func (t Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Archive is one or more open files with tensors of different names.
type Archive struct {
	Tensors  map[string]Tensor
	Metadata map[string]string
	files    []*os.File
}

// Names are the names of all tensors, sorted.
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.Tensors))
	for name := range a.Tensors {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Close closes the files.
func (a *Archive) Close() error {
	var err error
	for _, f := range a.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Open opens one file.
func Open(path string) (*Archive, error) {
	a := &Archive{Tensors: map[string]Tensor{}, Metadata: map[string]string{}}
	if err := a.add(path); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// OpenDir opens a checkpoint's folder: model.safetensors, or the files that
// model.safetensors.index.json names.
func OpenDir(dir string) (*Archive, error) {
	text, err := regularfile.ReadFile(filepath.Join(dir, "model.safetensors.index.json"))
	if errors.Is(err, os.ErrNotExist) {
		a, err := Open(filepath.Join(dir, "model.safetensors"))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s has no weights: neither model.safetensors nor model.safetensors.index.json is there; copy them there, other formats converted to safetensors", dir)
		}
		return a, err
	}
	if err != nil {
		return nil, fmt.Errorf("read the index of the weights: %w", err)
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("model.safetensors.index.json in %s is damaged: %w", dir, jsonerror.Describe(err))
	}
	names := map[string]bool{}
	for _, file := range index.WeightMap {
		names[file] = true
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		if name != filepath.Base(name) {
			return nil, fmt.Errorf("model.safetensors.index.json in %s names the file %q outside its folder", dir, name)
		}
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	a := &Archive{Tensors: map[string]Tensor{}, Metadata: map[string]string{}}
	for _, name := range sorted {
		err := a.add(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%s lacks %s, one of the %d files of its weights; copy it there", dir, name, len(sorted))
		}
		if err != nil {
			a.Close()
			return nil, err
		}
	}
	for name := range index.WeightMap {
		if _, ok := a.Tensors[name]; !ok {
			a.Close()
			return nil, fmt.Errorf("model.safetensors.index.json in %s names tensor %s, which no file has; get the checkpoint anew", dir, name)
		}
	}
	return a, nil
}

func (a *Archive) add(path string) error {
	f, err := regularfile.Open(path)
	if err != nil {
		return fmt.Errorf("open weights: %w", err)
	}
	a.files = append(a.files, f)
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open weights: %w", err)
	}
	tensors, metadata, err := parseHeader(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s is damaged: %w; get it anew", path, err)
	}
	for name, t := range tensors {
		if _, ok := a.Tensors[name]; ok {
			return fmt.Errorf("%s: tensor %s is in another file too", path, name)
		}
		t.archive = f
		a.Tensors[name] = t
	}
	for k, v := range metadata {
		a.Metadata[k] = v
	}
	return nil
}

var elementBytes = map[string]int64{
	"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1,
}

// parseHeader reads and checks the header of a file of the given size.
func parseHeader(r io.Reader, size int64) (map[string]Tensor, map[string]string, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, nil, fmt.Errorf("it is cut short: the header's length: %w", err)
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > maxHeader || int64(length) > size-8 {
		return nil, nil, fmt.Errorf("it is cut short, or no safetensors file: the header's length is %d in a file of %d bytes", length, size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, fmt.Errorf("read the header: %w", err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, fmt.Errorf("read the header: %w", jsonerror.Describe(err))
	}
	var metadata map[string]string
	if m, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(m, &metadata); err != nil {
			return nil, nil, fmt.Errorf("read __metadata__: %w", jsonerror.Describe(err))
		}
		delete(raw, "__metadata__")
	}
	tensors := make(map[string]Tensor, len(raw))
	for name, message := range raw {
		var entry struct {
			DType   string   `json:"dtype"`
			Shape   []int    `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(message, &entry); err != nil {
			return nil, nil, fmt.Errorf("read the entry of %s: %w", name, jsonerror.Describe(err))
		}
		count := int64(1)
		for _, d := range entry.Shape {
			if d < 0 || d > 0 && count > math.MaxInt32*int64(1024)/int64(d) {
				return nil, nil, fmt.Errorf("tensor %s has shape %v", name, entry.Shape)
			}
			count *= int64(d)
		}
		width, ok := elementBytes[entry.DType]
		begin, end := entry.Offsets[0], entry.Offsets[1]
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("tensor %s has the unknown number type %q", name, entry.DType)
		case begin < 0 || end < begin:
			return nil, nil, fmt.Errorf("tensor %s is at %d to %d", name, begin, end)
		case end > size-8-int64(length):
			return nil, nil, fmt.Errorf("it is cut short: tensor %s ends at byte %d of a file of %d", name, 8+int64(length)+end, size)
		case end-begin != count*width:
			return nil, nil, fmt.Errorf("tensor %s has %d bytes for shape %v of %s", name, end-begin, entry.Shape, entry.DType)
		}
		tensors[name] = Tensor{DType: entry.DType, Shape: entry.Shape, offset: 8 + int64(length) + begin, bytes: end - begin}
	}
	return tensors, metadata, nil
}

// Float32 reads the tensor's numbers, row-major.
func (t Tensor) Float32() ([]float32, error) {
	raw := make([]byte, t.bytes)
	switch _, err := t.archive.ReadAt(raw, t.offset); {
	case err == io.EOF: // it was long enough when it was opened
		return nil, errors.New("the file was cut short while it was read; get it anew")
	case err != nil:
		return nil, fmt.Errorf("read weights: %w", err)
	}
	out := make([]float32, t.Len())
	switch t.DType {
	case "F32":
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case "BF16":
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		}
	case "F16":
		for i := range out {
			out[i] = FromFloat16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	default:
		return nil, fmt.Errorf("numbers of type %s are not supported; F32, F16 and BF16 are", t.DType)
	}
	return out, nil
}
