#pragma once

#include <stdint.h>

// What few positions are computed with on the CPU. Weights, keys and values are numbers
// of a type, all others float32s. Matrices are in row-major order and without gaps, and
// results lie apart from what they are computed of unless said otherwise.

// number_type is how numbers lie in memory; the names' values are LibTorch's. All are
// computed with as float32s, which widening makes exactly.
typedef enum { float16 = 5, float32 = 6, bfloat16 = 15 } number_type;

#pragma GCC visibility push(hidden) // libraries have such names too

// multiply sets y [n, rows] to the products of w [rows, cols] with each row of
// x [n, cols], or adds them where add is not 0.
void multiply(const void *w, number_type type, const float *x, float *y, long n, long rows, long cols, int add, int threads);

// normalize sets each row of y [n, cols] to that of x divided by its root mean square,
// with epsilon added to the mean, and times the scale [cols] unless that is null. y
// may be x.
void normalize(const float *x, const float *scale, float *y, long n, long cols, float epsilon);

// rotate multiplies the pairs of each head in x [heads, dim], as complex numbers, by
// the angles [dim/2, 2].
void rotate(float *x, const float *angles, long heads, long dim);

// attend computes what the heads of one position, queries [heads, dim], take from the
// keys and values of so many positions: attended [heads, dim]. The keys of a position,
// [kv_heads, dim], and behind them its values, lie in a slot of stride numbers. keys
// points to the first slot; the positions' slots are counted from there, and follow
// each other if slots is null. scores is room for [heads, positions] numbers.
void attend(const float *queries, const void *keys, number_type type, const int32_t *slots, float *scores, float *attended,
	long heads, long kv_heads, long dim, long positions, long stride, int threads);

// gate sets hidden [n] to silu(gate) * up.
void gate(const float *gate, const float *up, float *hidden, long n);

// widen sets y [n] to the numbers of x.
void widen(const void *x, number_type type, float *y, long n);

#pragma GCC visibility pop
