package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// program is a small Python file with a main().
type program struct {
	name string
	path string // absolute
	// runnable is a copy that calls main(), in its last line, for an adapter
	// that runs what it debugs.
	runnable string
	callLine int
}

// programs are the programs to step through.
type programs struct {
	list []program
	dir  string // of the runnable copies
}

// loadPrograms finds the programs and writes their runnable copies to a
// temporary folder.
func loadPrograms() (*programs, error) {
	paths, err := filepath.Glob("bench/programs/*.py")
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("there are no programs in bench/programs; run make bench in the project's folder")
	}
	paths = append(paths, "examples/count_berry.py")
	dir, err := os.MkdirTemp("", "neuraldbg-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the programs: %w", err)
	}
	p := &programs{dir: dir}
	for _, path := range paths {
		if err := p.add(path); err != nil {
			p.remove()
			return nil, fmt.Errorf("prepare %s: %w", path, err)
		}
	}
	return p, nil
}

func (p *programs) add(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	runnable := filepath.Join(p.dir, filepath.Base(path))
	called := strings.TrimRight(string(text), "\n") + "\n\nmain()\n"
	if err := os.WriteFile(runnable, []byte(called), 0o600); err != nil {
		return err
	}
	p.list = append(p.list, program{
		name: filepath.Base(path), path: absolute, runnable: runnable, callLine: strings.Count(called, "\n"),
	})
	return nil
}

func (p *programs) remove() { _ = os.RemoveAll(p.dir) }
