/* norms.c - the ops of normalisations, for their own layers and behind others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

int paleo_norm_op(struct paleo_op_list *list, const struct paleo_norm_geom *norm,
		  const struct paleo_shape *shape, enum paleo_pass pass, enum paleo_dtype dtype,
		  struct paleo_error *err)
{
	static const char *const names[] = {
		[PALEO_BATCH_NORM] = "batch_norm",
		[PALEO_LAYER_NORM] = "layer_norm",
		[PALEO_RMS_NORM] = "rms_norm",
		[PALEO_BATCH_INFERENCE] = "batch_norm",
	};
	const struct paleo_shape x = paleo_shape_rows(shape);
	struct paleo_op w = {
		.kind = PALEO_NORM,
		.pass = pass,
		.dtype = dtype,
		.geom.norm = {.mode = norm->mode,
			      .n = x.n,
			      .c = x.c,
			      .h = x.h,
			      .w = x.w,
			      .scale = norm->scale,
			      .shift = norm->shift,
			      .add = norm->add},
	};

	return paleo_op_list_add(list, norm->add ? "sum + rms_norm" : names[norm->mode], pass, &w,
				 err);
}

int paleo_lrn_op(struct paleo_op_list *list, int size, const struct paleo_shape *shape,
		 enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_error *err)
{
	const struct paleo_shape x = paleo_shape_rows(shape);
	struct paleo_op w = {
		.kind = PALEO_LRN,
		.pass = pass,
		.dtype = dtype,
		.geom.lrn = {.n = x.n, .c = x.c, .h = x.h, .w = x.w, .size = size},
	};

	return paleo_op_list_add(list, "lrn", pass, &w, err);
}

int paleo_lrn_read_size(const struct paleo_json *v, void *size, struct paleo_error *err)
{
	int value = 1;
	int rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &value, err);

	if (!rc && value % 2 == 0)
		return paleo_json_fail(
			v, err,
			"expected an odd number, for as many channels before as after, found %d",
			value);
	*(int *)size = value;
	return rc;
}
