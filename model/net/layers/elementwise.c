/* elementwise.c - elementwise sum, product or maximum of tensors of one shape. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"
#include "model/net/layers/tail.h"

static const char *const ops[] = {"add", "mul", "max", "silu_mul", NULL}; /* from PALEO_ADD */

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	{"op", PALEO_FIELD_WORD, offsetof(struct paleo_elementwise_param, op), .low = PALEO_ADD,
	 .optional = 1, .words = ops, .expected = "'add', 'mul', 'max' or 'silu_mul'"},
	PALEO_TAIL_ACTIVATION_KEY(struct paleo_elementwise_param),
	{0},
};

/* 1: the second of two parents has size 1 along a dimension and is broadcast: the gate of squeeze
 * and excitation (Hu et al. 2018, arXiv 1709.01507), which may be [N, C]; a number for each token,
 * or each head of it, for all its channels. */
static int repeats(const struct paleo_elementwise_param *p, const struct paleo_layer *l)
{
	const struct paleo_shape *first = paleo_layer_in(l);
	const struct paleo_shape *s = &l->parents[l->parent_count - 1]->out;

	if ((p->op != PALEO_MUL && p->op != PALEO_ADD) || l->parent_count != 2 || s->n != first->n)
		return 0;
	if (s->rank != first->rank && (first->rank != 4 || s->rank != 2))
		return 0;
	if (first->rank == 3 && s->h == first->h)
		return s->c < first->c && first->c % s->c == 0;
	return (s->h == 1 || s->h == first->h) && (s->w == 1 || s->w == first->w) &&
	       (s->c == 1 || s->c == first->c) && paleo_shape_count(s) < paleo_shape_count(first);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	struct paleo_elementwise_param *p = l->param;
	const struct paleo_shape *first = paleo_layer_in(l);
	char a[48], b[48];

	if (p->op != PALEO_ADD && l->parent_count != 2)
		return paleo_fail(err, PALEO_EINPUT, "'%s' takes exactly 2 parents, found %d",
				  paleo_eltwise_name(p->op), l->parent_count);
	p->small = repeats(p, l);
	for (int i = 1; i < l->parent_count && !p->small; i++) {
		const struct paleo_shape *s = &l->parents[i]->out;
		if (s->rank == first->rank && s->n == first->n && s->c == first->c &&
		    s->h == first->h && s->w == first->w)
			continue;
		paleo_shape_text(first, a, sizeof(a));
		paleo_shape_text(s, b, sizeof(b));
		return paleo_fail(err, PALEO_EINPUT,
				  "parents must have the same shape: '%s' gives %s, '%s' %s",
				  l->parents[0]->name, a, l->parents[i]->name, b);
	}
	l->out = *first;
	return PALEO_OK;
}

/* A sum hands its gradient on as it is: no op. */
static int backward(const struct paleo_layer *l, const struct paleo_elementwise_param *p,
		    enum paleo_dtype dtype, struct paleo_op_list *out, struct paleo_error *err)
{
	PALEO_TRY(paleo_tail_backward(&p->tail, l, dtype, out, err));

	const double small = paleo_shape_count(&l->parents[1]->out);

	if (p->op == PALEO_ADD && p->small)
		return paleo_repeated_gradient(l, p->op, small, PALEO_BWD_DATA, dtype, out, err);
	if (p->op == PALEO_ADD)
		return PALEO_OK;
	if (p->small) {
		PALEO_TRY(paleo_repeated_op(l, p->op, small, PALEO_BWD_DATA, dtype, out, err));
		return paleo_repeated_gradient(l, p->op, small, PALEO_BWD_DATA, dtype, out, err);
	}
	return paleo_eltwise_list(out, p->op, l->parent_count, paleo_shape_count(&l->out),
				  PALEO_BWD_DATA, dtype, err);
}

/* 1 if a norm behind it does the sum (rms_norm.c). */
static int is_done_behind(const struct paleo_layer *l)
{
	for (int i = 0; i < l->child_count; i++) {
		const struct paleo_rms_norm_param *norm = l->children[i]->param;
		if (l->children[i]->kind == &paleo_kind_rms_norm && norm->sum)
			return 1;
	}
	return 0;
}

static int op(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
	      struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_elementwise_param *p = l->param;

	if (pass != PALEO_FWD)
		return backward(l, p, dtype, out, err);
	if (is_done_behind(l))
		return PALEO_OK;
	if (p->small)
		PALEO_TRY(paleo_repeated_op(l, p->op, paleo_shape_count(&l->parents[1]->out), pass,
					    dtype, out, err));
	else
		PALEO_TRY(paleo_eltwise_list(out, p->op, l->parent_count,
					     paleo_shape_count(&l->out), pass, dtype, err));
	return paleo_tail_forward(&p->tail, l, dtype, out, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct paleo_elementwise_param *p = l->param;

	snprintf(buf, size, "%s of %d", paleo_eltwise_name(p->op), l->parent_count);
}

const struct paleo_layer_kind paleo_kind_elementwise = {
	.type = "Elementwise",
	.param_size = sizeof(struct paleo_elementwise_param),
	.parents = {2, 64}, /* of a sum; the others take 2 */
	.keys = fields,
	.initial = &(const struct paleo_elementwise_param){.op = PALEO_ADD},
	.shape = shape,
	.op = op,
	.describe = describe,
};
