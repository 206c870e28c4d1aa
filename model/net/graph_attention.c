/* graph_attention.c - connects the rows of attention, whose steps are not a chain. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph_build.h"

/*
 * The rows are one of the fused kernel, or those of layers/attention_products.c, in its order.
 * There heads one after another are one buffer, in which a GEMM of a batch sees its matrices; a
 * copy has one use for all its parts then.
 */

enum {
	PARENTS = 3 /* queries, keys, values */
};

/* Adds the next row: of its operands those that are read are `first` and `second` (if there are
 * two), in the list's order, and the one that is written is `out`. Returns `out`, or -1 if memory
 * ran out or one of them is -1, so that errors propagate. */
static int add_row(struct paleo_graph_builder *b, int first, int second, int out)
{
	const struct paleo_op *op = &b->list->items[b->next].op;
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(op, operands);

	int step = paleo_build_step(b, op, b->next, -1);
	b->next++;
	if (step < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		int is_result = (operands[i].access & PALEO_WRITE) != 0;
		if (!paleo_build_use(b, &operands[i], 0, is_result ? out : first))
			return -1;
		if (!is_result)
			first = second;
	}
	return out;
}

/* A buffer for the result of the next row: a matrix, or the parts of a copy. */
static int result_of(struct paleo_graph_builder *b)
{
	const struct paleo_op *w = &b->list->items[b->next].op;
	const struct paleo_copy_geom *g = &w->geom.copy;
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(w, operands);

	if (w->kind == PALEO_COPY)
		return paleo_build_buffer(
			b, PALEO_USE_ACTIVATION, 3,
			(const double[]){g->parts, g->rows, (double)g->cols / g->parts},
			operands[0].elem_bytes);
	return paleo_build_like(b, PALEO_USE_ACTIVATION, paleo_operand_find(operands, n, PALEO_Y));
}

static int add_new(struct paleo_graph_builder *b, int first, int second)
{
	return add_row(b, first, second, result_of(b));
}

/* 1 if heads are put one after another; a single one of keys needs not be. */
static int is_copied(const struct paleo_graph_builder *b)
{
	return b->list->items[b->next].op.kind == PALEO_COPY;
}

/* 1 if one kernel does all of it. */
static int is_fused(const struct paleo_graph_builder *b)
{
	return b->list->items[b->next].op.kind == PALEO_ATTENTION;
}

/* The kernel's row: queries, keys and values in, the result out; backward the same, the result and
 * its gradient in, and three gradients out. `of` has the buffers by role, -1 where there is none.
 */
static int add_fused(struct paleo_graph_builder *b, const int of[PALEO_ROLES], int forward)
{
	const struct paleo_op *op = &b->list->items[b->next].op;
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(op, operands);

	if (paleo_build_step(b, op, b->next, forward) < 0)
		return -1;
	b->next++;
	for (int i = 0; i < n; i++)
		if (!paleo_build_use(b, &operands[i], 0, of[operands[i].role]))
			return -1;
	return 0;
}

static int fused(struct paleo_graph_builder *b, const struct paleo_layer *l, const int *in,
		 int *out, struct paleo_error *err)
{
	*out = paleo_build_shaped(b, PALEO_USE_ACTIVATION, &l->out);
	const int of[PALEO_ROLES] = {
		[PALEO_X] = in[0], [PALEO_K] = in[1], [PALEO_V] = in[2], [PALEO_Y] = *out};
	return add_fused(b, of, -1) ? paleo_build_no_memory(err) : PALEO_OK;
}

static int fused_back(struct paleo_graph_builder *b, const struct paleo_layer *l, int *g,
		      int *count, struct paleo_error *err)
{
	int f = b->layers[l->index].step;
	int q = paleo_build_buffer_of(b, f, PALEO_X, 0);
	int k = paleo_build_buffer_of(b, f, PALEO_K, 0);
	int v = paleo_build_buffer_of(b, f, PALEO_V, 0);
	const int of[PALEO_ROLES] = {
		[PALEO_X] = q,
		[PALEO_K] = k,
		[PALEO_V] = v,
		[PALEO_Y] = paleo_build_buffer_of(b, f, PALEO_Y, 0),
		[PALEO_DY] = g[0],
		[PALEO_DX] = paleo_build_delta(b, q),
		[PALEO_DK] = paleo_build_delta(b, k),
		[PALEO_DV] = paleo_build_delta(b, v),
	};

	*count = PARENTS;
	g[0] = of[PALEO_DX];
	g[1] = of[PALEO_DK];
	g[2] = of[PALEO_DV];
	return add_fused(b, of, f) ? paleo_build_no_memory(err) : PALEO_OK;
}

int paleo_build_attention(struct paleo_graph_builder *b, const struct paleo_layer *l, const int *in,
			  int *out, struct paleo_error *err)
{
	int copied = is_copied(b), heads[PARENTS];

	if (is_fused(b))
		return fused(b, l, in, out, err);
	for (int i = 0; i < PARENTS; i++)
		heads[i] = copied ? add_new(b, in[i], -1) : in[i];
	int scores = add_new(b, heads[0], heads[1]);
	int weights = add_new(b, scores, -1);
	*out = paleo_build_shaped(b, PALEO_USE_ACTIVATION, &l->out);
	if (copied)
		*out = add_row(b, add_new(b, weights, heads[2]), -1, *out);
	else
		*out = add_row(b, weights, heads[2], *out);
	return *out < 0 ? paleo_build_no_memory(err) : PALEO_OK;
}

/* Adds the next row, which writes the gradient of a buffer. */
static int add_gradient(struct paleo_graph_builder *b, int first, int second, int of)
{
	return add_row(b, first, second, paleo_build_delta(b, of));
}

int paleo_build_attention_back(struct paleo_graph_builder *b, const struct paleo_layer *l, int *g,
			       int *count, struct paleo_error *err)
{
	if (is_fused(b))
		return fused_back(b, l, g, count, err);
	int copied = is_copied(b), at = b->layers[l->index].step + copied * PARENTS;
	int q = paleo_build_buffer_of(b, at, PALEO_X, 0);
	int k = paleo_build_buffer_of(b, at, PALEO_W, 0);
	int scores = paleo_build_buffer_of(b, at, PALEO_Y, 0);
	int weights = paleo_build_buffer_of(b, at + 1, PALEO_Y, 0);
	int v = paleo_build_buffer_of(b, at + 2, PALEO_W, 0);
	int context = paleo_build_buffer_of(b, at + 2, PALEO_Y, 0);

	int dcontext = copied ? add_gradient(b, g[0], -1, context) : g[0];
	int dweights = add_gradient(b, dcontext, v, weights);
	int dv = add_gradient(b, weights, dcontext, v);
	int dscores = add_gradient(b, weights, dweights, scores);
	int dq = add_gradient(b, dscores, k, q);
	const int heads[PARENTS] = {dq, add_gradient(b, dscores, q, k), dv};

	*count = PARENTS;
	for (int i = 0; i < PARENTS; i++) {
		int parent = b->layers[l->parents[i]->index].out;
		g[i] = copied ? add_gradient(b, heads[i], -1, parent) : heads[i];
		if (g[i] < 0)
			return paleo_build_no_memory(err);
	}
	return PALEO_OK;
}
