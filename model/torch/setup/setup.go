// Package setup makes LibTorch usable from Go: it finds a LibTorch, copies the
// module github.com/sugarme/gotch into .libtorch/gotch with build flags for
// that LibTorch and only the wrappers that this project calls, and joins the
// copy to the build through a go.work file. Both are ignored by git; go.mod
// keeps the plain requirement.
//
// The copy is needed because gotch names CUDA libraries unconditionally and
// because its 3,000 generated wrappers compile against one LibTorch release
// only. The few that the project uses compile against any since 1.13.
//
// The package is plain Go. It must not import model/torch, which compiles only
// after set-up.
package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Dir is the folder, below the module's root, that set-up owns.
const Dir = ".libtorch"

// layout changes whenever what set-up writes changes, so that an older copy is
// made again.
const layout = 4

// Options say where to set up and how to talk about it.
type Options struct {
	Root string    // folder of the project's go.mod
	Out  io.Writer // what was found and done, one line each
	// Install allows installing Debian's packages when no LibTorch is found.
	Install bool
}

// stamp records what a finished set-up was made from. An equal stamp means
// that there is nothing to do.
type stamp struct {
	Layout   int
	Gotch    string
	Go       string
	Library  Library
	Wrappers []string
	// Rejected did not work, and are not tried again.
	Rejected []Library
}

// Run sets LibTorch up below o.Root. It can be repeated and interrupted at any
// point: the stamp is removed first and written last, and folders are put in
// place by renaming.
func Run(ctx context.Context, o Options) error {
	libraries, err := find(ctx, o)
	if err != nil {
		return err
	}
	if _, err := compiler(); err != nil {
		return err
	}
	var failed error
	var rejected []Library
	before := rejectedBefore(o.Root)
	for _, lib := range libraries {
		fmt.Fprintf(o.Out, "libtorch: found %s\n", lib)
		if !lib.Chosen && slices.ContainsFunc(before, lib.equal) {
			fmt.Fprintf(o.Out, "libtorch: it did not work before and is left out (remove %s to try it again)\n", Dir)
			rejected = append(rejected, lib)
			continue
		}
		err := use(ctx, o, lib, rejected)
		if err == nil {
			return nil
		}
		if lib.Chosen || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(o.Out, "libtorch: %s cannot be used: %v\n", lib.Root, err)
		rejected = append(rejected, lib)
		failed = errors.Join(failed, err)
	}
	return fmt.Errorf("no LibTorch works; %s: %w", installHint(), failed)
}

// use makes the copy, the workspace and the check for one library. Those in
// rejected were tried before it.
func use(ctx context.Context, o Options, lib Library, rejected []Library) error {
	dir := filepath.Join(o.Root, Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the set-up folder: %w", err)
	}
	want := stamp{layout, gotchVersion, runtime.Version(), lib, wrapperNames(), rejected}
	stampPath := filepath.Join(dir, stampFile)
	copyDir := filepath.Join(dir, "gotch")
	if sameStamp(stampPath, want) && exists(filepath.Join(copyDir, "libtch", "lib.go")) {
		if err := writeWorkspace(o.Root); err != nil {
			return err
		}
		fmt.Fprintln(o.Out, "libtorch: already set up, nothing to do")
		return nil
	}
	if err := os.Remove(stampPath); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove the old stamp: %w", err)
	}
	source, err := download(ctx, o.Root)
	if err != nil {
		return err
	}
	next := copyDir + ".next"
	if err := copyGotch(source, next, lib); err != nil {
		return fmt.Errorf("copy gotch: %w", err)
	}
	if err := os.RemoveAll(copyDir); err != nil {
		return fmt.Errorf("remove the old copy of gotch: %w", err)
	}
	if err := os.Rename(next, copyDir); err != nil {
		return fmt.Errorf("put the copy of gotch in place: %w", err)
	}
	if err := writeWorkspace(o.Root); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "libtorch: gotch %s copied to %s, %d wrappers; compiling (a minute or two)\n",
		gotchVersion, filepath.Join(Dir, "gotch"), len(wrappers))
	if err := probe(ctx, o.Root); err != nil {
		return err
	}
	if err := saveStamp(stampPath, want); err != nil {
		return err
	}
	fmt.Fprintln(o.Out, "libtorch: compiled, linked and run; set up")
	return nil
}

const stampFile = "stamp.json"

// rejectedBefore lists what a finished set-up found not to work.
func rejectedBefore(root string) []Library {
	text, err := os.ReadFile(filepath.Join(root, Dir, stampFile))
	var s stamp
	if err != nil || json.Unmarshal(text, &s) != nil || s.Layout != layout {
		return nil
	}
	return s.Rejected
}

func sameStamp(path string, want stamp) bool {
	got, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	text, err := json.MarshalIndent(want, "", "  ")
	return err == nil && string(got) == string(text)
}

func saveStamp(path string, s stamp) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the set-up stamp: %w", err)
	}
	return writeFile(path, text)
}

// writeFile replaces a file in one step, and leaves an equal one alone so that
// the build cache stays valid.
func writeFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	if err := os.WriteFile(path+".next", text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".next", path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
