/* repeated.c - ops with a smaller tensor that is repeated: factors and addends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/net/layers/common.h"

int paleo_repeated_op(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
		      enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_op_list *list,
		      struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.eltwise = {.op = op,
				 .inputs = 2,
				 .count = paleo_shape_count(&l->out),
				 .small = small},
	};

	return paleo_op_list_add(list, paleo_eltwise_name(op), pass, &w, err);
}

int paleo_repeated_gradient(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			    enum paleo_pass pass, enum paleo_dtype dtype,
			    struct paleo_op_list *list, struct paleo_error *err)
{
	double count = paleo_shape_count(&l->out);

	if (op == PALEO_MUL)
		PALEO_TRY(paleo_repeated_op(l, op, 0, pass, dtype, list, err));
	PALEO_TRY(paleo_check_dim(small, "the number of sums", err));
	PALEO_TRY(paleo_check_dim(count / small, "the length of a sum", err));
	struct paleo_op w = {
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM,
				.rows = (int)small,
				.cols = (int)(count / small)},
	};
	return paleo_op_list_add(list, "sum of repetitions", pass, &w, err);
}

const struct paleo_json_field paleo_table_keys[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_NUMBER(struct paleo_table, "numbers", numbers),
	PALEO_KEY_NUMBER(struct paleo_table, "elements", elements),
	{0},
};

int paleo_table_shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_table *t = l->param;
	const struct paleo_shape *in = paleo_layer_in(l);
	const double image = (double)in->h * in->w * in->c;

	if (t->elements && fmod(image, t->elements) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d elements do not divide the %.0f of an image of '%s'",
				  t->elements, image, l->parents[0]->name);
	return paleo_shape_as_parent(l, err);
}

double paleo_table_elements(const struct paleo_layer *l, double otherwise)
{
	const struct paleo_table *t = l->param;

	return t->elements ? t->elements : otherwise;
}

double paleo_table_weights(const struct paleo_layer *l, double otherwise)
{
	const struct paleo_table *t = l->param;

	return t->numbers ? t->numbers : otherwise;
}
