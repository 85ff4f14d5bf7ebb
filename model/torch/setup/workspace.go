package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var goLine = regexp.MustCompile(`(?m)^go (\S+)`)

// writeWorkspace joins the copy of gotch to the project's build. A workspace
// must name the Go version of its modules or a newer one, so it takes go.mod's.
func writeWorkspace(root string) error {
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return fmt.Errorf("read go.mod: %w", err)
	}
	version := goLine.FindSubmatch(module)
	if version == nil {
		return fmt.Errorf("go.mod in %s names no Go version", root)
	}
	text := fmt.Sprintf("// Written by cmd/libtorch-setup; not under version control.\ngo %s\n\nuse (\n\t.\n\t./%s/gotch\n)\n", version[1], Dir)
	return writeFile(filepath.Join(root, "go.work"), []byte(text))
}
