/* products.c - matrix products: with weights, and of queries, keys and values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/net/layers/common.h"

int paleo_onnx_inner_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value *v, int outputs, int bias,
			     struct paleo_error *err)
{
	const int last = v->rank - 1;
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int rc = paleo_onnx_as_rows(job, n, v, err);

	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	int layer = paleo_onnx_add_layer(job, n, "InnerProduct", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "num_outputs", outputs);
	paleo_onnx_put_flag(job, "bias", bias);
	if (w->table && job->values[w->table - 1].looked_up)
		paleo_onnx_put_flag(job, "tied", 1);
	struct paleo_onnx_layer *l = &job->layers[layer];
	l->shift = "bias";
	l->open = bias ? 0 : ONNX_OPEN_SHIFT;
	l->out.c = outputs;
	if (l->out.rank == 4) { /* of one pixel */
		l->out.rank = 2;
		l->out.h = l->out.w = 1;
	}
	int first, count;
	paleo_onnx_view_axis(v, last, &first, &count);
	v->view.count = first;
	if (outputs > 1)
		v->view.atoms[v->view.count++] = (struct paleo_onnx_atom){ONNX_C, outputs, 1};
	v->dims[last] = outputs;
	paleo_onnx_on_layer(v, layer, out);
	return PALEO_OK;
}

static int has_matrix(const struct paleo_onnx_value *w)
{
	return w && w->state == ONNX_WEIGHT && w->rank == 2;
}

int paleo_onnx_op_gemm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1), *b = paleo_onnx_in(job, n, 2);
	const int turned = paleo_onnx_int(n, "transB", 0) != 0;
	struct paleo_onnx_value x;

	if (!has_matrix(w) || paleo_onnx_int(n, "transA", 0) != 0)
		return paleo_onnx_refuse(job, n, "of another form", err);
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank != 2 || x.dims[1] != w->dims[turned] || w->dims[!turned] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	return paleo_onnx_inner_product(job, n, &x, (int)w->dims[!turned], b != NULL, err);
}

/* Where the heads are in an operand of attention: rows are tokens and columns a part of the
 * channels, or the reverse. How many heads, 0 if it is none. */
static int heads_of(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int tokens,
		    int channels)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	int first, count;

	if (s->rank != 3 || (s->h > 1 && !paleo_onnx_axis_is(job, v, tokens, ONNX_H)) || s->c < 2)
		return 0;
	paleo_onnx_view_axis(v, channels, &first, &count);
	const struct paleo_onnx_atom *a = &v->view.atoms[first];
	if (count != 1 || a->axis != ONNX_C || a->stride != 1 || s->c % a->size)
		return 0;
	return s->c / a->size;
}

/* An operand of attention. A factor on the way to it is part of the product. */
static int head_operand(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	if (v->state == ONNX_POINT && paleo_onnx_is_factor(job, v)) {
		*out = *v;
		out->state = ONNX_TENSOR;
		return PALEO_OK;
	}
	return paleo_onnx_repeated(job, n, i, out, err);
}

static int scores(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  struct paleo_error *err)
{
	struct paleo_onnx_value q, k, *out = paleo_onnx_out(job, n, 0);
	int rc = head_operand(job, n, 0, &q, err);

	if (!rc)
		rc = head_operand(job, n, 1, &k, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int last = q.rank - 1;
	q.heads = q.rank < 3 ? 0 : heads_of(job, &q, last - 1, last);
	q.kv_heads = k.rank < 3 ? 0 : heads_of(job, &k, k.rank - 1, k.rank - 2);
	if (!q.heads || !q.kv_heads || q.heads % q.kv_heads || q.dims[last] != k.dims[k.rank - 2])
		return paleo_onnx_refuse(job, n, "of two layers' outputs that are no heads", err);
	q.state = ONNX_SCORES;
	q.weighted = 0;
	q.keys = k.view.layer;
	q.dims[last] = k.dims[k.rank - 1];
	free(out->numbers);
	*out = q;
	return PALEO_OK;
}

/* Scores, behind their softmax, times values. */
static int context(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_error *err)
{
	const struct paleo_onnx_value *s = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value v, made = *s;
	int rc = paleo_onnx_repeated(job, n, 1, &v, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int parents[3] = {s->view.layer, s->keys, v.view.layer};
	if (!s->weighted || v.rank < 3 ||
	    heads_of(job, &v, v.rank - 2, v.rank - 1) != s->kv_heads ||
	    v.dims[v.rank - 2] != s->dims[s->rank - 1])
		return paleo_onnx_refuse(job, n, "of scores and what are no values", err);
	if (parents[0] == parents[1] || parents[1] == parents[2] || parents[0] == parents[2])
		return paleo_onnx_refuse(job, n,
					 "of one output as several of queries, keys, values", err);
	int layer = paleo_onnx_add_layer(job, n, "Attention", parents, 3);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "heads", s->heads);
	if (s->kv_heads != s->heads)
		paleo_onnx_put_int(job, "kv_heads", s->kv_heads);
	made.dims[made.rank - 1] = v.dims[v.rank - 1];
	paleo_onnx_on_layer(&made, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

static int is_beside(const struct paleo_onnx_value *v)
{
	return v->rank > 0 &&
	       (v->state == ONNX_NUMBERS || v->state == ONNX_SIDE || v->state == ONNX_WEIGHT);
}

/* Of masks or positions, as the angles of rotary ones. */
static int beside(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
		  struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = a->rank < b->rank ? *b : *a;

	made.state = ONNX_SIDE;
	made.numbers = NULL;
	made.learned = 0;
	made.table = 0;
	if (made.rank > 1)
		made.dims[made.rank - 2] = a->rank > 1 ? a->dims[a->rank - 2] : 1;
	made.dims[made.rank - 1] = b->dims[b->rank - 1];
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_op_matmul(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;

	if (!a || !b)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (a->state == ONNX_SCORES)
		return context(job, n, err);
	if (is_beside(a) && is_beside(b))
		return beside(a, b, paleo_onnx_out(job, n, 0));
	if (!has_matrix(b))
		return scores(job, n, err);
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank < 2 || x.dims[x.rank - 1] != b->dims[0] || b->dims[1] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	return paleo_onnx_inner_product(job, n, &x, (int)b->dims[1], 0, err);
}
