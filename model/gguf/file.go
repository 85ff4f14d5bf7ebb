package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// File is an open GGUF file.
type File struct {
	// Metadata has numbers as int64, uint64 or float64, bool, string, and []any
	// of these.
	Metadata map[string]any
	Tensors  map[string]Tensor
	file     *os.File
}

// Tensor is a tensor's place in the file.
type Tensor struct {
	// Shape has the sizes with the last running fastest, as Hugging Face's
	// files count them.
	Shape []int
	Type  Type

	offset, bytes int64
	file          *os.File
}

// Bounds of what a file can say, so that a damaged one takes no memory.
const (
	maxEntries = 1 << 20
	maxString  = 1 << 24
	maxArray   = 1 << 24
	maxRank    = 4
)

// Open reads a file's header.
func Open(path string) (*File, error) {
	file, err := regularfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a model: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		var f *File
		if f, err = parse(file, info.Size()); err == nil {
			f.file = file
			for name, t := range f.Tensors {
				t.file = file
				f.Tensors[name] = t
			}
			return f, nil
		}
	}
	file.Close()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("it is cut short")
	}
	return nil, fmt.Errorf("%s is not a GGUF file, or damaged: %w", path, err)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// reader reads a header and counts.
type reader struct {
	*bufio.Reader
	at int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.at += int64(n)
	return n, err
}

func read[T any](r *reader) (v T, err error) {
	err = binary.Read(r, binary.LittleEndian, &v)
	return v, err
}

// parse reads the header of a file of the given size.
func parse(from io.Reader, size int64) (*File, error) {
	r := &reader{Reader: bufio.NewReader(from)}
	var head struct {
		Magic   [4]byte
		Version uint32
		Tensors uint64
		Entries uint64
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	switch {
	case string(head.Magic[:]) != "GGUF":
		return nil, fmt.Errorf("it begins with %q", head.Magic)
	case head.Version != 2 && head.Version != 3:
		return nil, fmt.Errorf("its version is %d; 2 and 3 are supported", head.Version)
	case head.Tensors > maxEntries || head.Entries > maxEntries:
		return nil, fmt.Errorf("it has %d tensors and %d metadata entries", head.Tensors, head.Entries)
	}
	f := &File{Metadata: map[string]any{}, Tensors: map[string]Tensor{}}
	for range head.Entries {
		key, err := readString(r)
		if err != nil {
			return nil, err
		}
		kind, err := read[uint32](r)
		if err != nil {
			return nil, err
		}
		if f.Metadata[key], err = readValue(r, kind, true); err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
	}
	for range head.Tensors {
		name, t, err := readTensor(r)
		if err != nil {
			return nil, err
		}
		if _, ok := f.Tensors[name]; ok {
			return nil, fmt.Errorf("tensor %s is there twice", name)
		}
		f.Tensors[name] = t
	}
	return f, f.place(r.at, size)
}

// place finds where in the file the tensors are; the header has so many bytes.
func (f *File) place(header, size int64) error {
	alignment := int64(32)
	if n, ok := f.Int("general.alignment"); ok {
		alignment = int64(n)
	}
	if alignment < 1 || alignment > 1<<20 {
		return fmt.Errorf("its alignment is %d", alignment)
	}
	data := (header + alignment - 1) / alignment * alignment
	for name, t := range f.Tensors {
		if t.offset < 0 || t.offset > size || data+t.offset+t.bytes > size {
			return fmt.Errorf("it is cut short: tensor %s ends at byte %d of a file of %d", name, data+t.offset+t.bytes, size)
		}
		t.offset += data
		f.Tensors[name] = t
	}
	return nil
}

func readString(r *reader) (string, error) {
	n, err := read[uint64](r)
	if err != nil {
		return "", err
	}
	if n > maxString {
		return "", fmt.Errorf("a string has %d bytes", n)
	}
	text := make([]byte, 0, min(n, 1<<12))
	for uint64(len(text)) < n {
		part := make([]byte, min(n-uint64(len(text)), 1<<16))
		if _, err := io.ReadFull(r, part); err != nil {
			return "", err
		}
		text = append(text, part...)
	}
	return string(text), nil
}

// readValue reads a metadata value of a kind as the format numbers them.
func readValue(r *reader, kind uint32, arrays bool) (any, error) {
	switch kind {
	case 0:
		v, err := read[uint8](r)
		return uint64(v), err
	case 1:
		v, err := read[int8](r)
		return int64(v), err
	case 2:
		v, err := read[uint16](r)
		return uint64(v), err
	case 3:
		v, err := read[int16](r)
		return int64(v), err
	case 4:
		v, err := read[uint32](r)
		return uint64(v), err
	case 5:
		v, err := read[int32](r)
		return int64(v), err
	case 6:
		v, err := read[float32](r)
		return float64(v), err
	case 7:
		v, err := read[uint8](r)
		return v != 0, err
	case 8:
		return readString(r)
	case 10:
		return read[uint64](r)
	case 11:
		return read[int64](r)
	case 12:
		return read[float64](r)
	case 9:
		if arrays {
			return readArray(r)
		}
	}
	return nil, fmt.Errorf("its type %d is unknown", kind)
}

func readArray(r *reader) (any, error) {
	kind, err := read[uint32](r)
	if err != nil {
		return nil, err
	}
	n, err := read[uint64](r)
	if err != nil {
		return nil, err
	}
	if n > maxArray {
		return nil, fmt.Errorf("it has %d elements", n)
	}
	var list []any
	for range n {
		v, err := readValue(r, kind, false)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func readTensor(r *reader) (name string, t Tensor, err error) {
	if name, err = readString(r); err != nil {
		return "", t, err
	}
	rank, err := read[uint32](r)
	if err != nil {
		return "", t, err
	}
	if rank < 1 || rank > maxRank {
		return "", t, fmt.Errorf("tensor %s has %d dimensions", name, rank)
	}
	count := int64(1)
	t.Shape = make([]int, rank)
	for i := range t.Shape {
		n, err := read[uint64](r)
		if err != nil {
			return "", t, err
		}
		if n == 0 || n > math.MaxInt32 || count > 1<<40/int64(n) {
			return "", t, fmt.Errorf("tensor %s has a dimension of %d", name, n)
		}
		count *= int64(n)
		t.Shape[len(t.Shape)-1-i] = int(n)
	}
	kind, err := read[uint32](r)
	if err != nil {
		return "", t, err
	}
	t.Type = Type(kind)
	block, ok := blocks[t.Type]
	if !ok {
		return "", t, fmt.Errorf("tensor %s has the number type %v, which is not supported; F32, F16, BF16, Q4_0, Q4_1 and Q8_0 are", name, t.Type)
	}
	if int64(t.Shape[len(t.Shape)-1])%block.numbers != 0 {
		return "", t, fmt.Errorf("tensor %s of shape %v does not consist of blocks of %d", name, t.Shape, block.numbers)
	}
	t.bytes = count / block.numbers * block.bytes
	offset, err := read[uint64](r)
	if offset > math.MaxInt64/2 {
		return "", t, fmt.Errorf("tensor %s is at %d", name, offset)
	}
	t.offset = int64(offset)
	return name, t, err
}

// Int returns a whole number of the metadata.
func (f *File) Int(key string) (int, bool) {
	switch v := f.Metadata[key].(type) {
	case uint64:
		return int(v), v <= math.MaxInt32
	case int64:
		return int(v), v >= 0 && v <= math.MaxInt32
	}
	return 0, false
}

// Float returns a number of the metadata.
func (f *File) Float(key string) (float64, bool) {
	v, ok := f.Metadata[key].(float64)
	return v, ok
}

// String returns a text of the metadata; "" if there is none.
func (f *File) String(key string) string {
	v, _ := f.Metadata[key].(string)
	return v
}

// Strings returns a list of texts of the metadata; nil if there is none.
func (f *File) Strings(key string) []string {
	list, _ := f.Metadata[key].([]any)
	texts := make([]string, len(list))
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		texts[i] = text
	}
	return texts
}
