/* inner_product.c - fully connected layer on images or tokens: a GEMM. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_NEED(struct paleo_inner_product_param, "num_outputs", outputs),
	PALEO_KEY_FLAG(struct paleo_inner_product_param, "tied", tied),
	PALEO_KEY_OWN(struct paleo_inner_product_param, "weights", weights, paleo_read_weights),
	PALEO_KEY_FLAG(struct paleo_inner_product_param, "codes", codes),
	PALEO_TAIL_KEYS(struct paleo_inner_product_param),
	{0},
};

static int check(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	struct paleo_inner_product_param *p = param;

	return paleo_tail_check(j, p->outputs, &p->tail, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;

	PALEO_TRY(
		paleo_check_dim(paleo_layer_features(l), "the number of inputs, H x W x C,", err));
	if (p->outputs < l->splits)
		return paleo_fail(err, PALEO_EINPUT, "%d outputs cannot be divided over %d splits",
				  p->outputs, l->splits);
	l->out = *paleo_layer_in(l);
	if (l->out.rank == 4)
		l->out = (struct paleo_shape){.rank = 2, .n = l->out.n, .h = 1, .w = 1};
	l->out.c = p->outputs / l->splits;
	return PALEO_OK;
}

static int gemm_op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		   struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;
	int n = paleo_shape_rows(&l->out).n, o = l->out.c, i = (int)paleo_layer_features(l);
	struct paleo_gemm_geom forward = {.m = n, .n = o, .k = i, .trans_b = 1};
	struct paleo_gemm_geom data = {.m = n, .n = i, .k = o};
	struct paleo_gemm_geom filter = {.m = o, .n = i, .k = n, .trans_a = 1};
	struct paleo_op op = {.kind = PALEO_GEMM, .pass = pass, .dtype = dtype};

	if (p->weights.dtype)
		op.dtype = (enum paleo_dtype)(p->weights.dtype - 1);

	op.geom.gemm = pass == PALEO_FWD ? forward : pass == PALEO_BWD_DATA ? data : filter;
	op.geom.gemm.stored = p->weights.stored;
	op.geom.gemm.codes = p->codes && paleo_gemm_quantises(&op);
	op.geom.gemm.bias = p->tail.bias && pass != PALEO_BWD_DATA;
	return paleo_op_list_add(out, "inner_product", pass, &op, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;

	if (pass == PALEO_BWD_FILTER)
		PALEO_TRY(paleo_tail_backward(&p->tail, l, dtype, out, err));
	PALEO_TRY(gemm_op(l, pass, dtype, out, err));
	if (pass == PALEO_FWD)
		PALEO_TRY(paleo_tail_forward(&p->tail, l, dtype, out, err));
	return PALEO_OK;
}

static double matrix(const struct paleo_layer *l)
{
	return paleo_layer_features(l) * l->out.c;
}

static double weights(const struct paleo_layer *l)
{
	const struct paleo_inner_product_param *p = l->param;

	return (p->tied ? 0 : matrix(l)) + paleo_tail_weights(&p->tail, l->out.c);
}

static double active(const struct paleo_layer *l)
{
	const struct paleo_inner_product_param *p = l->param;

	return matrix(l) + paleo_tail_weights(&p->tail, l->out.c);
}

static double weight_bytes(const struct paleo_layer *l, enum paleo_dtype dtype)
{
	const struct paleo_inner_product_param *p = l->param;
	double own = p->tied ? 0 : matrix(l);

	return own * paleo_weight_type_bytes(&p->weights, dtype) +
	       paleo_tail_weights(&p->tail, l->out.c) * paleo_dtype_bytes(paleo_dtype_wide(dtype));
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f->%d", paleo_layer_features(l), l->out.c);
}

const struct paleo_layer_kind paleo_kind_inner_product = {
	.type = "InnerProduct",
	.param_size = sizeof(struct paleo_inner_product_param),
	.parents = {1, 1},
	.keys = fields,
	.check = check,
	.shape = shape,
	.op = op,
	.weights = weights,
	.active = active,
	.weight_bytes = weight_bytes,
	.describe = describe,
};
