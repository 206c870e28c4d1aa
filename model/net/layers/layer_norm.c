/* layer_norm.c - normalises the channels of each pixel, or of each head. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"

struct param {
	int scale, shift; /* whether factors and shifts are learned */
	int heads, each;  /* into which channels are divided; 1: each has factors of its own */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",  "shared", "parents", "scale",
					   "shift", "heads",  "each",    NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	*p = (struct param){1, 1, 1, 0};
	if (!rc && paleo_json_get(j, "heads"))
		rc = paleo_need_dim(j, "heads", &p->heads, err);
	if (!rc)
		rc = paleo_read_flag(j, "each", &p->each, err);
	if (!rc)
		rc = paleo_read_flag(j, "scale", &p->scale, err);
	return rc ? rc : paleo_read_flag(j, "shift", &p->shift, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;

	l->out = *paleo_layer_in(l);
	if (l->out.c % p->heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d heads do not divide the %d channels of '%s'", p->heads,
				  l->out.c, l->parents[0]->name);
	return paleo_check_dim((double)paleo_shape_rows(&l->out).n * p->heads,
			       "the number of heads", err);
}

/* As batch_norm.c: one work gives all gradients. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_norm_geom norm = {
		.mode = PALEO_LAYER_NORM, .scale = p->scale, .shift = p->shift};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;
	struct paleo_shape x = l->out;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	if (p->heads > 1) {
		x = paleo_shape_rows(&x);
		x.n *= p->heads;
		x.c /= p->heads;
	}
	return paleo_norm_work(out, &norm, &x, norm_pass, dtype, err);
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return (double)(p->scale + p->shift) * (p->each ? l->out.c : l->out.c / p->heads);
}

const struct paleo_layer_kind paleo_kind_layer_norm = {
	.type = "LayerNorm",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
};
