/* tail.c - what may follow a layer's main work: bias, normalisation, activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/tail.h"

#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/norms.h"

/* The key's value, or NULL where it is missing or null. */
static const struct paleo_json *get_set(const struct paleo_json *j, const char *key)
{
	const struct paleo_json *v = paleo_json_get(j, key);

	return v && paleo_json_type(v) != PALEO_JSON_NULL ? v : NULL;
}

/* true, false, or the original's [outputs], which means true. */
static int parse_bias(const struct paleo_json *j, int outputs, struct paleo_tail *t,
		      struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(j, "bias");
	int length;

	t->bias = t->norm != PALEO_TAIL_BATCH_NORM; /* its shift does what a bias would */
	if (!v)
		return PALEO_OK;
	if (paleo_json_type(v) != PALEO_JSON_ARRAY)
		return paleo_json_to_bool(v, &t->bias, err);
	int rc = paleo_read_ints(v, 1, 1, &length, err);
	if (rc)
		return rc;
	if (length != outputs)
		return paleo_json_fail(v, err, "a bias of %d does not fit %d outputs", length,
				       outputs);
	t->bias = 1;
	return PALEO_OK;
}

static int parse_norm(const struct paleo_json *j, struct paleo_tail *t, struct paleo_error *err)
{
	const struct paleo_json *v = get_set(j, "normalizer_fn");
	const char *word;

	t->norm = PALEO_TAIL_NO_NORM;
	if (!v)
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &word, err);
	if (rc)
		return rc;
	if (!strcmp(word, "batch_norm"))
		t->norm = PALEO_TAIL_BATCH_NORM;
	else if (!strcmp(word, "lrn"))
		t->norm = PALEO_TAIL_LRN;
	else
		return paleo_json_fail(
			v, err, "unknown normaliser '%s', expected 'batch_norm' or 'lrn'", word);
	return PALEO_OK;
}

static int parse_norm_params(const struct paleo_json *j, struct paleo_tail *t,
			     struct paleo_error *err)
{
	static const char *const batch_norm_keys[] = {"scale", NULL};
	static const char *const lrn_keys[] = {"size", NULL};
	const struct paleo_json *v = paleo_json_get(j, "normalizer_params");

	t->scale = 0;
	t->lrn_size = PALEO_LRN_SIZE;
	if (!v)
		return PALEO_OK;
	if (t->norm == PALEO_TAIL_NO_NORM)
		return paleo_json_fail(v, err, "there is no 'normalizer_fn' to use them");
	int lrn = t->norm == PALEO_TAIL_LRN;
	int rc = paleo_json_only(v, lrn ? lrn_keys : batch_norm_keys, err);
	if (rc)
		return rc;
	return lrn ? paleo_lrn_read_size(v, &t->lrn_size, err)
		   : paleo_read_flag(v, "scale", &t->scale, err);
}

int paleo_tail_parse_activation(const struct paleo_json *j, struct paleo_tail *t,
				struct paleo_error *err)
{
	const struct paleo_json *v = get_set(j, "activation_fn");

	t->has_activation = v != NULL;
	return v ? paleo_read_activation(v, &t->activation, err) : PALEO_OK;
}

int paleo_tail_parse(const struct paleo_json *j, int outputs, struct paleo_tail *t,
		     struct paleo_error *err)
{
	int rc = parse_norm(j, t, err);

	if (!rc)
		rc = parse_norm_params(j, t, err);
	if (!rc)
		rc = parse_bias(j, outputs, t, err);
	if (!rc)
		rc = paleo_tail_parse_activation(j, t, err);
	return rc;
}

static int norm_work(const struct paleo_tail *t, const struct paleo_layer *l, enum paleo_pass pass,
		     enum paleo_dtype dtype, struct paleo_work_list *list, struct paleo_error *err)
{
	const struct paleo_norm_geom norm = {
		.mode = PALEO_BATCH_NORM, .scale = t->scale, .shift = 1};

	switch (t->norm) {
	case PALEO_TAIL_BATCH_NORM:
		return paleo_norm_work(list, &norm, &l->out, pass, dtype, err);
	case PALEO_TAIL_LRN:
		return paleo_lrn_work(list, t->lrn_size, &l->out, pass, dtype, err);
	case PALEO_TAIL_NO_NORM:
		break;
	}
	return PALEO_OK;
}

static int activation_work(const struct paleo_tail *t, const struct paleo_layer *l,
			   enum paleo_pass pass, enum paleo_dtype dtype,
			   struct paleo_work_list *list, struct paleo_error *err)
{
	if (!t->has_activation)
		return PALEO_OK;
	return paleo_eltwise_work(list, t->activation, 1, paleo_shape_count(&l->out), pass, dtype,
				  err);
}

int paleo_tail_forward(const struct paleo_tail *t, const struct paleo_layer *l,
		       enum paleo_dtype dtype, struct paleo_work_list *list,
		       struct paleo_error *err)
{
	int rc = norm_work(t, l, PALEO_FWD, dtype, list, err);

	return rc ? rc : activation_work(t, l, PALEO_FWD, dtype, list, err);
}

int paleo_tail_backward(const struct paleo_tail *t, const struct paleo_layer *l,
			enum paleo_dtype dtype, struct paleo_work_list *list,
			struct paleo_error *err)
{
	int rc = activation_work(t, l, PALEO_BWD_DATA, dtype, list, err);

	return rc ? rc : norm_work(t, l, PALEO_BWD_DATA, dtype, list, err);
}

double paleo_tail_weights(const struct paleo_tail *t, int outputs)
{
	int per_output = t->bias;

	if (t->norm == PALEO_TAIL_BATCH_NORM)
		per_output += 1 + t->scale;
	return (double)per_output * outputs;
}
