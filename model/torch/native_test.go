package torch

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestReadError(t *testing.T) {
	for _, test := range []struct {
		message, want string
		memory        bool
	}{
		{message: "mat1 and mat2\n  do not fit\nException raised from meta at ../a.cpp:1 (most recent call first):\nframe #0: f", want: "mat1 and mat2 do not fit"},
		{message: "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 1.00 GiB free.\nException raised from malloc", memory: true,
			want: "the memory is used up (CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 1.00 GiB free.): end other sessions or programs, or choose a smaller model or number type"},
		{message: "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.", memory: true, want: "the memory is used up"},
		{message: "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", memory: true, want: "the memory is used up (CUDA error: CUBLAS"},
	} {
		err := readError(test.message)
		if !strings.HasPrefix(err.Error(), test.want) || errors.Is(err, ErrMemory) != test.memory || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is read as %q, want %q", test.message, err, test.want)
		}
	}
}

// TestLargeTensorsHaveLargePages makes tensors of several large pages, in new memory
// and in memory that was used before.
func TestLargeTensorsHaveLargePages(t *testing.T) {
	if mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(mode), "[never]") {
		t.Skip("this system gives no large pages to those who ask")
	}
	const bytes = 8 * largePage
	data := make([]float32, bytes/4)
	for i := range data {
		data[i] = float32(i)
	}
	makers := map[string]func(s *scope) tensor{
		"empty":    func(s *scope) tensor { return s.empty(float32Kind, cpu, bytes/4) },
		"zeros":    func(s *scope) tensor { return s.zeros(float32Kind, cpu, bytes/4) },
		"float32s": func(s *scope) tensor { return s.float32s(data, bytes/4) },
	}
	for name, maker := range makers {
		got := make([]float32, len(data))
		var kB int64
		err := do(func(s *scope) (err error) {
			large := maker(s)
			s.copyIn(large, s.float32s(data, bytes/4))
			s.read(large, got)
			if s.err == nil {
				kB, err = largePagesAt(uintptr(large.data()))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, data) {
			t.Errorf("%s: the numbers are not those that were written", name)
		}
		if kB < bytes/2/1024 {
			t.Errorf("%s: %d of %d kB are in large pages", name, kB, bytes/1024)
		}
	}
}

// largePagesAt is the kB of large pages in this process's area of memory with an
// address.
func largePagesAt(address uintptr) (kB int64, err error) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	within := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			within = from <= address && address < to
		}
		if text, ok := strings.CutPrefix(lines.Text(), "AnonHugePages:"); ok && within {
			_, err := fmt.Sscanf(text, "%d kB", &kB)
			return kB, err
		}
	}
	return 0, fmt.Errorf("no area of memory has the address %x", address)
}
