package torch

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// tensor is a handle to a LibTorch tensor. It is valid until the scope that
// made it is freed, or until it is released when a scope has let go of it.
type tensor struct {
	c  libtch.Ctensor
	on device // where its numbers are
}

func (t tensor) defined() bool { return t.c != nil }

// release frees a tensor that no scope owns.
func (t *tensor) release() {
	if t.c != nil {
		libtch.AtFree(t.c)
		t.c = nil
	}
}

// kind is a number type, with LibTorch's numbering.
type kind int32

const (
	int64Kind     kind = 4
	float16Kind   kind = 5
	float32Kind   kind = 6
	complex64Kind kind = 9
	bfloat16Kind  kind = 15
)

// size is the bytes of one number.
func (k kind) size() int {
	switch k {
	case int64Kind, complex64Kind:
		return 8
	case float16Kind, bfloat16Kind:
		return 2
	}
	return 4
}

// scope owns the tensors that its operations make. After the first error its
// operations do nothing and return undefined tensors. All of it runs on one of
// LibTorch's threads.
type scope struct {
	owned []libtch.Ctensor
	err   error
	where string // what is being computed, for errors: "layer 3, attention"
}

// free frees every tensor the scope owns.
func (s *scope) free() { s.freeTo(0) }

// mark and freeTo bracket a part of a computation: what was made since the
// mark is freed.
func (s *scope) mark() int { return len(s.owned) }

func (s *scope) freeTo(mark int) {
	for _, c := range s.owned[mark:] {
		libtch.AtFree(c)
	}
	s.owned = s.owned[:mark]
}

// detach takes t out of the scope; the caller releases it.
func (s *scope) detach(t tensor) tensor {
	for i := len(s.owned) - 1; i >= 0; i-- {
		if s.owned[i] == t.c {
			s.owned = append(s.owned[:i], s.owned[i+1:]...)
			break
		}
	}
	return t
}

// fail records an error unless there is one already.
func (s *scope) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// made takes the result of an operation on a device into the scope.
func (s *scope) made(op string, c libtch.Ctensor, on device) tensor {
	if c == nil {
		s.failed(op)
		return tensor{}
	}
	s.owned = append(s.owned, c)
	return tensor{c, on}
}

// together reports whether an operation can be done: all tensors are on one device,
// and nothing has failed. LibTorch finds some tensors on the wrong device only when
// a GPU reads memory that it cannot reach.
func (s *scope) together(op string, a tensor, others ...tensor) bool {
	for _, b := range others {
		if s.err == nil && a.on != b.on {
			s.fail(fmt.Errorf("%s: tensors on %s and %s", s.at(op), a.on, b.on))
		}
	}
	return s.err == nil
}

// at is the operation with what it is a part of.
func (s *scope) at(op string) string {
	if s.where == "" {
		return op
	}
	return s.where + ": " + op
}

// changed ends an operation in place, which returns another handle to the
// tensor it changed.
func (s *scope) changed(op string, c libtch.Ctensor) {
	if c == nil {
		s.failed(op)
		return
	}
	libtch.AtFree(c)
}

func (s *scope) failed(op string) {
	err := lastError()
	if err == nil {
		err = errors.New("unknown error")
	}
	s.fail(fmt.Errorf("%s: %w", s.at(op), err))
}

// float32s copies data into a tensor on the CPU.
func (s *scope) float32s(data []float32, shape ...int64) tensor {
	return fromData(s, "float32s", data, float32Kind, shape)
}

// int64s copies data into a tensor on the CPU.
func (s *scope) int64s(data []int64, shape ...int64) tensor {
	return fromData(s, "int64s", data, int64Kind, shape)
}

func fromData[T float32 | int64](s *scope, op string, data []T, k kind, shape []int64) tensor {
	if s.err == nil && int64(len(data)) != numel(shape) {
		s.fail(fmt.Errorf("%s: %d numbers for shape %v", op, len(data), shape))
	}
	t := s.empty(k, cpu, shape...)
	if s.err == nil {
		copy(unsafe.Slice((*T)(t.data()), len(data)), data)
	}
	return t
}

// allocated takes a new tensor on a device into the scope.
func (s *scope) allocated(op string, c libtch.Ctensor, k kind, on device, shape []int64) tensor {
	t := s.made(op, c, on)
	if bytes := numel(shape) * k.bytes(); s.err == nil && on == cpu && bytes >= largePage {
		useLargePages(t, bytes)
	}
	return t
}

// read copies a float32 tensor's numbers into dst, in row-major order.
func (s *scope) read(t tensor, dst []float32) {
	if s.err != nil || len(dst) == 0 {
		return
	}
	libtch.AtCopyData(t.c, unsafe.Pointer(&dst[0]), uint(len(dst)), 4)
	if err := lastError(); err != nil {
		s.fail(fmt.Errorf("read %d numbers: %w", len(dst), err))
	}
}

// item is the value of a tensor with one number.
func (s *scope) item(t tensor) float64 {
	if s.err != nil {
		return 0
	}
	v := libtch.AtDoubleValueAtIndexes(t.c, nil, 0)
	if err := lastError(); err != nil {
		s.fail(fmt.Errorf("read a number: %w", err))
	}
	return v
}

func numel(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}
