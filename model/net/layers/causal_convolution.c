/* causal_convolution.c - each channel's sum over the last few tokens, with a state for decoding. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/tail.h"

struct param {
	struct paleo_causal_conv_geom
		geom; /* fields read from the file; the rest is set by shape() */
};

static int read_silu(const struct paleo_json *v, void *act, struct paleo_error *err)
{
	struct paleo_tail tail = {0};
	int rc = paleo_tail_read_activation(v, &tail, err);

	if (!rc && tail.has_activation && tail.activation != PALEO_SILU)
		return paleo_json_fail(v, err,
				       "a causal convolution only supports 'silu'; use a layer "
				       "'Activation' for others");
	*(int *)act = tail.has_activation;
	return rc;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "taps", geom.taps),
	PALEO_KEY_FLAG(struct param, "bias", geom.bias),
	PALEO_KEY_OWN(struct param, "activation_fn", geom.act, read_silu),
	PALEO_KEY_FLAG(struct param, "cache", geom.cache),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;

	PALEO_TRY(paleo_need_sequence(l, err));
	l->out = *paleo_layer_in(l);
	p->geom.batch = l->out.n;
	p->geom.tokens = l->out.h;
	p->geom.channels = l->out.c;
	return PALEO_OK;
}

/* One op backward gives the gradients of tokens and of weights. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_op w = {
		.kind = PALEO_CAUSAL_CONV,
		.pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA,
		.dtype = paleo_dtype_wide(dtype),
		.geom.causal_conv = p->geom,
	};

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_op_list_add(out, "causal_conv", pass, &w, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return (double)p->geom.channels * (p->geom.taps + p->geom.bias);
}

static double state_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	const struct paleo_causal_conv_geom *g = &((const struct param *)l->param)->geom;

	return g->cache * (double)(g->taps - 1) * g->channels *
	       paleo_dtype_bytes(paleo_dtype_wide(dtype));
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d taps", p->geom.taps);
}

const struct paleo_layer_kind paleo_kind_causal_convolution = {
	.type = "CausalConvolution",
	.param_size = sizeof(struct param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.initial = &(const struct param){.geom.bias = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
	.state_bytes = state_bytes,
	.describe = describe,
};
