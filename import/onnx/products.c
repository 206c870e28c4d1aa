/* products.c - GEMMs: with weights, of queries, keys and values, and of any two tensors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"

int paleo_onnx_inner_product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value *v, const struct paleo_onnx_factor *f)
{
	if (paleo_onnx_as_rows(job, n, v))
		return paleo_onnx_refuse(job, n, "of rows in another order");
	int layer = paleo_onnx_add_layer(job, n, "InnerProduct", &v->view.layer, 1);
	paleo_onnx_put_int(job, "num_outputs", f->outputs);
	paleo_onnx_put_flag(job, "bias", f->bias != NULL);
	if (f->stored)
		paleo_onnx_put_word(job, "weights", f->stored);
	const int learned = paleo_onnx_learn(job, f->weights),
		  biased = f->bias && paleo_onnx_learn(job, f->bias);
	if (!learned)
		paleo_onnx_put_flag(job, f->bias && !biased ? "shared" : "tied", 1);
	struct paleo_onnx_layer *l = &job->layers[layer];
	l->shift = "bias";
	l->open = f->bias ? 0 : ONNX_OPEN_SHIFT;
	l->out.c = f->outputs;
	if (l->out.rank == 4) { /* of one pixel */
		l->out.rank = 2;
		l->out.h = l->out.w = 1;
	}
	paleo_onnx_last_axis(v, f->outputs);
	return paleo_onnx_on_layer(job, n, v, layer);
}

static int has_matrix(const struct paleo_onnx_value *w)
{
	return w && w->state == ONNX_WEIGHT && w->rank == 2;
}

int paleo_onnx_op_gemm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	const int turned = paleo_onnx_int(n, "transB", 0) != 0;
	struct paleo_onnx_value x;

	if (!has_matrix(w) || paleo_onnx_int(n, "transA", 0) != 0)
		return paleo_onnx_refuse(job, n, "of another form");
	paleo_onnx_multiplied(job, n, w);
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (x.rank != 2 || x.dims[1] != w->dims[turned] || w->dims[!turned] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	const struct paleo_onnx_factor f = {.weights = w,
					    .bias = paleo_onnx_in(job, n, 2),
					    .stored = w->stored,
					    .outputs = (int)w->dims[!turned]};
	return paleo_onnx_inner_product(job, n, &x, &f);
}

/* Exchanges the last two axes. */
static void turn(struct paleo_onnx_value *v)
{
	if (v->rank > 1)
		paleo_onnx_swap(v, v->rank - 2, v->rank - 1);
}

/* Gives both the same rank, and broadcasts leading axes of size 1. 0, or -1. */
static int align(struct paleo_onnx_value *a, struct paleo_onnx_value *b)
{
	const int rank = a->rank > b->rank ? a->rank : b->rank;

	for (int side = 0; side < 2; side++) {
		struct paleo_onnx_value *v = side ? b : a;
		const int more = rank - v->rank;
		memmove(v->dims + more, v->dims, (size_t)v->rank * sizeof(v->dims[0]));
		for (int i = 0; i < more; i++)
			v->dims[i] = 1;
		v->rank = rank;
	}
	for (int side = 0; side < 2; side++) {
		struct paleo_onnx_value *v = side ? b : a;
		const struct paleo_onnx_value *other = side ? a : b;
		double dims[ONNX_RANK_MAX];
		memcpy(dims, v->dims, sizeof(dims));
		for (int i = 0; i + 2 < rank; i++)
			dims[i] = v->dims[i] == 1 ? other->dims[i] : v->dims[i];
		if (paleo_onnx_repeat(v, dims))
			return -1;
	}
	return 0;
}

/* 1 if the axis holds steps of the batch. */
static int holds_batch(const struct paleo_onnx_value *v, int axis)
{
	int first, count, found = 0;

	paleo_onnx_view_axis(v, axis, &first, &count);
	for (int i = first; i < first + count; i++)
		found |= v->view.atoms[i].axis == ONNX_N;
	return found;
}

/* 1 if the channels lie along the axis before the last. */
static int is_turned(const struct paleo_onnx_value *v)
{
	int first, count;

	paleo_onnx_view_axis(v, v->rank - 2, &first, &count);
	return count && v->view.atoms[first + count - 1].axis == ONNX_C &&
	       v->view.atoms[first + count - 1].stride == 1;
}

/* A BatchedProduct layer of any two outputs. */
static int product(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   const struct paleo_onnx_value *left, const struct paleo_onnx_value *right,
		   struct paleo_onnx_value *out)
{
	struct paleo_onnx_value a = *left, b = *right;
	const int rank = a.rank > b.rank ? a.rank : b.rank, last = rank - 1;
	double heads = 1;

	if (a.rank < 2 || b.rank < 2 || align(&a, &b) || a.dims[last] != b.dims[last - 1])
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	const double outputs = b.dims[last];
	for (int i = 0; i + 2 < rank; i++)
		heads *= a.dims[i];
	for (int i = rank - 2; i < rank; i++) {
		if (holds_batch(&a, i) || holds_batch(&b, i))
			return paleo_onnx_refuse(job, n, "across the images of a batch");
	}
	const int turned = is_turned(&b);
	if (turned)
		turn(&b);
	if (paleo_onnx_lay(job, n, &a, last, last) || paleo_onnx_lay(job, n, &b, last, last))
		return paleo_onnx_refuse(job, n, "of outputs with different layouts");
	if (a.view.layer == b.view.layer)
		paleo_onnx_other(job, n, &b.view.layer);
	const int parents[2] = {a.view.layer, b.view.layer};
	int layer = paleo_onnx_add_layer(job, n, "BatchedProduct", parents, 2);
	heads /= job->layers[layer].out.n;
	if (heads > 1)
		paleo_onnx_put_int(job, "heads", (int)heads);
	if (turned)
		paleo_onnx_put_flag(job, "transposed", 1);
	job->layers[layer].out.c = (int)outputs;
	paleo_onnx_last_axis(&a, (int)outputs);
	a.state = ONNX_TENSOR;
	a.numbers = NULL;
	a.view.layer = layer;
	*out = a;
	return 0;
}

int paleo_onnx_unfold(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v)
{
	struct paleo_onnx_value q = *v, k = *v, made;

	k.view = v->key_view;
	k.rank = v->key_rank;
	memcpy(k.dims, v->key_dims, sizeof(k.dims));
	q.dims[q.rank - 1] = k.dims[k.rank - 2];
	q.state = k.state = ONNX_TENSOR;
	if (product(job, n, &q, &k, &made)) {
		v->state = ONNX_UNKNOWN;
		return 1;
	}
	if (v->score_table) {
		made.view.layer =
			paleo_onnx_add_before(job, n, "/table", "Position", &made.view.layer, 1);
		paleo_onnx_put_int(job, "numbers", v->score_table);
	}
	if (v->weighted)
		made.view.layer =
			paleo_onnx_add_before(job, n, "/softmax", "Softmax", &made.view.layer, 1);
	*v = made;
	return 0;
}

int paleo_onnx_product_by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				  const struct paleo_onnx_value *left,
				  const struct paleo_onnx_value *w)
{
	struct paleo_onnx_value x = *left;
	const int last = x.rank - 1;

	if (w->rank != 3 || x.rank < 3 || !paleo_onnx_is_small(w) ||
	    x.dims[last - 2] != w->dims[0] || x.dims[last] != w->dims[1] ||
	    holds_batch(&x, last - 2) || w->dims[0] * w->dims[2] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	const int heads = (int)w->dims[0], inputs = (int)w->dims[1], outputs = (int)w->dims[2];
	paleo_onnx_swap(&x, last - 2, last - 1);
	if (paleo_onnx_lay(job, n, &x, last - 1, last - 1))
		return paleo_onnx_refuse(job, n, "of rows in another order");
	int layer = paleo_onnx_add_layer(job, n, "BatchedProduct", &x.view.layer, 1);
	paleo_onnx_put_int(job, "heads", heads);
	paleo_onnx_put_int(job, "inputs", inputs);
	paleo_onnx_put_int(job, "num_outputs", outputs);
	paleo_onnx_put_learned(job, w);
	job->layers[layer].out.c = heads * outputs;
	/* the two last axes are [heads, outputs] now, of the channels */
	x.rank--;
	x.dims[last - 1] = (double)heads * inputs;
	paleo_onnx_last_axis(&x, heads * outputs);
	x.rank++;
	x.dims[last - 1] = heads;
	x.dims[last] = outputs;
	if (paleo_onnx_view_reshape(&x.view, x.dims, x.rank))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	paleo_onnx_swap(&x, last - 2, last - 1);
	return paleo_onnx_on_layer(job, n, &x, layer);
}

/* Position of the heads in an operand of attention: rows are tokens, or those of one of `windows`,
 * and columns a part of the channels, or the reverse. Returns the number of heads, 0 if it is not
 * such an operand. */
static int heads_of(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int tokens,
		    int channels, int *windows)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	const int heads = s->c < 2 ? 0 : paleo_onnx_heads_along(job, v, channels);
	int first, count;

	*windows = 1;
	if (!heads || s->h == 1 || paleo_onnx_axis_is(job, v, tokens, ONNX_H))
		return heads;
	paleo_onnx_view_axis(v, tokens, &first, &count);
	const struct paleo_onnx_atom *a = &v->view.atoms[first];
	if (count != 1 || a->axis != ONNX_H || a->stride != 1 || s->h % a->size)
		return 0;
	*windows = s->h / a->size;
	return heads;
}

/* An operand of attention. A factor before it is part of the GEMM. */
static int head_operand(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	if (v->state == ONNX_POINT && paleo_onnx_is_factor(job, v)) {
		*out = *v;
		out->state = ONNX_TENSOR;
		return 0;
	}
	return paleo_onnx_repeated(job, n, i, out);
}

int paleo_onnx_multiply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *queries, const struct paleo_onnx_value *k)
{
	struct paleo_onnx_value q = *queries;
	const int last = q.rank - 1;
	int windows;

	q.heads = q.rank < 3 ? 0 : heads_of(job, &q, last - 1, last, &q.windows);
	q.kv_heads = k->rank < 3 ? 0 : heads_of(job, k, k->rank - 1, k->rank - 2, &windows);
	if (!q.heads || !q.kv_heads || q.heads % q.kv_heads || q.windows != windows ||
	    q.view.layer == k->view.layer || q.dims[last] != k->dims[k->rank - 2])
		return product(job, n, queries, k, &q) || paleo_onnx_put(job, n, 0, &q);
	q.state = ONNX_SCORES;
	q.weighted = q.score_table = 0;
	q.numbers = NULL;
	q.key_view = k->view;
	q.key_rank = k->rank;
	memcpy(q.key_dims, k->dims, sizeof(q.key_dims));
	q.dims[last] = k->dims[k->rank - 1];
	return paleo_onnx_put(job, n, 0, &q);
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
			     int parents[3], const struct paleo_onnx_heads *h)
{
	const int rank = job->layers[parents[0]].out.rank;
	const int fused = (h->fused && rank == 3 && !h->table && h->windows == 1) || h->past ||
			  h->window > 0 || h->sinks;

	for (int i = 1; i < 3; i++) {
		if (parents[i] == parents[0] || (i == 2 && parents[2] == parents[1]))
			paleo_onnx_other(job, n, &parents[i]);
	}
	int layer =
		paleo_onnx_add_layer(job, n, fused ? "FusedAttention" : "Attention", parents, 3);
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
static int context(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *s = paleo_onnx_in(job, n, 0), v, made;
	int windows;

	if (paleo_onnx_repeated(job, n, 1, &v))
		return 1;
	if (!s->weighted || v.rank < 3 ||
	    heads_of(job, &v, v.rank - 2, v.rank - 1, &windows) != s->kv_heads ||
	    windows != s->windows || v.dims[v.rank - 2] != s->dims[s->rank - 1] ||
	    (double)job->layers[v.view.layer].out.c * s->heads !=
		    (double)job->layers[s->view.layer].out.c * s->kv_heads)
		return paleo_onnx_unfold(job, n, s) || product(job, n, s, &v, &made) ||
		       paleo_onnx_put(job, n, 0, &made);
	int parents[3] = {s->view.layer, s->key_view.layer, v.view.layer};
	const struct paleo_onnx_heads h = {.heads = s->heads,
					   .kv_heads = s->kv_heads,
					   .windows = s->windows,
					   .table = s->score_table};
	int layer = paleo_onnx_add_attention(job, n, parents, &h);
	made = *s;
	made.dims[made.rank - 1] = v.dims[v.rank - 1];
	return paleo_onnx_on_layer(job, n, &made, layer);
}

/* For masks or positions, such as the angles of rotary embeddings. */
static int aux(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
	       const struct paleo_onnx_value *a, const struct paleo_onnx_value *b)
{
	struct paleo_onnx_value made = a->rank < b->rank ? *b : *a;

	made.state = ONNX_SIDE;
	made.numbers = NULL;
	made.learned = a->learned + b->learned;
	made.source = a->learned > 0 ? a->source : b->source;
	if (made.rank > 1)
		made.dims[made.rank - 2] = a->rank > 1 ? a->dims[a->rank - 2] : 1;
	made.dims[made.rank - 1] = b->dims[b->rank - 1];
	return paleo_onnx_put(job, n, 0, &made);
}

/* ONNX Runtime's GEMM of operands that may be transposed, times a number. */
int paleo_onnx_op_fused_matmul(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	static const char *const turned[2] = {"transA", "transB"};
	struct paleo_onnx_node as = *n;
	int inputs[2];

	if (n->input_count != 2 || !paleo_onnx_in(job, n, 0) || !paleo_onnx_in(job, n, 1) ||
	    paleo_onnx_int(n, "transBatchA", 0) != 0 || paleo_onnx_int(n, "transBatchB", 0) != 0)
		return paleo_onnx_refuse(job, n, "of another form");
	for (int i = 0; i < 2; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		inputs[i] = n->inputs[i];
		if (paleo_onnx_int(n, turned[i], 0) == 0)
			continue;
		if (v->state == ONNX_POINT && !paleo_onnx_is_factor(job, v))
			paleo_onnx_settle(job, v);
		if (v->state == ONNX_SCORES || v->state == ONNX_NUMBERS || v->state > ONNX_SCORES)
			return paleo_onnx_refuse(job, n, "of another form");
		inputs[i] = job->graph->name_count + 1 + i;
		job->values[inputs[i]] = *v;
		turn(&job->values[inputs[i]]);
	}
	as.inputs = inputs;
	return paleo_onnx_op_matmul(job, &as);
}

/* A layer's output times weights, or weights times it: the same GEMM, with both transposed. */
static int by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int turned)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, !turned);
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, turned, &x))
		return 1;
	if (w->rank > 2)
		return paleo_onnx_product_by_weights(job, n, &x, w);
	if (!has_matrix(w) || x.rank < 2 || x.dims[x.rank - 1 - turned] != w->dims[turned] ||
	    w->dims[!turned] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	const struct paleo_onnx_factor f = {.weights = w,
					    .outputs = (int)w->dims[!turned],
					    .stored = turned ? NULL : w->stored};
	if (turned)
		turn(&x);
	if (paleo_onnx_inner_product(job, n, &x, &f))
		return 1;
	if (turned)
		turn(paleo_onnx_out(job, n, 0));
	return 0;
}

int paleo_onnx_op_matmul(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x, y;

	if (!a || !b)
		return paleo_onnx_refuse(job, n, "of nothing");
	if (a->state == ONNX_SCORES)
		return context(job, n);
	if (has_matrix(b))
		paleo_onnx_multiplied(job, n, b);
	if (paleo_onnx_is_aux(a) && paleo_onnx_is_aux(b) && a->rank && b->rank)
		return aux(job, n, a, b);
	if (has_matrix(a) && !paleo_onnx_is_aux(b))
		return by_weights(job, n, 1);
	if (head_operand(job, n, 0, &x))
		return 1;
	if (b->state == ONNX_WEIGHT)
		return by_weights(job, n, 0); /* a factor counts before weights */
	return head_operand(job, n, 1, &y) || paleo_onnx_multiply(job, n, &x, &y);
}
