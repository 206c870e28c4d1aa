/* methods.c - how tools that quantise say in a config.json what weights are stored in. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

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

/* A flag that is not there is 0. */
static int read_flag(const struct paleo_json *o, const char *key, int *out, struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(o, key);

	return v ? paleo_json_to_bool(v, out, err) : PALEO_OK;
}

/* A word, or NULL where there is none. */
static const char *word_of(const struct paleo_json *o, const char *key)
{
	const struct paleo_json *v = o ? paleo_hf_get(o, key) : NULL;
	struct paleo_error none;
	const char *word = NULL;

	return v && !paleo_json_to_string(v, &word, &none) ? word : NULL;
}

/* An object within others, or NULL. */
static const struct paleo_json *part_of(const struct paleo_json *o, const char *key)
{
	const struct paleo_json *v = o ? paleo_hf_get(o, key) : NULL;

	return v && paleo_json_type(v) == PALEO_JSON_OBJECT ? v : NULL;
}

static int read_number(const struct paleo_json *o, const char *key, int *out,
		       struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(o, key);

	return v ? paleo_json_to_int(v, -1, PALEO_HF_SIZE_MAX, out, err) : PALEO_OK;
}

/* Whole numbers alone: GPTQ, AWQ, AutoRound, HQQ, MLX. */
static int read_groups(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const char *const keys[] = {"bits", "w_bit", "nbits", "group_size", "q_group_size"};
	int at[2] = {0, 0}, rc = PALEO_OK; /* bits, size of a group */

	for (int i = 0; i < 5 && !rc; i++)
		rc = read_number(q, keys[i], &at[i / 3], err);
	const char *word = whole_numbers(at[0], at[1]);
	if (!rc && at[0] && !word)
		return paleo_json_fail(
			q, err,
			"weights of %d bits are not known; name a type with weights=", at[0]);
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

/* bitsandbytes: blocks of 64 have a scale of 32 bits, as many as two of 16 for 32; scales that are
 * quantised, too, have a quarter of that. */
static int read_bitsandbytes(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	int four = 0, eight = 0, twice = 0;
	int rc = read_flag(q, "load_in_4bit", &four, err);

	if (!rc)
		rc = read_flag(q, "load_in_8bit", &eight, err);
	if (!rc)
		rc = read_flag(q, "bnb_4bit_use_double_quant", &twice, err);
	if (four)
		*out = twice ? "int4_g128" : "int4_g32";
	else if (eight)
		*out = "int8";
	return rc;
}

static int read_hqq(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	const struct paleo_json *w = part_of(part_of(q, "quant_config"), "weight_quant_params");

	return w ? read_groups(w, out, err) : PALEO_OK;
}

/* torchao: a word, or the name of its settings with these beside it. */
static int read_torchao(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const struct {
		const char *word, *name, *stored; /* NULL: 4 bits in groups */
	} known[] = {
		{"int4_weight_only", "Int4WeightOnlyConfig", NULL},
		{"int8_dynamic_activation_int4_weight", "Int8DynamicActivationInt4WeightConfig",
		 NULL},
		{"int8_weight_only", "Int8WeightOnlyConfig", "int8"},
		{"int8_dynamic_activation_int8_weight", "Int8DynamicActivationInt8WeightConfig",
		 "w8a8"},
		{"float8_dynamic_activation_float8_weight",
		 "Float8DynamicActivationFloat8WeightConfig", "fp8"},
	};
	const struct paleo_json *all = part_of(part_of(q, "quant_type"), "default");
	const struct paleo_json *data = part_of(all, "_data");
	const char *word = word_of(q, "quant_type"), *name = word_of(all, "_type");
	int group = 128, rc = PALEO_OK;

	data = data ? data : part_of(q, "quant_type_kwargs");
	if (data)
		rc = read_number(data, "group_size", &group, err);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !rc; i++)
		if ((word && !strcmp(word, known[i].word)) ||
		    (name && !strcmp(name, known[i].name)))
			*out = known[i].stored ? known[i].stored : whole_numbers(4, group);
	return rc;
}

/* AMD's Quark: what holds for all layers. */
static int read_quark(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const struct {
		const char *word, *stored, *both; /* where activations are as narrow */
		int bits;                         /* of whole numbers in groups */
	} known[] = {{"fp8_e4m3", "fp8", "fp8", 0},
		     {"int8", "int8", "w8a8", 0},
		     {"fp4", "mxfp4", "mxfp4", 0},
		     {"int4", NULL, NULL, 4},
		     {"uint4", NULL, NULL, 4}};
	const struct paleo_json *all = part_of(q, "global_quant_config");
	const struct paleo_json *w = part_of(all, "weight");
	const char *word = word_of(w, "dtype"),
		   *x = word_of(part_of(all, "input_tensors"), "dtype");
	int group = 0, rc = w ? read_number(w, "group_size", &group, err) : PALEO_OK;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && word && !rc; i++)
		if (!strcmp(word, known[i].word))
			*out = known[i].bits           ? whole_numbers(known[i].bits, group)
			       : x && !strcmp(x, word) ? known[i].both
						       : known[i].stored;
	return rc;
}

/* The word itself, under another key. */
static int read_word(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const char *const keys[] = {"weights", "forward_dtype"};

	(void)err;
	for (int i = 0; i < 2; i++) {
		const char *word = word_of(q, keys[i]);
		if (word)
			*out = !strcmp(word, "float8") ? "fp8"
			       : !strcmp(word, "int4") ? "int4_g128"
						       : word;
	}
	return PALEO_OK;
}

static int read_fp8(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	(void)err;
	*out = paleo_hf_get(q, "weight_block_size") ? "fp8_block" : "fp8";
	return PALEO_OK;
}

/* THE list of tools' words, and what reads the rest of each; others are types' own names. */
static const struct {
	const char *word;
	int (*read)(const struct paleo_json *q, const char **out, struct paleo_error *err);
} methods[] = {
	{"awq", read_groups},
	{"gptq", read_groups},
	{"auto-round", read_groups},
	{"intel/auto-round", read_groups},
	{"compressed-tensors", read_config_groups},
	{"bitsandbytes", read_bitsandbytes},
	{"hqq", read_hqq},
	{"torchao", read_torchao},
	{"quark", read_quark},
	{"quanto", read_word},
	{"eetq", read_word},
	{"fp_quant", read_word},
	{"fp8", read_fp8},
	{"fbgemm_fp8", read_fp8},
};

/* Older files of bitsandbytes, and MLX's, name no tool. */
static int read_unnamed(const struct paleo_json *q, const struct paleo_json **v, const char **out,
			struct paleo_error *err)
{
	static const char *const marks[] = {"load_in_4bit", "load_in_8bit", "bits"};
	int i = 0;

	while (i < 3 && !paleo_hf_get(q, marks[i]))
		i++;
	if (i == 3)
		return paleo_json_need(q, "quant_method", v, err);
	*v = q;
	*out = i < 2 ? "bitsandbytes" : "mlx";
	return i < 2 ? read_bitsandbytes(q, out, err) : read_groups(q, out, err);
}

int paleo_hf_read_method(const struct paleo_json *q, int mixed, const struct paleo_json **v,
			 const char **out, struct paleo_error *err)
{
	*v = mixed ? NULL : paleo_hf_get(q, "quant_algo");
	if (!*v)
		*v = paleo_hf_get(q, "quant_method");
	if (!*v)
		return read_unnamed(q, v, out, err);
	int rc = paleo_json_to_string(*v, out, err);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]) && !rc; i++)
		if (!strcmp(*out, methods[i].word))
			return methods[i].read(q, out, err);
	return rc;
}
