/* recurrent.c - recurrent layers, and tables of tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/ops.h"

static int is_sequence(const struct paleo_onnx_job *job, const struct paleo_onnx_value *x,
		       int batch)
{
	return job->layers[x->view.layer].out.rank == 3 && paleo_onnx_axis_is(job, x, 2, ONNX_C) &&
	       paleo_onnx_axis_is(job, x, batch, ONNX_N) &&
	       paleo_onnx_axis_is(job, x, !batch, ONNX_H);
}

/* The sequence that comes in, as [N, T, C] of a layer of ours. ONNX's has the tokens first. 0; 1 if
 * it is none; 2 if what is called the tokens here is the batch; or ENOMEM. */
static int sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *x, struct paleo_error *err)
{
	const int batch = paleo_onnx_int(n, "layout", 0) == 0 ? 1 : 0;
	int rc = paleo_onnx_tensor(job, n, 0, x, err);

	if (rc)
		return rc;
	if (x->rank == 3 && !is_sequence(job, x, batch)) {
		static const int swapped[3] = {1, 0, 2};
		const double tokens = x->dims[!batch], images = x->dims[batch];
		if (images != job->layers[x->view.layer].out.n)
			return paleo_onnx_axis_is(job, x, batch, ONNX_H) ? 2 : 1;
		if (batch) { /* [T, N, C] is laid out as [N, T, C] */
			paleo_onnx_view_transpose(&x->view, x->dims, 3, swapped);
			x->dims[0] = images;
			x->dims[1] = tokens;
		}
		rc = paleo_onnx_lay(job, n, x, 2, 2, err);
		if (batch) {
			paleo_onnx_view_transpose(&x->view, x->dims, 3, swapped);
			x->dims[0] = tokens;
			x->dims[1] = images;
		}
		if (rc)
			return rc;
	}
	const struct paleo_shape *s = &job->layers[x->view.layer].out;
	if (x->rank != 3 || s->rank != 3 || !paleo_onnx_axis_is(job, x, 2, ONNX_C))
		return 1;
	if (paleo_onnx_axis_is(job, x, batch, ONNX_N) && paleo_onnx_axis_is(job, x, !batch, ONNX_H))
		return PALEO_OK;
	return paleo_onnx_axis_is(job, x, batch, ONNX_H) ? 2 : 1;
}

/* The output is [T, directions, N, hidden], here with what steps lead through it. */
static void put_output(struct paleo_onnx_job *job, int layer, int hidden, int directions,
		       int turned, struct paleo_onnx_value *out)
{
	const struct paleo_shape s = job->layers[layer].out;
	const struct paleo_onnx_atom tokens = {ONNX_H, s.h, 1}, batch = {ONNX_N, s.n, 1},
				     both = {ONNX_C, directions, hidden}, one = {ONNX_C, hidden, 1};
	const struct paleo_onnx_atom order[2][4] = {{tokens, both, batch, one},
						    {batch, tokens, both, one}};

	paleo_onnx_is_layer(job, layer, out);
	out->rank = 4;
	out->view.count = 0;
	for (int i = 0; i < 4; i++) {
		out->dims[i] = order[turned][i].size;
		if (order[turned][i].size > 1)
			out->view.atoms[out->view.count++] = order[turned][i];
	}
}

int paleo_onnx_op_recurrent(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 2);
	const char *cell = paleo_onnx_span_is(n->type, "LSTM")  ? "lstm"
			   : paleo_onnx_span_is(n->type, "GRU") ? "gru"
								: "rnn";
	const int directions = paleo_onnx_word(n, "direction", "bidirectional") ? 2 : 1;
	struct paleo_onnx_value x;
	int rc = sequence(job, n, &x, err);

	if (rc == 2 && !job->tokens_first) {
		job->wants_tokens_first = 1;
		return PALEO_OK;
	}
	if (rc || !w || w->rank != 3 || w->state != ONNX_WEIGHT || w->dims[0] != directions ||
	    !paleo_onnx_is_small(w))
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of another form", err);
	const int hidden = (int)w->dims[2];
	int layer = paleo_onnx_add_layer(job, n, "Recurrent", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_word(job, "cell", cell);
	paleo_onnx_put_int(job, "hidden", hidden);
	if (directions == 2)
		paleo_onnx_put_flag(job, "bidirectional", 1);
	if (!paleo_onnx_in(job, n, 3))
		paleo_onnx_put_flag(job, "bias", 0);
	if (!paleo_onnx_learn(job, w))
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out.c = hidden * directions;
	put_output(job, layer, hidden, directions, paleo_onnx_int(n, "layout", 0) != 0,
		   paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

/* The layer of type Input that gives these tokens: one for each value, found again by its name. */
static int tokens_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_shape *s, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 1);

	if (v->tokens)
		return v->tokens - 1;
	const struct paleo_onnx_name *name = &job->graph->names[n->inputs[1]];
	const struct paleo_onnx_node as_node = {.name = name->text, .type = name->text};
	int layer = paleo_onnx_add_layer(job, &as_node, "Input", NULL, 0);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_ints(job, "tensor", 2, s->n, s->h, 0, 0);
	job->layers[layer].out =
		(struct paleo_shape){.rank = 2, .n = s->n, .h = 1, .w = 1, .c = s->h};
	job->batch = s->n;
	v->tokens = layer + 1;
	return layer;
}

int paleo_onnx_embed(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int words,
		     const struct paleo_shape *s, struct paleo_error *err)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	const struct paleo_onnx_value *words_of = paleo_onnx_in(job, n, 0);
	const int tokens = tokens_layer(job, n, s, err);
	static const int swapped[3] = {1, 0, 2};

	if (tokens < 0)
		return tokens;
	int layer = paleo_onnx_add_layer(job, n, "Embedding", &tokens, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "num_words", words);
	paleo_onnx_put_int(job, "num_outputs", s->c);
	if (!paleo_onnx_learn(job, words_of))
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out = *s;
	paleo_onnx_is_layer(job, layer, out);
	if (paleo_onnx_in(job, n, 1)->rank == 1) { /* of one text */
		out->rank = 2;
		out->dims[0] = s->h;
		out->dims[1] = s->c;
	} else if (job->tokens_first) {
		const double dims[3] = {s->h, s->n, s->c};
		paleo_onnx_view_transpose(&out->view, out->dims, 3, swapped);
		memcpy(out->dims, dims, sizeof(dims));
	}
	return PALEO_OK;
}
