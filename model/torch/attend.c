#include "kernels.h"
#include "numbers.h"
#include "threads.h"

#include <string.h>

// attention is one call of attend.
typedef struct {
	const float *queries, *keys;
	const int32_t *slots;
	float *scores, *attended;
	long heads, kv_heads, dim, positions, stride;
} attention;

// keys_of is where the keys of the position number t are.
INLINE const float *keys_of(const attention *a, long t) {
	return a->keys + (a->slots ? a->slots[t] : t) * a->stride;
}

// softmax makes probabilities of scores, n numbers.
INLINE void softmax(float *scores, long n) {
	float most = scores[0];
	for (long i = 1; i < n; i++) {
		most = scores[i] > most ? scores[i] : most;
	}
	float sum = 0;
	long i = 0;
	for (; i + width <= n; i += width) {
		numbers *part = (numbers *)(scores + i);
		*part -= most;
		exponentials(part);
		sum += sum_of(part);
	}
	numbers rest = {0};
	memcpy(&rest, scores + i, (n - i) * sizeof(float));
	rest -= most;
	exponentials(&rest);
	memcpy(scores + i, &rest, (n - i) * sizeof(float));
	for (; i < n; i++) {
		sum += scores[i];
	}
	for (i = 0; i < n; i++) {
		scores[i] /= sum;
	}
}

// add adds so many vectors, each times its weight, to out [dim].
INLINE void add(const float *const *vectors, const float *weights, float *out, long count, long dim) {
	long i = 0;
	for (; i + width <= dim; i += width) {
		numbers sum = *(const numbers *)(out + i);
		for (long t = 0; t < count; t++) {
			sum += weights[t] * *(const numbers *)(vectors[t] + i);
		}
		*(numbers *)(out + i) = sum;
	}
	for (; i < dim; i++) {
		for (long t = 0; t < count; t++) {
			out[i] += weights[t] * vectors[t][i];
		}
	}
}

enum {
	few = 4,   // positions whose values are added at once
	ahead = 8, // positions that are asked for before they are needed
};

// fetch asks the memory for n numbers.
INLINE void fetch(const float *x, long n) {
	for (long i = 0; i < n; i += width) {
		__builtin_prefetch(x + i);
	}
}

// add_values adds the values of up to few positions, from t on, to what the heads with
// key-value heads [from, to) take.
INLINE void add_values(const attention *a, long t, long count, long from, long to) {
	long group = a->heads / a->kv_heads;
	const float *values[few];
	for (long i = 0; i < count; i++) {
		values[i] = keys_of(a, t + i) + (a->kv_heads + from) * a->dim;
	}
	for (long h = from * group; from < to; from++) {
		for (long end = h + group; h < end; h++) {
			add(values, a->scores + h * a->positions + t, a->attended + h * a->dim, count, a->dim);
		}
		for (long i = 0; i < count; i++) {
			values[i] += a->dim;
		}
	}
}

// attend_heads computes what the heads with key-value heads [from, to) take. It goes
// through the memory from one position to the next.
FOR_PROCESSORS
static void attend_heads(const attention *a, long from, long to) {
	long group = a->heads / a->kv_heads, first = from * group, end = to * group;
	for (long t = 0; t < a->positions; t++) {
		const float *query = a->queries + first * a->dim, *key = keys_of(a, t) + from * a->dim;
		float *score = a->scores + first * a->positions + t;
		if (t + ahead < a->positions) {
			fetch(keys_of(a, t + ahead) + from * a->dim, (to - from) * a->dim);
		}
		for (long k = from; k < to; k++, key += a->dim) {
			for (long i = 0; i < group; i++, query += a->dim, score += a->positions) {
				*score = dot(query, key, a->dim);
			}
		}
	}
	for (long h = first; h < end; h++) {
		softmax(a->scores + h * a->positions, a->positions);
	}
	memset(a->attended + first * a->dim, 0, (end - first) * a->dim * sizeof(float));
	long t = 0;
	for (; t + few <= a->positions; t += few) {
		for (long i = t + ahead; i < t + ahead + few && i < a->positions; i++) {
			fetch(keys_of(a, i) + (a->kv_heads + from) * a->dim, (to - from) * a->dim);
		}
		add_values(a, t, few, from, to);
	}
	for (; t < a->positions; t++) {
		add_values(a, t, 1, from, to);
	}
}

// share computes the heads of one thread: all those that share keys.
static void share(const void *job, int number, int threads) {
	const attention *a = job;
	attend_heads(a, a->kv_heads * number / threads, a->kv_heads * (number + 1) / threads);
}

void attend(const float *queries, const float *keys, const int32_t *slots, float *scores, float *attended,
	long heads, long kv_heads, long dim, long positions, long stride, int threads) {
	attention a = {queries, keys, slots, scores, attended, heads, kv_heads, dim, positions, stride};
	in_threads(share, &a, threads);
}
