/* kernel_rows.c - kernels of our own, row by row: copies, RMS norm, gradients of reductions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "bench/backends/cpu/kernels.h"
#include "model/op/operand.h"

/* One part of one row is copied in pieces of so many bytes, so that few long rows give every
 * thread something to do. */
static const int64_t piece_bytes = 65536;

/* Copies piece `piece` of row `row` of part `part`. data: the parts, then the whole. */
static void copy_piece(const struct paleo_op *w, void *const *data, int part, int64_t row,
		       int64_t piece)
{
	const struct paleo_copy_geom *g = &w->geom.copy;
	int64_t elem = paleo_dtype_bytes(w->dtype);
	int start;
	int64_t width = paleo_copy_part(g, part, &start) * elem;
	int64_t first = piece * piece_bytes;
	int64_t n = width - first < piece_bytes ? width - first : piece_bytes;

	if (n <= 0)
		return;
	unsigned char *a = (unsigned char *)data[part] + row * width + first;
	unsigned char *b = (unsigned char *)data[g->parts] + (row * g->cols + start) * elem + first;
	if (w->pass == PALEO_FWD)
		memcpy(b, a, (size_t)n);
	else
		memcpy(a, b, (size_t)n);
}

static void run_copy(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_copy_geom *g = &w->geom.copy;
	int64_t elem = paleo_dtype_bytes(w->dtype);
	int64_t pieces = (paleo_copy_part(g, 0, NULL) * elem + piece_bytes - 1) / piece_bytes;
	int64_t total = (int64_t)g->rows * g->parts * pieces;

	(void)scratch;
#pragma omp parallel for schedule(static) if ((double)g->rows * g->cols >= 32768)
	for (int64_t i = 0; i < total; i++) {
		int64_t row = i / (g->parts * pieces);
		copy_piece(w, data, (int)(i / pieces % g->parts), row, i % pieces);
	}
}

const struct paleo_cpu_kernel paleo_cpu_copy = {"paleo:copy", run_copy, NULL};

/* The operands of an RMS norm; NULL where the op has none. */
struct rms {
	int64_t rows, c;
	int wide;                  /* stored as f32 */
	const void *x, *dy, *more; /* more: is added to x forward, to dx backward */
	const float *scale, *shift;
	void *y, *dx, *sum;
	float *dscale, *dshift;
};

static struct rms rms_of(const struct paleo_op *w, void *const *data)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	struct rms r = {.rows = (int64_t)g->n * g->h * g->w, .c = g->c};
	int fwd = w->pass == PALEO_FWD, next = 0;

	r.wide = w->dtype == PALEO_F32;
	r.x = data[next++];
	r.dy = fwd ? NULL : data[next++];
	r.more = g->add ? data[next++] : NULL;
	r.scale = g->scale ? data[next++] : NULL;
	r.shift = g->shift && fwd ? data[next++] : NULL;
	r.y = fwd ? data[next++] : NULL;
	r.sum = fwd && g->add ? data[next++] : NULL;
	r.dx = fwd ? NULL : data[next++];
	r.dscale = g->scale && !fwd ? data[next++] : NULL;
	r.dshift = g->shift && !fwd ? data[next++] : NULL;
	return r;
}

/* Row `row` of a tensor as f32: itself, or widened into `to`. */
static const float *load(const struct rms *r, const void *tensor, int64_t row, float *to)
{
	if (r->wide)
		return (const float *)tensor + row * r->c;
	paleo_cpu_widen_all((const uint16_t *)tensor + row * r->c, to, r->c);
	return to;
}

static void store(const struct rms *r, const float *from, void *tensor, int64_t row)
{
	if (r->wide)
		memcpy((float *)tensor + row * r->c, from, (size_t)r->c * sizeof(float));
	else
		paleo_cpu_narrow_all(from, (uint16_t *)tensor + row * r->c, r->c);
}

PALEO_CPU_CLONES
static float inverse_rms(const float *x, int64_t c)
{
	float sum = 0;

	assert(x);
#pragma omp simd reduction(+ : sum)
	for (int64_t i = 0; i < c; i++)
		sum += x[i] * x[i];
	return 1 / sqrtf(sum / (float)c + 1e-5f);
}

/* y = x / rms * scale + shift */
PALEO_CPU_CLONES
static void rms_fwd(const float *x, const float *scale, const float *shift, float *y, int64_t c)
{
	float inverse = inverse_rms(x, c);

#pragma omp simd
	for (int64_t i = 0; i < c; i++)
		y[i] = x[i] * inverse * (scale ? scale[i] : 1) + (shift ? shift[i] : 0);
}

/* With z = x / rms and d = dy * scale: dx = (d - z mean(d z)) / rms; dscale += dy z, dshift += dy.
 */
PALEO_CPU_CLONES
static void rms_bwd(const float *x, const float *dy, const float *scale, float *const *out,
		    int64_t c)
{
	float inverse = inverse_rms(x, c), product = 0;
	float *dx = out[0], *dscale = out[1], *dshift = out[2];

#pragma omp simd reduction(+ : product)
	for (int64_t i = 0; i < c; i++)
		product += dy[i] * (scale ? scale[i] : 1) * x[i];
	float factor = product * inverse * inverse / (float)c;
#pragma omp simd
	for (int64_t i = 0; i < c; i++) {
		dx[i] = (dy[i] * (scale ? scale[i] : 1) - x[i] * factor) * inverse;
		dscale[i] += dy[i] * x[i] * inverse;
		dshift[i] += dy[i];
	}
}

/* Scratch of a thread: rows x, dy, result, addend, and its sums of dscale and dshift. */
enum {
	ROW_X,
	ROW_DY,
	ROW_OUT,
	ROW_MORE,
	ROW_DSCALE,
	ROW_DSHIFT,
	ROWS
};

static size_t rms_scratch(const struct paleo_op *w, int threads)
{
	return (size_t)threads * ROWS * (size_t)w->geom.norm.c * sizeof(float);
}

/* Adds up the threads' sums. */
static void reduce(const struct rms *r, float *scratch, int threads, int which, float *to)
{
	float *total = scratch + which * r->c;

	if (!to)
		return;
	for (int t = 1; t < threads; t++) {
		const float *part = scratch + ((int64_t)t * ROWS + which) * r->c;
		for (int64_t i = 0; i < r->c; i++)
			total[i] += part[i];
	}
	memcpy(to, total, (size_t)r->c * sizeof(float));
}

PALEO_CPU_CLONES
static void sum_rows(const float *a, const float *b, float *to, int64_t c)
{
#pragma omp simd
	for (int64_t i = 0; i < c; i++)
		to[i] = a[i] + b[i];
}

static void run_row(const struct rms *r, int64_t i, float *own, float *const *out)
{
	const float *x = load(r, r->x, i, own + ROW_X * r->c);
	const float *more = r->more ? load(r, r->more, i, own + ROW_MORE * r->c) : NULL;

	if (r->y) {
		if (more) {
			sum_rows(x, more, own + ROW_X * r->c, r->c);
			x = own + ROW_X * r->c;
			store(r, x, r->sum, i);
		}
		rms_fwd(x, r->scale, r->shift, out[0], r->c);
		store(r, out[0], r->y, i);
		return;
	}
	rms_bwd(x, load(r, r->dy, i, own + ROW_DY * r->c), r->scale, out, r->c);
	if (more)
		sum_rows(out[0], more, out[0], r->c);
	store(r, out[0], r->dx, i);
}

static void run_rms(const struct paleo_op *w, void *const *data, void *scratch)
{
	struct rms r = rms_of(w, data);
	int threads = 1;

#pragma omp parallel if ((double)r.rows * (double)r.c >= 32768)
	{
		float *own = (float *)scratch + (int64_t)omp_get_thread_num() * ROWS * r.c;
		float *out[] = {own + ROW_OUT * r.c, own + ROW_DSCALE * r.c,
				own + ROW_DSHIFT * r.c};
		memset(out[1], 0, 2 * (size_t)r.c * sizeof(float));
#pragma omp single
		threads = omp_get_num_threads();
#pragma omp for schedule(static)
		for (int64_t i = 0; i < r.rows; i++) {
			run_row(&r, i, own, out);
		}
	}
	reduce(&r, scratch, threads, ROW_DSCALE, r.dscale);
	reduce(&r, scratch, threads, ROW_DSHIFT, r.dshift);
}

const struct paleo_cpu_kernel paleo_cpu_rms = {"paleo:rms_norm", run_rms, rms_scratch};

/* Elements `first` to `end` of a row get the value `v`. */
PALEO_CPU_CLONES
static void spread(const struct paleo_op *w, void *to, int64_t first, int64_t end, float v)
{
	if (w->dtype == PALEO_F32) {
		float *dx = to;
#pragma omp simd
		for (int64_t i = first; i < end; i++)
			dx[i] = v;
	} else {
		uint16_t *dx = to;
		uint16_t narrow = paleo_cpu_narrow(v);
#pragma omp simd
		for (int64_t i = first; i < end; i++)
			dx[i] = narrow;
	}
}

/* data: dy, dx. Every element of dx[rows, cols] is its row's dy, divided for a mean. Rows of one
 * element are the same forward: data are x, y. */
static void run_spread(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;
	float divisor = g->op == PALEO_REDUCE_MEAN ? (float)g->cols : 1;
	int64_t piece = piece_bytes / paleo_dtype_bytes(w->dtype);
	int64_t pieces = (g->cols + piece - 1) / piece;

	(void)scratch;
#pragma omp parallel for schedule(static) if ((double)g->rows * g->cols >= 32768)
	for (int64_t i = 0; i < g->rows * pieces; i++) {
		int64_t row = i / pieces, at = i % pieces * piece, start = row * g->cols;
		int64_t end = at + piece < g->cols ? at + piece : g->cols;
		float dy = w->dtype == PALEO_F32
				   ? ((const float *)data[0])[row]
				   : paleo_cpu_widen(((const uint16_t *)data[0])[row]);
		spread(w, data[1], start + at, start + end, dy / divisor);
	}
}

/* oneDNN has no backward reduction, and none over one column. */
const struct paleo_cpu_kernel *paleo_cpu_kernel_reduce(const struct paleo_op *w)
{
	static const struct paleo_cpu_kernel rows = {"paleo:spread_rows", run_spread, NULL};

	return w->pass == PALEO_FWD && w->geom.reduce.cols > 1 ? NULL : &rows;
}
