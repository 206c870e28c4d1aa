/* reference_attention.c - reference of attention, embeddings, rotary positions, losses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "bench/reference_kinds.h"

/* Inputs and position. A key is counted among those that any query sees. */
struct attention {
	const struct paleo_attention_geom *g;
	struct paleo_filler x, k, v, fresh, angles, y, dy;
	int seen, old, group;
	double scale;
};

static struct attention attention_of(const struct paleo_op *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	int seen = paleo_attention_seen(g);

	return (struct attention){
		.g = g,
		.x = paleo_filler_of(w, PALEO_X, 0),
		.k = paleo_filler_of(w, PALEO_K, 0),
		.v = paleo_filler_of(w, PALEO_V, 0),
		.fresh = paleo_filler_of(w, PALEO_NEW, 0),
		.angles = paleo_filler_of(w, PALEO_ANGLES, 0),
		.y = paleo_filler_of(w, PALEO_Y, 0),
		.dy = paleo_filler_of(w, PALEO_DY, 0),
		.seen = seen,
		.old = seen - (g->cache ? g->q : 0),
		.group = g->heads / g->kv_heads,
		.scale = 1 / sqrt(g->qk),
	};
}

static uint64_t at4(int a, int b, int c, int d, const int dims[3])
{
	const int all[4] = {0, dims[0], dims[1], dims[2]};

	return paleo_ravel(all, a, b, c, d);
}

/* Element `d` of a head that begins at `first`, of which the last `rope` are rotated by the angles
 * of query `i`: a sum of two terms. */
static void rotate(const struct attention *t, const struct paleo_filler *f, uint64_t first,
		   const int at_query[2], double terms[2])
{
	const int i = at_query[0], d = at_query[1];
	const struct paleo_attention_geom *g = t->g;
	int at = d - (g->qk - g->rope), half = g->rope / 2;
	double own = paleo_filler_at(f, first + (uint64_t)d);

	terms[0] = own;
	terms[1] = 0;
	if (at < 0)
		return;
	uint64_t angle = (uint64_t)i * (uint64_t)g->rope + (uint64_t)(at % half);
	double cosine = paleo_filler_at(&t->angles, angle);
	double sine = paleo_filler_at(&t->angles, angle + (uint64_t)half);
	double other = paleo_filler_at(f, first + (uint64_t)(at < half ? d + half : d - half));
	terms[0] = own * cosine;
	terms[1] = at < half ? -other * sine : other * sine;
}

static double rotated(const struct attention *t, const struct paleo_filler *f, uint64_t first,
		      int i, int d)
{
	const int at_query[2] = {i, d};
	double terms[2];

	rotate(t, f, first, at_query, terms);
	return terms[0] + terms[1];
}

static double query(const struct attention *t, int b, int i, int h, int d)
{
	const int dims[3] = {t->g->q, t->g->heads, t->g->qk};

	return rotated(t, &t->x, at4(b, i, h, 0, dims), i, d);
}

static double new_key(const struct attention *t, int b, int i, int h, int d)
{
	const struct paleo_attention_geom *g = t->g;
	const int dims[3] = {g->q, g->kv_heads, g->qk + (g->latent ? 0 : g->v)};
	uint64_t first = at4(b, i, h, 0, dims);

	return d < g->qk ? rotated(t, &t->fresh, first, i, d)
			 : paleo_filler_at(&t->fresh, first + (uint64_t)d);
}

/* Element at[3] that query at[1] of sequence at[0] appends to head at[2]. */
static void add_appended(const struct attention *t, const int at[4], struct paleo_reference *e)
{
	const struct paleo_attention_geom *g = t->g;
	const int dims[3] = {g->q, g->kv_heads, g->qk + (g->latent ? 0 : g->v)};
	const int at_query[2] = {at[1], at[3]};
	double terms[2];

	if (at[3] >= g->qk) {
		paleo_reference_add(e, new_key(t, at[0], at[1], at[2], at[3]));
		return;
	}
	rotate(t, &t->fresh, at4(at[0], at[1], at[2], 0, dims), at_query, terms);
	paleo_reference_add(e, terms[0]);
	paleo_reference_add(e, terms[1]);
}

static double key(const struct attention *t, int b, int j, int h, int d)
{
	const int dims[3] = {t->old, t->g->kv_heads, t->g->qk};

	return j < t->old ? paleo_filler_at(&t->k, at4(b, j, h, d, dims))
			  : new_key(t, b, j - t->old, h, d);
}

static double value(const struct attention *t, int b, int j, int h, int d)
{
	const int dims[3] = {t->old, t->g->kv_heads, t->g->v};

	if (t->g->latent)
		return key(t, b, j, h, d);
	return j < t->old ? paleo_filler_at(&t->v, at4(b, j, h, d, dims))
			  : new_key(t, b, j - t->old, h, t->g->qk + d);
}

/* The keys that query `i` sees: from *low to before *high. */
static void range(const struct attention *t, int i, int *low, int *high)
{
	const struct paleo_attention_geom *g = t->g;
	int most = g->causal ? t->seen - g->q + i + 1 : g->window ? i + g->window / 2 + 1 : t->seen;

	*high = most < t->seen ? most : t->seen;
	*low = g->window && most > g->window ? most - g->window : 0;
}

/* The weights of the keys that query i of head h sees, at p[j]; in all `seen`. */
static void softmax(const struct attention *t, int b, int i, int h, double *p)
{
	int low, high;
	double sum = 0, most = -INFINITY;

	range(t, i, &low, &high);
	for (int j = low; j < high; j++) {
		p[j] = 0;
		for (int d = 0; d < t->g->qk; d++)
			p[j] += query(t, b, i, h, d) * key(t, b, j, h / t->group, d) * t->scale;
		most = fmax(most, p[j]);
	}
	for (int j = low; j < high; j++)
		sum += p[j] = exp(p[j] - most);
	for (int j = low; j < high; j++)
		p[j] /= sum;
}

/* The gradient of the score of query i and key j, over the scale: p (dy v - dy y). */
static double score_gradient(const struct attention *t, const int at[3], int j, const double *p)
{
	const int dims[3] = {t->g->q, t->g->heads, t->g->v};
	double sum = 0;

	for (int d = 0; d < t->g->v; d++) {
		uint64_t own = at4(at[0], at[1], at[2], d, dims);
		double dy = paleo_filler_at(&t->dy, own);
		sum += dy * value(t, at[0], j, at[2] / t->group, d);
		sum -= dy * (double)paleo_filler_at(&t->y, own);
	}
	return p[j] * sum;
}

static void add_y(const struct attention *t, const int at[4], double *p, struct paleo_reference *e)
{
	int low, high;

	range(t, at[1], &low, &high);
	softmax(t, at[0], at[1], at[2], p);
	for (int j = low; j < high; j++)
		paleo_reference_add(e, p[j] * value(t, at[0], j, at[2] / t->group, at[3]));
}

static void add_dq(const struct attention *t, const int at[4], double *p, struct paleo_reference *e)
{
	int low, high;

	range(t, at[1], &low, &high);
	softmax(t, at[0], at[1], at[2], p);
	for (int j = low; j < high; j++)
		paleo_reference_add(e, score_gradient(t, at, j, p) * t->scale *
					       key(t, at[0], j, at[2] / t->group, at[3]));
}

/* Element at[3] of key or value at[1] of head at[2]: a sum over the queries that see it. */
static void add_dkv(const struct attention *t, const int at[4], double *p,
		    struct paleo_reference *e)
{
	const int dims[3] = {t->g->q, t->g->heads, t->g->v};
	int low, high;

	for (int h = at[2] * t->group; h < (at[2] + 1) * t->group; h++) {
		for (int i = 0; i < t->g->q; i++) {
			const int row[3] = {at[0], i, h};
			range(t, i, &low, &high);
			if (at[1] < low || at[1] >= high)
				continue;
			softmax(t, at[0], i, h, p);
			double factor = e->role == PALEO_DV
						? (double)paleo_filler_at(
							  &t->dy, at4(at[0], i, h, at[3], dims))
						: query(t, at[0], i, h, at[3]) * t->scale;
			paleo_reference_add(e,
					    factor * (e->role == PALEO_DV
							      ? p[at[1]]
							      : score_gradient(t, row, at[1], p)));
		}
	}
}

int paleo_reference_attention(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	struct attention t = attention_of(w);
	int keys = e->role == PALEO_DK || e->role == PALEO_DV || e->role == PALEO_APPENDED;
	int width = e->role == PALEO_DX || e->role == PALEO_DK ? g->qk : g->v;
	int at[4], fwd = w->pass == PALEO_FWD;

	if (e->role == PALEO_APPENDED)
		width = g->qk + (g->latent ? 0 : g->v);
	const int dims[4] = {g->batch, keys && e->role != PALEO_APPENDED ? t.seen : g->q,
			     keys ? g->kv_heads : g->heads, width};
	double *p = calloc((size_t)t.seen, sizeof(*p));
	if (!p)
		return 0;
	int known = 1;
	paleo_unravel(e->index, dims, at);
	if (fwd && e->role == PALEO_Y)
		add_y(&t, at, p, e);
	else if (fwd && e->role == PALEO_APPENDED)
		add_appended(&t, at, e);
	else if (!fwd && e->role == PALEO_DX)
		add_dq(&t, at, p, e);
	else if (!fwd && keys)
		add_dkv(&t, at, p, e);
	else
		known = 0;
	free(p);
	return known;
}

static uint64_t index_of(const struct paleo_filler *f, uint64_t at)
{
	return (uint64_t)paleo_filler_at(f, at);
}

int paleo_reference_embedding(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;
	struct paleo_filler index = paleo_filler_of(w, PALEO_INDEX, 0);
	uint64_t dim = (uint64_t)g->dim, row = e->index / dim, column = e->index % dim;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		struct paleo_filler table = paleo_filler_of(w, PALEO_W, 0);
		paleo_reference_add(e,
				    paleo_filler_at(&table, index_of(&index, row) * dim + column));
	} else if (w->pass == PALEO_BWD_FILTER && e->role == PALEO_DW) {
		struct paleo_filler dy = paleo_filler_of(w, PALEO_DY, 0);
		for (uint64_t t = 0; t < (uint64_t)g->tokens; t++)
			if (index_of(&index, t) == row)
				paleo_reference_add(e, paleo_filler_at(&dy, t * dim + column));
	} else {
		return 0;
	}
	return 1;
}

int paleo_reference_rope(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_rope_geom *g = &w->geom.rope;
	int fwd = w->pass == PALEO_FWD;
	struct paleo_filler x = paleo_filler_of(w, fwd ? PALEO_X : PALEO_DY, 0);
	struct paleo_filler angles = paleo_filler_of(w, PALEO_ANGLES, 0);
	uint64_t dim = (uint64_t)g->dim, half = dim / 2, d = e->index % dim;
	uint64_t row = e->index / (dim * (uint64_t)g->heads);

	if (e->role != (fwd ? PALEO_Y : PALEO_DX))
		return 0;
	double cosine = paleo_filler_at(&angles, row * dim + d % half);
	double sine = paleo_filler_at(&angles, row * dim + half + d % half);
	/* the first half takes the sine away, forward; backward the second does */
	double sign = (d < half) == fwd ? -1 : 1;
	uint64_t other = d < half ? e->index + half : e->index - half;
	paleo_reference_add(e, paleo_filler_at(&x, e->index) * cosine);
	paleo_reference_add(e, sign * sine * paleo_filler_at(&x, other));
	return 1;
}

int paleo_reference_cross_entropy(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;
	struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
	struct paleo_filler index = paleo_filler_of(w, PALEO_INDEX, 0);
	uint64_t cols = (uint64_t)g->cols;
	uint64_t row = w->pass == PALEO_FWD ? e->index : e->index / cols;
	double sum = 0; /* inputs are within [-1, 1]: nothing overflows */

	for (uint64_t i = 0; i < cols; i++)
		sum += exp((double)paleo_filler_at(&x, row * cols + i));
	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		paleo_reference_add(e, log(sum));
		paleo_reference_add(e, -paleo_filler_at(&x, row * cols + index_of(&index, row)));
	} else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX) {
		paleo_reference_add(e, exp((double)paleo_filler_at(&x, e->index)) / sum / g->rows);
		if (e->index % cols == index_of(&index, row))
			paleo_reference_add(e, -1.0 / g->rows);
	} else {
		return 0;
	}
	return 1;
}
