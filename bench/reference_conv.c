/* reference_conv.c - reference of convolutions and GEMMs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

/* The tensors of a convolution and their shapes. */
struct conv {
	const struct paleo_conv_geom *g;
	int x[4], w[4], y[4]; /* also of their gradients */
};

static struct conv conv_of(const struct paleo_conv_geom *g)
{
	return (struct conv){
		.g = g,
		.x = {g->n, g->c, g->h, g->w},
		.w = {g->k, g->c / g->groups, g->r, g->s},
		.y = {g->n, g->k, g->p, g->q},
	};
}

/* Row of the input that tap r of output row p reads; may be in the padding. */
static int row_in(const struct paleo_conv_geom *g, int p, int r)
{
	return p * g->stride_h - g->pad_t + r * g->dil_h;
}

static int column_in(const struct paleo_conv_geom *g, int q, int s)
{
	return q * g->stride_w - g->pad_l + s * g->dil_w;
}

static void conv_y(const struct paleo_op *op, struct paleo_reference *e)
{
	struct conv t = conv_of(&op->geom.conv);
	struct paleo_filler x = paleo_filler_of(op, PALEO_X, 0);
	struct paleo_filler w = paleo_filler_of(op, PALEO_W, 0);
	int at[4], channels = t.w[1];

	paleo_unravel(e->index, t.y, at);
	int first = at[1] / (t.g->k / t.g->groups) * channels;
	for (int c = 0; c < channels; c++) {
		for (int r = 0; r < t.g->r; r++) {
			int h = row_in(t.g, at[2], r);
			if (h < 0 || h >= t.g->h)
				continue;
			for (int s = 0; s < t.g->s; s++) {
				int v = column_in(t.g, at[3], s);
				if (v < 0 || v >= t.g->w)
					continue;
				uint64_t xi = paleo_ravel(t.x, at[0], first + c, h, v);
				uint64_t wi = paleo_ravel(t.w, at[1], c, r, s);
				paleo_reference_add(e, (double)paleo_filler_at(&x, xi) *
							       (double)paleo_filler_at(&w, wi));
			}
		}
	}
	if (t.g->bias)
		paleo_reference_add(e, paleo_fill_value(op, PALEO_BIAS, 0, at[1]));
	paleo_reference_activate(e, t.g->act);
}

/* The output position that reads input position `in` with tap `tap`, or -1 if none does. */
static int reader(int in, int tap, int pad, int stride, int outputs)
{
	int start = in + pad - tap;

	if (start < 0 || start % stride || start / stride >= outputs)
		return -1;
	return start / stride;
}

static void conv_dx(const struct paleo_op *op, struct paleo_reference *e)
{
	struct conv t = conv_of(&op->geom.conv);
	const struct paleo_conv_geom *g = t.g;
	struct paleo_filler dy = paleo_filler_of(op, PALEO_DY, 0);
	struct paleo_filler w = paleo_filler_of(op, PALEO_W, 0);
	int at[4], filters = g->k / g->groups;

	paleo_unravel(e->index, t.x, at);
	int first = at[1] / t.w[1] * filters;
	for (int r = 0; r < g->r; r++) {
		int p = reader(at[2], r * g->dil_h, g->pad_t, g->stride_h, g->p);
		if (p < 0)
			continue;
		for (int s = 0; s < g->s; s++) {
			int q = reader(at[3], s * g->dil_w, g->pad_l, g->stride_w, g->q);
			if (q < 0)
				continue;
			for (int k = first; k < first + filters; k++) {
				uint64_t yi = paleo_ravel(t.y, at[0], k, p, q);
				uint64_t wi = paleo_ravel(t.w, k, at[1] % t.w[1], r, s);
				paleo_reference_add(e, (double)paleo_filler_at(&dy, yi) *
							       (double)paleo_filler_at(&w, wi));
			}
		}
	}
}

static void conv_dw(const struct paleo_op *op, struct paleo_reference *e)
{
	struct conv t = conv_of(&op->geom.conv);
	struct paleo_filler x = paleo_filler_of(op, PALEO_X, 0);
	struct paleo_filler dy = paleo_filler_of(op, PALEO_DY, 0);
	int at[4];

	paleo_unravel(e->index, t.w, at);
	int c = at[0] / (t.g->k / t.g->groups) * t.w[1] + at[1];
	for (int n = 0; n < t.g->n; n++) {
		for (int p = 0; p < t.g->p; p++) {
			int h = row_in(t.g, p, at[2]);
			if (h < 0 || h >= t.g->h)
				continue;
			for (int q = 0; q < t.g->q; q++) {
				int v = column_in(t.g, q, at[3]);
				if (v < 0 || v >= t.g->w)
					continue;
				uint64_t xi = paleo_ravel(t.x, n, c, h, v);
				uint64_t yi = paleo_ravel(t.y, n, at[0], p, q);
				paleo_reference_add(e, (double)paleo_filler_at(&x, xi) *
							       (double)paleo_filler_at(&dy, yi));
			}
		}
	}
}

static void conv_dbias(const struct paleo_op *op, struct paleo_reference *e)
{
	struct conv t = conv_of(&op->geom.conv);
	struct paleo_filler dy = paleo_filler_of(op, PALEO_DY, 0);
	uint64_t pixels = (uint64_t)t.g->p * (uint64_t)t.g->q;

	for (int n = 0; n < t.g->n; n++) {
		uint64_t first = ((uint64_t)n * (uint64_t)t.g->k + e->index) * pixels;
		for (uint64_t i = 0; i < pixels; i++)
			paleo_reference_add(e, paleo_filler_at(&dy, first + i));
	}
}

int paleo_reference_conv(const struct paleo_op *w, struct paleo_reference *e)
{
	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		conv_y(w, e);
	else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX)
		conv_dx(w, e);
	else if (w->pass == PALEO_BWD_FILTER && e->role == PALEO_DW)
		conv_dw(w, e);
	else if (w->pass == PALEO_BWD_FILTER && e->role == PALEO_DBIAS && w->geom.conv.bias)
		conv_dbias(w, e);
	else
		return 0;
	return 1;
}

/* Position of row i, column j of op(M) in M, which is stored rows x columns, or transposed. */
static uint64_t matrix_index(uint64_t first, int rows, int columns, int trans, uint64_t i,
			     uint64_t j)
{
	return first + (trans ? j * (uint64_t)rows + i : i * (uint64_t)columns + j);
}

/* The largest element of the activations; no input is above 1, so the search ends there. */
static float largest_of(const struct paleo_filler *a, uint64_t count)
{
	float most = 0;

	for (uint64_t i = 0; i < count && most < 1; i++)
		most = fmaxf(most, fabsf(paleo_filler_at(a, i)));
	return most;
}

double paleo_reference_quantised(float v, float most)
{
	if (!(most > 0))
		return v;
	return (double)paleo_round_to(v * (448.0f / most), PALEO_FP8) * (double)(most / 448.0f);
}

/* Elements of a row of activations, quantised in blocks: the scale of a block is found at its first
 * element. */
static double block_quantised(const struct paleo_op *w, const struct paleo_filler *a, uint64_t row,
			      uint64_t l, float *scale)
{
	const struct paleo_blocks *b = paleo_stored_blocks(w->geom.gemm.stored);
	uint64_t k = (uint64_t)w->geom.gemm.k, width = (uint64_t)b->columns;
	float most = 0;

	for (uint64_t i = l; l % width == 0 && i < l + width && i < k; i++)
		most = fmaxf(most, fabsf(paleo_filler_at(a, row * k + i)));
	if (l % width == 0)
		*scale = paleo_block_scale(b, most);
	return paleo_block_value(b, paleo_filler_at(a, row * k + l), *scale);
}

static void gemm_y(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	struct paleo_filler a = paleo_filler_of(w, PALEO_X, 0);
	struct paleo_filler b = paleo_filler_of(w, PALEO_W, 0);
	int narrow = b.stored && paleo_stored_blocks(b.stored)->narrow_x;
	uint64_t m = (uint64_t)g->m, n = (uint64_t)g->n, k = (uint64_t)g->k;
	uint64_t batch = e->index / (m * n), i = e->index / n % m, j = e->index % n;
	float most = w->dtype == PALEO_FP8 && !b.stored ? largest_of(&a, m * k) : 0, scale = 1;

	for (uint64_t l = 0; l < k; l++) {
		uint64_t ai = matrix_index(batch * m * k, g->m, g->k, g->trans_a, i, l);
		uint64_t bi = matrix_index(batch * k * n, g->k, g->n, g->trans_b, l, j);
		double x = narrow ? block_quantised(w, &a, i, l, &scale)
				  : paleo_reference_quantised(paleo_filler_at(&a, ai), most);
		paleo_reference_add(e, x * (double)paleo_filler_at(&b, bi));
	}
	if (g->bias && w->pass == PALEO_FWD)
		paleo_reference_add(e, paleo_fill_value(w, PALEO_BIAS, 0, (double)j));
	paleo_reference_activate(e, g->act);
}

static void gemm_dbias(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	struct paleo_filler a = paleo_filler_of(w, PALEO_X, 0);

	for (uint64_t l = 0; l < (uint64_t)g->k; l++) {
		uint64_t ai = matrix_index(0, g->m, g->k, g->trans_a, e->index, l);
		paleo_reference_add(e, paleo_filler_at(&a, ai));
	}
}

int paleo_reference_gemm(const struct paleo_op *w, struct paleo_reference *e)
{
	if (e->role == PALEO_Y)
		gemm_y(w, e);
	else if (e->role == PALEO_DBIAS && w->pass == PALEO_BWD_FILTER && w->geom.gemm.bias)
		gemm_dbias(w, e);
	else
		return 0;
	return 1;
}
