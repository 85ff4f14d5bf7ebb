package corpus

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the scanner and the sandbox
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

//go:embed python/scan.py
var scanScript string

// Tree is the calls in a tree of Python files that can be run as they are: calls
// with literal arguments, in doctests and assertions, of what files of the tree
// define: functions, classes, and methods of classes and of objects that are made
// from literals. Finding them runs nothing.
type Tree struct {
	dir        string
	entries    []treeEntry
	provenance Provenance
	roots      []string
}

// treeEntry is what scan.py prints.
type treeEntry struct {
	File     string `json:"file"`
	Root     string `json:"root"`
	Module   string `json:"module"`
	Function string `json:"function"`
	Call     string `json:"call"`
	// Dropped and Count, or Files, stand in lines of their own.
	Dropped string `json:"dropped"`
	Count   int    `json:"count"`
	Files   int    `json:"files"`
}

// ScanTree finds the entries in a folder or a file. Python is as in
// record.Options.
func ScanTree(ctx context.Context, dir, python string) (*Tree, error) {
	if python == "" {
		python = record.DefaultPython
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("looking for calls in a tree of files: %w", err)
	}
	cmd := exec.CommandContext(ctx, python, "-c", scanScript, dir)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	output, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return nil, fmt.Errorf("looking for calls in %s with %s: %w: %s", dir, python, err, lines[len(lines)-1])
	}
	t := &Tree{dir: dir}
	return t, t.read(output)
}

// read takes in what scan.py printed.
func (t *Tree) read(output []byte) error {
	t.provenance = Provenance{Name: "tree/" + filepath.Base(t.dir), Dropped: map[string]int{}}
	functions, roots, top := map[string]bool{}, map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e treeEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("looking for calls in %s: the scanner printed %q", t.dir, lines.Text())
		}
		switch {
		case e.Dropped != "":
			t.provenance.Dropped[e.Dropped] = e.Count
		case e.Call == "":
			t.provenance.Files = e.Files
		default:
			t.entries = append(t.entries, e)
			functions[e.File+":"+e.Function] = true
			roots[e.Root] = true
			name, _, _ := strings.Cut(e.Module, ".")
			top[name] = true
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("looking for calls in %s: %w", t.dir, err)
	}
	if len(t.entries) == 0 {
		return fmt.Errorf("%s has no doctest or assertion that calls something of it with literal arguments%s", t.dir, t.describeDropped())
	}
	t.roots = slices.Sorted(maps.Keys(roots))
	t.provenance.Functions, t.provenance.Entries = len(functions), len(t.entries)
	t.provenance.Licences = licences(t.dir, t.roots, slices.Sorted(maps.Keys(top)))
	return nil
}

// describeDropped says what was found and is no entry, as the end of a sentence.
func (t *Tree) describeDropped() string {
	var text strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(t.provenance.Dropped)) {
		fmt.Fprintf(&text, "; left out: %s (%d)", reason, t.provenance.Dropped[reason])
	}
	return text.String()
}

// Len returns the number of entries.
func (t *Tree) Len() int { return len(t.entries) }

// Provenance counts what was found and has the licences.
func (t *Tree) Provenance() Provenance { return t.provenance }

// Foreign lets the tree's files import each other.
func (t *Tree) Foreign() *Foreign { return &Foreign{ImportPath: t.roots} }

// Range yields entries. Files are read when they are needed.
func (t *Tree) Range(from, to int) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		var path, text string
		folder := t.dir
		if info, err := os.Stat(t.dir); err == nil && !info.IsDir() {
			folder = filepath.Dir(t.dir)
		}
		for i := from; i < to; i++ {
			e := &t.entries[i]
			if e.File != path {
				data, err := regularfile.ReadFile(filepath.Join(folder, e.File))
				if err != nil {
					yield(Case{}, fmt.Errorf("reading a file of the corpus: %w", err))
					return
				}
				path, text = e.File, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
			}
			c := Case{Index: uint64(i), Source: text, Path: filepath.ToSlash(path), Entry: e.Call, ID: e.Module + "." + e.Function}
			if strings.Contains(e.Module, ".") || filepath.Base(e.File) == "__init__.py" {
				c.Module = e.Module
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

//go:embed python/sandbox.py
var sandboxScript string

// prologue confines a worker.
func (f *Foreign) prologue() (string, error) {
	paths := f.ImportPath
	if paths == nil {
		paths = []string{}
	}
	list, err := json.Marshal(paths) // a list of strings is written alike in Python
	if err != nil {
		return "", errors.New("a folder to import from has a name that is no text")
	}
	return "IMPORT_PATH = " + string(list) + "\n" + sandboxScript, nil
}
