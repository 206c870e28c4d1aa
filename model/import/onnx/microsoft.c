/* microsoft.c - operators that ONNX Runtime's tools put together (domain com.microsoft). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/point.h"
#include "model/import/onnx/products.h"
#include "model/import/onnx/stat.h"
#include "model/net/layers/common.h"

/* A learned addend of the value, which the layer before takes as its bias if it has none. */
static int add_bias(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, const struct paleo_onnx_value *bias,
		    struct paleo_error *err)
{
	struct paleo_onnx_layer *l = &job->layers[v->view.layer];

	if (!bias || bias->state != ONNX_WEIGHT)
		return PALEO_OK;
	if (bias->learned > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "with too large a bias", err);
	paleo_onnx_learn(job, bias);
	if (l->open & ONNX_OPEN_SHIFT && l->shift) {
		l->open &= ~ONNX_OPEN_SHIFT;
		paleo_onnx_set(job, v->view.layer, l->shift, 1);
		return PALEO_OK;
	}
	int layer = paleo_onnx_add_before(job, n, "/bias", "Position", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "numbers", (int)bias->learned);
	paleo_onnx_put_int(job, "elements", job->layers[layer].out.c);
	v->view.layer = layer;
	return PALEO_OK;
}

int paleo_onnx_op_bias_gelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (!rc)
		rc = add_bias(job, n, &x, paleo_onnx_in(job, n, 1), err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	int layer = paleo_onnx_add_layer(job, n, "Activation", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_word(job, "fn", "gelu");
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* The sum of both operands, of which one may be learned, as places are; *out is a layer's. 0; 1 if
 * it was refused; or ENOMEM. */
static int skip_sum(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *bias, struct paleo_onnx_value *out,
		    struct paleo_error *err)
{
	struct paleo_onnx_value a, b;
	int spare = job->graph->name_count + 1;

	if (paleo_onnx_in(job, n, 1) && paleo_onnx_is_beside(paleo_onnx_in(job, n, 1))) {
		const struct paleo_onnx_node as = {.name = n->name,
						   .type = paleo_onnx_span_of("Add"),
						   .inputs = n->inputs,
						   .outputs = &spare,
						   .input_count = 2,
						   .output_count = 1,
						   .number = n->number};
		job->values[spare].state = ONNX_UNKNOWN;
		int rc = paleo_onnx_op_binary(job, &as, err);
		*out = job->values[spare];
		return rc ? rc : out->state == ONNX_TENSOR ? add_bias(job, n, out, bias, err) : 1;
	}
	int rc = paleo_onnx_tensor(job, n, 0, &a, err);
	if (!rc)
		rc = paleo_onnx_tensor(job, n, 1, &b, err);
	if (!rc)
		rc = add_bias(job, n, &a, bias, err);
	if (!rc)
		rc = paleo_onnx_lay(job, n, &a, a.rank - 1, a.rank - 1, err);
	if (!rc)
		rc = paleo_onnx_lay(job, n, &b, b.rank - 1, b.rank - 1, err);
	if (!rc && a.view.layer == b.view.layer)
		rc = paleo_onnx_other(job, n, &b.view.layer, err);
	if (rc || paleo_onnx_count(&a) != paleo_onnx_count(&b)) {
		rc = rc < 0 ? rc : paleo_onnx_refuse(job, n, "of outputs that do not fit", err);
		return rc ? rc : 1;
	}
	const int parents[2] = {a.view.layer, b.view.layer};
	a.view.layer = paleo_onnx_add_before(job, n, "/sum", "Elementwise", parents, 2);
	*out = a;
	return a.view.layer < 0 ? paleo_fail(err, PALEO_ENOMEM, "out of memory") : PALEO_OK;
}

/* A sum of two, and its normalisation; the fourth output is the sum. */
int paleo_onnx_op_skip_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const int rms = paleo_onnx_span_is(n->type, "SkipSimplifiedLayerNormalization");
	struct paleo_onnx_value sum;
	int rc = skip_sum(job, n, paleo_onnx_in(job, n, rms ? 3 : 4), &sum, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	paleo_onnx_on_layer(&sum, sum.view.layer, paleo_onnx_out(job, n, 3));
	const int layers = job->layer_count;
	rc = paleo_onnx_normalise(job, n, rms ? "RMSNorm" : "LayerNorm", &sum,
				  paleo_onnx_out(job, n, 0), err);
	if (rc || job->layer_count == layers)
		return rc;
	job->layers[job->layer_count - 1].open =
		rms || paleo_onnx_in(job, n, 3) ? 0 : ONNX_OPEN_SHIFT;
	if (!paleo_onnx_learn(job, paleo_onnx_in(job, n, 2)))
		paleo_onnx_put_flag(job, "shared", 1);
	return PALEO_OK;
}

/* Inputs: tokens, types, three tables of words, places, types, factors, shifts. */
int paleo_onnx_op_embed_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_error *err)
{
	const struct paleo_onnx_value *tokens = paleo_onnx_in(job, n, 0),
				      *words = paleo_onnx_in(job, n, 2),
				      *places = paleo_onnx_in(job, n, 3),
				      *types = paleo_onnx_in(job, n, 4);

	if (!tokens || tokens->rank != 2 || tokens->state != ONNX_SIDE || !words ||
	    words->state != ONNX_WEIGHT || words->rank != 2 || !paleo_onnx_is_small(words) ||
	    !paleo_onnx_is_small(tokens) || (places && !paleo_onnx_is_small(places)) ||
	    (types && !paleo_onnx_is_small(types)))
		return paleo_onnx_refuse(job, n, "of a table of another form", err);
	int as_gather[2] = {n->inputs[2], n->inputs[0]};
	struct paleo_onnx_node gather = *n;
	gather.inputs = as_gather;
	gather.input_count = 2;
	const struct paleo_shape s = {.rank = 3,
				      .n = (int)tokens->dims[0],
				      .h = (int)tokens->dims[1],
				      .w = 1,
				      .c = (int)words->dims[1]};
	int rc = paleo_onnx_embed(job, &gather, (int)words->dims[0], &s, err);
	if (rc)
		return rc;
	if (places && places->state == ONNX_WEIGHT)
		paleo_onnx_put_int(job, "num_places", (int)places->dims[0]);
	if (types && types->state == ONNX_WEIGHT)
		paleo_onnx_put_int(job, "num_types", (int)types->dims[0]);
	const struct paleo_onnx_value x = *paleo_onnx_out(job, n, 0);
	rc = paleo_onnx_normalise(job, n, "LayerNorm", &x, paleo_onnx_out(job, n, 0), err);
	if (!rc)
		job->layers[job->layer_count - 1].open = 0;
	if (n->output_count > 1) {
		free(paleo_onnx_out(job, n, 1)->numbers);
		*paleo_onnx_out(job, n, 1) =
			(struct paleo_onnx_value){.state = ONNX_SIDE, .rank = 1, .dims = {s.n}};
	}
	return rc;
}

/* Attention of three layers' outputs [N, T, C], the node's first output. */
static int attend(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  const struct paleo_onnx_value *q, int parents[3],
		  const struct paleo_onnx_heads *h, struct paleo_error *err)
{
	struct paleo_onnx_value made = *q;

	if (h->heads < 1 || h->kv_heads < 1 || h->heads % h->kv_heads ||
	    job->layers[parents[0]].out.c % h->heads)
		return paleo_onnx_refuse(job, n, "of what are no heads", err);
	int layer = paleo_onnx_add_attention(job, n, parents, h, err);
	if (layer < 0)
		return layer;
	paleo_onnx_is_layer(job, layer, &made);
	paleo_onnx_on_layer(&made, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* Queries, keys and values, or `count` of them, as parts of one output, side by side. */
static int take_apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int from,
		      const int *sizes, int count, int *parents, struct paleo_error *err)
{
	int at = 0;

	for (int i = 0; i < count; i++) {
		parents[i] = paleo_onnx_add_before(job, n, "/part", "Slice", &from, 1);
		if (parents[i] < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		paleo_onnx_put_int(job, "dim", 2);
		paleo_onnx_put_int(job, "from", at);
		paleo_onnx_put_int(job, "size", sizes[i]);
		paleo_onnx_put_flag(job, "view", 1);
		job->layers[parents[i]].out.c = sizes[i];
		at += sizes[i];
	}
	return PALEO_OK;
}

/* A sequence [N, T, C], also where its heads are apart: [N, heads, T, numbers], or several of them
 * together: [N, T, heads, 2 or 3, numbers]. 0; 1 if it is none; or ENOMEM. */
static int sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *x, struct paleo_error *err)
{
	static const int perm[4] = {0, 2, 1, 3};

	if (x->rank == 4) {
		const double heads = x->dims[1];
		paleo_onnx_view_transpose(&x->view, x->dims, 4, perm);
		x->dims[1] = x->dims[2];
		x->dims[2] = heads * x->dims[3];
		x->rank = 3;
	} else if (x->rank == 5) {
		x->dims[2] *= x->dims[3] * x->dims[4];
		x->rank = 3;
	}
	return x->rank == 3 ? paleo_onnx_lay(job, n, x, 2, 2, err) : 1;
}

/* Normalises each head of a sequence by itself, with one factor for each of its numbers. */
static int normalise_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int heads,
			   const struct paleo_onnx_value *factors, int *parent,
			   struct paleo_error *err)
{
	static const char *const types[] = {"Reshape", "RMSNorm", "Reshape"};
	const struct paleo_shape all = job->layers[*parent].out;
	struct paleo_shape apart = all;

	apart.h *= heads;
	apart.c /= heads;
	for (int i = 0; i < 3; i++) {
		*parent = paleo_onnx_add_before(job, n, i == 1 ? "/norm" : "/heads", types[i],
						parent, 1);
		if (*parent < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		const struct paleo_shape *s = i == 2 ? &all : &apart;
		if (i != 1)
			paleo_onnx_put_ints(job, "output_shape", 3, PALEO_INFERRED, s->h, s->c, 0);
		else if (!paleo_onnx_learn(job, factors))
			paleo_onnx_put_flag(job, "shared", 1);
		job->layers[*parent].out = *s;
	}
	return PALEO_OK;
}

/* Normalises the heads of queries and keys by factors that are inputs 14 and 15. */
static int normalise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     const struct paleo_onnx_heads *h, int parents[3], struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < 2 && !rc; i++) {
		const struct paleo_onnx_value *factors = paleo_onnx_in(job, n, 14 + i);
		if (factors)
			rc = normalise_heads(job, n, i ? h->kv_heads : h->heads, factors,
					     &parents[i], err);
	}
	return rc;
}

/* Turns the heads of queries and keys, where the node itself does. */
static int turn_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_heads *h, int parents[3], struct paleo_error *err)
{
	const int part = (int)paleo_onnx_int(n, "rotary_embedding_dim", 0);

	for (int i = 0; i < 2; i++) {
		const int heads = i ? h->kv_heads : h->heads;
		const int all = job->layers[parents[i]].out.c / heads;
		parents[i] = paleo_onnx_add_before(job, n, "/rope", "Rope", &parents[i], 1);
		if (parents[i] < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		paleo_onnx_put_int(job, "heads", heads);
		paleo_onnx_put_int(job, "rope", part > 0 && part < all ? part : all);
	}
	return PALEO_OK;
}

/* MultiHeadAttention and GroupQueryAttention: three outputs, or one with all of them. */
int paleo_onnx_op_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const int shared = paleo_onnx_span_is(n->type, "GroupQueryAttention"),
		  heads = (int)paleo_onnx_int(n, "num_heads", 0);
	const struct paleo_onnx_heads h = {
		.heads = heads,
		.kv_heads = (int)paleo_onnx_int(n, "kv_num_heads", heads),
		.windows = 1,
		.past = paleo_onnx_past(job, n, shared ? 3 : 6),
		.window = shared ? (int)paleo_onnx_int(n, "local_window_size", 0) : 0,
		.sinks = shared && paleo_onnx_in(job, n, 11),
		.causal = shared || paleo_onnx_int(n, "unidirectional", 0) != 0};
	const struct paleo_onnx_value *bias = shared ? NULL : paleo_onnx_in(job, n, 3);
	struct paleo_onnx_value x[3];
	int parents[3], rc = PALEO_OK, whole = !paleo_onnx_in(job, n, 1),
			pair = !whole && !paleo_onnx_in(job, n, 2);

	for (int i = 0; i < (whole ? 1 : pair ? 2 : 3) && !rc; i++) {
		rc = paleo_onnx_tensor(job, n, i, &x[i], err);
		if (rc)
			return rc < 0 ? rc : PALEO_OK;
		rc = sequence(job, n, &x[i], err);
		if (rc == 1)
			return paleo_onnx_refuse(job, n, "of what is no sequence", err);
		if (!rc && bias)
			rc = add_bias(job, n, &x[i], bias, err);
		parents[i] = x[i].view.layer;
	}
	if (rc || h.heads < 1 || h.kv_heads < 1 || h.past < 0)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of what are no heads", err);
	const int each = whole ? job->layers[parents[0]].out.c / (h.heads + 2 * h.kv_heads)
			       : job->layers[parents[0]].out.c / h.heads;
	if (each < 1)
		return paleo_onnx_refuse(job, n, "of what are no heads", err);
	if (whole) {
		const int sizes[3] = {each * h.heads, each * h.kv_heads, each * h.kv_heads};
		rc = take_apart(job, n, parents[0], sizes, 3, parents, err);
	}
	if (pair) {
		const int sizes[2] = {each * h.kv_heads, each * h.kv_heads};
		if (job->layers[parents[1]].out.c != 2 * sizes[0])
			return paleo_onnx_refuse(job, n, "of what are no heads", err);
		rc = take_apart(job, n, parents[1], sizes, 2, parents + 1, err);
	}
	if (!rc && shared)
		rc = normalise(job, n, &h, parents, err);
	if (!rc && paleo_onnx_int(n, "do_rotary", 0) != 0)
		rc = turn_heads(job, n, &h, parents, err);
	return rc ? rc : attend(job, n, &x[0], parents, &h, err);
}

/* Attention of this domain has the product for queries, keys and values in it. Its cache is [keys
 * or values, N, heads, T, numbers]. */
int paleo_onnx_op_packed_heads(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			       struct paleo_error *err)
{
	struct paleo_onnx_value x, *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int parents[3], rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const struct paleo_onnx_value *cache =
		paleo_onnx_in(job, n, paleo_onnx_span_is(n->type, "QAttention") ? 8 : 4);
	if (cache && (cache->rank != 5 || cache->dims[3] > PALEO_DIM_MAX))
		return paleo_onnx_refuse(job, n, "with a cache of another form", err);
	if (w && w->state == ONNX_NUMBERS && w->rank == 2) { /* stored as whole numbers */
		w->state = ONNX_WEIGHT;
		w->learned = paleo_onnx_count(w);
		w->source = 1 + n->inputs[1];
		w->stored = "int8";
	}
	if (!w || w->state != ONNX_WEIGHT || w->rank != 2 || x.rank != 3 ||
	    w->dims[0] != x.dims[2] || fmod(w->dims[1], 3) != 0 || w->dims[1] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of another form", err);
	const struct paleo_onnx_factor f = {.weights = w,
					    .bias = paleo_onnx_in(job, n, 2),
					    .stored = w->stored,
					    .outputs = (int)w->dims[1]};
	rc = paleo_onnx_inner_product(job, n, &x, &f, err);
	if (rc || out->state != ONNX_TENSOR)
		return rc;
	const int each = f.outputs / 3, sizes[3] = {each, each, each};
	const struct paleo_onnx_value all = *out;
	rc = take_apart(job, n, all.view.layer, sizes, 3, parents, err);
	const int heads = (int)paleo_onnx_int(n, "num_heads", 0);
	const struct paleo_onnx_heads h = {.heads = heads,
					   .kv_heads = heads,
					   .windows = 1,
					   .past = cache ? (int)cache->dims[3] : 0,
					   .causal = paleo_onnx_int(n, "unidirectional", 0) != 0};
	return rc ? rc : attend(job, n, &all, parents, &h, err);
}

/* 1 + the name of the weights that an input is, also where their shape has been changed. */
static int source_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	return v ? (v->source ? v->source : 1 + n->inputs[i]) : 0;
}

/* GatherBlockQuantized: rows of a table of a few bits, of which a byte may hold two. */
int paleo_onnx_op_few_bits_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				struct paleo_error *err)
{
	const struct paleo_onnx_value *table = paleo_onnx_in(job, n, 0),
				      *tokens = paleo_onnx_in(job, n, 1);
	int inputs[2] = {job->graph->name_count + 1, n->input_count > 1 ? n->inputs[1] : -1};
	struct paleo_onnx_value *whole = &job->values[inputs[0]];
	struct paleo_onnx_node as = *n;

	if (!table || !tokens || table->rank != 2 || paleo_onnx_int(n, "gather_axis", 0) != 0)
		return paleo_onnx_refuse(job, n, "of a table of another form", err);
	*whole = (struct paleo_onnx_value){.state = ONNX_WEIGHT,
					   .type = ONNX_FLOAT,
					   .rank = 2,
					   .dims = {table->dims[0], table->dims[1]},
					   .source = source_of(job, n, 0)};
	if (table->type == ONNX_UINT8 && paleo_onnx_int(n, "bits", 4) == 4)
		whole->dims[1] *= 2;
	whole->learned = paleo_onnx_count(whole);
	as.inputs = inputs;
	as.input_count = 2;
	return paleo_onnx_op_gather(job, &as, err);
}

const char *paleo_onnx_stored(double bits, double block)
{
	return bits == 8 ? "int8" : block > 64 ? "int4_g128" : block > 32 ? "int4_g64" : "int4_g32";
}

/* MatMulNBits: weights of a few bits, with scales of their blocks. */
int paleo_onnx_op_few_bits(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_error *err)
{
	const double inputs = paleo_onnx_int(n, "K", 0), outputs = paleo_onnx_int(n, "N", 0),
		     bits = paleo_onnx_int(n, "bits", 4),
		     block = paleo_onnx_int(n, "block_size", 32);
	struct paleo_onnx_value x, w = {.state = ONNX_WEIGHT, .rank = 2};
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank < 2 || x.dims[x.rank - 1] != inputs || outputs < 1 || outputs > PALEO_DIM_MAX ||
	    (bits != 4 && bits != 8))
		return paleo_onnx_refuse(job, n, "of other than 4 or 8 bits, or another form", err);
	w.learned = inputs * outputs;
	w.source = source_of(job, n, 1);
	const struct paleo_onnx_value *bias = paleo_onnx_in(job, n, 5);
	const struct paleo_onnx_factor f = {.weights = &w,
					    .bias = bias,
					    .stored = paleo_onnx_stored(bits, block),
					    .outputs = (int)outputs};
	return paleo_onnx_inner_product(job, n, &x, &f, err);
}
