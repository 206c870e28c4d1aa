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
	static const char *const keys[] = {"modules_to_not_convert", "ignore"};
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

/* Whole numbers of 4 or 8 bits, with a scale for each group of them; a group of -1 is a row. */
static const char *whole_numbers(int bits, int group)
{
	if (bits == 8)
		return "int8";
	if (bits != 4)
		return NULL;
	if (group > 0 && group <= 32)
		return "int4_g32";
	return group > 0 && group <= 64 ? "int4_g64" : "int4_g128";
}

static int read_number(const struct paleo_json *o, const char *key, int *out,
		       struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(o, key);

	return v ? paleo_json_to_int(v, -1, PALEO_HF_SIZE_MAX, out, err) : PALEO_OK;
}

/* GPTQ and AWQ: whole numbers alone. */
static int read_groups(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const char *const keys[] = {"bits", "w_bit", "group_size", "q_group_size"};
	int at[2] = {0, 0}, rc = PALEO_OK; /* bits, size of a group */

	for (int i = 0; i < 4 && !rc; i++)
		rc = read_number(q, keys[i], &at[i / 2], err);
	const char *word = whole_numbers(at[0], at[1]);
	*out = word ? word : *out;
	return rc;
}

/* 1 if activations become whole numbers of as many bits, too. */
static int has_whole_activations(const struct paleo_json *group, int bits, int *out,
				 struct paleo_error *err)
{
	const struct paleo_json *x = paleo_hf_get(group, "input_activations");
	const struct paleo_json *type = x ? paleo_hf_get(x, "type") : NULL;
	const char *word = "int";
	int x_bits = 0;
	int rc = type ? paleo_json_to_string(type, &word, err) : PALEO_OK;

	if (!rc && x)
		rc = read_number(x, "num_bits", &x_bits, err);
	*out = x_bits == bits && !strcmp(word, "int");
	return rc;
}

/* compressed-tensors: the first group of products stands for all. */
static int read_config_groups(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	const struct paleo_json *groups = paleo_hf_get(q, "config_groups");
	const struct paleo_json *first = groups ? paleo_json_first(groups) : NULL;
	const struct paleo_json *w = first ? paleo_hf_get(first, "weights") : NULL;
	const struct paleo_json *type = w ? paleo_hf_get(w, "type") : NULL;
	const char *word = "int", *found = NULL;
	int bits = 0, group = 0, whole = 0;
	int rc = type ? paleo_json_to_string(type, &word, err) : PALEO_OK;

	if (!rc && w)
		rc = read_number(w, "num_bits", &bits, err);
	if (!rc && w)
		rc = read_number(w, "group_size", &group, err);
	if (!rc && w)
		rc = has_whole_activations(first, bits, &whole, err);
	if (rc || !w)
		return rc;
	if (strcmp(word, "float") != 0)
		found = whole && bits == 8 ? "w8a8" : whole_numbers(bits, group);
	else if (bits == 8)
		found = paleo_hf_get(w, "block_structure") ? "fp8_block" : "fp8";
	else if (bits == 4)
		found = group == 32 ? "mxfp4" : "nvfp4";
	*out = found ? found : *out;
	return PALEO_OK;
}

/* The word for the numbers that weights are stored in. */
static int read_method(const struct paleo_json *q, int mixed, const struct paleo_json **v,
		       const char **out, struct paleo_error *err)
{
	*v = mixed ? NULL : paleo_hf_get(q, "quant_algo");
	if (!*v) {
		int rc = paleo_json_need(q, "quant_method", v, err);
		if (rc)
			return rc;
	}
	int rc = paleo_json_to_string(*v, out, err);
	if (!rc && (!strcmp(*out, "awq") || !strcmp(*out, "gptq")))
		rc = read_groups(q, out, err);
	if (!rc && !strcmp(*out, "compressed-tensors"))
		rc = read_config_groups(q, out, err);
	if (!rc && !strcmp(*out, "fp8") && paleo_hf_get(q, "weight_block_size"))
		*out = "fp8_block";
	return rc;
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
		rc = read_method(q, mixed, &v, &method, err);
	return rc || !q ? rc : parse(v, method, &m->weights, err);
}
