#pragma once

#include "kernels.h"

#include <string.h>

// numbers are 16 float32s that are computed with at once: one register with AVX-512,
// several with less.
typedef float numbers __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t integers __attribute__((vector_size(64), aligned(4), may_alias));
enum { width = sizeof(numbers) / sizeof(float) };

#define INLINE static inline __attribute__((always_inline))

INLINE long size_of(number_type type) { return type == float32 ? 4 : 2; }

// The best of these for the processor is taken when the program is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_PROCESSORS __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FOR_PROCESSORS
#endif

// BY_TYPE defines name(job, from, to), which does what rows(job, from, to, type) does
// for a job's type. Each type has a function of its own for each kind of processor, in
// which the type is a constant.
#define BY_TYPE(name, job, rows) \
	FOR_PROCESSORS static void name##_float32(const job *j, long from, long to) { rows(j, from, to, float32); } \
	FOR_PROCESSORS static void name##_bfloat16(const job *j, long from, long to) { rows(j, from, to, bfloat16); } \
	FOR_PROCESSORS static void name##_float16(const job *j, long from, long to) { rows(j, from, to, float16); } \
	static void name(const job *j, long from, long to) { \
		switch (j->type) { \
		case float32: name##_float32(j, from, to); break; \
		case bfloat16: name##_bfloat16(j, from, to); break; \
		case float16: name##_float16(j, from, to); break; \
		} \
	}

// sum_of adds up numbers in a tree, which is quicker than one after another.
INLINE float sum_of(const numbers *a) {
	typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
	typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
	eight b = ((const eight *)a)[0] + ((const eight *)a)[1];
	four c = ((const four *)&b)[0] + ((const four *)&b)[1];
	return (c[0] + c[2]) + (c[1] + c[3]);
}

// widened sets x to the numbers at an address.
INLINE void widened(numbers *x, const void *at, number_type type) {
	typedef uint16_t halves __attribute__((vector_size(32), aligned(2), may_alias));
	if (type == float32) {
		*x = *(const numbers *)at;
		return;
	}
	integers bits = __builtin_convertvector(*(const halves *)at, integers);
	if (type == bfloat16) {
		*x = (numbers)(bits << 16); // it is the upper half of a float32
		return;
	}
	// float16 has five bits of exponent, with another middle, and ten of fraction.
	numbers size = (numbers)((bits & 0x7fff) << 13) * 0x1p112f;
	// The largest exponent is that of infinities and NaN, which must stay such.
	integers endless = ((bits & 0x7c00) == 0x7c00) & 0x7f800000;
	*x = (numbers)((integers)size | endless | (bits & 0x8000) << 16);
}

INLINE float widened_one(const void *at, number_type type) {
	if (type == float32) {
		return *(const float *)at;
	}
	uint16_t row[width] = {0};
	memcpy(row, at, sizeof(row[0]));
	numbers x;
	widened(&x, row, type);
	return x[0];
}

// dot is the product of two vectors. Four sums hide how long an addition takes.
INLINE float dot(const void *x, number_type type, const float *y, long n) {
	const char *at = x;
	const long step = width * size_of(type);
	numbers a = {0}, b = {0}, c = {0}, d = {0}, w;
	long i = 0;
	for (; i + 4 * width <= n; i += 4 * width, at += 4 * step) {
		const numbers *v = (const numbers *)(y + i);
		widened(&w, at, type), a += w * v[0];
		widened(&w, at + step, type), b += w * v[1];
		widened(&w, at + 2 * step, type), c += w * v[2];
		widened(&w, at + 3 * step, type), d += w * v[3];
	}
	for (; i + width <= n; i += width, at += step) {
		widened(&w, at, type), a += w * *(const numbers *)(y + i);
	}
	a = (a + b) + (c + d);
	float sum = sum_of(&a);
	for (; i < n; i++, at += size_of(type)) {
		sum += widened_one(at, type) * y[i];
	}
	return sum;
}

// larger sets each of x to the larger one of it and y's, and smaller to the smaller.
INLINE void larger(numbers *x, const numbers *y) {
	integers other = *y > *x;
	*x = (numbers)((*(integers *)x & ~other) | (*(const integers *)y & other));
}

INLINE void smaller(numbers *x, const numbers *y) {
	integers other = *y < *x;
	*x = (numbers)((*(integers *)x & ~other) | (*(const integers *)y & other));
}

// exponentials replaces each number by e to its power, within 2 units in the last
// place. What is outside of -87 to 88, where that is no normal float32, is taken for
// the nearer of the two.
INLINE void exponentials(numbers *x) {
	const float whole = 12582912; // 1.5 * 2^23: what is added to it is rounded to an integer
	numbers zero = {0}, low = zero - 87, high = zero + 88;
	larger(x, &low);
	smaller(x, &high);
	numbers shifted = *x * 1.44269504f + whole;
	numbers n = shifted - whole;                            // e^x = 2^n * e^r
	numbers r = *x - n * 0.693359375f + n * 2.12194440e-4f; // ln 2 in two parts
	numbers p = r * 1.9875691500e-4f + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	*x = (numbers)((integers)p + (((integers)shifted - 0x4b400000) << 23));
}
