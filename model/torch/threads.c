#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	most_workers = 63,
	patience = 4000, // looks, of some 20 ns each
};

// Threads wait for each other awake at first, as a model's jobs follow one another
// within microseconds, and then asleep. Whoever goes to sleep says so before it looks
// for the last time, and whoever changes what is waited for does so before it looks
// for sleepers: without a lock, which would be in the way of those awake.
typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	_Atomic int sleepers;
} bed;

static void wake(bed *b) {
	if (atomic_load(&b->sleepers) > 0) {
		pthread_mutex_lock(&b->lock);
		pthread_cond_broadcast(&b->changed);
		pthread_mutex_unlock(&b->lock);
	}
}

// pause_briefly tells the processor that this thread waits in a loop.
static void pause_briefly(void) {
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

// wait_while waits as long as value is old.
static void wait_while(bed *b, _Atomic unsigned *value, unsigned old) {
	for (int i = 0; i < patience; i++) {
		if (atomic_load(value) != old) {
			return;
		}
		pause_briefly();
	}
	pthread_mutex_lock(&b->lock);
	atomic_fetch_add(&b->sleepers, 1);
	while (atomic_load(value) == old) {
		pthread_cond_wait(&b->changed, &b->lock);
	}
	atomic_fetch_sub(&b->sleepers, 1);
	pthread_mutex_unlock(&b->lock);
}

static struct {
	pthread_mutex_t calls; // one job at a time
	void (*part)(const void *job, int number, int threads);
	const void *job;
	int threads;
	int workers;                   // all take part in every job, if only to say so
	_Atomic unsigned begun, ended; // counts of jobs, which go on with 0 behind the last number
	_Atomic unsigned pending;      // workers that are not done
	bed workers_bed, caller_bed;
} pool = {
	.calls = PTHREAD_MUTEX_INITIALIZER,
	.workers_bed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
	.caller_bed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
};

// worker is what a thread of the pool starts with.
typedef struct {
	int number;     // of its parts of jobs
	unsigned begun; // the count of jobs before it
} worker;

static worker workers[most_workers];

static void *work(void *started) {
	worker w = *(worker *)started;
	for (;; w.begun++) {
		wait_while(&pool.workers_bed, &pool.begun, w.begun);
		if (w.number < pool.threads) {
			pool.part(pool.job, w.number, pool.threads);
		}
		if (atomic_fetch_sub(&pool.pending, 1) == 1) {
			atomic_fetch_add(&pool.ended, 1);
			wake(&pool.caller_bed);
		}
	}
	return 0;
}

// start_workers starts those that are missing, and returns with how many threads a
// job can be done.
static int start_workers(int threads) {
	if (threads > most_workers + 1) {
		threads = most_workers + 1;
	}
	for (; pool.workers < threads - 1; pool.workers++) {
		worker *w = &workers[pool.workers];
		*w = (worker){pool.workers + 1, atomic_load(&pool.begun)};
		pthread_t thread;
		if (pthread_create(&thread, 0, work, w) != 0) {
			return pool.workers + 1;
		}
		pthread_detach(thread);
	}
	return threads;
}

void in_threads(void (*part)(const void *job, int number, int threads), const void *job, int threads) {
	if (threads <= 1) {
		part(job, 0, 1);
		return;
	}
	pthread_mutex_lock(&pool.calls);
	threads = start_workers(threads);
	unsigned ended = atomic_load(&pool.ended);
	pool.part = part;
	pool.job = job;
	pool.threads = threads;
	atomic_store(&pool.pending, pool.workers);
	atomic_fetch_add(&pool.begun, 1);
	wake(&pool.workers_bed);
	part(job, 0, threads);
	if (pool.workers > 0) {
		wait_while(&pool.caller_bed, &pool.ended, ended);
	}
	pthread_mutex_unlock(&pool.calls);
}
