package corpus

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// jsonlStride is how many cases lie between two places of a file that JSONL
// knows: memory is two words for so many cases.
const jsonlStride = 1000

// JSONL is a file of JSON lines as ReadJSONL takes them, as a Collection. Memory
// does not grow with the cases.
type JSONL struct {
	path   string
	count  int
	places []jsonlPlace // of case 0, jsonlStride, ...
}

// OpenJSONL reads a file once to count its cases. A line that is no case is an
// error that names it: better now than after hours of work on those before it.
func OpenJSONL(path string) (*JSONL, error) {
	file, err := regularfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the cases: %w", err)
	}
	defer file.Close()
	j := &JSONL{path: path}
	for lines := newJSONLines(file, jsonlPlace{line: 1}); ; j.count++ {
		_, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if j.count%jsonlStride == 0 {
			j.places = append(j.places, lines.at)
		}
	}
	if j.count == 0 {
		return nil, fmt.Errorf("%s has no cases: it needs JSON lines with code and input", path)
	}
	return j, nil
}

// Len returns the number of cases.
func (j *JSONL) Len() int { return j.count }

// Range yields cases. An error names the line; there is none but for a file that
// has changed since it was opened.
func (j *JSONL) Range(from, to int) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		if from >= to {
			return
		}
		file, err := regularfile.Open(j.path)
		if err != nil {
			yield(Case{}, fmt.Errorf("opening the cases: %w", err))
			return
		}
		defer file.Close()
		index := from / jsonlStride * jsonlStride
		place := j.places[index/jsonlStride]
		if _, err := file.Seek(place.offset, io.SeekStart); err != nil {
			yield(Case{}, fmt.Errorf("reading the cases of %s: %w", j.path, err))
			return
		}
		for lines := newJSONLines(file, place); index < to; index++ {
			c, err := lines.next()
			if errors.Is(err, io.EOF) {
				err = errors.New("it has become shorter while it was read")
			}
			if err != nil {
				yield(Case{}, fmt.Errorf("%s: %w", j.path, err))
				return
			}
			c.Index = uint64(index)
			if index >= from && !yield(c, nil) {
				return
			}
		}
	}
}

// Provenance names the file and has the licences that lie beside it.
func (j *JSONL) Provenance() Provenance {
	return Provenance{Name: "jsonl/" + filepath.Base(j.path), Files: 1, Entries: j.count, Licences: licences(j.path, nil, nil)}
}

// Foreign confines the programs.
func (j *JSONL) Foreign() *Foreign { return &Foreign{} }
