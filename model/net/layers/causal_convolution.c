/* causal_convolution.c - each channel's sum over the last few tokens, with a state for decoding. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/tail.h"

struct param {
	struct paleo_causal_conv_geom geom; /* what the file says of it; the rest is shaped */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",          "parents", "taps", "bias",
					   "activation_fn", "cache",   NULL};
	struct param *p = param;
	struct paleo_tail tail = {0};
	int rc = paleo_json_only(j, keys, err);

	p->geom.bias = 1;
	if (!rc)
		rc = paleo_need_dim(j, "taps", &p->geom.taps, err);
	if (!rc)
		rc = paleo_read_flag(j, "bias", &p->geom.bias, err);
	if (!rc)
		rc = paleo_read_flag(j, "cache", &p->geom.cache, err);
	if (!rc)
		rc = paleo_tail_parse_activation(j, &tail, err);
	if (!rc && tail.has_activation && tail.activation != PALEO_SILU)
		return paleo_json_fail(paleo_json_get(j, "activation_fn"), err,
				       "only 'silu' goes with a causal convolution; put another "
				       "into a layer 'Activation'");
	p->geom.act = tail.has_activation;
	return rc;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct param *p = l->param;
	int rc = paleo_need_sequence(l, err);

	if (rc)
		return rc;
	l->out = *paleo_layer_in(l);
	p->geom.batch = l->out.n;
	p->geom.tokens = l->out.h;
	p->geom.channels = l->out.c;
	return PALEO_OK;
}

/* One work backward gives the gradients of tokens and of weights. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	struct paleo_work w = {
		.kind = PALEO_CAUSAL_CONV,
		.pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA,
		.dtype = paleo_dtype_wide(dtype),
		.geom.causal_conv = p->geom,
	};

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_work_list_add(out, "causal_conv", pass, &w, err);
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
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.state_bytes = state_bytes,
	.describe = describe,
};
