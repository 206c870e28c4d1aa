/* kernel_attention.c - attention composed of oneDNN's GEMMs and our own softmax, in f32. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#include "bench/backends/cpu/kernels.h"
#include "model/op/operand.h"

/*
 * For each sequence and each head of keys, by a thread if there are enough of them: the keys that
 * are seen and their values become rows of f32, and block by block the queries of all heads that
 * share them. Masked scores of a block are computed only where another query of it sees the key.
 */
enum {
	SCORES = 1 << 18, /* of a block: fits a second-level cache */
	QUERIES = 64      /* of a block, at most */
};

/* Scratch memory of one thread. */
struct room {
	float *k, *v;          /* [seen, qk], [seen, v] */
	float *dk, *dv;        /* the same, of a backward pass */
	float *q, *dq;         /* [rows, qk] of a block */
	float *y, *dy;         /* [rows, v] */
	float *scores, *slope; /* [rows, seen]; slope: their gradients */
};

/* Operands, NULL where the op has none, and sizes. */
struct attention {
	const struct paleo_op *op;
	const struct paleo_attention_geom *g;
	const void *x, *k, *v, *fresh, *angles, *y_in, *dy;
	void *y, *appended, *dx, *dk, *dv;
	int64_t seen, old, group, queries; /* queries: of a block */
	float scale;
};

static void *operand(const struct paleo_op *w, void *const *data, enum paleo_role role)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(w, list);
	const struct paleo_operand *o = paleo_operand_find(list, n, role);

	return o ? data[o - list] : NULL;
}

static int64_t block_queries(const struct paleo_attention_geom *g)
{
	int64_t most = SCORES / ((int64_t)g->heads / g->kv_heads * paleo_attention_seen(g));

	return most < 1 ? 1 : most < QUERIES ? most : QUERIES;
}

static struct attention attention_of(const struct paleo_op *w, void *const *data)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	struct attention t = {.op = w, .g = g};

	t.x = operand(w, data, PALEO_X);
	t.k = operand(w, data, PALEO_K);
	t.v = operand(w, data, PALEO_V);
	t.fresh = operand(w, data, PALEO_NEW);
	t.angles = operand(w, data, PALEO_ANGLES);
	t.y = operand(w, data, PALEO_Y);
	t.y_in = t.y;
	t.dy = operand(w, data, PALEO_DY);
	t.appended = operand(w, data, PALEO_APPENDED);
	t.dx = operand(w, data, PALEO_DX);
	t.dk = operand(w, data, PALEO_DK);
	t.dv = operand(w, data, PALEO_DV);
	t.seen = paleo_attention_seen(g);
	t.old = t.seen - (g->cache ? g->q : 0);
	t.group = g->heads / g->kv_heads;
	t.queries = block_queries(g);
	t.scale = 1 / sqrtf((float)g->qk);
	return t;
}

/* Floats of a thread's room; sets *r, whose memory begins at `at`. */
static size_t lay_out(const struct paleo_op *w, float *at, struct room *r)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	size_t seen = (size_t)paleo_attention_seen(g), qk = (size_t)g->qk, v = (size_t)g->v;
	size_t rows = (size_t)block_queries(g) * (size_t)(g->heads / g->kv_heads);
	size_t back = w->pass != PALEO_FWD;
	struct {
		float **to;
		size_t count;
	} parts[] = {
		{&r->k, seen * qk},         {&r->v, seen * v},
		{&r->dk, back * seen * qk}, {&r->dv, back * seen * v},
		{&r->q, rows * qk},         {&r->dq, back * rows * qk},
		{&r->y, rows * v},          {&r->dy, rows * v},
		{&r->scores, rows * seen},  {&r->slope, back * rows * seen},
	};
	size_t used = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		*parts[i].to = at ? at + used : NULL;
		used += (parts[i].count + 15) / 16 * 16;
	}
	return used;
}

static size_t scratch_bytes(const struct paleo_op *w, int threads)
{
	struct room r;

	return (size_t)threads * lay_out(w, NULL, &r) * sizeof(float);
}

/* `n` numbers of a tensor from element `first` on, as f32, and back. */
static void load_heads(const struct attention *t, const void *tensor, int64_t first, int64_t n,
		       float *to)
{
	assert(tensor);
	if (t->op->dtype == PALEO_F32)
		memcpy(to, (const float *)tensor + first, (size_t)n * sizeof(float));
	else
		paleo_cpu_widen_all((const uint16_t *)tensor + first, to, n);
}

static void store_heads(const struct attention *t, const float *from, int64_t n, void *tensor,
			int64_t first)
{
	if (t->op->dtype == PALEO_F32)
		memcpy((float *)tensor + first, from, (size_t)n * sizeof(float));
	else
		paleo_cpu_narrow_all(from, (uint16_t *)tensor + first, n);
}

/* Turns the last `rope` numbers of a head by the angles of query i. */
static void rotate(const struct attention *t, float *head, int64_t i)
{
	int64_t rope = t->g->rope, half = rope / 2;

	if (!rope)
		return;
	const float *cosine = (const float *)t->angles + i * rope, *sine = cosine + half;
	float *a = head + t->g->qk - rope, *b = a + half;
	for (int64_t d = 0; d < half; d++) {
		float first = a[d] * cosine[d] - b[d] * sine[d];
		b[d] = b[d] * cosine[d] + a[d] * sine[d];
		a[d] = first;
	}
}

/* Keys and values of one head, from the cache and the new tokens; the new ones are appended. */
static void gather(const struct attention *t, int64_t b, int64_t h, struct room *r)
{
	const struct paleo_attention_geom *g = t->g;
	int64_t width = g->qk + (g->latent ? 0 : g->v);

	for (int64_t j = 0; j < t->old; j++) {
		int64_t at = (b * t->old + j) * g->kv_heads + h;
		load_heads(t, t->k, at * g->qk, g->qk, r->k + j * g->qk);
		if (!g->latent)
			load_heads(t, t->v, at * g->v, g->v, r->v + j * g->v);
	}
	for (int64_t j = t->old; j < t->seen; j++) {
		int64_t at = ((b * g->q + j - t->old) * g->kv_heads + h) * width;
		float *key = r->k + j * g->qk, *value = r->v + j * g->v;
		load_heads(t, t->fresh, at, g->qk, key);
		rotate(t, key, j - t->old);
		store_heads(t, key, g->qk, t->appended, at);
		if (g->latent)
			continue;
		load_heads(t, t->fresh, at + g->qk, g->v, value);
		store_heads(t, value, g->v, t->appended, at + g->qk);
	}
	for (int64_t j = 0; g->latent && j < t->seen; j++)
		memcpy(r->v + j * g->v, r->k + j * g->qk, (size_t)g->v * sizeof(float));
}

/* Offset of row `row` of a block of queries from i on, in a tensor of heads of `width` numbers. */
static int64_t place(const struct attention *t, int64_t b, int64_t h, int64_t i, int64_t row,
		     int64_t width)
{
	int64_t query = b * t->g->q + i + row / t->group;

	return (query * t->g->heads + h * t->group + row % t->group) * width;
}

/* e^x for x <= 0, to 2e-7: 2^n times a polynomial of the remainder, at most log(2) / 2. */
static inline float exp_negative(float x)
{
	float t = (x > -87 ? x : -87) * 1.44269504f;
	float n = rintf(t), r = (t - n) * 0.69314718f, p = 0.0013888889f;
	int32_t bits = ((int32_t)n + 127) << 23;
	float power;

	p = 0.0083333333f + r * p;
	p = 0.041666667f + r * p;
	p = 0.16666667f + r * p;
	p = 0.5f + r * p;
	p = 1 + r * (1 + r * p);
	memcpy(&power, &bits, sizeof(power));
	return p * power;
}

PALEO_CPU_CLONES
static void softmax_row(float *s, int64_t low, int64_t high, int64_t end)
{
	float most = s[low], sum = 0;

	memset(s, 0, (size_t)low * sizeof(float));
	memset(s + high, 0, (size_t)(end - high) * sizeof(float));
	for (int64_t j = low; j < high; j++)
		most = s[j] > most ? s[j] : most;
#pragma omp simd reduction(+ : sum)
	for (int64_t j = low; j < high; j++) {
		s[j] = exp_negative(s[j] - most);
		sum += s[j];
	}
	float inverse = 1 / sum;
#pragma omp simd
	for (int64_t j = low; j < high; j++)
		s[j] *= inverse;
}

/* End of the window of query i, which may be after the last key. */
static int64_t end_of(const struct attention *t, int64_t i)
{
	const struct paleo_attention_geom *g = t->g;

	if (g->causal)
		return t->seen - g->q + i + 1;
	return g->window ? i + g->window / 2 + 1 : t->seen;
}

/* The keys before which query i stops, and where it begins. */
static int64_t high_of(const struct attention *t, int64_t i)
{
	int64_t high = end_of(t, i);

	return high < t->seen ? high : t->seen;
}

static int64_t low_of(const struct attention *t, int64_t i)
{
	int64_t low = end_of(t, i) - t->g->window;

	return t->g->window && low > 0 ? low : 0;
}

/* Weights of `rows` rows, the queries from i on, over the first `n` keys. */
static void weigh(const struct attention *t, int64_t i, int64_t rows, int64_t n, struct room *r)
{
	int64_t qk = t->g->qk;

	dnnl_sgemm('N', 'T', rows, n, qk, t->scale, r->q, qk, r->k, qk, 0, r->scores, n);
	for (int64_t row = 0; row < rows; row++) {
		int64_t query = i + row / t->group;
		softmax_row(r->scores + row * n, low_of(t, query), high_of(t, query), n);
	}
}

static void forward(const struct attention *t, int64_t b, int64_t h, struct room *r)
{
	const struct paleo_attention_geom *g = t->g;
	int64_t qk = g->qk, v = g->v;

	for (int64_t i = 0; i < g->q; i += t->queries) {
		int64_t queries = g->q - i < t->queries ? g->q - i : t->queries;
		int64_t rows = queries * t->group, n = high_of(t, i + queries - 1);
		for (int64_t row = 0; row < rows; row++) {
			load_heads(t, t->x, place(t, b, h, i, row, qk), qk, r->q + row * qk);
			rotate(t, r->q + row * qk, i + row / t->group);
		}
		weigh(t, i, rows, n, r);
		dnnl_sgemm('N', 'N', rows, v, n, 1, r->scores, n, r->v, v, 0, r->y, v);
		for (int64_t row = 0; row < rows; row++)
			store_heads(t, r->y + row * v, v, t->y, place(t, b, h, i, row, v));
	}
}

/* From gradients of weights to gradients of scores: p (dp - dy y). */
PALEO_CPU_CLONES
static void slope_row(const float *p, float *slope, int64_t n, const float *y, const float *dy,
		      int64_t v)
{
	float sum = 0;

#pragma omp simd reduction(+ : sum)
	for (int64_t d = 0; d < v; d++)
		sum += y[d] * dy[d];
#pragma omp simd
	for (int64_t j = 0; j < n; j++)
		slope[j] = p[j] * (slope[j] - sum);
}

static void backward(const struct attention *t, int64_t b, int64_t h, struct room *r)
{
	const struct paleo_attention_geom *g = t->g;
	int64_t qk = g->qk, v = g->v;

	memset(r->dk, 0, (size_t)(t->seen * qk) * sizeof(float));
	memset(r->dv, 0, (size_t)(t->seen * v) * sizeof(float));
	for (int64_t i = 0; i < g->q; i += t->queries) {
		int64_t queries = g->q - i < t->queries ? g->q - i : t->queries;
		int64_t rows = queries * t->group, n = high_of(t, i + queries - 1);
		for (int64_t row = 0; row < rows; row++) {
			load_heads(t, t->x, place(t, b, h, i, row, qk), qk, r->q + row * qk);
			load_heads(t, t->y_in, place(t, b, h, i, row, v), v, r->y + row * v);
			load_heads(t, t->dy, place(t, b, h, i, row, v), v, r->dy + row * v);
		}
		weigh(t, i, rows, n, r);
		dnnl_sgemm('N', 'T', rows, n, v, 1, r->dy, v, r->v, v, 0, r->slope, n);
		dnnl_sgemm('T', 'N', n, v, rows, 1, r->scores, n, r->dy, v, 1, r->dv, v);
		for (int64_t row = 0; row < rows; row++)
			slope_row(r->scores + row * n, r->slope + row * n, n, r->y + row * v,
				  r->dy + row * v, v);
		dnnl_sgemm('N', 'N', rows, qk, n, t->scale, r->slope, n, r->k, qk, 0, r->dq, qk);
		dnnl_sgemm('T', 'N', n, qk, rows, t->scale, r->slope, n, r->q, qk, 1, r->dk, qk);
		for (int64_t row = 0; row < rows; row++)
			store_heads(t, r->dq + row * qk, qk, t->dx, place(t, b, h, i, row, qk));
	}
	for (int64_t j = 0; j < t->seen; j++) {
		int64_t at = (b * t->seen + j) * g->kv_heads + h;
		store_heads(t, r->dk + j * qk, qk, t->dk, at * qk);
		store_heads(t, r->dv + j * v, v, t->dv, at * v);
	}
}

static void run(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct attention t = attention_of(w, data);
	struct room any;
	int64_t units = (int64_t)t.g->batch * t.g->kv_heads;
	size_t size = lay_out(w, NULL, &any);

	/* too few heads for all threads: heads run in sequence, and the GEMMs use all threads */
#pragma omp parallel for schedule(static) if (units >= omp_get_max_threads())
	for (int64_t i = 0; i < units; i++) {
		struct room r;
		lay_out(w, (float *)scratch + (size_t)omp_get_thread_num() * size, &r);
		gather(&t, i / t.g->kv_heads, i % t.g->kv_heads, &r);
		if (w->pass == PALEO_FWD)
			forward(&t, i / t.g->kv_heads, i % t.g->kv_heads, &r);
		else
			backward(&t, i / t.g->kv_heads, i % t.g->kv_heads, &r);
	}
}

const struct paleo_cpu_kernel paleo_cpu_attention = {"paleo:composed_attention", run,
						     scratch_bytes};
