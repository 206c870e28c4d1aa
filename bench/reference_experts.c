/* reference_experts.c - reference of experts and of their gradients. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

/* Inputs common to all terms of an element. */
struct experts {
	const struct paleo_moe_geom *g;
	struct paleo_filler x, w, w2, gate, index, dy, inner, dinner;
	uint64_t hidden, inter, topk;
	uint64_t width; /* of a row of inner */
	float most;     /* fp8: the largest of the tokens that go to an expert here; else 0 */
};

static uint64_t expert_of(const struct experts *m, uint64_t pair)
{
	return (uint64_t)paleo_filler_at(&m->index, pair);
}

static int is_here(const struct experts *m, uint64_t token)
{
	for (uint64_t i = token * m->topk; i < (token + 1) * m->topk; i++)
		if (expert_of(m, i) < (uint64_t)m->g->local)
			return 1;
	return 0;
}

/* No input is above 1, so the search ends there. */
static float largest_token(const struct experts *m)
{
	float most = 0;

	for (uint64_t t = 0; t < (uint64_t)m->g->tokens && most < 1; t++)
		for (uint64_t i = 0; i < m->hidden && most < 1 && is_here(m, t); i++)
			most = fmaxf(most, fabsf(paleo_filler_at(&m->x, t * m->hidden + i)));
	return most;
}

static struct experts experts_of(const struct paleo_op *w)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	struct experts m = {.g = g,
			    .x = paleo_filler_of(w, PALEO_X, 0),
			    .w = paleo_filler_of(w, PALEO_W, 0),
			    .w2 = paleo_filler_of(w, PALEO_W2, 0),
			    .gate = paleo_filler_of(w, PALEO_GATE, 0),
			    .index = paleo_filler_of(w, PALEO_INDEX, 0),
			    .dy = paleo_filler_of(w, PALEO_DY, 0),
			    .inner = paleo_filler_of(w, PALEO_INNER, 0),
			    .dinner = paleo_filler_of(w, PALEO_DINNER, 0),
			    .hidden = (uint64_t)g->hidden,
			    .inter = (uint64_t)g->inter,
			    .topk = (uint64_t)g->topk,
			    .width = (uint64_t)g->inter * (g->gated ? 2 : 1)};

	if (w->dtype == PALEO_FP8 && !g->stored)
		m.most = largest_token(&m);
	return m;
}

/* Row `row` of an expert's first GEMM: w1 x, or w3 x after its `inter` rows. */
static double first_product(const struct experts *m, uint64_t expert, uint64_t row, uint64_t token)
{
	double sum = 0;

	for (uint64_t i = 0; i < m->hidden; i++)
		sum += (double)paleo_filler_at(&m->w, (expert * m->width + row) * m->hidden + i) *
		       paleo_reference_quantised(paleo_filler_at(&m->x, token * m->hidden + i),
						 m->most);
	return sum;
}

/* The activation between the GEMMs: silu(a) b, or max(a, 0)^2. */
static double between(const struct experts *m, double a, double b)
{
	if (!m->g->gated)
		return a > 0 ? a * a : 0;
	return a / (1 + exp(-a)) * b;
}

static void add_y(const struct experts *m, struct paleo_reference *e)
{
	uint64_t token = e->index / m->hidden, column = e->index % m->hidden;

	for (uint64_t i = token * m->topk; i < (token + 1) * m->topk; i++) {
		uint64_t expert = expert_of(m, i);
		if (expert >= (uint64_t)m->g->local)
			continue;
		double share = paleo_filler_at(&m->gate, i);
		for (uint64_t j = 0; j < m->inter; j++) {
			double a = first_product(m, expert, j, token);
			double b = m->g->gated ? first_product(m, expert, j + m->inter, token) : 0;
			paleo_reference_add(
				e, share * between(m, a, b) *
					   (double)paleo_filler_at(
						   &m->w2,
						   (expert * m->hidden + column) * m->inter + j));
		}
	}
}

/* The slope of the activation, at an element of a row of inner: of its first half, or its
 * second. */
static double slope(const struct experts *m, uint64_t row, uint64_t at)
{
	uint64_t j = at % m->inter, first = row * m->width;
	double a = paleo_filler_at(&m->inner, first + j), s = 1 / (1 + exp(-a));

	if (!m->g->gated)
		return a > 0 ? 2 * a : 0;
	if (at >= m->inter)
		return a * s;
	return s * (1 + a * (1 - s)) * (double)paleo_filler_at(&m->inner, first + m->inter + j);
}

static void add_dinner(const struct experts *m, struct paleo_reference *e)
{
	uint64_t row = e->index / m->width, at = e->index % m->width;
	uint64_t pair = paleo_fill_expert_pair(m->g, row), expert = expert_of(m, pair);
	double factor = (double)paleo_filler_at(&m->gate, pair) * slope(m, row, at);

	for (uint64_t c = 0; c < m->hidden; c++)
		paleo_reference_add(
			e, factor *
				   (double)paleo_filler_at(&m->dy, pair / m->topk * m->hidden + c) *
				   (double)paleo_filler_at(&m->w2,
							   (expert * m->hidden + c) * m->inter +
								   at % m->inter));
}

/* The row of a pair whose expert is here: paleo_fill_expert_pair() turned round. */
static uint64_t row_of(const struct experts *m, uint64_t pair)
{
	uint64_t pairs = (uint64_t)m->g->tokens * m->topk, experts = (uint64_t)m->g->experts;
	uint64_t rest = pairs % experts, expert = pair % experts;

	return expert * (pairs / experts) + (expert < rest ? expert : rest) + pair / experts;
}

/* The gradient of the first GEMMs' results is a result, too: its terms are summed separately. */
static double dinner_at(const struct experts *m, uint64_t row, uint64_t at)
{
	struct paleo_reference inner = {.role = PALEO_DINNER, .index = row * m->width + at};

	add_dinner(m, &inner);
	return inner.value;
}

static void add_dx(const struct experts *m, struct paleo_reference *e)
{
	uint64_t token = e->index / m->hidden, column = e->index % m->hidden;

	for (uint64_t i = token * m->topk; i < (token + 1) * m->topk; i++) {
		uint64_t expert = expert_of(m, i);
		if (expert >= (uint64_t)m->g->local)
			continue;
		for (uint64_t r = 0; r < m->width; r++)
			paleo_reference_add(
				e, dinner_at(m, row_of(m, i), r) *
					   (double)paleo_filler_at(
						   &m->w,
						   (expert * m->width + r) * m->hidden + column));
	}
}

/* The gradient of w, or of w2, over the pairs of an expert. */
static void add_dw(const struct experts *m, struct paleo_reference *e)
{
	int is_second = e->role == PALEO_DW2;
	uint64_t columns = is_second ? m->inter : m->hidden;
	uint64_t lines = is_second ? m->hidden : m->width, pairs = (uint64_t)m->g->tokens * m->topk;
	uint64_t expert = e->index / (lines * columns), line = e->index / columns % lines;
	uint64_t column = e->index % columns;

	for (uint64_t i = expert; i < pairs; i += (uint64_t)m->g->experts) {
		uint64_t token = i / m->topk, row = row_of(m, i) * m->width;
		if (!is_second) {
			paleo_reference_add(e, (double)paleo_filler_at(&m->dinner, row + line) *
						       (double)paleo_filler_at(
							       &m->x, token * m->hidden + column));
			continue;
		}
		double a = paleo_filler_at(&m->inner, row + column);
		double b = m->g->gated ? paleo_filler_at(&m->inner, row + m->inter + column) : 0;
		paleo_reference_add(
			e, (double)paleo_filler_at(&m->gate, i) *
				   (double)paleo_filler_at(&m->dy, token * m->hidden + line) *
				   between(m, a, b));
	}
}

int paleo_reference_moe(const struct paleo_op *w, struct paleo_reference *e)
{
	static const struct {
		enum paleo_pass pass;
		enum paleo_role role;
		void (*add)(const struct experts *m, struct paleo_reference *e);
	} results[] = {
		{PALEO_FWD, PALEO_Y, add_y},           {PALEO_BWD_DATA, PALEO_DINNER, add_dinner},
		{PALEO_BWD_DATA, PALEO_DX, add_dx},    {PALEO_BWD_FILTER, PALEO_DW, add_dw},
		{PALEO_BWD_FILTER, PALEO_DW2, add_dw},
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (results[i].pass != w->pass || results[i].role != e->role)
			continue;
		struct experts m = experts_of(w);
		results[i].add(&m, e);
		return 1;
	}
	return 0;
}
