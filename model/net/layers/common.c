/* common.c - shared by several kinds of layers: reading sizes, shapes, elementwise ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

#include <string.h>

#include "base/text.h"

static int read_size(const struct paleo_json *v, int low, int *out, struct paleo_error *err)
{
	int value;

	PALEO_TRY(paleo_json_to_int(v, low, PALEO_DIM_MAX, &value, err));
	if (low == PALEO_INFERRED && value == 0)
		return paleo_json_fail(v, err, "expected -1 or an integer from 1 to %d, found 0",
				       PALEO_DIM_MAX);
	*out = value;
	return PALEO_OK;
}

int paleo_read_ints(const struct paleo_json *v, int count, int low, int *out,
		    struct paleo_error *err)
{
	if (paleo_json_type(v) != PALEO_JSON_ARRAY || paleo_json_size(v) != count)
		return paleo_json_fail(v, err, "expected an array of %d integers", count);
	for (v = paleo_json_first(v); v; v = paleo_json_next(v))
		PALEO_TRY(read_size(v, low, out++, err));
	return PALEO_OK;
}

int paleo_read_weights(const struct paleo_json *v, void *type, struct paleo_error *err)
{
	const char *word;
	struct paleo_error inner;
	int rc = paleo_json_to_string(v, &word, err);

	if (!rc && paleo_weight_type_parse(word, type, &inner))
		rc = paleo_json_fail(v, err, "%s", inner.text);
	return rc;
}

int paleo_read_cache_type(const struct paleo_json *v, void *kv, struct paleo_error *err)
{
	enum paleo_dtype dtype;
	const char *word;

	PALEO_TRY(paleo_json_to_string(v, &word, err));
	if (paleo_dtype_parse(word, &dtype, err))
		return paleo_json_fail(v, err, "unknown dtype '%s'", word);
	*(int *)kv = 1 + (int)dtype;
	return PALEO_OK;
}

int paleo_read_keep(const struct paleo_json *v, void *keep, struct paleo_error *err)
{
	int rc = paleo_json_to_double(v, 0, 1, keep, err);

	if (!rc && *(double *)keep == 0)
		return paleo_json_fail(v, err, "expected more than 0: nothing would be kept");
	return rc;
}

const struct paleo_shape *paleo_layer_in(const struct paleo_layer *l)
{
	return &l->parents[0]->out;
}

double paleo_layer_features(const struct paleo_layer *l)
{
	const struct paleo_shape *in = paleo_layer_in(l);

	return in->rank == 3 ? in->c : (double)in->c * in->h * in->w;
}

int paleo_shape_as_parent(struct paleo_layer *l, struct paleo_error *err)
{
	(void)err;
	l->out = *paleo_layer_in(l);
	return PALEO_OK;
}

int paleo_need_picture(const struct paleo_layer *l, struct paleo_error *err)
{
	char text[48];

	if (paleo_layer_in(l)->rank == 4)
		return PALEO_OK;
	paleo_shape_text(paleo_layer_in(l), text, sizeof(text));
	return paleo_fail(err, PALEO_EINPUT,
			  "'%s' needs a parent with [N, H, W, C], '%s' gives %s; put a Reshape "
			  "between them",
			  l->kind->type, l->parents[0]->name, text);
}

int paleo_need_sequence(const struct paleo_layer *l, struct paleo_error *err)
{
	char text[48];

	if (paleo_layer_in(l)->rank == 3)
		return PALEO_OK;
	paleo_shape_text(paleo_layer_in(l), text, sizeof(text));
	return paleo_fail(err, PALEO_EINPUT,
			  "'%s' needs a parent with [N, T, C], '%s' gives %s; put a Reshape "
			  "between them",
			  l->kind->type, l->parents[0]->name, text);
}

int paleo_check_dim(double size, const char *what, struct paleo_error *err)
{
	if (size >= 1 && size <= PALEO_DIM_MAX)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "%s would be %.0f, expected 1 to %d", what, size,
			  PALEO_DIM_MAX);
}

int paleo_check_tokens(const struct paleo_layer *l, struct paleo_error *err)
{
	double tokens = (double)l->out.n * l->out.h;

	if (l->out.rank != 3 || tokens <= PALEO_DIM_MAX)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "%d sequences of %d tokens are %.0f tokens, expected at most %d: take a "
			  "smaller batch or shorter sequences",
			  l->out.n, l->out.h, tokens, PALEO_DIM_MAX);
}

int paleo_eltwise_list(struct paleo_op_list *list, enum paleo_eltwise_op op, int inputs,
		       double count, enum paleo_pass pass, enum paleo_dtype dtype,
		       struct paleo_error *err)
{
	struct paleo_op w = {
		.kind = PALEO_ELTWISE,
		.pass = pass,
		.dtype = dtype,
		.geom.eltwise = {.op = op, .inputs = inputs, .count = count},
	};

	return paleo_op_list_add(list, paleo_eltwise_name(op), pass, &w, err);
}

int paleo_read_activation(const struct paleo_json *v, void *op, struct paleo_error *err)
{
	static const struct {
		const char *name;
		enum paleo_eltwise_op op;
	} known[] = {
		{"relu", PALEO_RELU},
		{"relu6", PALEO_RELU6},
		{"leaky_relu", PALEO_LEAKY_RELU},
		{"elu", PALEO_ELU},
		{"sigmoid", PALEO_SIGMOID},
		{"tanh", PALEO_TANH},
		{"gelu", PALEO_GELU},
		{"silu", PALEO_SILU},
		{"swish", PALEO_SILU},
		{"hardswish", PALEO_HARDSWISH},
	};
	enum {
		KNOWN = (int)(sizeof(known) / sizeof(known[0]))
	};
	const char *names[KNOWN + 1] = {NULL};
	const char *word;

	PALEO_TRY(paleo_json_to_string(v, &word, err));
	for (int i = 0; i < KNOWN; i++) {
		if (!strcmp(known[i].name, word)) {
			*(enum paleo_eltwise_op *)op = known[i].op;
			return PALEO_OK;
		}
		names[i] = known[i].name;
	}
	const char *near = paleo_nearest(word, names);
	if (near)
		return paleo_json_fail(v, err, "unknown activation '%s' (did you mean '%s'?)", word,
				       near);
	return paleo_json_fail(v, err,
			       "unknown activation '%s', expected relu, relu6, leaky_relu, elu, "
			       "sigmoid, tanh, gelu, silu, swish or hardswish",
			       word);
}
