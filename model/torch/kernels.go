package torch

// #include "kernels.h"
import "C"

import "unsafe"

// The kernels of kernels.h on slices, which are as long as its shapes say.

// first is the address of a slice's first number.
func first(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }

// floats are the n numbers of a float32 tensor on the CPU, in row-major order.
func floats(t tensor, n int) []float32 { return unsafe.Slice((*float32)(t.data()), n) }

// multiply sets y [n, l.rows] to the products of l and each row of x [n, l.cols].
func multiply(l linear, x, y []float32, n, threads int) {
	if !l.bias.defined() {
		multiplyKernel(l, x, y, n, 0, threads)
		return
	}
	rows := int(l.rows)
	for i := range n {
		copy(y[i*rows:], floats(l.bias, rows))
	}
	multiplyKernel(l, x, y, n, 1, threads)
}

// multiplyIn adds the products to y. l has no bias.
func multiplyIn(l linear, x, y []float32, n, threads int) { multiplyKernel(l, x, y, n, 1, threads) }

func multiplyKernel(l linear, x, y []float32, n int, add C.int, threads int) {
	C.multiply((*C.float)(l.weight.data()), first(x), first(y), C.long(n), C.long(l.rows), C.long(l.cols), add, C.int(threads))
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

// attend computes what the heads of a position, queries [H*P], take from the keys and
// values of so many positions: attended [H*P]. These are in the slots, as many of the
// cache's from keys on; if slots is nil, in the first. scores is room for [H, positions].
func (c *Config) attend(queries, keys []float32, slots []int32, scores, attended []float32, positions, threads int) {
	C.attend(first(queries), first(keys), (*C.int32_t)(unsafe.SliceData(slots)), first(scores), first(attended),
		C.long(c.NumAttentionHeads), C.long(c.NumKeyValueHeads), C.long(c.HeadDim),
		C.long(positions), C.long(c.cacheWidth()), C.int(threads))
}

// gate sets hidden to silu(gates) * up.
func gate(gates, up, hidden []float32) {
	C.gate(first(gates), first(up), first(hidden), C.long(len(hidden)))
}
