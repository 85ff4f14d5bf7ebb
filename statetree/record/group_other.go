//go:build !unix

package record

import (
	"os"
	"os/exec"
)

// endTogether leaves what the program started alone: there are no process groups.
func endTogether(*exec.Cmd) {}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
