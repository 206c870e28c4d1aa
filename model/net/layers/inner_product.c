/* inner_product.c - every output from every input of an image or a token: a matrix product. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "shared",  "parents",       "num_outputs",
					   "tied", "weights", PALEO_TAIL_KEYS, NULL};
	struct paleo_inner_product_param *p = param;
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_json_need(j, "num_outputs", &v, err);
	if (!rc)
		rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &p->outputs, err);
	if (!rc)
		rc = paleo_read_flag(j, "tied", &p->tied, err);
	if (!rc)
		rc = paleo_read_weights(j, &p->weights, err);
	return rc ? rc : paleo_tail_parse(j, p->outputs, &p->tail, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;
	int rc = paleo_check_dim(paleo_layer_features(l), "the number of inputs, H x W x C,", err);

	if (rc)
		return rc;
	if (p->outputs < l->splits)
		return paleo_fail(err, PALEO_EINPUT, "%d outputs cannot be divided over %d splits",
				  p->outputs, l->splits);
	l->out = *paleo_layer_in(l);
	if (l->out.rank == 4)
		l->out = (struct paleo_shape){.rank = 2, .n = l->out.n, .h = 1, .w = 1};
	l->out.c = p->outputs / l->splits;
	return PALEO_OK;
}

static int gemm_work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		     struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;
	int n = paleo_shape_rows(&l->out).n, o = l->out.c, i = (int)paleo_layer_features(l);
	struct paleo_gemm_geom forward = {.m = n, .n = o, .k = i, .trans_b = 1};
	struct paleo_gemm_geom data = {.m = n, .n = i, .k = o};
	struct paleo_gemm_geom filter = {.m = o, .n = i, .k = n, .trans_a = 1};
	struct paleo_work work = {.kind = PALEO_GEMM, .pass = pass, .dtype = dtype};

	if (p->weights.dtype)
		work.dtype = (enum paleo_dtype)(p->weights.dtype - 1);

	work.geom.gemm = pass == PALEO_FWD ? forward : pass == PALEO_BWD_DATA ? data : filter;
	if (pass == PALEO_FWD)
		work.geom.gemm.stored = p->weights.stored;
	work.geom.gemm.bias = p->tail.bias && pass != PALEO_BWD_DATA;
	return paleo_work_list_add(out, "inner_product", pass, &work, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_inner_product_param *p = l->param;
	int rc = PALEO_OK;

	if (pass == PALEO_BWD_FILTER)
		rc = paleo_tail_backward(&p->tail, l, dtype, out, err);
	if (!rc)
		rc = gemm_work(l, pass, dtype, out, err);
	if (!rc && pass == PALEO_FWD)
		rc = paleo_tail_forward(&p->tail, l, dtype, out, err);
	return rc;
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
	.min_parents = 1,
	.max_parents = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.active = active,
	.weight_bytes = weight_bytes,
	.describe = describe,
};
