#include "kernels.h"
#include "numbers.h"
#include "threads.h"

// The product of a large matrix with few vectors takes as long as it takes to read
// the matrix. Memory is read fastest in one stream from its beginning to its end,
// so here one row is multiplied after another. OpenBLAS reads several rows at once,
// which halves what it loads of the vector, and reads at two thirds of the speed.

// product is one call of multiply.
typedef struct {
	const char *w;
	number_type type;
	const float *x;
	float *y;
	long n, rows, cols;
	int add;
} product;

// few vectors are multiplied by a row at once: each of its numbers is loaded once.
enum { few = 4 };

// dots sets the sums to the products of w with few vectors of x, [few, n].
INLINE void dots(const char *w, number_type type, const float *x, long n, float *sums) {
	numbers a = {0}, b = {0}, c = {0}, d = {0}, row;
	long i = 0;
	for (; i + width <= n; i += width, w += width * size_of(type)) {
		widened(&row, w, type);
		a += row * *(const numbers *)(x + i);
		b += row * *(const numbers *)(x + n + i);
		c += row * *(const numbers *)(x + 2 * n + i);
		d += row * *(const numbers *)(x + 3 * n + i);
	}
	sums[0] = sum_of(&a), sums[1] = sum_of(&b), sums[2] = sum_of(&c), sums[3] = sum_of(&d);
	for (; i < n; i++, w += size_of(type)) {
		for (int j = 0; j < few; j++) {
			sums[j] += widened_one(w, type) * x[j * n + i];
		}
	}
}

INLINE void multiply_rows(const product *p, long from, long to, number_type type) {
	for (long i = from; i < to; i++) {
		const char *w = p->w + i * p->cols * size_of(type);
		for (long j = 0; j < p->n;) {
			float sums[few], *y = p->y + j * p->rows + i;
			long count = p->n - j < few ? 1 : few;
			if (count == few) {
				dots(w, type, p->x + j * p->cols, p->cols, sums);
			} else {
				sums[0] = dot(w, type, p->x + j * p->cols, p->cols);
			}
			for (long k = 0; k < count; k++, j++, y += p->rows) {
				*y = p->add ? *y + sums[k] : sums[k];
			}
		}
	}
}

BY_TYPE(multiply_rows_of_type, product, multiply_rows)

// share computes the rows of one thread, the first of which are at a multiple of a
// cache line's numbers: no two threads write to the same one.
static void share(const void *job, int number, int threads) {
	const product *p = job;
	long lines = (p->rows + width - 1) / width;
	long from = lines * number / threads * width, to = lines * (number + 1) / threads * width;
	multiply_rows_of_type(p, from, to < p->rows ? to : p->rows);
}

void multiply(const void *w, number_type type, const float *x, float *y, long n, long rows, long cols, int add, int threads) {
	product p = {w, type, x, y, n, rows, cols, add};
	in_threads(share, &p, threads);
}
