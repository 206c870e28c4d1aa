/* batched_product.c - a GEMM for each head: with its own weights, or of two tensors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"

/*
 * With one parent, x [N, T, heads x (inputs + keep)]: `inputs` numbers of each head are multiplied
 * by a learned matrix [inputs, num_outputs], and `keep` numbers are concatenated to the result
 * unchanged. With two, a [N, heads x T, C] and b [N, heads x C, U]: a GEMM for each head, without
 * weights. Where b is `transposed` it is [N, heads x U, C].
 */
struct param {
	int heads, inputs, outputs, keep, transposed;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_SHARING,
	PALEO_KEY_NUMBER(struct param, "heads", heads),
	PALEO_KEY_NUMBER(struct param, "inputs", inputs),
	PALEO_KEY_NUMBER(struct param, "num_outputs", outputs),
	PALEO_KEY_NUMBER(struct param, "keep", keep),
	PALEO_KEY_FLAG(struct param, "transposed", transposed),
	{0},
};

/* One of the GEMMs of two tensors. */
static struct paleo_gemm_geom product_of(const struct paleo_layer *l)
{
	const struct param *p = l->param;
	const struct paleo_shape *a = paleo_layer_in(l), *b = &l->parents[1]->out;
	const int heads = p->heads ? p->heads : 1;

	return (struct paleo_gemm_geom){.m = a->h / heads,
					.n = p->transposed ? b->h / heads : b->c,
					.k = a->c,
					.batch = heads};
}

static int shape_of_two(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *a = paleo_layer_in(l), *b = &l->parents[1]->out;
	const struct paleo_gemm_geom g = product_of(l);

	if (a->rank != 3 || b->rank != 3 || a->n != b->n || a->h % g.batch || b->h % g.batch ||
	    a->c != (p->transposed ? b->c : b->h / g.batch))
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' and '%s' must give [N, %d x T, C] and [N, %d x %s]",
				  l->parents[0]->name, l->parents[1]->name, g.batch, g.batch,
				  p->transposed ? "U, C" : "C, U");
	l->out = *a;
	l->out.c = g.n;
	return paleo_check_dim((double)a->n * g.batch, "the number of GEMMs", err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *x = paleo_layer_in(l);

	if (l->parent_count == 2)
		return shape_of_two(l, err);
	if (!p->heads || !p->inputs || !p->outputs)
		return paleo_fail(err, PALEO_EINPUT,
				  "with one parent 'heads', 'inputs' and 'num_outputs' are needed");
	if (x->rank != 3 || (double)p->heads * (p->inputs + p->keep) != x->c)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' must give sequences of %d heads of %d + %d numbers",
				  l->parents[0]->name, p->heads, p->inputs, p->keep);
	l->out = *x;
	l->out.c = p->heads * (p->outputs + p->keep);
	return PALEO_OK;
}

static int add(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_pass as,
	       enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *x = paleo_layer_in(l);
	const int two = l->parent_count == 2;
	const struct paleo_gemm_geom one = {
		.m = paleo_shape_rows(x).n, .n = p->outputs, .k = p->inputs, .batch = p->heads};
	const struct paleo_gemm_geom g = two ? product_of(l) : one;
	/* where b lies transposed, so does its gradient */
	const struct paleo_gemm_geom straight = {.m = g.k, .n = g.n, .k = g.m, .trans_a = 1};
	const struct paleo_gemm_geom turned = {.m = g.n, .n = g.k, .k = g.m, .trans_a = 1};
	const struct paleo_gemm_geom forms[] = {
		[PALEO_FWD] = {.m = g.m, .n = g.n, .k = g.k, .trans_b = p->transposed},
		[PALEO_BWD_DATA] = {.m = g.m, .n = g.k, .k = g.n, .trans_b = !p->transposed},
		[PALEO_BWD_FILTER] = p->transposed ? turned : straight,
	};
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = as, .dtype = paleo_dtype_wide(dtype)};

	w.geom.gemm = forms[as];
	w.geom.gemm.batch = two ? x->n * g.batch : p->heads;
	return paleo_op_list_add(out, "batched_product", pass, &w, err);
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	int rc = add(l, pass, pass, dtype, out, err);

	/* the second factor is an input, too */
	if (!rc && l->parent_count == 2 && pass == PALEO_BWD_DATA)
		rc = add(l, pass, PALEO_BWD_FILTER, dtype, out, err);
	return rc;
}

static double weights(const struct paleo_layer *l)
{
	const struct param *p = l->param;

	return l->parent_count == 2 ? 0 : (double)p->heads * p->inputs * p->outputs;
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	if (l->parent_count == 1) {
		snprintf(buf, size, "%d heads: %d->%d", p->heads, p->inputs, p->outputs);
		return;
	}
	const struct paleo_gemm_geom g = product_of(l);
	snprintf(buf, size, "%d x %dx%dx%d", g.batch, g.m, g.n, g.k);
}

const struct paleo_layer_kind paleo_kind_batched_product = {
	.type = "BatchedProduct",
	.param_size = sizeof(struct param),
	.parents = {1, 2},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
	.op = op,
	.weights = weights,
	.describe = describe,
};
