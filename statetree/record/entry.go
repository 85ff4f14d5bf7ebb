package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Function is a function, class body or module that a trace has activations of:
// each of them can be the entry of a trajectory.
type Function struct {
	// File is its path as states have it, Name its qualified name, and Line that
	// of its def: 0 for a module.
	File, Name string
	Line       int
}

// Entry is a Function with what there is of it in some traces.
type Entry struct {
	Function
	// Calls is how often it was called, Resumes how often a generator or
	// coroutine was resumed: both are activations.
	Calls, Resumes int
	// Open is how many of the activations have not returned in the trace.
	Open int
	// States is the number of states of all its activations, without those of
	// the calls in them; Longest is the most states of one activation, with those
	// of the calls in it.
	States, Longest int
}

// Entries lists the functions of some trace files, in order of file and line.
// Memory grows with the number of functions, not with the traces.
func Entries(paths ...string) ([]Entry, error) {
	found := make(map[Function]*Entry)
	for _, path := range paths {
		if err := addEntries(found, path); err != nil {
			return nil, err
		}
	}
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		entries = append(entries, *e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return entries, nil
}

func addEntries(found map[Function]*Entry, path string) error {
	w, err := openWalk(path)
	if err != nil {
		return err
	}
	defer w.reader.Close()
	end := func(f *frame) {
		e := found[f.Function]
		if e == nil {
			e = &Entry{Function: f.Function}
			found[f.Function] = e
		}
		if f.Resumed {
			e.Resumes++
		} else {
			e.Calls++
		}
		if !f.returned {
			e.Open++
		}
		e.States += f.own
		e.Longest = max(e.Longest, w.states-f.first)
	}
	for {
		_, left, err := w.next()
		switch {
		case errors.Is(err, io.EOF):
			for i := range w.stack {
				end(&w.stack[i])
			}
			return nil
		case err != nil:
			return fmt.Errorf("reading the trace %s: %w", path, err)
		case left != nil:
			end(left)
		}
	}
}

// Traces lists the trace files of a folder, in the order of their names.
func Traces(folder string) ([]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("listing the traces of %s: %w", folder, err)
	}
	var paths []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), traceExtension) {
			paths = append(paths, filepath.Join(folder, f.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no traces in %s; make some with neuraldbg record", folder)
	}
	return paths, nil
}

// traceExtension ends the names of trace files.
const traceExtension = ".trace"
