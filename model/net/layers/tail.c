/* tail.c - epilogue of a layer: bias, normalisation, activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/tail.h"

#include <string.h>

#include "model/net/layers/common.h"

/* true, false, or the original's [outputs], which means true: its length until it is checked. */
int paleo_tail_read_bias(const struct paleo_json *v, void *bias, struct paleo_error *err)
{
	if (paleo_json_type(v) != PALEO_JSON_ARRAY)
		return paleo_json_to_bool(v, bias, err);
	return paleo_read_ints(v, 1, 1, bias, err);
}

int paleo_tail_read_norm(const struct paleo_json *v, void *tail, struct paleo_error *err)
{
	struct paleo_tail *t = tail;
	const char *word;

	if (paleo_json_type(v) == PALEO_JSON_NULL)
		return PALEO_OK;
	PALEO_TRY(paleo_json_to_string(v, &word, err));
	t->lrn_size = PALEO_LRN_SIZE;
	if (!strcmp(word, "batch_norm"))
		t->norm = PALEO_TAIL_BATCH_NORM;
	else if (!strcmp(word, "lrn"))
		t->norm = PALEO_TAIL_LRN;
	else
		return paleo_json_fail(
			v, err, "unknown normaliser '%s', expected 'batch_norm' or 'lrn'", word);
	return PALEO_OK;
}

int paleo_tail_read_norm_params(const struct paleo_json *v, void *tail, struct paleo_error *err)
{
	static const struct paleo_json_field batch_norm_keys[] = {
		PALEO_KEY_FLAG(struct paleo_tail, "scale", scale),
		{0},
	};
	static const struct paleo_json_field lrn_keys[] = {
		PALEO_KEY_OWN(struct paleo_tail, "size", lrn_size, paleo_lrn_read_size),
		{0},
	};
	const struct paleo_tail *t = tail;

	if (t->norm == PALEO_TAIL_NO_NORM)
		return paleo_json_fail(v, err, "requires 'normalizer_fn'");
	return paleo_json_fields_read(v, t->norm == PALEO_TAIL_LRN ? lrn_keys : batch_norm_keys,
				      NULL, tail, err);
}

int paleo_tail_read_activation(const struct paleo_json *v, void *tail, struct paleo_error *err)
{
	struct paleo_tail *t = tail;

	t->has_activation = paleo_json_type(v) != PALEO_JSON_NULL;
	return t->has_activation ? paleo_read_activation(v, &t->activation, err) : PALEO_OK;
}

int paleo_tail_check(const struct paleo_json *j, int outputs, struct paleo_tail *t,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(j, "bias");

	if (v && paleo_json_type(v) == PALEO_JSON_ARRAY && t->bias != outputs)
		return paleo_json_fail(v, err, "a bias of %d does not fit %d outputs", t->bias,
				       outputs);
	t->bias =
		v ? t->bias != 0 : t->norm != PALEO_TAIL_BATCH_NORM; /* its shift replaces a bias */
	return PALEO_OK;
}

static int norm_op(const struct paleo_tail *t, const struct paleo_layer *l, enum paleo_pass pass,
		   enum paleo_dtype dtype, struct paleo_op_list *list, struct paleo_error *err)
{
	const struct paleo_norm_geom norm = {
		.mode = PALEO_BATCH_NORM, .scale = t->scale, .shift = 1};

	switch (t->norm) {
	case PALEO_TAIL_BATCH_NORM:
		return paleo_norm_op(list, &norm, &l->out, pass, dtype, err);
	case PALEO_TAIL_LRN:
		return paleo_lrn_op(list, t->lrn_size, &l->out, pass, dtype, err);
	case PALEO_TAIL_NO_NORM:
		break;
	}
	return PALEO_OK;
}

static int activation_op(const struct paleo_tail *t, const struct paleo_layer *l,
			 enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_op_list *list,
			 struct paleo_error *err)
{
	if (!t->has_activation)
		return PALEO_OK;
	return paleo_eltwise_list(list, t->activation, 1, paleo_shape_count(&l->out), pass, dtype,
				  err);
}

int paleo_tail_forward(const struct paleo_tail *t, const struct paleo_layer *l,
		       enum paleo_dtype dtype, struct paleo_op_list *list, struct paleo_error *err)
{
	int rc = norm_op(t, l, PALEO_FWD, dtype, list, err);

	return rc ? rc : activation_op(t, l, PALEO_FWD, dtype, list, err);
}

int paleo_tail_backward(const struct paleo_tail *t, const struct paleo_layer *l,
			enum paleo_dtype dtype, struct paleo_op_list *list, struct paleo_error *err)
{
	int rc = activation_op(t, l, PALEO_BWD_DATA, dtype, list, err);

	return rc ? rc : norm_op(t, l, PALEO_BWD_DATA, dtype, list, err);
}

double paleo_tail_weights(const struct paleo_tail *t, int outputs)
{
	int per_output = t->bias;

	if (t->norm == PALEO_TAIL_BATCH_NORM)
		per_output += 1 + t->scale;
	return (double)per_output * outputs;
}
