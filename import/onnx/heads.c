/* heads.c - attention, rotary positions and experts that are operators of their own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "import/onnx/ops.h"

/* Heads of an operand [N, heads, T, numbers], or by an attribute of [N, T, all]. 0: none. */
static int heads_of(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *v, const char *attribute)
{
	const int given = (int)paleo_onnx_int(n, attribute, 0);

	if (v->rank == 4)
		return paleo_onnx_heads_in(job, v);
	return v->rank == 3 && given > 0 && paleo_onnx_axis_is(job, v, 2, ONNX_C) &&
			       job->layers[v->view.layer].out.c % given == 0
		       ? given
		       : 0;
}

/* Those of ONNX itself, since opset 23. */
int paleo_onnx_op_attention(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	static const char *const attributes[] = {"q_num_heads", "kv_num_heads", "kv_num_heads"};
	struct paleo_onnx_value x[3];
	int parents[3], heads[3], first, count;

	if (paleo_onnx_span_is(n->domain, "com.microsoft"))
		return paleo_onnx_op_packed_heads(job, n);
	const int past = paleo_onnx_past(job, n, 4);
	if (past < 0)
		return paleo_onnx_refuse(job, n, "with a cache of another form");
	for (int i = 0; i < 3; i++) {
		if (paleo_onnx_repeated(job, n, i, &x[i]))
			return 1;
		parents[i] = x[i].view.layer;
		heads[i] = heads_of(job, n, &x[i], attributes[i]);
	}
	if (!heads[0] || !heads[1] || heads[1] != heads[2] || heads[0] % heads[1] ||
	    x[0].rank != x[2].rank ||
	    (double)job->layers[parents[2]].out.c / heads[1] * heads[0] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	const struct paleo_onnx_heads h = {.heads = heads[0],
					   .kv_heads = heads[1],
					   .windows = 1,
					   .fused = 1,
					   .past = past,
					   .causal = paleo_onnx_int(n, "is_causal", 0) != 0};
	int layer = paleo_onnx_add_attention(job, n, parents, &h);
	struct paleo_onnx_value made = x[0];
	const int last = made.rank - 1, per_head = job->layers[parents[2]].out.c / heads[1];
	job->layers[layer].out.c = per_head * heads[0];
	made.dims[last] = made.rank == 4 ? per_head : per_head * heads[0];
	paleo_onnx_view_axis(&x[0], last, &first, &count);
	if (count == 1)
		made.view.atoms[first].size = (int)made.dims[last];
	return paleo_onnx_on_layer(job, n, &made, layer);
}

/* A Rope layer, also on a part of each head, if the node specifies it. */
static int turn_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const char *behind, int layer, int heads)
{
	const int all = job->layers[layer].out.c / heads,
		  part = (int)paleo_onnx_int(n, "rotary_embedding_dim", 0);

	return paleo_onnx_add_rope(job, n, behind, layer, heads,
				   part > 0 && part < all ? part : all);
}

int paleo_onnx_op_rotary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	const int heads = heads_of(job, n, &x, "num_heads");
	if (!heads)
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	return paleo_onnx_on_layer(job, n, &x, turn_heads(job, n, "", x.view.layer, heads));
}

/* Attention of three layers' outputs [N, T, C], the node's first output. */
static int attend(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int parents[3],
		  const struct paleo_onnx_heads *h)
{
	if (h->heads < 1 || h->kv_heads < 1 || h->heads % h->kv_heads ||
	    job->layers[parents[0]].out.c % h->heads)
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	const int layer = paleo_onnx_add_attention(job, n, parents, h);
	return paleo_onnx_put_layer(job, n, layer, job->layers[layer].out.rank);
}

/* Queries, keys and values, or `count` of them, as parts of one output, side by side. */
static void take_apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int from,
		       const int *sizes, int count, int *parents)
{
	int at = 0;

	for (int i = 0; i < count; i++) {
		struct paleo_shape s = job->layers[from].out;
		s.c = sizes[i];
		parents[i] = paleo_onnx_add_slice(job, n, "/part", from, 2, at, sizes[i]);
		paleo_onnx_put_flag(job, "view", 1);
		job->layers[parents[i]].out = s;
		at += sizes[i];
	}
}

/* A sequence [N, T, C], also where its heads are apart: [N, heads, T, numbers], or several of them
 * together: [N, T, heads, 2 or 3, numbers]. 1 if it is none. */
static int sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *x)
{
	if (x->rank == 4)
		paleo_onnx_swap(x, 1, 2);
	for (int i = 3; i < x->rank && x->rank < 6; i++)
		x->dims[2] *= x->dims[i];
	x->rank = x->rank == 4 || x->rank == 5 ? 3 : x->rank;
	return x->rank != 3 || paleo_onnx_lay(job, n, x, 2, 2);
}

/* Normalises each head of a sequence by itself, with one factor for each of its numbers. */
static void normalise_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int heads,
			    const struct paleo_onnx_value *factors, int *parent)
{
	static const char *const types[] = {"Reshape", "RMSNorm", "Reshape"};
	const struct paleo_shape all = job->layers[*parent].out;
	struct paleo_shape apart = all;

	apart.h *= heads;
	apart.c /= heads;
	for (int i = 0; i < 3; i++) {
		const struct paleo_shape *s = i == 2 ? &all : &apart;
		*parent = paleo_onnx_add_before(job, n, i == 1 ? "/norm" : "/heads", types[i],
						parent, 1);
		if (i == 1)
			paleo_onnx_put_learned(job, factors);
		else
			paleo_onnx_put_ints(job, "output_shape", 3, PALEO_INFERRED, s->h, s->c, 0);
		job->layers[*parent].out = *s;
	}
}

/* The layers of queries, keys and values: three outputs, one with keys and values, or one with all.
 */
static int read_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *bias, const struct paleo_onnx_heads *h,
		      int parents[3])
{
	const int whole = !paleo_onnx_in(job, n, 1), pair = !whole && !paleo_onnx_in(job, n, 2);

	for (int i = 0; i < (whole ? 1 : pair ? 2 : 3); i++) {
		struct paleo_onnx_value x;
		if (paleo_onnx_tensor(job, n, i, &x))
			return 1;
		if (sequence(job, n, &x))
			return paleo_onnx_refuse(job, n, "of a value that is not a sequence");
		paleo_onnx_add_bias(job, n, &x, bias);
		parents[i] = x.view.layer;
	}
	if (h->heads < 1 || h->kv_heads < 1 || h->past < 0 || h->heads > PALEO_DIM_MAX ||
	    h->kv_heads > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	const int parts = whole ? h->heads + 2 * h->kv_heads : h->heads,
		  each = job->layers[parents[0]].out.c / parts;
	if ((double)each * h->kv_heads > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	const int sizes[3] = {each * h->heads, each * h->kv_heads, each * h->kv_heads};
	if (each < 1 || (pair && job->layers[parents[1]].out.c != 2 * sizes[1]))
		return paleo_onnx_refuse(job, n, "of a value that is not heads");
	if (whole)
		take_apart(job, n, parents[0], sizes, 3, parents);
	if (pair)
		take_apart(job, n, parents[1], sizes + 1, 2, parents + 1);
	return 0;
}

/* MultiHeadAttention and GroupQueryAttention. Heads of the second may be normalised, by factors
 * that are inputs 14 and 15; those of both may be turned. */
int paleo_onnx_op_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int shared = paleo_onnx_span_is(n->type, "GroupQueryAttention"),
		  heads = (int)paleo_onnx_int(n, "num_heads", 0);
	const struct paleo_onnx_heads h = {
		.heads = heads,
		.kv_heads = (int)paleo_onnx_int(n, "kv_num_heads", heads),
		.windows = 1,
		.fused = 1,
		.past = paleo_onnx_past(job, n, shared ? 3 : 6),
		.window = shared ? (int)paleo_onnx_int(n, "local_window_size", 0) : 0,
		.sinks = shared && paleo_onnx_in(job, n, 11),
		.causal = shared || paleo_onnx_int(n, "unidirectional", 0) != 0};
	int parents[3] = {0};

	if (read_heads(job, n, shared ? NULL : paleo_onnx_in(job, n, 3), &h, parents))
		return 1;
	for (int i = 0; i < 2 && shared; i++) {
		if (paleo_onnx_in(job, n, 14 + i))
			normalise_heads(job, n, i ? h.kv_heads : h.heads,
					paleo_onnx_in(job, n, 14 + i), &parents[i]);
	}
	for (int i = 0; i < 2 && paleo_onnx_int(n, "do_rotary", 0) != 0; i++)
		parents[i] = turn_heads(job, n, "/rope", parents[i], i ? h.kv_heads : h.heads);
	return attend(job, n, parents, &h);
}

/* Attention of this domain includes the GEMM for queries, keys and values. Its cache is [keys or
 * values, N, heads, T, numbers]. */
int paleo_onnx_op_packed_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value x, *w = paleo_onnx_in(job, n, 1);
	const int heads = (int)paleo_onnx_int(n, "num_heads", 0);
	int parents[3] = {0};

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	const struct paleo_onnx_value *cache =
		paleo_onnx_in(job, n, paleo_onnx_span_is(n->type, "QAttention") ? 8 : 4);
	if (cache && (cache->rank != 5 || cache->dims[3] > PALEO_DIM_MAX))
		return paleo_onnx_refuse(job, n, "with a cache of another form");
	if (w && w->state == ONNX_NUMBERS && w->rank == 2) /* stored as whole numbers */
		paleo_onnx_make_learned(w, n->inputs[1]);
	if (!w || w->state != ONNX_WEIGHT || w->rank != 2 || x.rank != 3 ||
	    w->dims[0] != x.dims[2] || fmod(w->dims[1], 3) != 0 || w->dims[1] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of another form");
	const struct paleo_onnx_factor f = {.weights = w,
					    .bias = paleo_onnx_in(job, n, 2),
					    .stored = w->stored,
					    .outputs = (int)w->dims[1]};
	if (paleo_onnx_inner_product(job, n, &x, &f))
		return 1;
	const int each = f.outputs / 3, sizes[3] = {each, each, each};
	take_apart(job, n, paleo_onnx_out(job, n, 0)->view.layer, sizes, 3, parents);
	const struct paleo_onnx_heads h = {.heads = heads,
					   .kv_heads = heads,
					   .windows = 1,
					   .fused = 1,
					   .past = cache ? (int)cache->dims[3] : 0,
					   .causal = paleo_onnx_int(n, "unidirectional", 0) != 0};
	return attend(job, n, parents, &h);
}

/* Inputs of the first, the second and the third GEMM. */
struct inputs {
	int weights[3], biases[3];
};

/* Weights of a GEMM, also n-bit ones, of which a byte may hold several. */
static double numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input,
		      int bits)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, input);
	const int packed = v && v->type == ONNX_UINT8 && bits == 4 ? 2 : 1;

	return v ? paleo_onnx_count(v) * packed : 0;
}

static int tokens_and_scores(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value x[2])
{
	static const char *const why = "of tokens and scores that do not fit";

	for (int i = 0; i < 2; i++) {
		if (paleo_onnx_tensor(job, n, i, &x[i]))
			return 1;
		if (paleo_onnx_lay(job, n, &x[i], x[i].rank - 1, x[i].rank - 1))
			return paleo_onnx_refuse(job, n, why);
	}
	const struct paleo_shape *s = &job->layers[x[0].view.layer].out,
				 *t = &job->layers[x[1].view.layer].out;
	if (s->rank != 3 || t->rank != 3 || s->n != t->n || s->h != t->h)
		return paleo_onnx_refuse(job, n, why);
	return 0;
}

/* MoE and QMoE, mixtures of experts. */
int paleo_onnx_op_experts(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	static const struct inputs plain = {{2, 4, 6}, {3, 5, 7}}, few = {{2, 5, 8}, {4, 7, 10}};
	const int quantised = paleo_onnx_span_is(n->type, "QMoE"),
		  bits = quantised ? (int)paleo_onnx_int(n, "expert_weight_bits", 4) : 0,
		  top = (int)paleo_onnx_int(n, "k", 1);
	const struct inputs *in = quantised ? &few : &plain;
	struct paleo_onnx_value x[2];

	if (tokens_and_scores(job, n, x))
		return 1;
	const double hidden = job->layers[x[0].view.layer].out.c,
		     experts = job->layers[x[1].view.layer].out.c,
		     first = numbers(job, n, in->weights[0], bits),
		     second = numbers(job, n, in->weights[1], bits),
		     inner = second / experts / hidden;
	const int third = numbers(job, n, in->weights[2], bits) == second,
		  gated = third || first == 2 * second;
	const int bias = paleo_onnx_in(job, n, in->biases[0]) != NULL;
	if (!(inner >= 1 && inner <= PALEO_DIM_MAX) || fmod(inner, 1) != 0 || top < 1 ||
	    top > experts || first != (gated && !third ? 2 : 1) * second ||
	    bias != (paleo_onnx_in(job, n, in->biases[1]) != NULL))
		return paleo_onnx_refuse(job, n, "of experts of another form");
	const int parents[2] = {x[0].view.layer, x[1].view.layer};
	int layer = paleo_onnx_add_layer(job, n, "Experts", parents, 2);
	paleo_onnx_put_int(job, "experts", (int)experts);
	paleo_onnx_put_int(job, "top", top);
	paleo_onnx_put_int(job, "inner", (int)inner);
	paleo_onnx_put_flag(job, "gated", gated);
	paleo_onnx_put_flag(job, "bias", bias);
	if (quantised)
		paleo_onnx_put_word(job, "weights",
				    paleo_onnx_stored(job, n, bits,
						      paleo_onnx_int(n, "block_size", 128), 3, 11));
	return paleo_onnx_on_layer(job, n, &x[0], layer);
}
