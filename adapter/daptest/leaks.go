package daptest

import (
	"runtime"
	"strings"
	"time"
)

// leakPatience is how long goroutines may take to end on a busy machine. Only a
// leak takes it all.
const leakPatience = 10 * time.Second

// Leaks waits for the goroutines that run code of packages whose import path
// contains path to end, and returns the stacks of those that do not. The caller's
// own goroutine is left out.
func Leaks(path string) []string {
	var leaks []string
	for deadline := time.Now().Add(leakPatience); ; time.Sleep(5 * time.Millisecond) {
		leaks = leaks[:0]
		buf := make([]byte, 1<<20)
		stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		for _, stack := range stacks[1:] { // the first is the caller's
			if strings.Contains(stack, path) && !strings.Contains(stack, "testing.(*T).Run") {
				leaks = append(leaks, stack)
			}
		}
		if len(leaks) == 0 || time.Now().After(deadline) {
			return leaks
		}
	}
}
