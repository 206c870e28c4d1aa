/* reference_attention.c - reference of attention, with a cache or without, and its gradients. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "bench/reference_kinds.h"

/* What is read, and where. A key is counted among those that any query sees. */
struct attention {
	const struct paleo_attention_geom *g;
	struct paleo_filler x, k, v, fresh, angles, y, dy;
	int seen, old, group;
	double scale;
};

static struct attention attention_of(const struct paleo_work *w)
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

/* Element at[3] of what query at[1] of sequence at[0] appends to head at[2]. */
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

int paleo_reference_attention(const struct paleo_work *w, struct paleo_reference *e)
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
