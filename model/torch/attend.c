#include "kernels.h"
#include "numbers.h"
#include "threads.h"

#include <string.h>

// attention is one call of attend.
typedef struct {
	const float *queries;
	const char *keys;
	number_type type;
	const int32_t *slots;
	float *scores, *attended;
	long heads, kv_heads, dim, positions, stride;
} attention;

// keys_of is where the keys of the position number t are.
INLINE const char *keys_of(const attention *a, long t, number_type type) {
	return a->keys + (a->slots ? a->slots[t] : t) * a->stride * size_of(type);
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
INLINE void add(const char *const *vectors, number_type type, const float *weights, float *out, long count, long dim) {
	long i = 0;
	for (; i + width <= dim; i += width) {
		numbers sum = *(const numbers *)(out + i), v;
		for (long t = 0; t < count; t++) {
			widened(&v, vectors[t] + i * size_of(type), type), sum += weights[t] * v;
		}
		*(numbers *)(out + i) = sum;
	}
	for (; i < dim; i++) {
		for (long t = 0; t < count; t++) {
			out[i] += weights[t] * widened_one(vectors[t] + i * size_of(type), type);
		}
	}
}

enum {
	few = 4,   // positions whose values are added at once
	ahead = 8, // positions that are asked for before they are needed
	line = 64, // bytes that memory gives at once
};

// fetch asks the memory for bytes.
INLINE void fetch(const char *x, long bytes) {
	for (long i = 0; i < bytes; i += line) {
		__builtin_prefetch(x + i);
	}
}

// add_values adds the values of up to few positions, from t on, to what the heads with
// key-value heads [from, to) take.
INLINE void add_values(const attention *a, number_type type, long t, long count, long from, long to) {
	const long group = a->heads / a->kv_heads, bytes = a->dim * size_of(type);
	const char *values[few];
	for (long i = 0; i < count; i++) {
		values[i] = keys_of(a, t + i, type) + (a->kv_heads + from) * bytes;
	}
	for (long h = from * group; from < to; from++) {
		for (long end = h + group; h < end; h++) {
			add(values, type, a->scores + h * a->positions + t, a->attended + h * a->dim, count, a->dim);
		}
		for (long i = 0; i < count; i++) {
			values[i] += bytes;
		}
	}
}

// attend_heads computes what the heads with key-value heads [from, to) take. It goes
// through the memory from one position to the next.
INLINE void attend_heads(const attention *a, long from, long to, number_type type) {
	const long group = a->heads / a->kv_heads, bytes = a->dim * size_of(type);
	for (long t = 0; t < a->positions; t++) {
		const float *query = a->queries + from * group * a->dim;
		const char *key = keys_of(a, t, type) + from * bytes;
		float *score = a->scores + from * group * a->positions + t;
		if (t + ahead < a->positions) {
			fetch(keys_of(a, t + ahead, type) + from * bytes, (to - from) * bytes);
		}
		for (long k = from; k < to; k++, key += bytes) {
			for (long i = 0; i < group; i++, query += a->dim, score += a->positions) {
				*score = dot(key, type, query, a->dim);
			}
		}
	}
	for (long h = from * group; h < to * group; h++) {
		softmax(a->scores + h * a->positions, a->positions);
	}
	memset(a->attended + from * group * a->dim, 0, (to - from) * group * a->dim * sizeof(float));
	long t = 0;
	for (; t + few <= a->positions; t += few) {
		for (long i = t + ahead; i < t + ahead + few && i < a->positions; i++) {
			fetch(keys_of(a, i, type) + (a->kv_heads + from) * bytes, (to - from) * bytes);
		}
		add_values(a, type, t, few, from, to);
	}
	for (; t < a->positions; t++) {
		add_values(a, type, t, 1, from, to);
	}
}

BY_TYPE(attend_heads_of_type, attention, attend_heads)

// share computes the heads of one thread: all those that share keys.
static void share(const void *job, int number, int threads) {
	const attention *a = job;
	attend_heads_of_type(a, a->kv_heads * number / threads, a->kv_heads * (number + 1) / threads);
}

void attend(const float *queries, const void *keys, number_type type, const int32_t *slots, float *scores, float *attended,
	long heads, long kv_heads, long dim, long positions, long stride, int threads) {
	attention a = {queries, keys, type, slots, scores, attended, heads, kv_heads, dim, positions, stride};
	in_threads(share, &a, threads);
}
