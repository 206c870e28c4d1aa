/* embedding.c - from the numbers of words to their channels, with those of places and types. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	int words, outputs, places, types;
	int tied; /* 1: the words are another layer's, which learns them */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",      "shared",      "parents",
					   "num_words", "num_outputs", "num_places",
					   "num_types", "tied",        NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_need_dim(j, "num_words", &p->words, err);
	if (!rc)
		rc = paleo_need_dim(j, "num_outputs", &p->outputs, err);
	if (!rc)
		rc = paleo_read_dim(j, "num_places", &p->places, err);
	if (!rc)
		rc = paleo_read_dim(j, "num_types", &p->types, err);
	return rc ? rc : paleo_read_flag(j, "tied", &p->tied, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	if (in->rank != 2)
		return paleo_fail(err, PALEO_EINPUT, "'%s' must give the numbers of words, [N, T]",
				  l->parents[0]->name);
	if (p->places && in->c > p->places)
		return paleo_fail(err, PALEO_EINPUT, "%d words have more than the %d places", in->c,
				  p->places);
	l->out = (struct paleo_shape){.rank = 3, .n = in->n, .h = in->c, .w = 1, .c = p->outputs};
	return paleo_check_tokens(l, err);
}

/* What is looked up beside the words is added to them. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const int tables[] = {p->words, p->places, p->types};
	int inputs = 0, rc = PALEO_OK;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	for (int i = 0; i < 3 && !rc; i++) {
		struct paleo_work w = {
			.kind = PALEO_EMBEDDING,
			.pass = pass,
			.dtype = dtype,
			.geom.embedding = {.tokens = paleo_shape_rows(&l->out).n,
					   .vocab = tables[i],
					   .dim = p->outputs},
		};
		if (!tables[i])
			continue;
		rc = paleo_work_list_add(out, "embedding", pass, &w, err);
		inputs++;
	}
	if (!rc && inputs > 1 && pass == PALEO_FWD)
		rc = paleo_eltwise_work(out, PALEO_ADD, inputs, paleo_shape_count(&l->out), pass,
					dtype, err);
	return rc;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return ((p->tied ? 0.0 : p->words) + p->places + p->types) * p->outputs;
}

/* A token takes a row of each. */
static double active(const struct paleo_layer *l)
{
	(void)l;
	return 0;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d words of %d", p->words, p->outputs);
}

const struct paleo_layer_kind paleo_kind_embedding = {
	.type = "Embedding",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.active = active,
	.describe = describe,
};
