package torch

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// These are in libtch's object, and libtch has no Go functions for them. They
// are weak because cgo links this package once without that object, on trial.
__attribute__((weak)) char *at_describe();
__attribute__((weak)) char *get_and_reset_last_err();
__attribute__((weak)) int at_get_num_threads();
__attribute__((weak)) void at_set_num_threads(int);
__attribute__((weak)) void *at_data_ptr(void *);

// OpenBLAS, where it is what multiplies float32, has threads of its own, which
// LibTorch does not set.
static void (*openblas_threads(void))(int) {
	return (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
}

static int has_openblas(void) { return openblas_threads() != NULL; }

static void set_num_threads(int loops, int products) {
	at_set_num_threads(loops);
	if (has_openblas()) openblas_threads()(products);
}

// cuda_memory asks CUDA, where LibTorch brought it, for a device's memory.
static int cuda_memory(int device, size_t *free, size_t *total) {
	int (*set)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "cudaSetDevice");
	int (*info)(size_t *, size_t *) = (int (*)(size_t *, size_t *))dlsym(RTLD_DEFAULT, "cudaMemGetInfo");
	return set && info ? set(device) || info(free, total) : -1;
}

static char *describe() {
	return at_describe ? at_describe() : NULL;
}

static char *library_path() {
	Dl_info info;
	void *symbol = dlsym(RTLD_DEFAULT, "_ZN2at4_ops2mm4callERKNS_6TensorES4_"); // at::_ops::mm::call
	return symbol && dladdr(symbol, &info) ? (char *)info.dli_fname : NULL;
}

// keep_memory tells malloc to keep what is freed. By default buffers of
// megabytes go back to the system at once, and taking them again costs a page
// fault for every 4 kB: a third of a training step.
static void keep_memory() {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TOP_PAD, 64 << 20);
#endif
}

// use_large_pages asks Linux for large pages where the bytes at p lie: for pages to
// come, and in place of those that are there. Neighbours on the first and the last
// large page get them too.
static void use_large_pages(void *p, size_t bytes, uintptr_t page) {
#ifdef __linux__
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 // since Linux 6.1
#endif
	uintptr_t from = (uintptr_t)p & -page, to = ((uintptr_t)p + bytes + page - 1) & -page;
	madvise((void *)from, to - from, MADV_HUGEPAGE);
	madvise((void *)from, to - from, MADV_COLLAPSE);
#endif
}
*/
import "C"

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unsafe"
)

// lastError takes LibTorch's last error on this thread.
func lastError() error {
	text := C.get_and_reset_last_err()
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return readError(C.GoString(text))
}

// stackBegins is what C++ stacks in LibTorch's messages begin with.
var stackBegins = regexp.MustCompile(`\n\s*(Exception raised from|frame #0:)`)

// ErrMemory says that a device, or the machine, has no more memory. The error that it
// is in says what can be done about it in general.
var ErrMemory = errors.New("the memory is used up")

// memoryFailures are what LibTorch's messages have when memory is used up: the CPU's,
// a GPU's, and that which the library of matrix products wanted for itself.
var memoryFailures = []string{"out of memory", "allocate memory", "_STATUS_ALLOC_FAILED"}

// readError makes one line of a message of LibTorch.
func readError(message string) error {
	if at := stackBegins.FindStringIndex(message); at != nil {
		message = message[:at[0]]
	}
	message = strings.Join(strings.Fields(message), " ")
	for _, failure := range memoryFailures {
		if strings.Contains(message, failure) {
			return fmt.Errorf("%w (%s): end other sessions or programs, or choose a smaller model or number type", ErrMemory, message)
		}
	}
	return errors.New(message)
}

// numThreads returns how many threads LibTorch's own loops have.
func numThreads() int { return int(C.at_get_num_threads()) }

// setNumThreads sets the threads of LibTorch's own loops, and those of OpenBLAS's
// matrix products where there is OpenBLAS.
func setNumThreads(loops, products int) { C.set_num_threads(C.int(loops), C.int(products)) }

func hasOpenBLAS() bool { return C.has_openblas() != 0 }

func keepMemory() { C.keep_memory() }

// data is where the numbers of a tensor on the CPU are.
func (t tensor) data() unsafe.Pointer {
	if t.on != cpu {
		panic(fmt.Sprintf("the numbers on %s cannot be read from here", t.on))
	}
	return C.at_data_ptr(unsafe.Pointer(t.c))
}

// largePage is the size of the large pages of memory that processors have.
const largePage = 2 << 20

// useLargePages moves a tensor on the CPU, of so many bytes, to large pages of memory
// where the system has them. Reading pages of 4 kB takes twice as long: processors
// fetch ahead within a page only, and look up where the next one is, on a virtual
// machine in two tables.
func useLargePages(t tensor, bytes int64) {
	C.use_large_pages(t.data(), C.size_t(bytes), largePage)
}

// describe returns the version and at::show_config's text, and libraryPath the
// file that LibTorch is; both are empty where that cannot be told.
func describe() string {
	text := C.describe()
	if text == nil {
		return ""
	}
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

func libraryPath() string {
	path := C.library_path()
	if path == nil {
		return ""
	}
	return C.GoString(path)
}

// cudaMemory returns a device's free and whole memory in bytes.
func cudaMemory(d device) (free, total int64, ok bool) {
	var f, t C.size_t
	if C.cuda_memory(C.int(d), &f, &t) != 0 {
		return 0, 0, false
	}
	return int64(f), int64(t), true
}
