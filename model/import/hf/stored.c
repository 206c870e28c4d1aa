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

/* 1 if attention is not among the products whose weights are quantised: by a pattern of names, or
 * by the name of each layer's. */
static int leaves_attention(const struct paleo_json *q, int layers)
{
	static const char *const keys[] = {"modules_to_not_convert", "ignore",
					   "ignored_layers",         "exclude",
					   "skip_modules",           "llm_int8_skip_modules"};
	struct paleo_error ignored;
	const char *word;
	int named = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct paleo_json *list = paleo_hf_get(q, keys[i]), *v;
		for (v = list ? paleo_json_first(list) : NULL; v; v = paleo_json_next(v)) {
			if (paleo_json_to_string(v, &word, &ignored) || !strstr(word, "self_attn"))
				continue;
			if (strstr(word, "*.self_attn") || strstr(word, "*self_attn"))
				return 1;
			named++;
		}
	}
	return layers > 0 && named >= layers;
}

static int parse(const struct paleo_json *v, const char *word, struct paleo_weight_type *out,
		 struct paleo_error *err)
{
	struct paleo_error inner;

	if (!paleo_weight_type_parse(word, out, &inner))
		return PALEO_OK;
	return paleo_json_fail(v, err,
			       "weights of '%s' are not known; name a type with weights=", word);
}

/* Number types of their own, which experts alone may have: a list names each layer's by its place,
 * as "layers.3.ffn.experts". *mixed is 1 where there is such a list. */
static int read_list(const struct paleo_json *q, struct paleo_hf_model *m, int *mixed,
		     struct paleo_error *err)
{
	const struct paleo_json *algo = paleo_hf_get(q, "quant_algo"), *v = NULL;
	const struct paleo_json *list = paleo_hf_get(q, "quantized_layers");
	const char *word = "", *first = NULL;
	int rc = algo ? paleo_json_to_string(algo, &word, err) : PALEO_OK;

	*mixed = !rc && !strcmp(word, "MIXED_PRECISION") && list && paleo_hf_get(q, "quant_method");
	if (rc || !*mixed)
		return rc;
	for (v = paleo_json_first(list); v && !rc; v = paleo_json_next(v)) {
		const char *name = paleo_json_key(v), *dot = name ? strrchr(name, '.') : NULL;
		rc = paleo_json_need(v, "quant_algo", &algo, err);
		if (!rc)
			rc = paleo_json_to_string(algo, &word, err);
		first = first ? first : word;
		if (!rc && (!dot || strcmp(dot, ".experts") != 0 || strcmp(word, first) != 0))
			return paleo_json_fail(v, err,
					       "only experts, all of one type, are known to have "
					       "one of their own");
	}
	return rc || !first ? rc : parse(algo, first, &m->experts_weights, err);
}

/* The word of a key beside; 4 bits are in blocks of 32. */
static int read_experts(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(root, "expert_dtype");
	const char *word;

	if (!v || !paleo_hf_is_of(m, "expert_dtype"))
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &word, err);
	if (rc || !strcmp(word, "fp8"))
		return rc; /* as the other products */
	return parse(v, !strcmp(word, "fp4") ? "mxfp4" : word, &m->experts_weights, err);
}

/* Which numbers the products' weights are stored in. */
int paleo_hf_read_quantisation(const struct paleo_json *root, const struct paleo_json *q,
			       const struct paleo_weight_type *asked, struct paleo_hf_model *m,
			       struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *method;
	int mixed = 0;

	m->weights = asked ? *asked : (struct paleo_weight_type){0};
	if (q)
		m->only_experts = leaves_attention(q, m->layers);
	if (asked)
		return PALEO_OK;
	int rc = read_experts(root, m, err);
	if (!rc && q)
		rc = read_list(q, m, &mixed, err);
	if (!rc && q)
		rc = paleo_hf_read_method(q, mixed, &v, &method, err);
	return rc || !q ? rc : parse(v, method, &m->weights, err);
}
