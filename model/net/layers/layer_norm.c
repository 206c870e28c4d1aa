/* layer_norm.c - normalises the channels of each pixel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"

struct param {
	int scale, shift; /* whether factors and shifts are learned */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "shared", "parents", "scale", "shift", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	*p = (struct param){1, 1};
	if (!rc)
		rc = paleo_read_flag(j, "scale", &p->scale, err);
	return rc ? rc : paleo_read_flag(j, "shift", &p->shift, err);
}

/* As batch_norm.c: one work gives all gradients. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_LAYER_NORM, .scale = p->scale, .shift = p->shift};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_norm_work(out, &norm, &l->out, norm_pass, dtype, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return (double)(p->scale + p->shift) * l->out.c;
}

const struct paleo_layer_kind paleo_kind_layer_norm = {
	.type = "LayerNorm",
	.what = "layer normalisation over the channels of each pixel",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_shape_as_parent,
	.work = work,
	.weights = weights,
};
