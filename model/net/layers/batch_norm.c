/* batch_norm.c - normalises each channel over the batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"
#include "model/net/layers/tail.h"

struct param {
	int scale, shift;       /* 1: learns it for each channel */
	struct paleo_tail tail; /* an activation, or nothing */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",  "shared",        "parents", "scale",
					   "shift", "activation_fn", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	p->scale = p->shift = 1;
	if (!rc)
		rc = paleo_read_flag(j, "scale", &p->scale, err);
	if (!rc)
		rc = paleo_read_flag(j, "shift", &p->shift, err);
	return rc ? rc : paleo_tail_parse_activation(j, &p->tail, err);
}

/* One work gives the gradients of input, scale and shift. It is needed for the latter two even
 * where the first is not, so it stands in BWD_FILTER, and nothing remains for BWD_DATA; unless the
 * layer learns nothing, for then nobody asks for BWD_FILTER. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_BATCH_NORM, .scale = p->scale, .shift = p->shift};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;
	enum paleo_pass backward = p->scale || p->shift ? PALEO_BWD_FILTER : PALEO_BWD_DATA;
	int rc = PALEO_OK;

	if (pass != PALEO_FWD && pass != backward)
		return PALEO_OK;
	if (pass != PALEO_FWD)
		rc = paleo_tail_backward(&p->tail, l, dtype, out, err);
	if (!rc)
		rc = paleo_norm_work(out, &norm, &l->out, norm_pass, dtype, err);
	if (!rc && pass == PALEO_FWD)
		rc = paleo_tail_forward(&p->tail, l, dtype, out, err);
	return rc;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return ((double)p->scale + p->shift) * l->out.c;
}

const struct paleo_layer_kind paleo_kind_batch_norm = {
	.type = "BatchNorm",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = paleo_shape_as_parent,
	.work = work,
	.weights = weights,
};
