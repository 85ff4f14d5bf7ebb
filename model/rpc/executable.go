package rpc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ExecutableName is the name of the program that holds the model.
const ExecutableName = "neuraldbg-model"

// FindExecutable returns the path of the program that holds the model: path
// itself when it is not empty, else the one beside the running executable, else
// the one on $PATH.
func FindExecutable(path string) (string, error) {
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("the model program: %w", err)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), ExecutableName))
			if err == nil {
				return beside, nil
			}
		}
	}
	found, err := exec.LookPath(ExecutableName)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor on $PATH; it holds the model and is built apart, because it needs LibTorch", ExecutableName)
	}
	return filepath.Abs(found)
}

// ExecutableID identifies a build by its executable file: the size and the time
// of its last change. The model process computes it once, when it starts, and
// so goes on telling which file it was started from when that is replaced.
func ExecutableID(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano()), nil
}
