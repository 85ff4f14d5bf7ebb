package dataset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// CodeKey is the Key of what a model is shown of a program, the driver left out:
// what two datasets have in common when a model that learned from one has seen a
// program of the other.
func CodeKey(p statetree.Program) uint64 {
	return Key(strings.TrimSuffix(p.Code, source.DriverSource(p.Entry)))
}

// ProgramKeys returns the CodeKey of every program in a split of a dataset.
func ProgramKeys(dir string, split Split) (map[uint64]bool, error) {
	paths, err := shards(dir, split)
	if err != nil {
		return nil, fmt.Errorf("read a dataset: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("read a dataset: %s has no %s shards", dir, split)
	}
	keys := map[uint64]bool{}
	for _, path := range paths {
		if err := addProgramKeys(path, keys); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// shownText is the column that has the code.
type shownText struct {
	Text string `parquet:"text,zstd"`
}

func addProgramKeys(path string, keys map[uint64]bool) error {
	r, err := openShard[shownText](path)
	if err != nil {
		return err
	}
	for left := r.count(); left > 0; {
		rows, err := r.next(min(left, rowGroup))
		if err != nil || len(rows) == 0 {
			return errors.Join(err, r.close())
		}
		for i := range rows {
			keys[Key(withoutDriver(codeOf(rows[i].Text)))] = true
		}
		left -= len(rows)
	}
	return r.close()
}

// codeOf returns the code at the beginning of a sequence's text.
func codeOf(text string) string {
	_, code, _ := strings.Cut(text, grammar.TraceContextStart.String())
	code, _, _ = strings.Cut(code, "\n"+grammar.FrameSep.String())
	return code + "\n"
}

// withoutDriver removes the two lines of a driver at the end of code.
func withoutDriver(code string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(code, "\n"), "\n")
	if n := len(lines); n > 2 && strings.HasPrefix(lines[n-2], "def main") &&
		strings.HasSuffix(lines[n-2], "():\n") && strings.HasPrefix(lines[n-1], "    return ") {
		return strings.Join(lines[:n-2], "")
	}
	return code
}
