#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	most_workers = 63,
	patience = 4000, // looks, of some 20 ns each
};

// pause_briefly tells the processor that this thread waits in a loop.
static void pause_briefly(void) {
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

// Workers wait for the next job: first awake, as those of a model follow one another
// within microseconds, then asleep.
static struct {
	pthread_mutex_t calls; // one job at a time
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	int workers;
	void (*part)(const void *job, int number, int threads);
	const void *job;
	int threads;
	_Atomic unsigned long round;
	_Atomic int pending;
} pool = {
	.calls = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.begun = PTHREAD_COND_INITIALIZER,
	.ended = PTHREAD_COND_INITIALIZER,
};

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
		void (*part)(const void *, int, int) = pool.part;
		const void *job = pool.job;
		int threads = pool.threads;
		pthread_mutex_unlock(&pool.lock);
		if ((long)number >= threads) {
			continue; // this one is shared by fewer
		}
		part(job, (int)(long)number, threads);
		if (atomic_fetch_sub(&pool.pending, 1) == 1) {
			pthread_mutex_lock(&pool.lock);
			pthread_cond_signal(&pool.ended);
			pthread_mutex_unlock(&pool.lock);
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
		pthread_t thread;
		if (pthread_create(&thread, 0, work, (void *)(long)(pool.workers + 1)) != 0) {
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
	pthread_mutex_lock(&pool.lock);
	pool.part = part;
	pool.job = job;
	pool.threads = threads;
	atomic_store(&pool.pending, threads - 1);
	atomic_fetch_add(&pool.round, 1);
	pthread_cond_broadcast(&pool.begun);
	pthread_mutex_unlock(&pool.lock);
	part(job, 0, threads);
	for (int i = 0; i < patience && atomic_load(&pool.pending) > 0; i++) {
		pause_briefly();
	}
	pthread_mutex_lock(&pool.lock);
	while (atomic_load(&pool.pending) > 0) {
		pthread_cond_wait(&pool.ended, &pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
	pthread_mutex_unlock(&pool.calls);
}
