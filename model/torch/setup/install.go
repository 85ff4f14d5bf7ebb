package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const openBLAS = "libopenblas0-pthread"

// packages are Debian's: without OpenBLAS a matrix product is 20 times slower.
var packages = []string{"libtorch-dev", openBLAS, "g++"}

// slowBLAS reports whether a system's LibTorch multiplies with the reference
// implementation of BLAS.
func slowBLAS(lib Library) bool {
	path, err := filepath.EvalSymlinks(filepath.Join(lib.Lib, "libblas.so.3"))
	return err == nil && filepath.Base(filepath.Dir(path)) == "blas" // Debian's folder of the reference
}

// speedUp installs OpenBLAS, or says how.
func speedUp(ctx context.Context, o Options) {
	if o.Install && apt(ctx, o.Out, openBLAS) == nil {
		return
	}
	fmt.Fprintf(o.Out, "libtorch: matrix products will be slow without OpenBLAS; install it with: sudo apt-get install -y %s\n", openBLAS)
}

func installHint() string {
	return "install Debian's with: sudo apt-get install -y " + strings.Join(packages, " ") +
		"\nor set LIBTORCH to a folder with lib/ and include/ (from https://pytorch.org, or a pip-installed torch)"
}

// install installs Debian's LibTorch.
func install(ctx context.Context, out io.Writer) error {
	if err := apt(ctx, out, packages...); err != nil {
		return fmt.Errorf("no LibTorch on this machine: %w; %s", err, installHint())
	}
	return nil
}

// apt installs packages as root or with a sudo that asks nothing.
func apt(ctx context.Context, out io.Writer, names ...string) error {
	path, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("there is no apt-get to install one with")
	}
	command := []string{path}
	if os.Geteuid() != 0 {
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
			return errors.New("installing one needs root")
		}
		command = []string{"sudo", "-n", path}
	}
	fmt.Fprintf(out, "libtorch: installing %s\n", strings.Join(names, " "))
	run := func(args ...string) error {
		args = append(command[1:len(command):len(command)], args...)
		cmd := exec.CommandContext(ctx, command[0], args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", command[0], strings.Join(args, " "), err, tail(string(text), 10))
		}
		return nil
	}
	args := append([]string{"install", "-y", "--no-install-recommends"}, names...)
	if run(args...) == nil {
		return nil
	}
	// The package lists may be missing or old.
	if err := run("update"); err != nil {
		return err
	}
	return run(args...)
}

// tail returns the last n lines of text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
