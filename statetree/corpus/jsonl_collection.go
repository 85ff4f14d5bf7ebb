package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// jsonlStride is how many cases lie between two places of a file that JSONL
// knows: memory is a word for so many cases.
const jsonlStride = 1000

// JSONL is a file of JSON lines as ReadJSONL takes them, as a Collection. Memory
// does not grow with the cases.
type JSONL struct {
	path   string
	count  int
	places []int64 // of case 0, jsonlStride, ...
}

// OpenJSONL counts the cases of a file. It does not parse them.
func OpenJSONL(path string) (*JSONL, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the cases: %w", err)
	}
	defer file.Close()
	j := &JSONL{path: path}
	lines := bufio.NewReaderSize(file, 1<<16)
	var at int64
	for {
		length, isCase, err := lineLength(lines)
		if isCase {
			if j.count%jsonlStride == 0 {
				j.places = append(j.places, at)
			}
			j.count++
		}
		at += length
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the cases of %s: %w", path, err)
		}
	}
	if j.count == 0 {
		return nil, fmt.Errorf("%s has no cases: it needs JSON lines with code and input", path)
	}
	return j, nil
}

// lineLength reads a line and returns how many bytes it has with its end, and
// whether it is a case.
func lineLength(r *bufio.Reader) (length int64, isCase bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		isCase = isCase || hasCase(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return length, isCase, err
		}
	}
}

// Len returns the number of cases.
func (j *JSONL) Len() int { return j.count }

// Range yields cases. An error names the line, counted from the last place that
// is known.
func (j *JSONL) Range(from, to int) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		if from >= to {
			return
		}
		file, err := os.Open(j.path)
		if err != nil {
			yield(Case{}, fmt.Errorf("opening the cases: %w", err))
			return
		}
		defer file.Close()
		first := from / jsonlStride * jsonlStride
		if _, err := file.Seek(j.places[first/jsonlStride], io.SeekStart); err != nil {
			yield(Case{}, fmt.Errorf("reading the cases of %s: %w", j.path, err))
			return
		}
		index := first
		for c, err := range ReadJSONL(file) {
			if err != nil {
				yield(Case{}, fmt.Errorf("%s: behind case %d: %w", j.path, first, err))
				return
			}
			if index >= to {
				return
			}
			c.Index = uint64(index)
			if index >= from && !yield(c, nil) {
				return
			}
			index++
		}
	}
}

// Provenance names the file and has the licences that lie beside it.
func (j *JSONL) Provenance() Provenance {
	return Provenance{Name: "jsonl/" + filepath.Base(j.path), Files: 1, Entries: j.count, Licences: licences(j.path, nil, nil)}
}

// Foreign confines the programs.
func (j *JSONL) Foreign() *Foreign { return &Foreign{} }
