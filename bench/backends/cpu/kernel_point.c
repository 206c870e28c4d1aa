/* kernel_point.c - kernels of our own, element by element: dropout, gradients, updates. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cpu/kernels.h"
#include "bench/fill.h"

enum {
	BLOCK = 256,   /* elements; widened values stay in the first-level cache */
	TENSORS = 5,   /* most operands of a kernel */
	SERIAL = 32768 /* below so many elements threads cost more than they bring */
};

/* Part of the operands, from element `first` on. */
struct block {
	uint64_t first;
	int n;
	float *v[TENSORS];   /* in operand.h's order; NULL for the mask */
	unsigned char *mask; /* dropout's */
};

/* v: x, mask, y. One hash an element decides, as frameworks' generators do; so it is part of the
 * time. */
PALEO_CPU_CLONES
static void dropout_fwd(const struct block *b)
{
	const uint32_t stream = paleo_fill_stream(PALEO_MASK, 0);
	const uint64_t first = b->first;
	const float *x = b->v[0];
	float *y = b->v[2];
	unsigned char *mask = b->mask; /* may point anywhere, so nothing is read through b below */
	int n = b->n;

#pragma omp simd
	for (int i = 0; i < n; i++) {
		uint32_t keep = paleo_fill_hash(stream, first + (uint64_t)i) >> 31;
		mask[i] = (unsigned char)keep;
		y[i] = x[i] * (float)(2 * keep);
	}
}

/* v: dy, mask, dx */
PALEO_CPU_CLONES
static void dropout_bwd(const struct block *b)
{
	const float *dy = b->v[0];
	float *dx = b->v[2];
	const unsigned char *mask = b->mask;
	int n = b->n;

#pragma omp simd
	for (int i = 0; i < n; i++)
		dx[i] = dy[i] * (float)(2 * mask[i]);
}

/* v: dy, a, b, da, db */
PALEO_CPU_CLONES
static void mul_bwd(const struct block *b)
{
	const float *dy = b->v[0], *a = b->v[1], *c = b->v[2];
	float *da = b->v[3], *dc = b->v[4];

#pragma omp simd
	for (int i = 0; i < b->n; i++) {
		da[i] = dy[i] * c[i];
		dc[i] = dy[i] * a[i];
	}
}

/* v: dy, a, b, da, db; of equal ones the first has won */
PALEO_CPU_CLONES
static void max_bwd(const struct block *b)
{
	const float *dy = b->v[0], *a = b->v[1], *c = b->v[2];
	float *da = b->v[3], *dc = b->v[4];

#pragma omp simd
	for (int i = 0; i < b->n; i++) {
		int second = c[i] > a[i];
		da[i] = second ? 0 : dy[i];
		dc[i] = second ? dy[i] : 0;
	}
}

/* v: a, b, y */
PALEO_CPU_CLONES
static void silu_mul_fwd(const struct block *b)
{
	const float *a = b->v[0], *c = b->v[1];
	float *y = b->v[2];

#pragma omp simd
	for (int i = 0; i < b->n; i++)
		y[i] = a[i] / (1 + expf(-a[i])) * c[i];
}

/* v: dy, a, b, da, db */
PALEO_CPU_CLONES
static void silu_mul_bwd(const struct block *b)
{
	const float *dy = b->v[0], *a = b->v[1], *c = b->v[2];
	float *da = b->v[3], *dc = b->v[4];

#pragma omp simd
	for (int i = 0; i < b->n; i++) {
		float s = 1 / (1 + expf(-a[i]));
		da[i] = dy[i] * c[i] * s * (1 + a[i] * (1 - s));
		dc[i] = dy[i] * a[i] * s;
	}
}

static const float rate = 0x1p-10f;

/* v: w, dw */
PALEO_CPU_CLONES
static void sgd(const struct block *b)
{
	float *w = b->v[0];
	const float *dw = b->v[1];

#pragma omp simd
	for (int i = 0; i < b->n; i++)
		w[i] -= rate * dw[i];
}

/* v: w, dw, velocity */
PALEO_CPU_CLONES
static void momentum(const struct block *b)
{
	float *w = b->v[0], *velocity = b->v[2];
	const float *dw = b->v[1];

#pragma omp simd
	for (int i = 0; i < b->n; i++) {
		velocity[i] = 0.9f * velocity[i] + dw[i];
		w[i] -= rate * velocity[i];
	}
}

/* v: w, dw, first and second moment (Kingma and Ba 2014, algorithm 1, at t = 1) */
PALEO_CPU_CLONES
static void adam(const struct block *b)
{
	float *w = b->v[0], *first = b->v[2], *second = b->v[3];
	const float *dw = b->v[1];
	const float correct1 = (float)(1 / (1 - 0.9)), correct2 = (float)(1 / (1 - 0.999));

#pragma omp simd
	for (int i = 0; i < b->n; i++) {
		first[i] = 0.9f * first[i] + 0.1f * dw[i];
		second[i] = 0.999f * second[i] + 0.001f * dw[i] * dw[i];
		w[i] -= rate * first[i] * correct1 / (sqrtf(second[i] * correct2) + 1e-8f);
	}
}

/* A kernel on blocks, and how each operand is used there. */
struct loop {
	void (*run)(const struct block *b);
	int tensors;
	int access[TENSORS]; /* enum paleo_access; 0: the mask */
};

enum {
	R = PALEO_READ,
	W = PALEO_WRITE,
	RW = PALEO_READ_WRITE
};

static const struct loop loop_dropout_fwd = {dropout_fwd, 3, {R, 0, W}};
static const struct loop loop_dropout_bwd = {dropout_bwd, 3, {R, 0, W}};
static const struct loop loop_mul_bwd = {mul_bwd, 5, {R, R, R, W, W}};
static const struct loop loop_max_bwd = {max_bwd, 5, {R, R, R, W, W}};
static const struct loop loop_silu_mul_fwd = {silu_mul_fwd, 3, {R, R, W}};
static const struct loop loop_silu_mul_bwd = {silu_mul_bwd, 5, {R, R, R, W, W}};
static const struct loop loop_update[] = {
	[PALEO_SGD] = {sgd, 2, {RW, R}},
	[PALEO_MOMENTUM] = {momentum, 3, {RW, R, RW}},
	[PALEO_ADAM] = {adam, 4, {RW, R, RW, RW}},
};

PALEO_CPU_CLONES
static void widen_all(const uint16_t *from, float *to, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		to[i] = paleo_cpu_widen(from[i]);
}

PALEO_CPU_CLONES
static void narrow_all(const float *from, uint16_t *to, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		to[i] = paleo_cpu_narrow(from[i]); /* NOLINT: the loop has written it */
}

/* clang 14 gives clones a name of their own, which no other file finds. */
void paleo_cpu_widen_all(const uint16_t *from, float *to, int64_t n)
{
	widen_all(from, to, n);
}

void paleo_cpu_narrow_all(const float *from, uint16_t *to, int64_t n)
{
	narrow_all(from, to, n);
}

static void run_f32(const struct loop *l, void *const *data, struct block *b)
{
	for (int t = 0; t < l->tensors; t++) {
		if (l->access[t])
			b->v[t] = (float *)data[t] + b->first;
		else
			b->mask = (unsigned char *)data[t] + b->first;
	}
	l->run(b);
}

/* Arithmetic is in f32; stored values are rounded. */
static void run_bf16(const struct loop *l, void *const *data, struct block *b)
{
	float wide[TENSORS][BLOCK + 16]; /* not a power of two apart: caches dislike it */

	for (int t = 0; t < l->tensors; t++) {
		b->v[t] = wide[t];
		if (!l->access[t])
			b->mask = (unsigned char *)data[t] + b->first;
		if (l->access[t] & PALEO_READ)
			paleo_cpu_widen_all((const uint16_t *)data[t] + b->first, wide[t], b->n);
	}
	l->run(b);
	for (int t = 0; t < l->tensors; t++) {
		if (l->access[t] & PALEO_WRITE)
			paleo_cpu_narrow_all(wide[t], (uint16_t *)data[t] + b->first, b->n);
	}
}

/* Weights of 16 bits are the rounded copy of f32 ones, which lie behind the gradient. */
static void run_masters(const struct loop *l, void *const *data, struct block *b)
{
	float gradient[BLOCK];

	paleo_cpu_widen_all((const uint16_t *)data[1] + b->first, gradient, b->n);
	b->v[0] = (float *)data[2] + b->first;
	b->v[1] = gradient;
	for (int t = 2; t < l->tensors; t++)
		b->v[t] = (float *)data[t + 1] + b->first;
	l->run(b);
	paleo_cpu_narrow_all(b->v[0], (uint16_t *)data[0] + b->first, b->n);
}

static void run_loop(const struct loop *l, const struct paleo_op *w, double count,
		     void *const *data)
{
	int64_t total = (int64_t)count, blocks = (total + BLOCK - 1) / BLOCK;
	int wide = w->dtype == PALEO_F32;

#pragma omp parallel for schedule(static) if (total >= SERIAL)
	for (int64_t i = 0; i < blocks; i++) {
		int64_t first = i * BLOCK;
		struct block b = {.first = (uint64_t)first};
		b.n = (int)(total - first < BLOCK ? total - first : BLOCK);
		if (wide)
			run_f32(l, data, &b);
		else if (w->kind == PALEO_UPDATE)
			run_masters(l, data, &b);
		else
			run_bf16(l, data, &b);
	}
}

/* Kernels missing from oneDNN, forward and backward. */
static const struct loop *const loops[2][PALEO_ELTWISE_OPS] = {
	{[PALEO_DROPOUT] = &loop_dropout_fwd, [PALEO_SILU_MUL] = &loop_silu_mul_fwd},
	{[PALEO_DROPOUT] = &loop_dropout_bwd,
	 [PALEO_SILU_MUL] = &loop_silu_mul_bwd,
	 [PALEO_MUL] = &loop_mul_bwd,
	 [PALEO_MAX] = &loop_max_bwd},
};

static void run_eltwise(const struct paleo_op *w, void *const *data, void *scratch)
{
	(void)scratch;
	run_loop(loops[w->pass != PALEO_FWD][w->geom.eltwise.op], w, w->geom.eltwise.count, data);
}

static void run_update(const struct paleo_op *w, void *const *data, void *scratch)
{
	(void)scratch;
	run_loop(&loop_update[w->geom.update.rule], w, w->geom.update.count, data);
}

const struct paleo_cpu_kernel *paleo_cpu_kernel_eltwise(const struct paleo_op *w)
{
	static const struct paleo_cpu_kernel kernels[PALEO_ELTWISE_OPS] = {
		[PALEO_DROPOUT] = {"paleo:dropout", run_eltwise, NULL},
		[PALEO_SILU_MUL] = {"paleo:silu_mul", run_eltwise, NULL},
		[PALEO_MUL] = {"paleo:mul_bwd", run_eltwise, NULL},
		[PALEO_MAX] = {"paleo:max_bwd", run_eltwise, NULL},
	};
	int op = w->geom.eltwise.op;

	return loops[w->pass != PALEO_FWD][op] ? &kernels[op] : NULL;
}

const struct paleo_cpu_kernel *paleo_cpu_kernel_update(const struct paleo_op *w)
{
	static const struct paleo_cpu_kernel rules[] = {
		[PALEO_SGD] = {"paleo:sgd", run_update, NULL},
		[PALEO_MOMENTUM] = {"paleo:momentum", run_update, NULL},
		[PALEO_ADAM] = {"paleo:adam", run_update, NULL},
	};

	return &rules[w->geom.update.rule];
}
