/* rms_norm.c - scales the channels of each pixel by their root mean square. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "shared", "parents", "heads",
					   "sum",  "scale",  NULL};
	struct paleo_rms_norm_param *p = param;
	int rc = paleo_json_only(j, keys, err);

	p->heads = 1;
	p->scale = 1;
	if (!rc && paleo_json_get(j, "heads"))
		rc = paleo_need_dim(j, "heads", &p->heads, err);
	if (!rc)
		rc = paleo_read_flag(j, "scale", &p->scale, err);
	return rc ? rc : paleo_read_flag(j, "sum", &p->sum, err);
}

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
				  "with 'sum' its parent must be an Elementwise sum of two, and "
				  "nothing more: '%s' is none",
				  l->parents[0]->name);
	return paleo_check_dim((double)paleo_shape_rows(&l->out).n * p->heads,
			       "the number of heads", err);
}

/* As layer_norm.c, with no mean to take off and no shift to learn. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
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
	return paleo_norm_work(out, &norm, &x, norm_pass, dtype, err);
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
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
};
