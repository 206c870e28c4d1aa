/* parameter.c - learned numbers: as an output of their own, added to each token, or multiplied. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static int read_shape(const struct paleo_json *v, void *param, struct paleo_error *err)
{
	struct paleo_reshape_param *p = param;
	int rc = paleo_read_ints(v, 3, PALEO_INFERRED, p->dims, err);

	p->rank = 3;
	if (!rc && (p->dims[1] < 1 || p->dims[2] < 1))
		rc = paleo_json_fail(v, err, "only the first number, the batch, may be -1");
	return rc;
}

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	{"output_shape", PALEO_FIELD_OWN, .read = read_shape},
	{0},
};

/* The parent only gives the number of images, which may share the parameter. */
static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_reshape_param *p = l->param;

	l->out = (struct paleo_shape){.rank = 3,
				      .n = p->dims[0] == 1 ? 1 : paleo_layer_in(l)->n,
				      .h = p->dims[1],
				      .w = 1,
				      .c = p->dims[2]};
	return paleo_check_tokens(l, err);
}

static double weights(const struct paleo_layer *l)
{
	return (double)l->out.h * l->out.c;
}

/* They are there already; their gradient is summed over the images. */
static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM, .cols = l->out.n},
	};
	int rc;

	if (pass != PALEO_BWD_FILTER)
		return PALEO_OK;
	rc = paleo_check_dim(weights(l), "the number of sums", err);
	w.geom.reduce.rows = (int)weights(l);
	return rc ? rc : paleo_op_list_add(out, "sum of repetitions", pass, &w, err);
}

const struct paleo_layer_kind paleo_kind_parameter = {
	.type = "Parameter",
	.param_size = sizeof(struct paleo_reshape_param),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.weights = weights,
};

/* Adds learned numbers, one for each token and channel, or from a table. */

static double position_elements(const struct paleo_layer *l)
{
	return paleo_table_elements(l, (double)l->out.h * l->out.w * l->out.c);
}

static double position_weights(const struct paleo_layer *l)
{
	return paleo_table_weights(l, position_elements(l));
}

/* The gradient goes on to the parent as it is. */
static int position_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		       struct paleo_op_list *out, struct paleo_error *err)
{
	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	if (pass == PALEO_BWD_FILTER)
		return paleo_repeated_gradient(l, PALEO_ADD, position_elements(l), pass, dtype, out,
					       err);
	return paleo_repeated_op(l, PALEO_ADD, position_elements(l), pass, dtype, out, err);
}

const struct paleo_layer_kind paleo_kind_position = {
	.type = "Position",
	.param_size = sizeof(struct paleo_table),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = paleo_table_keys,
	.shape = paleo_table_shape,
	.op = position_op,
	.weights = position_weights,
};

/* Multiplies by learned factors: one for each channel, or from a table. */

/* The layer scale of Touvron et al. 2021 (arXiv 2103.17239), section 2. */
static double scale_elements(const struct paleo_layer *l)
{
	return paleo_table_elements(l, l->out.c);
}

static int scale_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_op_list *out, struct paleo_error *err)
{
	if (pass == PALEO_BWD_FILTER)
		return paleo_repeated_gradient(l, PALEO_MUL, scale_elements(l), pass, dtype, out,
					       err);
	return paleo_repeated_op(l, PALEO_MUL, scale_elements(l), pass, dtype, out, err);
}

static double scale_weights(const struct paleo_layer *l)
{
	return paleo_table_weights(l, l->out.c);
}

const struct paleo_layer_kind paleo_kind_scale = {
	.type = "Scale",
	.param_size = sizeof(struct paleo_table),
	.parents = {1, 1},
	.no_graph = 1,
	.keys = paleo_table_keys,
	.shape = paleo_table_shape,
	.op = scale_op,
	.weights = scale_weights,
};
