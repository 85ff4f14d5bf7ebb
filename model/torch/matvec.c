#include "matvec.h"

#include <pthread.h>
#include <stdatomic.h>

// The product of a large matrix with one vector takes as long as it takes to read
// the matrix. Memory is read fastest in one stream from its beginning to its end,
// so here one row is multiplied after another. OpenBLAS reads several rows at once,
// which halves what it loads of the vector, and reads at two thirds of the speed.

// Vectors of 16 numbers: one register with AVX-512, several with less.
typedef float numbers __attribute__((vector_size(64), aligned(4)));
enum { width = sizeof(numbers) / sizeof(float) };

// The best of these for the processor is taken when the program is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_PROCESSORS __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FOR_PROCESSORS
#endif

FOR_PROCESSORS
static void rows_by_vector(const float *w, const float *x, float *y, long rows, long cols, int add) {
	for (long i = 0; i < rows; i++, w += cols) {
		numbers a = {0}, b = {0}, c = {0}, d = {0}; // they hide how long an addition takes
		long j = 0;
		for (; j + 4 * width <= cols; j += 4 * width) {
			const numbers *u = (const numbers *)(w + j), *v = (const numbers *)(x + j);
			a += u[0] * v[0];
			b += u[1] * v[1];
			c += u[2] * v[2];
			d += u[3] * v[3];
		}
		for (; j + width <= cols; j += width) {
			a += *(const numbers *)(w + j) * *(const numbers *)(x + j);
		}
		a = (a + b) + (c + d);
		float sum = 0;
		for (int k = 0; k < width; k++) {
			sum += a[k];
		}
		for (; j < cols; j++) {
			sum += w[j] * x[j];
		}
		y[i] = add ? y[i] + sum : sum;
	}
}

// product is one call of matvec.
typedef struct {
	const float *w, *x;
	float *y;
	long rows, cols;
	int add, threads;
} product;

// share computes the rows of one thread, the first of which are at a multiple of a
// cache line's numbers: no two threads write to the same one.
static void share(const product *p, int number) {
	long lines = (p->rows + width - 1) / width;
	long from = lines * number / p->threads * width, to = lines * (number + 1) / p->threads * width;
	if (to > p->rows) {
		to = p->rows;
	}
	rows_by_vector(p->w + from * p->cols, p->x, p->y + from, to - from, p->cols, p->add);
}

enum { most_workers = 63, patience = 4000 };

// pause_briefly tells the processor that this thread waits in a loop.
static void pause_briefly(void) {
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

// Workers wait for the next product: first awake, as a model's products follow one
// another within microseconds, then asleep.
static struct {
	pthread_mutex_t calls; // one product at a time
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	int workers;
	product current;
	_Atomic unsigned long round;
	_Atomic int pending;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void *work(void *number) {
	unsigned long seen = 0;
	for (;;) {
		for (int i = 0; i < patience && atomic_load(&pool.round) == seen; i++) {
			pause_briefly();
		}
		pthread_mutex_lock(&pool.lock);
		while (atomic_load(&pool.round) == seen) {
			pthread_cond_wait(&pool.begun, &pool.lock);
		}
		seen = atomic_load(&pool.round);
		product p = pool.current;
		pthread_mutex_unlock(&pool.lock);
		if ((long)number >= p.threads) {
			continue; // this one is shared by fewer
		}
		share(&p, (int)(long)number);
		if (atomic_fetch_sub(&pool.pending, 1) == 1) {
			pthread_mutex_lock(&pool.lock);
			pthread_cond_signal(&pool.ended);
			pthread_mutex_unlock(&pool.lock);
		}
	}
	return 0;
}

void matvec(const float *w, const float *x, float *y, long rows, long cols, int add, int threads) {
	pthread_mutex_lock(&pool.calls);
	if (threads > most_workers + 1) {
		threads = most_workers + 1;
	}
	while (pool.workers < threads - 1) {
		pthread_t thread;
		if (pthread_create(&thread, 0, work, (void *)(long)(pool.workers + 1)) != 0) {
			threads = pool.workers + 1;
			break;
		}
		pthread_detach(thread);
		pool.workers++;
	}
	product p = {w, x, y, rows, cols, add, threads > 1 ? threads : 1};
	if (p.threads > 1) {
		pthread_mutex_lock(&pool.lock);
		pool.current = p;
		atomic_store(&pool.pending, p.threads - 1);
		atomic_fetch_add(&pool.round, 1);
		pthread_cond_broadcast(&pool.begun);
		pthread_mutex_unlock(&pool.lock);
	}
	share(&p, 0);
	if (p.threads > 1) {
		for (int i = 0; i < patience && atomic_load(&pool.pending) > 0; i++) {
			pause_briefly();
		}
		pthread_mutex_lock(&pool.lock);
		while (atomic_load(&pool.pending) > 0) {
			pthread_cond_wait(&pool.ended, &pool.lock);
		}
		pthread_mutex_unlock(&pool.lock);
	}
	pthread_mutex_unlock(&pool.calls);
}
