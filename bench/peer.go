package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// debugpyVersion is the peer: the debug adapter of VS Code's Python extension.
const debugpyVersion = "1.8.17"

// peerFolder is the virtual environment that the peer is installed into.
const peerFolder = "bench/.venv"

// installPeer makes the virtual environment unless it is there already, and
// returns the path of its Python.
func installPeer(ctx context.Context) (python string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if python, err = filepath.Abs(filepath.Join(peerFolder, "bin", "python")); err != nil {
		return "", err
	}
	if exec.CommandContext(ctx, python, "-c", "import debugpy").Run() == nil {
		return python, nil
	}
	fmt.Fprintf(os.Stderr, "installing debugpy %s into %s\n", debugpyVersion, peerFolder)
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", peerFolder},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "debugpy==" + debugpyVersion},
	} {
		output, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, lastLine(string(output)))
		}
	}
	if err := exec.CommandContext(ctx, python, "-c", "import debugpy").Run(); err != nil {
		return "", errors.New("debugpy was installed but cannot be imported")
	}
	return python, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
