package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/rpc"
)

func newDoctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is installed, and what is missing",
		Args:  noMoreArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

// doctor prints one line a part. A missing part is told with what to do, the
// others are still looked at, and the exit code is then 1.
func (a *app) doctor(ctx context.Context) error {
	healthy := true
	report := func(part, found string, err error) {
		if err != nil {
			healthy = false
			found = "MISSING: " + err.Error()
		}
		fmt.Fprintf(a.stdout, "%-16s %s\n", part, found)
	}

	report("neuraldbg", ownVersion(), nil)
	python, err := pythonVersion(ctx)
	report("python3", python, err)
	engine, err := rpc.FindExecutable("")
	report("neuraldbg-model", engine, err)
	if err == nil {
		if err := a.runEngine(ctx, "doctor"); err != nil {
			if !errors.As(err, new(exitStatus)) {
				report("neuraldbg-model", "", err)
			}
			healthy = false
		}
	}
	if !healthy {
		return exitStatus(1)
	}
	return nil
}

// ownVersion describes this executable.
func ownVersion() string {
	version := "(unknown version)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return fmt.Sprintf("%s, %s, %s/%s, %s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, path)
}

// pythonVersion describes the Python that records.
func pythonVersion(ctx context.Context) (string, error) {
	path, err := exec.LookPath("python3")
	if err != nil {
		return "", errors.New("python3 is not in PATH; recording needs it, predicting does not")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	return fmt.Sprintf("%s, %s", strings.TrimSpace(string(out)), path), nil
}
