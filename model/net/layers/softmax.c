/* softmax.c - probabilities of classes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_SIZE(struct paleo_softmax_param, "num_classes", classes),
	{0},
};

/* [N, classes], as in the original: one row of classes for each image; or for each token, or for
 * each pixel of an image that has them as channels. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_softmax_param *p = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	int classes = p->classes ? p->classes : in->c;
	int per_image = paleo_layer_features(l) == classes;
	char text[48];

	if (!per_image && in->c != classes) {
		paleo_shape_text(in, text, sizeof(text));
		return paleo_fail(err, PALEO_EINPUT,
				  "%d classes do not fit the parent '%s', which gives %s", classes,
				  l->parents[0]->name, text);
	}
	l->out = *in;
	if (in->rank == 4 && per_image)
		l->out = (struct paleo_shape){.rank = 2, .n = in->n, .c = classes, .h = 1, .w = 1};
	return paleo_check_dim((double)l->out.n * l->out.h * l->out.w, "rows of the softmax", err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op op = {
		.kind = PALEO_SOFTMAX,
		.pass = pass,
		.dtype = dtype,
		.geom.softmax = {.rows = l->out.n * l->out.h * l->out.w, .cols = l->out.c},
	};

	return paleo_op_list_add(out, "softmax", pass, &op, err);
}

const struct paleo_layer_kind paleo_kind_softmax = {
	.type = "Softmax",
	.param_size = sizeof(struct paleo_softmax_param),
	.parents = {1, 1},
	.keys = fields,
	.shape = shape,
	.op = op,
};
