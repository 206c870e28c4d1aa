/* batched_product.c - a product for each head: with weights of its own, or of two tensors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

/*
 * With one parent, x [N, T, heads x (inputs + keep)]: of each head `inputs` numbers go through a
 * matrix [inputs, num_outputs] that it learns, and `keep` numbers are passed on beside the result.
 * With two, a [N, T, C] and b [N, C, U]: the product of each image, and nothing is learned.
 */
struct param {
	int heads, inputs, outputs, keep;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type",        "parents", "heads", "inputs",
					   "num_outputs", "keep",    NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	if (!rc)
		rc = paleo_read_dim(j, "heads", &p->heads, err);
	if (!rc)
		rc = paleo_read_dim(j, "inputs", &p->inputs, err);
	if (!rc)
		rc = paleo_read_dim(j, "num_outputs", &p->outputs, err);
	return rc ? rc : paleo_read_dim(j, "keep", &p->keep, err);
}

static int shape_of_two(struct paleo_layer *l, struct paleo_error *err)
{
	const struct paleo_shape *a = paleo_layer_in(l), *b = &l->parents[1]->out;

	if (a->rank != 3 || b->rank != 3 || a->n != b->n || a->c != b->h)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' and '%s' must give [N, T, C] and [N, C, U]",
				  l->parents[0]->name, l->parents[1]->name);
	l->out = *a;
	l->out.c = b->c;
	return PALEO_OK;
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
	       enum paleo_dtype dtype, struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *x = paleo_layer_in(l);
	int two = l->parent_count == 2;
	int m = two ? x->h : paleo_shape_rows(x).n, k = two ? x->c : p->inputs;
	int n = two ? l->out.c : p->outputs;
	const struct paleo_gemm_geom forms[] = {
		[PALEO_FWD] = {.m = m, .n = n, .k = k},
		[PALEO_BWD_DATA] = {.m = m, .n = k, .k = n, .trans_b = 1},
		[PALEO_BWD_FILTER] = {.m = k, .n = n, .k = m, .trans_a = 1},
	};
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = as, .dtype = paleo_dtype_wide(dtype)};

	w.geom.gemm = forms[as];
	w.geom.gemm.batch = two ? x->n : p->heads;
	return paleo_work_list_add(out, "batched_product", pass, &w, err);
}

static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
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

	if (l->parent_count == 1)
		snprintf(buf, size, "%d heads: %d->%d", p->heads, p->inputs, p->outputs);
}

const struct paleo_layer_kind paleo_kind_batched_product = {
	.type = "BatchedProduct",
	.what = "a product for each head, or of two sequences",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 2,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.weights = weights,
	.describe = describe,
};
