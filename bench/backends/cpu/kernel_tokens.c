/* kernel_tokens.c - kernels of our own on tokens: embeddings, rotary positions, losses, experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cpu/kernels.h"

/* Element i of a tensor in the op's type, and back. */
static inline float get(int wide, const void *tensor, int64_t i)
{
	return wide ? ((const float *)tensor)[i] : paleo_cpu_widen(((const uint16_t *)tensor)[i]);
}

static inline void put(int wide, void *tensor, int64_t i, float v)
{
	if (wide)
		((float *)tensor)[i] = v;
	else
		((uint16_t *)tensor)[i] = paleo_cpu_narrow(v);
}

/* data: index, table, y */
static void look_up(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;
	const int32_t *index = data[0];
	size_t bytes = (size_t)g->dim * (size_t)paleo_dtype_bytes(w->dtype);

	(void)scratch;
#pragma omp parallel for schedule(static)
	for (int64_t t = 0; t < g->tokens; t++)
		memcpy((char *)data[2] + (size_t)t * bytes,
		       (const char *)data[1] + (size_t)index[t] * bytes, bytes);
}

/* data: index, dy, dw. Each thread owns some rows of the table, so that sums need no lock. A sum in
 * bf16 is rounded after each addition, unless it is kept as f32 until the end. */
static void gather_rows(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;
	const int32_t *index = data[0];
	int wide = w->dtype == PALEO_F32;
	int64_t dim = g->dim;
	float *sums = wide ? data[2] : scratch;

#pragma omp parallel
	{
		int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
		int64_t first = g->vocab * me / threads, end = g->vocab * (me + 1) / threads;
		memset(sums + first * dim, 0, (size_t)((end - first) * dim) * sizeof(float));
		for (int64_t t = 0; t < g->tokens; t++) {
			float *row = sums + index[t] * dim;
			if (index[t] < first || index[t] >= end)
				continue;
			for (int64_t d = 0; d < dim; d++)
				row[d] += get(wide, data[1], t * dim + d);
		}
		for (int64_t i = first * dim; !wide && i < end * dim; i++)
			put(0, data[2], i, sums[i]);
	}
}

static size_t table_bytes(const struct paleo_op *w, int threads)
{
	(void)threads;
	return (size_t)w->geom.embedding.vocab * (size_t)w->geom.embedding.dim * sizeof(float);
}

const struct paleo_cpu_kernel *paleo_cpu_kernel_embedding(const struct paleo_op *w)
{
	static const struct paleo_cpu_kernel fwd = {"paleo:embedding", look_up, NULL};
	static const struct paleo_cpu_kernel bwd = {"paleo:embedding_bwd", gather_rows,
						    table_bytes};

	return w->pass == PALEO_FWD ? &fwd : &bwd;
}

/* One head; `sign` is -1 to turn back. */
PALEO_CPU_CLONES
static void turn(int wide, const void *x, void *y, int64_t first, int64_t half, const float *angles,
		 float sign)
{
	for (int64_t d = 0; d < half; d++) {
		float a = get(wide, x, first + d), b = get(wide, x, first + half + d);
		float cosine = angles[d], sine = sign * angles[half + d];
		put(wide, y, first + d, a * cosine - b * sine);
		put(wide, y, first + half + d, b * cosine + a * sine);
	}
}

/* data: x or dy, angles, y or dx */
static void run_rope(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_rope_geom *g = &w->geom.rope;
	int64_t heads = (int64_t)g->rows * g->heads;
	int wide = w->dtype == PALEO_F32;

	(void)scratch;
#pragma omp parallel for schedule(static)
	for (int64_t i = 0; i < heads; i++)
		turn(wide, data[0], data[2], i * g->dim, g->dim / 2,
		     (const float *)data[1] + i / g->heads * g->dim, w->pass == PALEO_FWD ? 1 : -1);
}

const struct paleo_cpu_kernel paleo_cpu_rope = {"paleo:rope", run_rope, NULL};

/* data: x, index, y or dx */
static void run_loss(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;
	const int32_t *index = data[1];
	int wide = w->dtype == PALEO_F32;

	(void)scratch;
#pragma omp parallel for schedule(static)
	for (int64_t row = 0; row < g->rows; row++) {
		int64_t first = row * g->cols;
		float most = get(wide, data[0], first), sum = 0;
		for (int64_t i = 1; i < g->cols; i++)
			most = fmaxf(most, get(wide, data[0], first + i));
		for (int64_t i = 0; i < g->cols; i++)
			sum += expf(get(wide, data[0], first + i) - most);
		float chosen = get(wide, data[0], first + index[row]);
		if (w->pass == PALEO_FWD)
			((float *)data[2])[row] = logf(sum) + most - chosen;
		for (int64_t i = 0; w->pass != PALEO_FWD && i < g->cols; i++) {
			float p = expf(get(wide, data[0], first + i) - most) / sum;
			put(wide, data[2], first + i,
			    (p - (i == index[row] ? 1.0F : 0.0F)) / (float)g->rows);
		}
	}
}

const struct paleo_cpu_kernel paleo_cpu_cross_entropy = {"paleo:cross_entropy", run_loss, NULL};

/* Room for the tokens of one expert at a time. */
struct expert {
	float *x, *inner, *out; /* [rows, hidden], [rows, inter or 2 inter], [rows, hidden] */
	float *first, *second;  /* an expert's weights as f32; of f32 ops, where they are */
	float *sums;            /* [tokens, hidden] */
	int32_t *pairs;         /* which entries of the index go to the expert */
};

static size_t expert_room(const struct paleo_op *w, char *at, struct expert *e)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	size_t t = (size_t)g->tokens, h = (size_t)g->hidden, i = (size_t)g->inter;
	size_t two = i * (g->gated ? 2 : 1), narrow = w->dtype != PALEO_F32;
	struct {
		void *to;
		size_t count;
	} parts[] = {{&e->x, t * h},
		     {&e->inner, t * two},
		     {&e->out, t * h},
		     {&e->first, narrow * two * h},
		     {&e->second, narrow * h * i},
		     {&e->sums, t * h},
		     {&e->pairs, t * (size_t)g->topk}};
	size_t used = 0;

	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		void *place = at ? at + used : NULL;
		memcpy(parts[p].to, &place, sizeof(place));
		used += (parts[p].count * sizeof(float) + 63) / 64 * 64;
	}
	return used;
}

static size_t expert_bytes(const struct paleo_op *w, int threads)
{
	struct expert e;

	(void)threads;
	return expert_room(w, NULL, &e);
}

static void widen_all(int wide, const void *tensor, int64_t first, int64_t n, float *to)
{
#pragma omp parallel for simd schedule(static)
	for (int64_t i = 0; i < n; i++)
		to[i] = get(wide, tensor, first + i);
}

/* silu(a) b of the two halves of each row, or max(a, 0)^2, in place. */
static void activate(const struct paleo_moe_geom *g, float *inner, int64_t rows)
{
	int64_t i = g->inter, width = i * (g->gated ? 2 : 1);

#pragma omp parallel for schedule(static)
	for (int64_t row = 0; row < rows; row++) {
		float *a = inner + row * width;
		for (int64_t j = 0; j < i; j++)
			a[j] = g->gated   ? a[j] / (1 + expf(-a[j])) * a[i + j]
			       : a[j] > 0 ? a[j] * a[j]
					  : 0;
	}
}

/* data: x, index, gate, w, w2, y */
static void run_expert(const struct paleo_op *w, void *const *data, struct expert *e,
		       int64_t number)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	const int32_t *index = data[1];
	int64_t h = g->hidden, i = g->inter, two = i * (g->gated ? 2 : 1), rows = 0;
	int wide = w->dtype == PALEO_F32;
	const float *first = e->first, *second = e->second;

	for (int32_t p = 0; p < g->tokens * g->topk; p++)
		if (index[p] == number)
			e->pairs[rows++] = p;
	if (rows == 0)
		return;
	for (int64_t r = 0; r < rows; r++)
		widen_all(wide, data[0], e->pairs[r] / g->topk * h, h, e->x + r * h);
	if (wide) {
		first = (const float *)data[3] + number * two * h;
		second = (const float *)data[4] + number * h * i;
	} else {
		widen_all(0, data[3], number * two * h, two * h, e->first);
		widen_all(0, data[4], number * h * i, h * i, e->second);
	}
	dnnl_sgemm('N', 'T', rows, two, h, 1, e->x, h, first, h, 0, e->inner, two);
	activate(g, e->inner, rows);
	dnnl_sgemm('N', 'T', rows, h, i, 1, e->inner, two, second, i, 0, e->out, h);
	for (int64_t r = 0; r < rows; r++) {
		float gate = ((const float *)data[2])[e->pairs[r]];
		float *sum = e->sums + e->pairs[r] / g->topk * h;
		for (int64_t d = 0; d < h; d++)
			sum[d] += gate * e->out[r * h + d];
	}
}

static void run_moe(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	int64_t count = (int64_t)g->tokens * g->hidden;
	struct expert e;

	expert_room(w, scratch, &e);
	memset(e.sums, 0, (size_t)count * sizeof(float));
	for (int64_t number = 0; number < g->local; number++)
		run_expert(w, data, &e, number);
	for (int64_t i = 0; i < count; i++)
		put(w->dtype == PALEO_F32, data[5], i, e.sums[i]);
}

const struct paleo_cpu_kernel paleo_cpu_moe = {"paleo:composed_moe", run_moe, expert_bytes};
