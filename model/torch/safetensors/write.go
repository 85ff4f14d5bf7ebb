package safetensors

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// Entry is a tensor to write.
type Entry struct {
	Name  string
	Shape []int
	Data  []float32
	DType string // F32, also when empty, F16 or BF16
}

// dtype is the entry's number type.
func (e Entry) dtype() string {
	if e.DType == "" {
		return "F32"
	}
	return e.DType
}

// appendTo appends one of the entry's numbers to raw, in its number type.
func (e Entry) appendTo(raw []byte, v float32) []byte {
	switch e.DType {
	case "F16":
		return binary.LittleEndian.AppendUint16(raw, toFloat16(v))
	case "BF16":
		return binary.LittleEndian.AppendUint16(raw, toBFloat16(v))
	}
	return binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
}

// Write writes entries to a file, in their order. Files that must not be seen
// half-written go to a folder that is renamed afterwards.
func Write(path string, entries []Entry, metadata map[string]string) (err error) {
	header := map[string]any{}
	if len(metadata) > 0 {
		header["__metadata__"] = metadata
	}
	offset := int64(0)
	for _, e := range entries {
		n := 1
		for _, d := range e.Shape {
			n *= d
		}
		if n != len(e.Data) {
			return fmt.Errorf("write %s: tensor %s has %d numbers for shape %v", path, e.Name, len(e.Data), e.Shape)
		}
		if _, ok := header[e.Name]; ok {
			return fmt.Errorf("write %s: two tensors are named %s", path, e.Name)
		}
		switch e.dtype() {
		case "F32", "F16", "BF16":
		default:
			return fmt.Errorf("write %s: tensor %s cannot be written as %s; F32, F16 and BF16 can", path, e.Name, e.DType)
		}
		end := offset + elementBytes[e.dtype()]*int64(n)
		header[e.Name] = map[string]any{"dtype": e.dtype(), "shape": e.Shape, "data_offsets": []int64{offset, end}}
		offset = end
	}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	for len(text)%8 != 0 { // aligns the data
		text = append(text, ' ')
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write weights: %w", err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("write weights: %w", closeErr)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	put := func(b []byte) {
		if err == nil {
			_, err = w.Write(b)
		}
	}
	put(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	put(text)
	buf := make([]byte, 0, 1<<16)
	for _, e := range entries {
		for _, v := range e.Data {
			if buf = e.appendTo(buf, v); len(buf) > cap(buf)-4 {
				put(buf)
				buf = buf[:0]
			}
		}
	}
	put(buf)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
