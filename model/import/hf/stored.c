/* stored.c - the number types of a config.json: of what is computed, and of weights. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

int paleo_hf_read_dtype(const struct paleo_json *root, const struct paleo_json *outer,
			struct paleo_hf_model *m, struct paleo_error *err)
{
	static const char *const keys[] = {"torch_dtype", "dtype"};
	const struct paleo_json *v = NULL;
	const char *word;

	m->dtype = PALEO_BF16;
	for (int i = 0; i < 4 && !v; i++)
		v = paleo_hf_get(i < 2 ? root : outer, keys[i % 2]);
	if (!v)
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &word, err);
	if (rc)
		return rc;
	if (!paleo_dtype_of_table(word, &m->dtype))
		return paleo_json_fail(v, err, "unknown number type '%s'", word);
	return PALEO_OK;
}

/* The word for the numbers that weights are stored in. */
static int read_method(const struct paleo_json *q, const struct paleo_json **v, const char **out,
		       struct paleo_error *err)
{
	*v = paleo_hf_get(q, "quant_algo");
	if (!*v) {
		int rc = paleo_json_need(q, "quant_method", v, err);
		if (rc)
			return rc;
	}
	int rc = paleo_json_to_string(*v, out, err);
	if (!rc && !strcmp(*out, "fp8") && paleo_hf_get(q, "weight_block_size"))
		*out = "fp8_block";
	return rc;
}

/* 1 if attention is not among the products whose weights are quantised. */
static int leaves_attention(const struct paleo_json *q)
{
	const struct paleo_json *list = paleo_hf_get(q, "modules_to_not_convert"), *v;
	struct paleo_error ignored;
	const char *word;

	for (v = list ? paleo_json_first(list) : NULL; v; v = paleo_json_next(v))
		if (!paleo_json_to_string(v, &word, &ignored) && strstr(word, "*.self_attn"))
			return 1;
	return 0;
}

/* Which numbers the products' weights are stored in. */
int paleo_hf_read_quantisation(const struct paleo_json *q, const struct paleo_weight_type *asked,
			       struct paleo_hf_model *m, struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *method;

	m->weights = asked ? *asked : (struct paleo_weight_type){0};
	struct paleo_error inner;
	if (!q)
		return PALEO_OK;
	m->only_experts = leaves_attention(q);
	if (asked)
		return PALEO_OK;
	int rc = read_method(q, &v, &method, err);
	if (rc || !paleo_weight_type_parse(method, &m->weights, &inner))
		return rc;
	return paleo_json_fail(v, err,
			       "weights of '%s' are not known; name a type with weights=", method);
}
