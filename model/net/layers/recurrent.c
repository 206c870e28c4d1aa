/* recurrent.c - LSTM, GRU and plain recurrent layers over a sequence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

/*
 * The input GEMM is one for all tokens, as it does not depend on earlier tokens. The state GEMM is
 * one for each token, followed by the gates. Libraries do the same: Appleyard et al. 2016 (arXiv
 * 1604.01946), section 3.
 */
enum {
	TOKENS_MAX = 4096 /* each is three ops */
};

struct cell {
	int gates;  /* rows of weights for each hidden number */
	int states; /* numbers kept for each: h, and c of an LSTM */
};

static const char *const names[] = {"lstm", "gru", "rnn", NULL};
static const struct cell cells[] = {{4, 2}, {3, 1}, {1, 1}};

struct param {
	int cell; /* in both lists */
	int hidden;
	int bidirectional;
	int bias; /* 1: two for each gate, of the input GEMM and of the state's */
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	{"cell", PALEO_FIELD_WORD, offsetof(struct param, cell), .words = names,
	 .expected = "lstm, gru or rnn"},
	{"hidden", PALEO_FIELD_INT, offsetof(struct param, hidden), .low = 1,
	 .high = PALEO_DIM_MAX / 8.0},
	PALEO_KEY_FLAG(struct param, "bidirectional", bidirectional),
	PALEO_KEY_FLAG(struct param, "bias", bias),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);

	if (in->rank != 3)
		return paleo_fail(err, PALEO_EINPUT, "it needs a sequence, [N, T, C]");
	if (in->h > TOKENS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "it has %d tokens, expected at most %d", in->h,
				  TOKENS_MAX);
	l->out = *in;
	l->out.c = p->hidden * (1 + p->bidirectional);
	return paleo_check_dim((double)in->n * in->h, "N x T", err);
}

/* A GEMM of one direction; `as` is the pass of an inner product that it has the form of. */
static int product(const char *what, enum paleo_pass as, enum paleo_pass pass,
		   const struct paleo_gemm_geom *g, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = as, .dtype = dtype, .geom.gemm = *g};

	w.geom.gemm.batch = 1;
	return paleo_op_list_add(out, what, pass, &w, err);
}

/* The gates and states of one token: all gates and the state are read, the state is written.
 * Backward as much again. As a sum of so many tensors, which moves the same bytes. */
static int gates(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		 struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_op w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.eltwise = {.op = PALEO_ADD,
				 .inputs = cells[p->cell].gates + cells[p->cell].states,
				 .count = (double)l->out.n * p->hidden},
	};

	return paleo_op_list_add(out, "gates", pass, &w, err);
}

static int forward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_op_list *out,
		   struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const int rows = cells[p->cell].gates * p->hidden;
	const struct paleo_gemm_geom input = {
		.m = in->n * in->h, .n = rows, .k = in->c, .trans_b = 1, .bias = p->bias};
	const struct paleo_gemm_geom state = {
		.m = in->n, .n = rows, .k = p->hidden, .trans_b = 1, .bias = p->bias};
	int rc = product("inputs", PALEO_FWD, PALEO_FWD, &input, dtype, out, err);

	for (int t = 0; t < in->h && !rc; t++) {
		rc = product("state", PALEO_FWD, PALEO_FWD, &state, dtype, out, err);
		if (!rc)
			rc = gates(l, PALEO_FWD, dtype, out, err);
	}
	return rc;
}

/* From the last token to the first, and then the inputs' gradient at once. */
static int backward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_op_list *out,
		    struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const int rows = cells[p->cell].gates * p->hidden;
	const struct paleo_gemm_geom input = {.m = in->n * in->h, .n = in->c, .k = rows};
	const struct paleo_gemm_geom state = {.m = in->n, .n = p->hidden, .k = rows};

	for (int t = 0; t < in->h; t++) {
		PALEO_TRY(gates(l, PALEO_BWD_DATA, dtype, out, err));
		PALEO_TRY(
			product("state", PALEO_BWD_DATA, PALEO_BWD_DATA, &state, dtype, out, err));
	}
	if (l->parents[0]->needs_grad)
		PALEO_TRY(
			product("inputs", PALEO_BWD_DATA, PALEO_BWD_DATA, &input, dtype, out, err));
	return PALEO_OK;
}

static int weight_gradients(const struct paleo_layer *l, enum paleo_dtype dtype,
			    struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_gemm_geom g = {.m = cells[p->cell].gates * p->hidden,
				    .n = in->c,
				    .k = in->n * in->h,
				    .trans_a = 1,
				    .bias = p->bias};
	int rc = product("inputs", PALEO_BWD_FILTER, PALEO_BWD_FILTER, &g, dtype, out, err);

	g.n = p->hidden;
	return rc ? rc : product("state", PALEO_BWD_FILTER, PALEO_BWD_FILTER, &g, dtype, out, err);
}

/* All gradients come with those of the weights, which need the gates' first. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;

	for (int d = 0; d <= p->bidirectional && pass != PALEO_BWD_DATA; d++) {
		if (pass == PALEO_FWD)
			PALEO_TRY(forward(l, dtype, out, err));
		else
			PALEO_TRY(backward(l, dtype, out, err));
		if (pass == PALEO_BWD_FILTER)
			PALEO_TRY(weight_gradients(l, dtype, out, err));
	}
	return PALEO_OK;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;
	const double rows = (double)cells[p->cell].gates * p->hidden;

	return (1 + p->bidirectional) * rows * (paleo_layer_in(l)->c + p->hidden + 2.0 * p->bias);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%s %d->%d%s", names[p->cell], paleo_layer_in(l)->c, p->hidden,
		 p->bidirectional ? ", both ways" : "");
}

const struct paleo_layer_kind paleo_kind_recurrent = {
	.type = "Recurrent",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.initial = &(const struct param){.bias = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
