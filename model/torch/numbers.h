#pragma once

#include <stdint.h>

// numbers are 16 float32s that are computed with at once: one register with AVX-512,
// several with less.
typedef float numbers __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t integers __attribute__((vector_size(64), aligned(4), may_alias));
enum { width = sizeof(numbers) / sizeof(float) };

#define INLINE static inline __attribute__((always_inline))

// The best of these for the processor is taken when the program is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_PROCESSORS __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FOR_PROCESSORS
#endif

// sum_of adds up numbers in a tree, which is quicker than one after another.
INLINE float sum_of(const numbers *a) {
	typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
	typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
	eight b = ((const eight *)a)[0] + ((const eight *)a)[1];
	four c = ((const four *)&b)[0] + ((const four *)&b)[1];
	return (c[0] + c[2]) + (c[1] + c[3]);
}

// dot is the product of two vectors. Four sums hide how long an addition takes.
INLINE float dot(const float *x, const float *y, long n) {
	numbers a = {0}, b = {0}, c = {0}, d = {0};
	long i = 0;
	for (; i + 4 * width <= n; i += 4 * width) {
		const numbers *u = (const numbers *)(x + i), *v = (const numbers *)(y + i);
		a += u[0] * v[0];
		b += u[1] * v[1];
		c += u[2] * v[2];
		d += u[3] * v[3];
	}
	for (; i + width <= n; i += width) {
		a += *(const numbers *)(x + i) * *(const numbers *)(y + i);
	}
	a = (a + b) + (c + d);
	float sum = sum_of(&a);
	for (; i < n; i++) {
		sum += x[i] * y[i];
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
