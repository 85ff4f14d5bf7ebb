package record

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// oldest is the oldest minor version of Python 3 that the tracer runs in.
const oldest = 9

// findPython returns the path of an interpreter that can record; the empty name is
// DefaultPython.
func findPython(name string) (string, error) {
	if name == "" {
		name = DefaultPython
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no Python interpreter %q: install Python 3.%d or later, or name another interpreter", name, oldest)
	}
	if strings.HasPrefix(filepath.Base(path), "python") {
		return path, nil // the tracer looks at its version
	}
	return path, checkPython(path)
}

// checked are the interpreters that were found good: asking one takes as long as
// starting it.
var checked sync.Map

// checkPython asks an interpreter for its version. What is none may print anything,
// which is not for the user.
func checkPython(path string) error {
	if _, ok := checked.Load(path); ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	output, err := exec.CommandContext(ctx, path, "-I", "-S", "-c", "import sys; print('Python %d %d' % sys.version_info[:2])").Output()
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimSpace(string(output)), "Python %d %d", &major, &minor); err != nil || n != 2 {
		return fmt.Errorf("%s is not a Python interpreter; give one of Python 3.%d or later", path, oldest)
	}
	if major != 3 || minor < oldest {
		return fmt.Errorf("%s is Python %d.%d; recording needs Python 3.%d or later", path, major, minor, oldest)
	}
	checked.Store(path, true)
	return nil
}
