/* experts.c - a mixture of experts: of many small nets, each token goes through a few. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

enum {
	TOKENS, /* parents */
	SCORES
};

struct param {
	struct paleo_moe_geom geom;
	int groups; /* workers whose tokens come together */
	int bias;   /* experts have biases */
	struct paleo_weight_type weights;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "experts", "local",
					   "top",  "inner",   "groups",  "gated",
					   "skew", "bias",    "weights", NULL};
	struct param *p = param;
	struct paleo_moe_geom *g = &p->geom;
	int rc = paleo_json_only(j, keys, err);

	g->gated = 1;
	p->groups = 1;
	if (!rc)
		rc = paleo_need_dim(j, "experts", &g->experts, err);
	if (!rc)
		rc = paleo_need_dim(j, "top", &g->topk, err);
	if (!rc)
		rc = paleo_need_dim(j, "inner", &g->inter, err);
	g->local = g->experts;
	if (!rc)
		rc = paleo_read_dim(j, "local", &g->local, err);
	if (!rc)
		rc = paleo_read_dim(j, "groups", &p->groups, err);
	if (!rc)
		rc = paleo_read_dim(j, "skew", &g->skew, err);
	if (!rc)
		rc = paleo_read_flag(j, "gated", &g->gated, err);
	if (!rc)
		rc = paleo_read_flag(j, "bias", &p->bias, err);
	return rc ? rc : paleo_read_weights(j, &p->weights, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	const struct paleo_shape *x = paleo_layer_in(l), *scores = &l->parents[SCORES]->out;

	if (x->rank != 3 || scores->rank != 3 || scores->c != p->geom.experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' must give sequences, '%s' a score of each of %d experts",
				  l->parents[TOKENS]->name, l->parents[SCORES]->name,
				  p->geom.experts);
	int rc = paleo_check_dim((double)paleo_shape_rows(x).n * p->groups, "the number of tokens",
				 err);
	if (rc)
		return rc;
	p->geom.tokens = paleo_shape_rows(x).n * p->groups;
	p->geom.hidden = x->c;
	l->out = *x;
	return PALEO_OK;
}

static int experts_work(const struct param *p, enum paleo_pass pass, enum paleo_dtype dtype,
			struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_MOE,
		.pass = pass,
		.dtype = p->weights.dtype ? (enum paleo_dtype)(p->weights.dtype - 1) : dtype,
		.geom.moe = p->geom,
	};

	if (pass == PALEO_FWD)
		w.geom.moe.stored = p->weights.stored;
	return paleo_work_list_add(out, "experts", pass, &w, err);
}

/* The softmax stands for the choice of experts, in whatever way they are chosen. What is between
 * their products has a gradient first, for tokens and experts alike. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_work choice = {
		.kind = PALEO_SOFTMAX,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.softmax = {.rows = p->geom.tokens / p->groups, .cols = p->geom.experts},
	};
	int rc = PALEO_OK;

	if (pass == PALEO_BWD_FILTER) {
		rc = experts_work(p, PALEO_BWD_DATA, dtype, out, err);
		return rc ? rc : experts_work(p, PALEO_BWD_FILTER, dtype, out, err);
	}
	rc = paleo_work_list_add(out, "choice", pass, &choice, err);
	return rc || pass != PALEO_FWD ? rc : experts_work(p, PALEO_FWD, dtype, out, err);
}

static double of_one(const struct param *p)
{
	const struct paleo_moe_geom *g = &p->geom;
	double first = (g->gated ? 2.0 : 1.0) * g->inter;

	return (first + g->inter) * g->hidden + (p->bias ? first + g->hidden : 0);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return p->geom.local * of_one(p);
}

static double active(const struct paleo_layer *l)
{
	const struct param *p = l->param;
	const struct paleo_moe_geom *g = &p->geom;

	return (double)g->topk * g->local / g->experts * of_one(p);
}

static double weight_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	const struct param *p = l->param;

	return weights(l) * paleo_weight_type_bytes(&p->weights, dtype);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;
	const struct paleo_moe_geom *g = &p->geom;

	snprintf(buf, size, "%d of %d, %d here: %d->%d->%d", g->topk, g->experts, g->local,
		 g->hidden, g->inter, g->hidden);
}

const struct paleo_layer_kind paleo_kind_experts = {
	.type = "Experts",
	.param_size = sizeof(struct param),
	.min_parents = 2,
	.max_parents = 2,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.active = active,
	.weight_bytes = weight_bytes,
	.describe = describe,
};
