package torch

import (
	"fmt"
	"runtime"
	"sync"
)

// thread runs jobs one after another on one OS thread that nothing else uses.
// LibTorch keeps its last error per thread, and OpenMP makes a team of threads
// for every thread that calls it.
type thread struct {
	jobs chan func()
}

// threads are the process's threads for LibTorch. The first does all that is
// not said to be done by another; they are started when they are needed and
// stay.
var threads struct {
	sync.Mutex
	list []*thread
}

func threadNumber(i int) *thread {
	threads.Lock()
	defer threads.Unlock()
	for len(threads.list) <= i {
		t := &thread{jobs: make(chan func())}
		go func() {
			runtime.LockOSThread()
			for job := range t.jobs {
				job()
			}
		}()
		threads.list = append(threads.list, t)
	}
	return threads.list[i]
}

var keepMemoryOnce sync.Once

// do runs job on LibTorch's first thread with a scope of its own and returns
// the scope's error, or job's.
func do(job func(s *scope) error) error { return doOn(0, job) }

// doOn is do on another thread. A panic of job becomes an error: it must not
// take the process and its other sessions down.
func doOn(number int, job func(s *scope) error) error {
	done := make(chan error, 1)
	threadNumber(number).jobs <- func() {
		keepMemoryOnce.Do(keepMemory)
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

// setThreads sets the number of threads that an operation on tensors of kind k
// uses.
//
// Where OpenBLAS multiplies, LibTorch's loops get only one: OpenMP's threads wait
// for the next loop without sleeping, for milliseconds, on the processors that
// OpenBLAS's threads need. Two of each were a quarter as fast as two of OpenBLAS.
func setThreads(n int, k kind) error {
	loops := n
	if k == float32Kind && hasOpenBLAS() {
		loops = 1
	}
	return do(func(*scope) error {
		setNumThreads(loops, n)
		return nil
	})
}
