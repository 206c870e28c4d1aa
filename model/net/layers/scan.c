/* scan.c - a state that goes from token to token: state spaces and linear attention. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	struct paleo_scan_geom geom; /* what the file says of it; the rest is shaped */
};

static int parse_rule(const struct paleo_json *j, struct paleo_scan_geom *g,
		      struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *word;
	int rc = paleo_json_need(j, "rule", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &word, err);
	if (rc)
		return rc;
	for (g->rule = 0; g->rule < PALEO_SCAN_RULES; g->rule++)
		if (!strcmp(word, paleo_scan_rules[g->rule]))
			return PALEO_OK;
	return paleo_json_fail(v, err, "unknown rule '%s', expected ssd, delta, kda or selective",
			       word);
}

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "rule",  "heads",      "groups", "qk",
					   "v",    "chunk",   "cache", "cache_type", NULL};
	struct paleo_scan_geom *g = &((struct param *)param)->geom;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = parse_rule(j, g, err);
	if (!rc)
		rc = paleo_need_dim(j, "heads", &g->heads, err);
	if (!rc)
		rc = paleo_need_dim(j, "qk", &g->qk, err);
	if (!rc)
		rc = paleo_need_dim(j, "v", &g->v, err);
	g->groups = g->heads;
	if (!rc)
		rc = paleo_read_dim(j, "groups", &g->groups, err);
	if (!rc)
		rc = paleo_read_dim(j, "chunk", &g->chunk, err);
	if (!rc)
		rc = paleo_read_flag(j, "cache", &g->cache, err);
	if (!rc)
		rc = paleo_read_cache_type(j, &g->kv, err);
	if (g->kv == 1 + PALEO_F32) /* as without the key */
		g->kv = 0;
	return rc;
}

/* Queries, keys, values and gates come from one parent, or side by side from several. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_scan_geom *g = &((struct param *)l->param)->geom;
	double columns = 0;
	int rc = paleo_need_sequence(l, err);

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
				  "its parents give %.0f numbers a token, expected %.0f: two of "
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
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_work w = {
		.kind = PALEO_SCAN,
		.pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA,
		.dtype = paleo_dtype_wide(dtype),
		.geom.scan = p->geom,
	};

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_work_list_add(out, "scan", pass, &w, err);
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
	.min_parents = 1,
	.max_parents = 8,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.state_bytes = state_bytes,
	.describe = describe,
};
