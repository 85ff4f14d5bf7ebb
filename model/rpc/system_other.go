//go:build !unix

package rpc

import (
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// ownedByUser leaves the question to the access rights of the user's folders.
func ownedByUser(fs.FileInfo) bool { return true }

func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

func detach(*exec.Cmd) {}

func isConnectionRefused(err error) bool {
	return strings.Contains(err.Error(), "refused")
}
