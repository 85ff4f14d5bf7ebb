package torch

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/sugarme/gotch/libtch"
)

// thread runs jobs one after another on one OS thread that nothing else uses.
type thread struct {
	jobs chan func()
}

var startThread = sync.OnceValue(func() *thread {
	t := &thread{jobs: make(chan func())}
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		keepMemory()
		close(ready)
		for job := range t.jobs {
			job()
		}
	}()
	<-ready
	return t
})

// do runs job on LibTorch's thread with a scope of its own and returns the
// scope's error, or job's. A panic of job becomes an error too: it must not
// take the process and its other sessions down.
func do(job func(s *scope) error) error {
	done := make(chan error, 1)
	startThread().jobs <- func() {
		s := &scope{}
		defer func() {
			s.free()
			if r := recover(); r != nil {
				buf := make([]byte, 4096)
				done <- fmt.Errorf("LibTorch job: %v\n%s", r, buf[:runtime.Stack(buf, false)])
			}
		}()
		err := job(s)
		if err == nil {
			err = s.err
		}
		done <- err
	}
	return <-done
}

// CUDADevices is the number of CUDA devices that LibTorch can use.
func CUDADevices() (int, error) {
	count := 0
	err := do(func(s *scope) error {
		if libtch.AtcCudaIsAvailable() {
			count = int(libtch.AtcCudaDeviceCount())
		}
		return lastError()
	})
	return count, err
}

// SetThreads sets the number of threads that an operation uses; 0 leaves
// LibTorch's choice. It returns the number in use.
func SetThreads(n int) (int, error) {
	var used int
	err := do(func(*scope) error {
		if n > 0 {
			setNumThreads(n)
		}
		used = numThreads()
		return nil
	})
	return used, err
}
