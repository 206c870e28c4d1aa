/* rms_norm.c - scales the channels of each pixel by their root mean square. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_SIZE(struct paleo_rms_norm_param, "heads", heads),
	PALEO_KEY_FLAG(struct paleo_rms_norm_param, "sum", sum),
	PALEO_KEY_FLAG(struct paleo_rms_norm_param, "scale", scale),
	{0},
};

static int is_sum(const struct paleo_layer *l)
{
	const struct paleo_elementwise_param *p = l->param;

	return l->kind == &paleo_kind_elementwise && p->op == PALEO_ADD && l->parent_count == 2 &&
	       !p->tail.has_activation;
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_rms_norm_param *p = l->param;

	l->out = *paleo_layer_in(l);
	if (l->out.c % p->heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads do not divide the %d channels of '%s'", p->heads,
				  l->out.c, l->parents[0]->name);
	if (p->sum && !is_sum(l->parents[0]))
		return paleo_fail(err, PALEO_EINPUT,
				  "with 'sum' its parent must be an Elementwise sum of exactly "
				  "two: '%s' is not",
				  l->parents[0]->name);
	return paleo_check_dim((double)paleo_shape_rows(&l->out).n * p->heads,
			       "the number of heads", err);
}

/* Like layer_norm.c, without mean subtraction and without shift. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_rms_norm_param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_RMS_NORM, .scale = p->scale, .add = p->sum && pass == PALEO_FWD};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;
	struct paleo_shape x = paleo_shape_rows(&l->out);

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	x.n *= p->heads;
	x.c /= p->heads;
	return paleo_norm_op(out, &norm, &x, norm_pass, dtype, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct paleo_rms_norm_param *p = l->param;
	const int channels = l->out.c / p->heads;

	return p->scale ? channels : 0;
}

const struct paleo_layer_kind paleo_kind_rms_norm = {
	.type = "RMSNorm",
	.param_size = sizeof(struct paleo_rms_norm_param),
	.parents = {1, 1},
	.keys = fields,
	.initial = &(const struct paleo_rms_norm_param){.heads = 1, .scale = 1},
	.shape = shape,
	.op = op,
	.weights = weights,
};
