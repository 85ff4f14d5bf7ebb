package adapter

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// fileCache holds the Python files of a session. The program's file is the
// snapshot that was taken at launch; others are read when breakpoints are set.
//
// Paths are compared after resolving links, and without case where file systems
// usually fold it; each file keeps the name under which the session first met
// it, except that the program has the launch's.
type fileCache struct {
	files map[string]*source.File // by canonical path
	names map[string]string
}

// snapshot makes a parsed file the one that is used for its path.
func (c *fileCache) snapshot(f *source.File) {
	c.init()
	key := canonicalPath(f.Path())
	c.files[key] = f
	c.names[key] = f.Path()
}

// open returns the file with a path, which is read when it is first needed.
func (c *fileCache) open(path string) (*source.File, error) {
	c.init()
	key := canonicalPath(path)
	if f, ok := c.files[key]; ok {
		return f, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the file: %w", err)
	}
	f, err := source.Parse(path, text)
	if err != nil {
		return nil, err
	}
	c.files[key] = f
	return f, nil
}

// name returns the path by which the session names the file.
func (c *fileCache) name(path string) string {
	c.init()
	key := canonicalPath(path)
	if name, ok := c.names[key]; ok {
		return name
	}
	c.names[key] = path
	return path
}

func (c *fileCache) init() {
	if c.files == nil {
		c.files, c.names = map[string]*source.File{}, map[string]string{}
	}
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
