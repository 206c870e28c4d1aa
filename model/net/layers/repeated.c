/* repeated.c - works with a smaller tensor that is repeated: factors and addends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

int paleo_repeated_work(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_work_list *list,
			struct paleo_error *err)
{
	struct paleo_work w = {
		.kind = PALEO_ELTWISE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.eltwise = {.op = op,
				 .inputs = 2,
				 .count = paleo_shape_count(&l->out),
				 .small = small},
	};

	return paleo_work_list_add(list, paleo_eltwise_name(op), pass, &w, err);
}

int paleo_repeated_gradient(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			    enum paleo_pass pass, enum paleo_dtype dtype,
			    struct paleo_work_list *list, struct paleo_error *err)
{
	double count = paleo_shape_count(&l->out);
	int rc = PALEO_OK;

	if (op == PALEO_MUL)
		rc = paleo_repeated_work(l, op, 0, pass, dtype, list, err);
	if (!rc)
		rc = paleo_check_dim(small, "the number of sums", err);
	if (!rc)
		rc = paleo_check_dim(count / small, "the length of a sum", err);
	if (rc)
		return rc;
	struct paleo_work w = {
		.kind = PALEO_REDUCE,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.reduce = {.op = PALEO_REDUCE_SUM,
				.rows = (int)small,
				.cols = (int)(count / small)},
	};
	return paleo_work_list_add(list, "sum of repetitions", pass, &w, err);
}
