/* compress.c - one key of several tokens: their values, weighed by their gates. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

/*
 * The parent gives values and as many gates. Each `ratio` tokens become one key: softmax over the
 * gates and their learned positions, multiply, sum, norm (DeepSeek-AI 2026, "DeepSeek-V4", section
 * 2.3). With `overlap` a token has two parts, one for its own key and one for the next.
 */
struct param {
	int ratio, overlap;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "ratio", ratio),
	PALEO_KEY_FLAG(struct param, "overlap", overlap),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	int parts = 2 * (1 + p->overlap);

	PALEO_TRY(paleo_need_sequence(l, err));
	if (in->c % parts)
		return paleo_fail(err, PALEO_EINPUT, "the %d channels of '%s' are not %d parts",
				  in->c, l->parents[0]->name, parts);
	l->out = *in;
	l->out.h = (in->h + p->ratio - 1) / p->ratio;
	l->out.c = in->c / parts;
	return paleo_check_dim((double)p->ratio * in->c, "the number of positions", err);
}

/* A kernel reads all of it once; a MUL overstates the few elements it writes. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	if (pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "compressed keys have no backward pass");
	return paleo_eltwise_list(out, PALEO_MUL, 2, paleo_shape_count(paleo_layer_in(l)) / 2, pass,
				  dtype, err);
}

/* A number for each token and channel of a key, and the norm's. */
static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return p->ratio * (paleo_layer_in(l)->c / 2.0) + l->out.c;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "keys of %d, one of %d tokens", l->out.c, p->ratio);
}

const struct paleo_layer_kind paleo_kind_compress = {
	.type = "Compress",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
