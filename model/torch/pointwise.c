#include "kernels.h"
#include "numbers.h"

#include <math.h>
#include <string.h>

FOR_PROCESSORS
void normalize(const float *x, const float *scale, float *y, long n, long cols, float epsilon) {
	for (; n > 0; n--, x += cols, y += cols) {
		float by = 1 / sqrtf(dot(x, float32, x, cols) / cols + epsilon);
		for (long i = 0; i < cols; i++) {
			y[i] = x[i] * by * (scale ? scale[i] : 1);
		}
	}
}

FOR_PROCESSORS
void rotate(float *x, const float *angles, long heads, long dim) {
	for (; heads > 0; heads--, x += dim) {
		for (long i = 0; i < dim; i += 2) {
			float re = x[i], im = x[i + 1];
			x[i] = re * angles[i] - im * angles[i + 1];
			x[i + 1] = re * angles[i + 1] + im * angles[i];
		}
	}
}

INLINE void gate_numbers(const numbers *gate, const numbers *up, numbers *hidden) {
	numbers e = -*gate;
	exponentials(&e);
	*hidden = *gate / (1 + e) * *up;
}

FOR_PROCESSORS
void gate(const float *gate, const float *up, float *hidden, long n) {
	long i = 0;
	for (; i + width <= n; i += width) {
		gate_numbers((const numbers *)(gate + i), (const numbers *)(up + i), (numbers *)(hidden + i));
	}
	numbers g = {0}, u = {0};
	memcpy(&g, gate + i, (n - i) * sizeof(float));
	memcpy(&u, up + i, (n - i) * sizeof(float));
	gate_numbers(&g, &u, &g);
	memcpy(hidden + i, &g, (n - i) * sizeof(float));
}

FOR_PROCESSORS
void widen(const void *x, number_type type, float *y, long n) {
	for (long i = 0; i < n; i++) {
		y[i] = widened_one((const char *)x + i * size_of(type), type);
	}
}
