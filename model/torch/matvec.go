package torch

// #include "matvec.h"
import "C"

// largeMatrix is the bytes from which a matrix is read from memory for each product
// and not from a cache. Below, LibTorch's product is as quick.
// Tests set it.
var largeMatrix int64 = 1 << 20

// readsMemory reports whether products of l with one vector are bound by reading l,
// so that multiply is quicker than LibTorch.
func (e *Engine) readsMemory(l linear) bool {
	return e.device == cpu && e.kind == float32Kind && l.rows*l.cols*e.kind.bytes() >= largeMatrix
}

// multiply is l times the vector x, [rows].
func (s *scope) multiply(l linear, x tensor, threads int) tensor {
	y := s.empty(float32Kind, cpu, l.rows)
	s.matvec(l, x, y, false, threads)
	return y
}

// multiplyIn adds l times the vector x to acc.
func (s *scope) multiplyIn(acc tensor, l linear, x tensor, threads int) {
	s.matvec(l, x, acc, true, threads)
}

// matvec sets y to l times x, or adds it. All are float32s on the CPU, in row-major
// order and without gaps.
func (s *scope) matvec(l linear, x, y tensor, add bool, threads int) {
	if s.err != nil {
		return
	}
	addition := C.int(0)
	if add {
		addition = 1
	}
	C.matvec(floats(l.weight), floats(x), floats(y), C.long(l.rows), C.long(l.cols), addition, C.int(threads))
}

// floats are the numbers of a float32 tensor on the CPU, in row-major order.
func floats(t tensor) *C.float {
	return (*C.float)(t.data())
}
