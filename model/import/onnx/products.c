/* products.c - matrix products: with weights, of queries, keys and values, and of any two. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/products.h"

#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/net/layers/common.h"

int paleo_onnx_inner_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value *v, const struct paleo_onnx_factor *f,
			     struct paleo_error *err)
{
	int rc = paleo_onnx_as_rows(job, n, v, err);

	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	int layer = paleo_onnx_add_layer(job, n, "InnerProduct", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "num_outputs", f->outputs);
	paleo_onnx_put_flag(job, "bias", f->bias != NULL);
	if (f->stored)
		paleo_onnx_put_word(job, "weights", f->stored);
	if (!paleo_onnx_learn(job, f->weights))
		paleo_onnx_put_flag(
			job, f->bias && !paleo_onnx_learn(job, f->bias) ? "shared" : "tied", 1);
	else if (f->bias)
		paleo_onnx_learn(job, f->bias);
	struct paleo_onnx_layer *l = &job->layers[layer];
	l->shift = "bias";
	l->open = f->bias ? 0 : ONNX_OPEN_SHIFT;
	l->out.c = f->outputs;
	if (l->out.rank == 4) { /* of one pixel */
		l->out.rank = 2;
		l->out.h = l->out.w = 1;
	}
	paleo_onnx_last_axis(v, f->outputs);
	paleo_onnx_on_layer(v, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Weights times a layer's output: the same product, with both turned. */
static int inner_product_turned(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				struct paleo_onnx_value *x, const struct paleo_onnx_value *w,
				struct paleo_error *err)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	const struct paleo_onnx_factor f = {.weights = w, .outputs = (int)w->dims[0]};

	paleo_onnx_swap(x);
	int rc = paleo_onnx_inner_product(job, n, x, &f, err);
	if (!rc && out->state == ONNX_TENSOR)
		paleo_onnx_swap(out);
	return rc;
}

static int has_matrix(const struct paleo_onnx_value *w)
{
	return w && w->state == ONNX_WEIGHT && w->rank == 2;
}

int paleo_onnx_op_gemm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	const int turned = paleo_onnx_int(n, "transB", 0) != 0;
	struct paleo_onnx_value x;

	if (!has_matrix(w) || paleo_onnx_int(n, "transA", 0) != 0)
		return paleo_onnx_refuse(job, n, "of another form", err);
	int rc = paleo_onnx_multiplied(job, n, w, err);
	if (!rc)
		rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank != 2 || x.dims[1] != w->dims[turned] || w->dims[!turned] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	const struct paleo_onnx_factor f = {.weights = w,
					    .bias = paleo_onnx_in(job, n, 2),
					    .stored = w->stored,
					    .outputs = (int)w->dims[!turned]};
	return paleo_onnx_inner_product(job, n, &x, &f, err);
}

/* Where the heads are in an operand of attention: rows are tokens, or those of one of `windows`,
 * and columns a part of the channels, or the reverse. How many heads, 0 if it is none. */
static int heads_of(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int tokens,
		    int channels, int *windows)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	int first, count;

	*windows = 1;
	if (s->rank != 3 || s->c < 2)
		return 0;
	paleo_onnx_view_axis(v, channels, &first, &count);
	const struct paleo_onnx_atom *a = &v->view.atoms[first];
	if (count != 1 || a->axis != ONNX_C || a->stride != 1 || s->c % a->size)
		return 0;
	const int heads = s->c / a->size;
	if (s->h == 1 || paleo_onnx_axis_is(job, v, tokens, ONNX_H))
		return heads;
	paleo_onnx_view_axis(v, tokens, &first, &count);
	a = &v->view.atoms[first];
	if (count != 1 || a->axis != ONNX_H || a->stride != 1 || s->h % a->size)
		return 0;
	*windows = s->h / a->size;
	return heads;
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

int paleo_onnx_multiply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *queries, const struct paleo_onnx_value *keys,
			struct paleo_error *err)
{
	struct paleo_onnx_value q = *queries, *out = paleo_onnx_out(job, n, 0);
	const struct paleo_onnx_value *k = keys;
	const int last = q.rank - 1;
	int windows;

	q.heads = q.rank < 3 ? 0 : heads_of(job, &q, last - 1, last, &q.windows);
	q.kv_heads = k->rank < 3 ? 0 : heads_of(job, k, k->rank - 1, k->rank - 2, &windows);
	if (!q.heads || !q.kv_heads || q.heads % q.kv_heads || q.windows != windows ||
	    q.view.layer == k->view.layer || q.dims[last] != k->dims[k->rank - 2])
		return paleo_onnx_product(job, n, queries, keys, out, err);
	q.state = ONNX_SCORES;
	q.weighted = 0;
	q.score_table = 0;
	q.key_view = k->view;
	q.key_rank = k->rank;
	memcpy(q.key_dims, k->dims, sizeof(q.key_dims));
	q.dims[last] = k->dims[k->rank - 1];
	free(out->numbers);
	*out = q;
	return PALEO_OK;
}

int paleo_onnx_past(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, input);

	if (!v)
		return 0;
	return v->rank == 4 && v->dims[2] >= 0 && v->dims[2] <= PALEO_DIM_MAX ? (int)v->dims[2]
									      : -1;
}

int paleo_onnx_add_attention(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     int parents[3], const struct paleo_onnx_heads *h,
			     struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 1; i < 3 && !rc; i++) {
		if (parents[i] == parents[0] || (i == 2 && parents[2] == parents[1]))
			rc = paleo_onnx_other(job, n, &parents[i], err);
	}
	if (rc)
		return rc;
	const int fused = h->past || h->window > 0 || h->sinks;
	const char *type = fused ? "FusedAttention" : "Attention";
	int layer = paleo_onnx_add_layer(job, n, type, parents, 3);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "heads", h->heads);
	if (h->past) {
		paleo_onnx_put_int(job, "past", h->past);
		paleo_onnx_put_flag(job, "cache", 1);
	}
	if (fused)
		paleo_onnx_put_flag(job, "causal", h->causal);
	if (h->window > 0)
		paleo_onnx_put_int(job, "window", h->window);
	if (h->sinks)
		paleo_onnx_put_flag(job, "sinks", 1);
	if (h->kv_heads != h->heads)
		paleo_onnx_put_int(job, "kv_heads", h->kv_heads);
	if (h->windows > 1)
		paleo_onnx_put_int(job, "windows", h->windows);
	if (h->table)
		paleo_onnx_put_int(job, "table", h->table);
	return layer;
}

/* Scores, behind their softmax, times values. */
static int context(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_error *err)
{
	struct paleo_onnx_value *s = paleo_onnx_in(job, n, 0), v;
	int windows, rc = paleo_onnx_repeated(job, n, 1, &v, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (!s->weighted || v.rank < 3 ||
	    heads_of(job, &v, v.rank - 2, v.rank - 1, &windows) != s->kv_heads ||
	    windows != s->windows || v.dims[v.rank - 2] != s->dims[s->rank - 1] ||
	    (double)job->layers[v.view.layer].out.c * s->heads !=
		    (double)job->layers[s->view.layer].out.c * s->kv_heads) {
		rc = paleo_onnx_unfold(job, n, s, err);
		if (!rc && s->state == ONNX_TENSOR)
			rc = paleo_onnx_product(job, n, s, &v, paleo_onnx_out(job, n, 0), err);
		return rc;
	}
	struct paleo_onnx_value made = *s;
	int parents[3] = {s->view.layer, s->key_view.layer, v.view.layer};
	const struct paleo_onnx_heads h = {.heads = s->heads,
					   .kv_heads = s->kv_heads,
					   .windows = s->windows,
					   .table = s->score_table};
	int layer = paleo_onnx_add_attention(job, n, parents, &h, err);
	if (layer < 0)
		return layer;
	made.dims[made.rank - 1] = v.dims[v.rank - 1];
	paleo_onnx_on_layer(&made, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Of masks or positions, as the angles of rotary ones. */
static int beside(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
		  struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = a->rank < b->rank ? *b : *a;

	made.state = ONNX_SIDE;
	made.numbers = NULL;
	made.learned = a->learned + b->learned;
	made.source = a->learned > 0 ? a->source : b->source;
	if (made.rank > 1)
		made.dims[made.rank - 2] = a->rank > 1 ? a->dims[a->rank - 2] : 1;
	made.dims[made.rank - 1] = b->dims[b->rank - 1];
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* ONNX Runtime's product of operands that may be transposed, times a number. */
int paleo_onnx_op_fused_matmul(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			       struct paleo_error *err)
{
	static const char *const turned[2] = {"transA", "transB"};
	struct paleo_onnx_node as = *n;
	int inputs[2], rc = PALEO_OK;

	if (n->input_count != 2 || !paleo_onnx_in(job, n, 0) || !paleo_onnx_in(job, n, 1) ||
	    paleo_onnx_int(n, "transBatchA", 0) != 0 || paleo_onnx_int(n, "transBatchB", 0) != 0)
		return paleo_onnx_refuse(job, n, "of another form", err);
	for (int i = 0; i < 2 && rc >= 0; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i), *to;
		inputs[i] = n->inputs[i];
		if (paleo_onnx_int(n, turned[i], 0) == 0)
			continue;
		if (v->state == ONNX_POINT && !paleo_onnx_is_factor(job, v))
			rc = paleo_onnx_settle(job, v, err);
		if (v->state == ONNX_SCORES || v->state == ONNX_NUMBERS || v->state > ONNX_SCORES)
			return paleo_onnx_refuse(job, n, "of another form", err);
		inputs[i] = job->graph->name_count + 1 + i;
		to = &job->values[inputs[i]];
		if (rc >= 0)
			rc = paleo_onnx_copy(v, to, err);
		if (rc >= 0)
			paleo_onnx_swap(to);
	}
	as.inputs = inputs;
	return rc < 0 ? rc : paleo_onnx_op_matmul(job, &as, err);
}

int paleo_onnx_op_matmul(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x, y;

	if (!a || !b)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (a->state == ONNX_SCORES)
		return context(job, n, err);
	int rc = has_matrix(b) ? paleo_onnx_multiplied(job, n, b, err) : PALEO_OK;
	if (rc)
		return rc;
	if (paleo_onnx_is_beside(a) && paleo_onnx_is_beside(b) && a->rank && b->rank)
		return beside(a, b, paleo_onnx_out(job, n, 0));
	const int turned = has_matrix(a) && !paleo_onnx_is_beside(b);
	rc = turned ? paleo_onnx_tensor(job, n, 1, &x, err) : head_operand(job, n, 0, &x, err);
	if (!rc && !turned && b->state == ONNX_WEIGHT) /* a factor counts before weights */
		rc = paleo_onnx_tensor(job, n, 0, &x, err);
	else if (!rc && !turned)
		rc = head_operand(job, n, 1, &y, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const struct paleo_onnx_value *w = turned ? a : b;
	if (!turned && b->state != ONNX_WEIGHT)
		return paleo_onnx_multiply(job, n, &x, &y, err);
	if (b->rank > 2 && !turned)
		return paleo_onnx_product_by_weights(job, n, &x, w, err);
	if (!has_matrix(w) || x.rank < 2 || x.dims[x.rank - 1 - turned] != w->dims[turned] ||
	    w->dims[!turned] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	if (turned)
		return inner_product_turned(job, n, &x, w, err);
	const struct paleo_onnx_factor f = {
		.weights = w, .outputs = (int)w->dims[1], .stored = w->stored};
	return paleo_onnx_inner_product(job, n, &x, &f, err);
}
