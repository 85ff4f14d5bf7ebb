package safetensors

import "fmt"

// Convert copies the tensors of a file to another, as the given number type.
func Convert(to, from, dtype string) error {
	archive, err := Open(from)
	if err != nil {
		return err
	}
	defer archive.Close()
	var entries []Entry
	for _, name := range archive.Names() {
		t := archive.Tensors[name]
		data, err := t.Float32()
		if err != nil {
			return fmt.Errorf("convert %s of %s: %w", name, from, err)
		}
		entries = append(entries, Entry{Name: name, Shape: t.Shape, Data: data, DType: dtype})
	}
	return Write(to, entries, archive.Metadata)
}
