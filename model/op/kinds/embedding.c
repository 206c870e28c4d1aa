/* embedding.c - a kind of op: rows of a table, by their numbers, and the table's gradient. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

static const struct paleo_field fields[] = {
	PALEO_DIM(embedding, tokens, PALEO_OF_SHAPE),
	PALEO_DIM(embedding, vocab, PALEO_OF_SHAPE),
	PALEO_DIM(embedding, dim, PALEO_OF_SHAPE | PALEO_OF_CHANNELS),
	PALEO_FIELDS_END,
};

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;

	(void)err;
	w->flops = w->pass == PALEO_FWD ? 0 : (double)g->tokens * g->dim;
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;
	double rows = g->tokens < g->vocab ? g->tokens : g->vocab;

	paleo_operand_index(l, g->tokens);
	if (w->pass == PALEO_FWD) {
		struct paleo_operand *table =
			paleo_operand_matrix(l, PALEO_W, PALEO_READ, 1, g->vocab, g->dim);
		table->bytes = rows * g->dim * table->elem_bytes; /* no more of it is read */
		paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, 1, g->tokens, g->dim);
	} else {
		paleo_operand_matrix(l, PALEO_DY, PALEO_READ, 1, g->tokens, g->dim);
		paleo_operand_matrix(l, PALEO_DW, PALEO_WRITE, 1, g->vocab, g->dim);
	}
}

static int index_limit(const struct paleo_op *w)
{
	return w->geom.embedding.vocab;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"embedding", "embedding"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_embedding = {
	.name = "embedding",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_FILTER,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.index_limit = index_limit,
	.classes = classes,
};
