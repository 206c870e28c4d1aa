/* recurrent.c - LSTM, GRU and plain recurrent layers over a sequence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

/*
 * The input's product is one for all tokens, as its result needs no earlier token. That of the
 * state is one for each token, as it does. Behind it the gates are applied, token by token. So
 * libraries run it: Appleyard et al. 2016 (arXiv 1604.01946), section 3.
 */
enum {
	TOKENS_MAX = 4096 /* each is three works */
};

struct cell {
	const char *name;
	int gates;  /* rows of weights for each hidden number */
	int states; /* numbers kept for each: h, and c of an LSTM */
};

static const struct cell cells[] = {{"lstm", 4, 2}, {"gru", 3, 1}, {"rnn", 1, 1}};

struct param {
	const struct cell *cell;
	int hidden;
	int bidirectional;
	int bias; /* 1: two for each gate, of the input's product and of the state's */
};

static int parse_cell(const struct paleo_json *j, struct param *p, struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *word;
	int rc = paleo_json_need(j, "cell", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &word, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		if (!strcmp(word, cells[i].name))
			p->cell = &cells[i];
	}
	if (!p->cell)
		return paleo_json_fail(v, err, "unknown cell '%s', expected lstm, gru or rnn",
				       word);
	return PALEO_OK;
}

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",   "shared",        "parents", "cell",
					   "hidden", "bidirectional", "bias",    NULL};
	struct param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	p->bias = 1;
	if (!rc)
		rc = parse_cell(j, p, err);
	if (!rc)
		rc = paleo_json_need(j, "hidden", &v, err);
	if (!rc)
		rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX / 8, &p->hidden, err);
	if (!rc)
		rc = paleo_read_flag(j, "bidirectional", &p->bidirectional, err);
	return rc ? rc : paleo_read_flag(j, "bias", &p->bias, err);
}

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

/* A product of one direction; `as` is the form that it has in the passes of an inner product. */
static int product(const char *what, enum paleo_pass as, enum paleo_pass pass,
		   const struct paleo_gemm_geom *g, enum paleo_dtype dtype,
		   struct paleo_work_list *out, struct paleo_error *err)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = as, .dtype = dtype, .geom.gemm = *g};

	w.geom.gemm.batch = 1;
	return paleo_work_list_add(out, what, pass, &w, err);
}

/* The gates and states of one token: all gates and the state are read, the state is written.
 * Backward as much again. As a sum of so many tensors, which moves the same bytes. */
static int gates(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		 struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_work w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.eltwise = {.op = PALEO_ADD,
				 .inputs = p->cell->gates + p->cell->states,
				 .count = (double)l->out.n * p->hidden},
	};

	return paleo_work_list_add(out, "gates", pass, &w, err);
}

static int forward(const struct paleo_layer *l, enum paleo_dtype dtype, struct paleo_work_list *out,
		   struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const int rows = p->cell->gates * p->hidden;
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
static int backward(const struct paleo_layer *l, enum paleo_dtype dtype,
		    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const int rows = p->cell->gates * p->hidden;
	const struct paleo_gemm_geom input = {.m = in->n * in->h, .n = in->c, .k = rows};
	const struct paleo_gemm_geom state = {.m = in->n, .n = p->hidden, .k = rows};
	int rc = PALEO_OK;

	for (int t = 0; t < in->h && !rc; t++) {
		rc = gates(l, PALEO_BWD_DATA, dtype, out, err);
		if (!rc)
			rc = product("state", PALEO_BWD_DATA, PALEO_BWD_DATA, &state, dtype, out,
				     err);
	}
	if (!rc && l->parents[0]->needs_grad)
		rc = product("inputs", PALEO_BWD_DATA, PALEO_BWD_DATA, &input, dtype, out, err);
	return rc;
}

static int weight_gradients(const struct paleo_layer *l, enum paleo_dtype dtype,
			    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	struct paleo_gemm_geom g = {.m = p->cell->gates * p->hidden,
				    .n = in->c,
				    .k = in->n * in->h,
				    .trans_a = 1,
				    .bias = p->bias};
	int rc = product("inputs", PALEO_BWD_FILTER, PALEO_BWD_FILTER, &g, dtype, out, err);

	g.n = p->hidden;
	return rc ? rc : product("state", PALEO_BWD_FILTER, PALEO_BWD_FILTER, &g, dtype, out, err);
}

/* All gradients come with those of the weights, which need the gates' first. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	int rc = PALEO_OK;

	for (int d = 0; d <= p->bidirectional && !rc && pass != PALEO_BWD_DATA; d++) {
		if (pass == PALEO_FWD)
			rc = forward(l, dtype, out, err);
		else
			rc = backward(l, dtype, out, err);
		if (!rc && pass == PALEO_BWD_FILTER)
			rc = weight_gradients(l, dtype, out, err);
	}
	return rc;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;
	const double rows = (double)p->cell->gates * p->hidden;

	return (1 + p->bidirectional) * rows * (paleo_layer_in(l)->c + p->hidden + 2.0 * p->bias);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%s %d->%d%s", p->cell->name, paleo_layer_in(l)->c, p->hidden,
		 p->bidirectional ? ", both ways" : "");
}

const struct paleo_layer_kind paleo_kind_recurrent = {
	.type = "Recurrent",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.describe = describe,
};
