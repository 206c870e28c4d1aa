/* scan.c - a state that goes from token to token: state spaces and linear attention. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	struct paleo_scan_geom geom; /* fields read from the file; the rest is set by shape() */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"rule", PALEO_FIELD_WORD, offsetof(struct param, geom.rule), .words = paleo_scan_rules,
	 .expected = "ssd, delta, kda or selective"},
	PALEO_KEY_NEED(struct param, "heads", geom.heads),
	PALEO_KEY_NUMBER(struct param, "groups", geom.groups),
	PALEO_KEY_NEED(struct param, "qk", geom.qk),
	PALEO_KEY_NEED(struct param, "v", geom.v),
	PALEO_KEY_NUMBER(struct param, "chunk", geom.chunk),
	PALEO_KEY_FLAG(struct param, "cache", geom.cache),
	PALEO_KEY_OWN(struct param, "cache_type", geom.kv, paleo_read_cache_type),
	{0},
};

/* Queries, keys, values and gates come from one parent, or side by side from several. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_scan_geom *g = &((struct param *)l->param)->geom;
	double columns = 0;
	int rc = paleo_need_sequence(l, err);

	if (g->groups == PALEO_INFERRED)
		g->groups = g->heads;
	if (g->kv == 1 + PALEO_F32) /* as without the key */
		g->kv = 0;
	for (int i = 0; i < l->parent_count && !rc; i++) {
		const struct paleo_shape *s = &l->parents[i]->out;
		columns += s->c;
		if (s->rank != 3 || s->n != paleo_layer_in(l)->n || s->h != paleo_layer_in(l)->h)
			rc = paleo_fail(err, PALEO_EINPUT, "'%s' must give as many tokens as '%s'",
					l->parents[i]->name, l->parents[0]->name);
	}
	if (rc)
		return rc;
	if (columns != paleo_scan_columns(g))
		return paleo_fail(err, PALEO_EINPUT,
				  "its parents give %.0f channels a token, expected %.0f: two of "
				  "%d groups of %d, and %d heads of %d values with %d gates",
				  columns, paleo_scan_columns(g), g->groups, g->qk, g->heads, g->v,
				  paleo_scan_gates(g));
	l->out = *paleo_layer_in(l);
	g->batch = l->out.n;
	g->tokens = l->out.h;
	rc = paleo_check_dim((double)g->heads * g->v, "the number of values", err);
	l->out.c = rc ? l->out.c : g->heads * g->v;
	return rc;
}

/* Its few weights come with the gradients of all else. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_op w = {
		.kind = PALEO_SCAN,
		.pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA,
		.dtype = paleo_dtype_wide(dtype),
		.geom.scan = p->geom,
	};

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_op_list_add(out, "scan", pass, &w, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return (double)p->geom.heads * paleo_scan_learned(&p->geom);
}

static double state_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	const struct paleo_scan_geom *g = &((const struct param *)l->param)->geom;
	enum paleo_dtype stored = g->kv ? (enum paleo_dtype)(g->kv - 1) : PALEO_F32;

	(void)dtype;
	return g->cache * (double)g->heads * g->qk * g->v * paleo_dtype_bytes(stored);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_scan_geom *g = &((const struct param *)l->param)->geom;

	snprintf(buf, size, "%s, %d heads of %d x %d", paleo_scan_rules[g->rule], g->heads, g->qk,
		 g->v);
}

const struct paleo_layer_kind paleo_kind_scan = {
	.type = "Scan",
	.param_size = sizeof(struct param),
	.parents = {1, 8},
	.no_graph = 1,
	.keys = fields,
	.initial = &(const struct param){.geom.groups = PALEO_INFERRED},
	.shape = shape,
	.op = op,
	.weights = weights,
	.state_bytes = state_bytes,
	.describe = describe,
};
