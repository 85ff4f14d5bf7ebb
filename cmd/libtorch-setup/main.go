// Command libtorch-setup prepares the build of the packages that need LibTorch.
// See the package model/torch/setup for what it does; the Makefile runs it, as
//
//	GOWORK=off go run ./cmd/libtorch-setup
//
// without the workspace, which may be the very thing that is broken.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/neuraldbg/neuraldbg/model/torch/setup"
)

func main() {
	install := flag.Bool("install", true, "install Debian's LibTorch when none is found")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: libtorch-setup [-install=false]\nRun it inside the project. LIBTORCH names the LibTorch to use.")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *install); err != nil {
		fmt.Fprintln(os.Stderr, "libtorch-setup:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, install bool) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	return setup.Run(ctx, setup.Options{Root: root, Out: os.Stdout, Install: install})
}

// moduleRoot is the folder of the go.mod that the current folder belongs to.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" || path == os.DevNull {
		return "", fmt.Errorf("run it inside the project: there is no go.mod here")
	}
	return filepath.Dir(path), nil
}
