/* embedding.c - token embedding, with position and type embeddings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

struct param {
	int words, outputs, places, types;
	int tied; /* 1: the embedding table is another layer's weight */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_NEED(struct param, "num_words", words),
	PALEO_KEY_NEED(struct param, "num_outputs", outputs),
	PALEO_KEY_NUMBER(struct param, "num_places", places),
	PALEO_KEY_NUMBER(struct param, "num_types", types),
	PALEO_KEY_FLAG(struct param, "tied", tied),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	if (in->rank != 2)
		return paleo_fail(err, PALEO_EINPUT, "'%s' must give token ids, [N, T]",
				  l->parents[0]->name);
	if (p->places && in->c > p->places)
		return paleo_fail(err, PALEO_EINPUT, "%d tokens exceed the %d positions", in->c,
				  p->places);
	l->out = (struct paleo_shape){.rank = 3, .n = in->n, .h = in->c, .w = 1, .c = p->outputs};
	return paleo_check_tokens(l, err);
}

/* Position and type embeddings are added to the token embedding. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const int tables[] = {p->words, p->places, p->types};
	int inputs = 0, rc = PALEO_OK;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	for (int i = 0; i < 3 && !rc; i++) {
		struct paleo_op w = {
			.kind = PALEO_EMBEDDING,
			.pass = pass,
			.dtype = dtype,
			.geom.embedding = {.tokens = paleo_shape_rows(&l->out).n,
					   .vocab = tables[i],
					   .dim = p->outputs},
		};
		if (!tables[i])
			continue;
		rc = paleo_op_list_add(out, "embedding", pass, &w, err);
		inputs++;
	}
	if (!rc && inputs > 1 && pass == PALEO_FWD)
		rc = paleo_eltwise_list(out, PALEO_ADD, inputs, paleo_shape_count(&l->out), pass,
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
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.weights = weights,
	.active = active,
	.describe = describe,
};
