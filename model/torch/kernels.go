package torch

// #include "kernels.h"
import "C"

import "unsafe"

// The kernels of kernels.h on slices, which are as long as its shapes say.

// first is the address of a slice's first number.
func first(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }

// floats are the n numbers of a float32 tensor on the CPU, in row-major order.
func floats(t tensor, n int) []float32 { return unsafe.Slice((*float32)(t.data()), n) }

// numbersAt are those of a tensor on the CPU, of the engine's number type, from the
// number i on.
func (e *Engine) numbersAt(t tensor, i int) unsafe.Pointer {
	return unsafe.Add(t.data(), i*e.kind.size())
}

// widen sets y to the numbers of a tensor from the number i on.
func (e *Engine) widen(t tensor, i int, y []float32) {
	C.widen(e.numbersAt(t, i), C.number_type(e.kind), first(y), C.long(len(y)))
}

// multiplyFew sets y [n, l.rows] to the products of l and each row of x [n, l.cols].
func (e *Engine) multiplyFew(l linear, x, y []float32, n int) {
	if !l.bias.defined() {
		e.multiply(l, x, y, n, 0)
		return
	}
	rows := int(l.rows)
	for i := range n {
		e.widen(l.bias, 0, y[i*rows:][:rows])
	}
	e.multiply(l, x, y, n, 1)
}

// addFew adds the products to y. l has no bias.
func (e *Engine) addFew(l linear, x, y []float32, n int) { e.multiply(l, x, y, n, 1) }

func (e *Engine) multiply(l linear, x, y []float32, n int, add C.int) {
	C.multiply(l.weight.data(), C.number_type(e.kind), first(x), first(y),
		C.long(n), C.long(l.rows), C.long(l.cols), add, C.int(e.threads))
}

// normalizeRows divides each row of x [n, cols] by its root mean square.
func normalizeRows(x, y []float32, n, cols int, epsilon float64) {
	C.normalize(first(x), nil, first(y), C.long(n), C.long(cols), C.float(epsilon))
}

// normalizeHeads does so with heads, in place, and multiplies each by scale.
func normalizeHeads(x, scale []float32, heads, dim int, epsilon float64) {
	C.normalize(first(x), first(scale), first(x), C.long(heads), C.long(dim), C.float(epsilon))
}

// rotate turns heads [heads, dim] by the angles, dim/2 complex numbers.
func rotate(x, angles []float32, heads, dim int) {
	C.rotate(first(x), first(angles), C.long(heads), C.long(dim))
}

// smallAttention is the numbers of keys and values from which several threads read them
// quicker than one.
const smallAttention = 1 << 14

// attendTo computes what the heads of a position, queries [H*P], take from the keys and
// values of so many positions: attended [H*P]. These are in the slots, as many of the
// cache's from keys on; if slots is nil, in the first. scores is room for [H, positions].
func (e *Engine) attendTo(queries []float32, keys unsafe.Pointer, slots []int32, scores, attended []float32, positions int) {
	c, threads := &e.config, e.threads
	if positions*int(c.cacheWidth()) < smallAttention {
		threads = 1
	}
	C.attend(first(queries), keys, C.number_type(e.kind), (*C.int32_t)(unsafe.SliceData(slots)), first(scores), first(attended),
		C.long(c.NumAttentionHeads), C.long(c.NumKeyValueHeads), C.long(c.HeadDim),
		C.long(positions), C.long(c.cacheWidth()), C.int(threads))
}

// gate sets hidden to silu(gates) * up.
func gate(gates, up, hidden []float32) {
	C.gate(first(gates), first(up), first(hidden), C.long(len(hidden)))
}
