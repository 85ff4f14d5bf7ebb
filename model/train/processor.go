package train

import (
	"syscall"
	"time"
)

// ProcessorTime is what this process has used of the processors so far, all
// threads together.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
