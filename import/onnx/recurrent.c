/* recurrent.c - recurrent layers, and tables of tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/onnx/ops.h"

static int is_sequence(const struct paleo_onnx_job *job, const struct paleo_onnx_value *x,
		       int batch)
{
	return job->layers[x->view.layer].out.rank == 3 && paleo_onnx_axis_is(job, x, 2, ONNX_C) &&
	       paleo_onnx_axis_is(job, x, batch, ONNX_N) &&
	       paleo_onnx_axis_is(job, x, !batch, ONNX_H);
}

/* The input sequence, as [N, T, C] of a layer. ONNX's has the tokens first. 0; 1 if it is not a
 * sequence; 2 if its token axis is the batch. */
static int sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *x)
{
	const int batch = paleo_onnx_int(n, "layout", 0) == 0 ? 1 : 0;

	if (paleo_onnx_tensor(job, n, 0, x))
		return 1;
	if (x->rank == 3 && !is_sequence(job, x, batch)) {
		if (x->dims[batch] != job->layers[x->view.layer].out.n)
			return paleo_onnx_axis_is(job, x, batch, ONNX_H) ? 2 : 1;
		paleo_onnx_swap(x, 0, batch); /* [T, N, C] is permuted to [N, T, C] */
		if (paleo_onnx_lay(job, n, x, 2, 2))
			return 1;
		paleo_onnx_swap(x, 0, batch);
	}
	if (x->rank != 3 || job->layers[x->view.layer].out.rank != 3 ||
	    !paleo_onnx_axis_is(job, x, 2, ONNX_C))
		return 1;
	if (is_sequence(job, x, batch))
		return 0;
	return paleo_onnx_axis_is(job, x, batch, ONNX_H) ? 2 : 1;
}

/* The output is [T, directions, N, hidden], here with its strides. */
static int put_output(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int layer,
		      int hidden, int directions)
{
	const struct paleo_shape s = job->layers[layer].out;
	const struct paleo_onnx_atom tokens = {ONNX_H, s.h, 1}, batch = {ONNX_N, s.n, 1},
				     both = {ONNX_C, directions, hidden}, one = {ONNX_C, hidden, 1};
	const struct paleo_onnx_atom order[2][4] = {{tokens, both, batch, one},
						    {batch, tokens, both, one}};
	const int turned = paleo_onnx_int(n, "layout", 0) != 0;
	struct paleo_onnx_value made = {.state = ONNX_TENSOR, .rank = 4, .view = {.layer = layer}};

	for (int i = 0; i < 4; i++) {
		made.dims[i] = order[turned][i].size;
		if (order[turned][i].size > 1)
			made.view.atoms[made.view.count++] = order[turned][i];
	}
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_op_recurrent(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 2);
	const char *cell = paleo_onnx_span_is(n->type, "LSTM")  ? "lstm"
			   : paleo_onnx_span_is(n->type, "GRU") ? "gru"
								: "rnn";
	const int directions = paleo_onnx_word(n, "direction", "bidirectional") ? 2 : 1;
	struct paleo_onnx_value x;
	const int is_none = sequence(job, n, &x);

	if (is_none == 2 && !job->tokens_first) {
		job->wants_tokens_first = 1;
		return 1;
	}
	if (is_none || !w || w->rank != 3 || w->state != ONNX_WEIGHT || w->dims[0] != directions ||
	    !paleo_onnx_is_small(w))
		return paleo_onnx_refuse(job, n, "of another form");
	const int hidden = (int)w->dims[2];
	int layer = paleo_onnx_add_layer(job, n, "Recurrent", &x.view.layer, 1);
	paleo_onnx_put_word(job, "cell", cell);
	paleo_onnx_put_int(job, "hidden", hidden);
	if (directions == 2)
		paleo_onnx_put_flag(job, "bidirectional", 1);
	if (!paleo_onnx_in(job, n, 3))
		paleo_onnx_put_flag(job, "bias", 0);
	paleo_onnx_put_learned(job, w);
	job->layers[layer].out.c = hidden * directions;
	return put_output(job, n, layer, hidden, directions);
}

/* The layer of type Input that gives these tokens: one for each value, found again by its name. */
static int tokens_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_shape *s)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 1);

	if (v->tokens)
		return v->tokens - 1;
	const struct paleo_onnx_name *name = &job->graph->names[n->inputs[1]];
	const struct paleo_onnx_node as_node = {.name = name->text, .type = name->text};
	int layer = paleo_onnx_add_layer(job, &as_node, "Input", NULL, 0);
	paleo_onnx_put_ints(job, "tensor", 2, s->n, s->h, 0, 0);
	job->layers[layer].out =
		(struct paleo_shape){.rank = 2, .n = s->n, .h = 1, .w = 1, .c = s->h};
	job->batch = s->n;
	v->tokens = layer + 1;
	return layer;
}

int paleo_onnx_embed(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int words,
		     const struct paleo_shape *s)
{
	const struct paleo_onnx_value *table = paleo_onnx_in(job, n, 0);
	const int tokens = tokens_layer(job, n, s);
	struct paleo_onnx_value made = {0};

	int layer = paleo_onnx_add_layer(job, n, "Embedding", &tokens, 1);
	paleo_onnx_put_int(job, "num_words", words);
	paleo_onnx_put_int(job, "num_outputs", s->c);
	paleo_onnx_put_learned(job, table);
	job->layers[layer].out = *s;
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_in(job, n, 1)->rank == 1) { /* of one text */
		made.rank = 2;
		made.dims[0] = s->h;
		made.dims[1] = s->c;
	} else if (job->tokens_first) {
		paleo_onnx_swap(&made, 0, 1);
	}
	return paleo_onnx_put(job, n, 0, &made);
}
