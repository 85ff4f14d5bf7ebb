#pragma once

#pragma GCC visibility push(hidden)

// in_threads calls part(job, number, threads) with each number below threads, each in
// a thread, and returns when all are done. One of them is the caller's.
void in_threads(void (*part)(const void *job, int number, int threads), const void *job, int threads);

#pragma GCC visibility pop
