/* axes.c - where a work lies among others of its kind: the logarithms of its sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/axes.h"

#include <math.h>

/* Operands stored the other way are read by other kernels: nearly out of reach. */
#define OTHER_KERNEL 1.4
/* Rows that begin within a sector of memory are read by more, or by other kernels: half a doubling
 * away for each halving of what they are aligned to. */
#define SECTOR_BYTES 32
#define MISALIGNED 0.5

static double log_size(double size)
{
	return size > 1 ? log2(size) : 0;
}

static void place_conv(const struct paleo_conv_geom *g, double *at)
{
	at[0] = log_size(g->n);
	at[1] = log_size(g->c);
	at[2] = log_size(g->k);
	at[3] = log_size((double)g->p * g->q);
	at[4] = log_size((double)g->r * g->s);
	at[5] = log_size((double)g->stride_h * g->stride_w);
	at[6] = log_size(g->groups);
	at[7] = log_size((double)g->dil_h * g->dil_w);
}

/* By how many halvings of a sector rows of so many elements miss its beginning. */
static int misaligned(int elements, enum paleo_dtype dtype)
{
	int bytes = (int)paleo_dtype_bytes(dtype), aligned = SECTOR_BYTES, halvings = 0;

	for (; aligned > bytes && ((long)elements * bytes & (aligned - 1)); aligned /= 2)
		halvings++;
	return halvings;
}

/* The worst of both operands and the result. */
static int rows_misaligned(const struct paleo_work *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const int rows[] = {g->trans_a ? g->m : g->k, g->trans_b ? g->k : g->n, g->n};
	int worst = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int halvings = misaligned(rows[i], w->dtype);
		worst = halvings > worst ? halvings : worst;
	}
	return worst;
}

static void place_attention(const struct paleo_work *w, double *at)
{
	const struct paleo_attention_geom *g = &w->geom.attention;

	at[0] = log_size(g->batch);
	at[1] = log_size(g->q);
	at[2] = log_size(paleo_attention_seen(g));
	at[3] = log_size(g->heads);
	at[4] = log_size(g->kv_heads);
	at[5] = log_size(g->qk);
	at[6] = g->window && g->window < g->keys ? OTHER_KERNEL : 0;
	at[7] = g->kv ? OTHER_KERNEL : 0;
}

static void place_moe(const struct paleo_moe_geom *g, double *at)
{
	at[0] = log_size(g->tokens);
	at[1] = log_size(g->hidden);
	at[2] = log_size(g->inter);
	at[3] = log_size(g->experts);
	at[4] = log_size(g->local);
	at[5] = log_size(g->topk);
	at[6] = g->gated ? OTHER_KERNEL : 0;
	at[7] = g->skew / 100.0;
}

void paleo_work_place(const struct paleo_work *w, double at[PALEO_AXES])
{
	const struct paleo_gemm_geom *gemm = &w->geom.gemm;

	for (int i = 0; i < PALEO_AXES; i++)
		at[i] = 0;
	if (w->kind == PALEO_CONV) {
		place_conv(&w->geom.conv, at);
	} else if (w->kind == PALEO_GEMM) {
		at[0] = log_size(gemm->m);
		at[1] = log_size(gemm->n);
		at[2] = log_size(gemm->k);
		at[3] = log_size(gemm->batch);
		at[4] = gemm->trans_a ? OTHER_KERNEL : 0;
		at[5] = gemm->trans_b ? OTHER_KERNEL : 0;
		at[6] = MISALIGNED * rows_misaligned(w);
	} else if (w->kind == PALEO_SOFTMAX) {
		at[0] = log_size(w->geom.softmax.rows);
		at[1] = log_size(w->geom.softmax.cols);
	} else if (w->kind == PALEO_NORM) {
		const struct paleo_norm_geom *g = &w->geom.norm;
		at[0] = log_size((double)g->n * g->h * g->w);
		at[1] = log_size(g->c);
	} else if (w->kind == PALEO_ATTENTION) {
		place_attention(w, at);
	} else if (w->kind == PALEO_MOE) {
		place_moe(&w->geom.moe, at);
	} else {
		at[0] = log_size(w->read_bytes);
		at[1] = log_size(w->write_bytes);
	}
}
