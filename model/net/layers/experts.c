/* experts.c - a mixture of experts: each token is routed to a few of many small MLPs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

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

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "experts", geom.experts),
	PALEO_KEY_NUMBER(struct param, "local", geom.local),
	PALEO_KEY_NEED(struct param, "top", geom.topk),
	PALEO_KEY_NEED(struct param, "inner", geom.inter),
	PALEO_KEY_NUMBER(struct param, "groups", groups),
	PALEO_KEY_FLAG(struct param, "gated", geom.gated),
	PALEO_KEY_NUMBER(struct param, "skew", geom.skew),
	PALEO_KEY_FLAG(struct param, "bias", bias),
	PALEO_KEY_OWN(struct param, "weights", weights, paleo_read_weights),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	const struct paleo_shape *x = paleo_layer_in(l), *scores = &l->parents[SCORES]->out;

	if (x->rank != 3 || scores->rank != 3 || scores->c != p->geom.experts)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' must give sequences, '%s' a score of each of %d experts",
				  l->parents[TOKENS]->name, l->parents[SCORES]->name,
				  p->geom.experts);
	PALEO_TRY(paleo_check_dim((double)paleo_shape_rows(x).n * p->groups, "the number of tokens",
				  err));
	p->geom.tokens = paleo_shape_rows(x).n * p->groups;
	p->geom.hidden = x->c;
	if (p->geom.local == PALEO_INFERRED)
		p->geom.local = p->geom.experts;
	l->out = *x;
	return PALEO_OK;
}

static int experts_op(const struct param *p, enum paleo_pass pass, enum paleo_dtype dtype,
		      struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_MOE,
		.pass = pass,
		.dtype = p->weights.dtype ? (enum paleo_dtype)(p->weights.dtype - 1) : dtype,
		.geom.moe = p->geom,
	};

	w.geom.moe.stored = p->weights.stored;
	return paleo_op_list_add(out, "experts", pass, &w, err);
}

/* The softmax represents the routing, whatever its method. The activation between the GEMMs has its
 * gradient first, for tokens and experts alike. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_op choice = {
		.kind = PALEO_SOFTMAX,
		.pass = pass,
		.dtype = paleo_dtype_wide(dtype),
		.geom.softmax = {.rows = p->geom.tokens / p->groups, .cols = p->geom.experts},
	};

	if (pass == PALEO_BWD_FILTER) {
		PALEO_TRY(experts_op(p, PALEO_BWD_DATA, dtype, out, err));
		return experts_op(p, PALEO_BWD_FILTER, dtype, out, err);
	}
	PALEO_TRY(paleo_op_list_add(out, "choice", pass, &choice, err));
	return pass != PALEO_FWD ? PALEO_OK : experts_op(p, PALEO_FWD, dtype, out, err);
}

/* The biases of an expert, and all of its weights. */
static double biases_of_one(const struct param *p)
{
	const struct paleo_moe_geom *g = &p->geom;

	return p->bias ? (g->gated ? 2.0 : 1.0) * g->inter + g->hidden : 0;
}

static double of_one(const struct param *p)
{
	const struct paleo_moe_geom *g = &p->geom;

	return (g->gated ? 3.0 : 2.0) * g->inter * g->hidden + biases_of_one(p);
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
	double biases = p->geom.local * biases_of_one(p);

	return (weights(l) - biases) * paleo_weight_type_bytes(&p->weights, dtype) +
	       biases * paleo_dtype_bytes(paleo_dtype_wide(dtype));
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
	.parents = {2, 2},
	.no_graph = 1,
	.keys = fields,
	.initial =
		&(const struct param){.geom = {.local = PALEO_INFERRED, .gated = 1}, .groups = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
	.active = active,
	.weight_bytes = weight_bytes,
	.describe = describe,
};
