/* interpret_attention.c - attention in one kernel, by its formulas. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/backend/interpret.h"

enum {
	KEYS_MAX = 64
};

/* Heads of queries (and results) are group by group those of the keys. */
struct heads {
	const struct paleo_attention_geom *g;
	double *x, *k, *v, *y, *dy, *dx, *dk, *dv;
};

static double *head(double *of, int sequence, int token, int tokens, int heads, int h, int width)
{
	size_t at = ((size_t)sequence * (size_t)tokens + (size_t)token) * (size_t)heads + (size_t)h;

	return of + at * (size_t)width;
}

static double dot(const double *a, const double *b, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void add_times(double *to, double factor, const double *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] += factor * from[i];
}

/* What a query gives each key that it sees; yields how many these are. */
static int weigh(const struct heads *a, int b, int i, int h, double weights[KEYS_MAX])
{
	const struct paleo_attention_geom *g = a->g;
	const double *q = head(a->x, b, i, g->q, g->heads, h, g->qk);
	int shared = h / (g->heads / g->kv_heads);
	int seen = g->causal ? g->keys - g->q + i + 1 : g->keys;
	double sum = 0;

	for (int j = 0; j < seen; j++) {
		const double *k = head(a->k, b, j, g->keys, g->kv_heads, shared, g->qk);
		sum += weights[j] = exp(dot(q, k, g->qk) / sqrt(g->qk));
	}
	for (int j = 0; j < seen; j++)
		weights[j] /= sum;
	return seen;
}

static void forward(const struct heads *a, int b, int i, int h)
{
	const struct paleo_attention_geom *g = a->g;
	double weights[KEYS_MAX], *y = head(a->y, b, i, g->q, g->heads, h, g->v);
	int seen = weigh(a, b, i, h, weights), shared = h / (g->heads / g->kv_heads);

	for (int d = 0; d < g->v; d++)
		y[d] = 0;
	for (int j = 0; j < seen; j++)
		add_times(y, weights[j], head(a->v, b, j, g->keys, g->kv_heads, shared, g->v),
			  g->v);
}

static void backward(const struct heads *a, int b, int i, int h)
{
	const struct paleo_attention_geom *g = a->g;
	double weights[KEYS_MAX], scale = 1 / sqrt(g->qk);
	int seen = weigh(a, b, i, h, weights), shared = h / (g->heads / g->kv_heads);
	const double *dy = head(a->dy, b, i, g->q, g->heads, h, g->v);
	const double *q = head(a->x, b, i, g->q, g->heads, h, g->qk);
	double *dx = head(a->dx, b, i, g->q, g->heads, h, g->qk);
	double all = dot(dy, head(a->y, b, i, g->q, g->heads, h, g->v), g->v);

	for (int j = 0; j < seen; j++) {
		const double *v = head(a->v, b, j, g->keys, g->kv_heads, shared, g->v);
		const double *k = head(a->k, b, j, g->keys, g->kv_heads, shared, g->qk);
		double slope = scale * weights[j] * (dot(dy, v, g->v) - all);
		add_times(dx, slope, k, g->qk);
		add_times(head(a->dk, b, j, g->keys, g->kv_heads, shared, g->qk), slope, q, g->qk);
		add_times(head(a->dv, b, j, g->keys, g->kv_heads, shared, g->v), weights[j], dy,
			  g->v);
	}
}

static double *operand(const struct values *v, int step, enum paleo_role role)
{
	const struct paleo_graph_use *u = paleo_graph_find(v->graph, step, role, 0);

	return u ? v->of[u->buffer] : NULL;
}

static void clear(double *x, int n)
{
	for (int i = 0; x && i < n; i++)
		x[i] = 0;
}

int interpret_attention(struct values *v, int step)
{
	const struct paleo_op *w = &v->graph->steps[step].op;
	const struct paleo_attention_geom *g = &w->geom.attention;
	const struct heads a = {.g = g,
				.x = operand(v, step, PALEO_X),
				.k = operand(v, step, PALEO_K),
				.v = operand(v, step, PALEO_V),
				.y = operand(v, step, PALEO_Y),
				.dy = operand(v, step, PALEO_DY),
				.dx = operand(v, step, PALEO_DX),
				.dk = operand(v, step, PALEO_DK),
				.dv = operand(v, step, PALEO_DV)};

	if (g->window || g->keys > KEYS_MAX)
		return 0;
	if (w->pass != PALEO_FWD) {
		clear(a.dx, g->batch * g->q * g->heads * g->qk);
		clear(a.dk, g->batch * g->keys * g->kv_heads * g->qk);
		clear(a.dv, g->batch * g->keys * g->kv_heads * g->v);
	}
	for (int b = 0; b < g->batch; b++)
		for (int i = 0; i < g->q; i++)
			for (int h = 0; h < g->heads; h++)
				(w->pass == PALEO_FWD ? forward : backward)(&a, b, i, h);
	return 1;
}
