package adapter

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// files are the Python files that a session meets. The program's is the snapshot
// that was taken at launch; others are read whenever breakpoints are set.
//
// Paths are compared after resolving links, and without case where file systems
// usually fold it; each file keeps the name by which the client called it first.
type files struct {
	names   map[string]string // by canonical path
	program *source.File      // nil before launch
	key     string            // the program's canonical path
	written time.Time         // when the program's file was changed last, at launch
}

// snapshot makes f the program.
func (c *files) snapshot(f *source.File) {
	c.program, c.key = f, canonicalPath(f.Path())
	c.written = modified(f.Path())
}

// changed reports whether the program's file was written since its snapshot,
// once.
func (c *files) changed() bool {
	now := modified(c.program.Path())
	changed := !now.Equal(c.written)
	c.written = now
	return changed
}

// modified returns when a file was written last, the zero time when it is gone.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// open returns the file with a path.
func (c *files) open(path string) (*source.File, error) {
	if c.program != nil && canonicalPath(path) == c.key {
		return c.program, nil
	}
	return timeline.ReadFile(path)
}

// name returns the path by which the session names the file.
func (c *files) name(path string) string {
	key := canonicalPath(path)
	if name, ok := c.names[key]; ok {
		return name
	}
	if c.names == nil {
		c.names = map[string]string{}
	}
	c.names[key] = path
	return path
}

// canonicalPath returns what paths of the same file have in common.
func canonicalPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		path = strings.ToLower(path)
	}
	return path
}

// pathFromClient returns a client's path as the system writes it.
func (s *session) pathFromClient(path string) string {
	if s.client.PathFormat != "uri" {
		return path
	}
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "file" {
		return path
	}
	return filepath.FromSlash(u.Path)
}

// pathToClient returns a path in the client's format.
func (s *session) pathToClient(path string) string {
	if s.client.PathFormat != "uri" {
		return path
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// lineFromClient and lineToClient convert lines, which count from 1 here and
// from 0 or 1 in clients.
func (s *session) lineFromClient(line int) int {
	if s.client.LinesStartAt1 {
		return line
	}
	return line + 1
}

func (s *session) lineToClient(line int) int {
	if s.client.LinesStartAt1 || line == 0 {
		return line
	}
	return line - 1
}

// firstColumn is the client's number for the first column.
func (s *session) firstColumn() int {
	if s.client.ColumnsStartAt1 {
		return 1
	}
	return 0
}
