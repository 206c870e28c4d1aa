/* stored.c - dtypes in a config.json: of computation, and of weights, by quantisation tool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/hf/stored.h"

#include <string.h>

static int read_dtype(struct paleo_hf_config *c)
{
	static const char *const keys[] = {"torch_dtype", "dtype"};
	const struct paleo_json *v = NULL;
	const char *word;

	c->m->dtype = PALEO_BF16;
	for (int i = 0; i < 4 && !v; i++)
		v = paleo_hf_get(i < 2 ? c->root : c->outer, keys[i % 2]);
	if (!v)
		return PALEO_OK;
	PALEO_TRY(paleo_json_to_string(v, &word, c->err));
	if (!paleo_dtype_of_table(word, &c->m->dtype))
		return paleo_json_fail(v, c->err, "unknown dtype '%s'", word);
	return PALEO_OK;
}

enum {
	SCALE = 16, /* bits */
	WIDE = 16   /* a number of so many bits is not quantised */
};

/* Whole numbers with `each` bits more for a group of them; those of a whole row do not count. NULL:
 * not of so many bits. */
static const char *whole_numbers(int bits, int group, int each)
{
	return paleo_stored_whole(bits, group > 0 ? bits + (double)each / group : bits);
}

const struct paleo_json *paleo_hf_part_of(const struct paleo_json *o, const char *path)
{
	char key[PALEO_HF_KEY_BYTES];

	while (o && paleo_hf_next_word(&path, key))
		o = !strcmp(key, "*")                         ? paleo_json_first(o)
		    : paleo_json_type(o) == PALEO_JSON_OBJECT ? paleo_hf_get(o, key)
							      : NULL;
	return o;
}

const char *paleo_hf_word_of(const struct paleo_json *o, const char *path)
{
	const struct paleo_json *v = paleo_hf_part_of(o, path);
	struct paleo_error none;
	const char *word = NULL;

	return v && !paleo_json_to_string(v, &word, &none) ? word : NULL;
}

/* A number of an object, from -1; unchanged if missing. */
static int read_bits(const struct paleo_json *o, const char *key, int *out, struct paleo_error *err)
{
	return o && paleo_json_type(o) == PALEO_JSON_OBJECT ? paleo_hf_to_int(o, key, -1, out, err)
							    : PALEO_OK;
}

/* Next to a scale the checkpoints of tools that are named here have a zero of as many bits as a
 * number, also where all zeros are the same; the others an addend as wide as the scale. */
static int bits_of_group(const struct paleo_json *q, int bits)
{
	return SCALE + (paleo_hf_word_of(q, "quant_method") ? bits : SCALE);
}

int paleo_hf_read_groups(const struct paleo_json *q, const struct paleo_json *own, const char **out,
			 struct paleo_error *err)
{
	static const char *const bit_keys[] = {"bits", "w_bit", "nbits"};
	static const char *const group_keys[] = {"group_size", "q_group_size"};
	const struct paleo_json *const both[] = {q, own};
	const char *mode = paleo_hf_word_of(own ? own : q, "mode");
	int bits = 0, group = 128;

	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 3; k++)
			PALEO_TRY(read_bits(both[i], bit_keys[k], &bits, err));
		for (int k = 0; k < 2; k++)
			PALEO_TRY(read_bits(both[i], group_keys[k], &group, err));
	}
	const char *word = mode && strcmp(mode, "affine") != 0
				   ? mode
				   : whole_numbers(bits, group, bits_of_group(q, bits));
	if ((bits || own) && bits < WIDE && !word)
		return paleo_json_fail(
			own ? own : q, err,
			"weights of %d bits are not supported; set a type with weights=", bits);
	*out = word ? word : *out;
	return PALEO_OK;
}

/* GPTQ, AWQ, AutoRound, HQQ, MLX. */
static int read_groups(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	return paleo_hf_read_groups(q, NULL, out, err);
}

/* Whole numbers that say whether a group has a scale alone, as without a word. */
static const char *whole_numbers_of(const struct paleo_json *o, int bits, int group)
{
	const struct paleo_json *v = paleo_hf_part_of(o, "symmetric");
	struct paleo_error none;
	int alone = 1, rc = v ? paleo_json_to_bool(v, &alone, &none) : PALEO_OK;

	return whole_numbers(bits, group, SCALE + (rc || alone ? 0 : bits));
}

/* The type of numbers and their bits; without a type they are whole. */
static int read_numbers(const struct paleo_json *o, const char **word, int *bits,
			struct paleo_error *err)
{
	const struct paleo_json *type = paleo_hf_part_of(o, "type");
	int rc = type ? paleo_json_to_string(type, word, err) : PALEO_OK;

	return rc ? rc : read_bits(o, "num_bits", bits, err);
}

/* Floating numbers of so many bits in groups, or in blocks of both dimensions; NULL: not known. */
static const char *floating(int bits, int group, int blocks)
{
	return bits == 8   ? (blocks ? "fp8_block" : "fp8")
	       : bits == 4 ? (group == 32 ? "mxfp4" : "nvfp4")
			   : NULL;
}

/* compressed-tensors: a group of GEMMs. */
int paleo_hf_read_group(const struct paleo_json *group, const char **out, struct paleo_error *err)
{
	const struct paleo_json *w = paleo_hf_part_of(group, "weights");
	const struct paleo_json *x = w ? paleo_hf_part_of(group, "input_activations") : NULL;
	const char *word = "int", *x_word = "int";
	int bits = 0, x_bits = 0, size = 0;

	PALEO_TRY(read_numbers(w, &word, &bits, err));
	PALEO_TRY(read_bits(w, "group_size", &size, err));
	PALEO_TRY(read_numbers(x, &x_word, &x_bits, err));
	int both = bits == 8 && x_bits == 8 && !strcmp(x_word, "int");
	const char *found =
		!strcmp(word, "float")
			? floating(bits, size, paleo_hf_part_of(w, "block_structure") != NULL)
		: both ? "w8a8"
		       : whole_numbers_of(w, bits, size);
	*out = found ? found : *out;
	return PALEO_OK;
}

/* 1 if a group is of all GEMMs that no other group names. */
static int is_of_all(const struct paleo_json *group)
{
	const struct paleo_json *targets = paleo_hf_part_of(group, "targets");
	int found = !targets;

	for (const struct paleo_json *v = targets ? paleo_json_first(targets) : NULL; v;
	     v = paleo_json_next(v))
		found |= paleo_hf_is_word(v, "Linear");
	return found;
}

/* The group of all GEMMs, or else the first. */
static const struct paleo_json *most_of(const struct paleo_json *q)
{
	const struct paleo_json *groups = paleo_hf_part_of(q, "config_groups");
	const struct paleo_json *first = groups ? paleo_json_first(groups) : NULL;

	for (const struct paleo_json *v = first; v; v = paleo_json_next(v))
		if (is_of_all(v))
			return v;
	return first;
}

static int read_most(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	const struct paleo_json *group = most_of(q);

	return group ? paleo_hf_read_group(group, out, err) : PALEO_OK;
}

/* bitsandbytes: blocks of 64 have a scale of 32 bits, as many as two of 16 for 32; scales that are
 * quantised, too, have a quarter of that. */
static int read_bitsandbytes(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	int four = 0, eight = 0, twice = 0;

	PALEO_TRY(paleo_hf_to_flag(q, "load_in_4bit", &four, err));
	PALEO_TRY(paleo_hf_to_flag(q, "load_in_8bit", &eight, err));
	PALEO_TRY(paleo_hf_to_flag(q, "bnb_4bit_use_double_quant", &twice, err));
	if (four)
		*out = twice ? "int4_g128" : "int4_g32";
	else if (eight)
		*out = "int8";
	return PALEO_OK;
}

/* torchao: a word, or the name of its settings with these next to it. */
static int read_torchao(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const struct {
		const char *word, *name, *stored; /* NULL: 4 bits in groups */
		int each;                         /* bits with a group */
	} known[] = {
		{"int4_weight_only", "Int4WeightOnlyConfig", NULL, 2 * SCALE},
		{"int8_dynamic_activation_int4_weight", "Int8DynamicActivationInt4WeightConfig",
		 NULL, SCALE},
		{"int8_weight_only", "Int8WeightOnlyConfig", "int8", 0},
		{"int8_dynamic_activation_int8_weight", "Int8DynamicActivationInt8WeightConfig",
		 "w8a8", 0},
		{"float8_dynamic_activation_float8_weight",
		 "Float8DynamicActivationFloat8WeightConfig", "fp8", 0},
	};
	const struct paleo_json *data = paleo_hf_part_of(q, "quant_type default _data");
	const char *word = paleo_hf_word_of(q, "quant_type"),
		   *name = paleo_hf_word_of(q, "quant_type default _type");
	int group = 128, is_object = data && paleo_json_type(data) == PALEO_JSON_OBJECT;
	int rc = read_bits(is_object ? data : paleo_hf_part_of(q, "quant_type_kwargs"),
			   "group_size", &group, err);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !rc; i++)
		if ((word && !strcmp(word, known[i].word)) ||
		    (name && !strcmp(name, known[i].name)))
			*out = known[i].stored ? known[i].stored
					       : whole_numbers(4, group, known[i].each);
	return rc;
}

/* AMD's Quark: settings of all layers. */
int paleo_hf_read_quark(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const struct {
		const char *words, *stored, *both; /* where activations are as narrow */
	} known[] = {{"fp8_e4m3", "fp8", "fp8"},
		     {"int8", "int8", "w8a8"},
		     {"fp4", "mxfp4", "mxfp4"},
		     {"int4 uint4", NULL, NULL}}; /* in groups */
	const struct paleo_json *w = paleo_hf_part_of(q, "weight");
	const char *word = paleo_hf_word_of(q, "weight dtype"),
		   *x = paleo_hf_word_of(q, "input_tensors dtype");
	int group = 0, rc = read_bits(w, "group_size", &group, err);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && word && !rc; i++)
		if (paleo_hf_is_in(known[i].words, word))
			*out = !known[i].stored        ? whole_numbers_of(w, 4, group)
			       : x && !strcmp(x, word) ? known[i].both
						       : known[i].stored;
	return rc;
}

/* ModelOpt's, whose groups have no zeros. */
static int read_scaled(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	int group = 128, rc = read_bits(q, "group_size", &group, err);

	*out = whole_numbers(4, group, SCALE);
	return rc;
}

/* The word itself, under another key. */
static int read_word(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	static const char *const keys[] = {"weights", "forward_dtype"};

	(void)err;
	for (int i = 0; i < 2; i++) {
		const char *word = paleo_hf_word_of(q, keys[i]);
		if (word)
			*out = !strcmp(word, "float8") ? "fp8"
			       : !strcmp(word, "int4") ? whole_numbers(4, 128, 2 * SCALE)
						       : word;
	}
	return PALEO_OK;
}

static int read_fp8(const struct paleo_json *q, const char **out, struct paleo_error *err)
{
	(void)err;
	*out = floating(8, 0, paleo_hf_get(q, "weight_block_size") != NULL);
	return PALEO_OK;
}

/* Table of tools' words, with the reader of the rest of each; others are names of types. */
static const struct {
	const char *words, *path; /* path of the value, if it exists */
	int (*read)(const struct paleo_json *at, const char **out, struct paleo_error *err);
} methods[] = {
	{"awq gptq auto-round intel/auto-round", "", read_groups},
	{"W4A16_AWQ W4A8_AWQ", "", read_scaled},
	{"compressed-tensors", "", read_most},
	{"bitsandbytes", "", read_bitsandbytes},
	{"hqq", "quant_config weight_quant_params", read_groups},
	{"torchao", "", read_torchao},
	{"quark", "global_quant_config", paleo_hf_read_quark},
	{"quanto eetq fp_quant", "", read_word},
	{"fp8 fbgemm_fp8", "", read_fp8},
};

/* Older files of bitsandbytes, and MLX's, name no tool. */
static int read_unnamed(const struct paleo_json *q, const struct paleo_json **v, const char **out,
			struct paleo_error *err)
{
	int eight_or_four = paleo_hf_get(q, "load_in_4bit") || paleo_hf_get(q, "load_in_8bit");

	if (!eight_or_four && !paleo_hf_get(q, "bits"))
		return paleo_json_need(q, "quant_method", v, err);
	*v = q;
	*out = eight_or_four ? "bitsandbytes" : "mlx";
	return (eight_or_four ? read_bitsandbytes : read_groups)(q, out, err);
}

/* The word for the weights' storage type, at *v; in a list of `mixed` types that of the others. */
static int read_method(const struct paleo_json *q, int mixed, const struct paleo_json **v,
		       const char **out, struct paleo_error *err)
{
	*v = mixed ? NULL : paleo_hf_get(q, "quant_algo");
	if (!*v)
		*v = paleo_hf_get(q, "quant_method");
	if (!*v)
		return read_unnamed(q, v, out, err);
	int rc = paleo_json_to_string(*v, out, err);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]) && !rc; i++)
		if (paleo_hf_is_in(methods[i].words, *out)) {
			const struct paleo_json *at = paleo_hf_part_of(q, methods[i].path);
			return at ? methods[i].read(at, out, err) : PALEO_OK;
		}
	return rc;
}

int paleo_hf_parse_type(const struct paleo_json *v, const char *word, struct paleo_weight_type *out,
			struct paleo_error *err)
{
	struct paleo_error inner;

	if (!paleo_weight_type_parse(word, out, &inner))
		return PALEO_OK;
	return paleo_json_fail(v, err,
			       "weights of '%s' are not supported; set a type with weights=", word);
}

/* *mixed is 1 where a list gives each module its type. */
static int read_mixed(const struct paleo_json *q, int *mixed, struct paleo_error *err)
{
	const struct paleo_json *algo = paleo_hf_get(q, "quant_algo");
	const char *word = "";
	int rc = algo ? paleo_json_to_string(algo, &word, err) : PALEO_OK;

	*mixed = !rc && !strcmp(word, "MIXED_PRECISION") && paleo_hf_get(q, "quantized_layers");
	return rc;
}

/* 1 if the scales of activations are in the checkpoint: as of weights in fp8 and nvfp4 by most
 * tools, where the file does not say that they are found at run time. Those of blocks, and of
 * tokens in w8a8, always are. */
static int knows_scales(const struct paleo_hf_model *m, const struct paleo_json *q)
{
	static const char *const paths[] = {"config_groups * input_activations dynamic",
					    "global_quant_config input_tensors is_dynamic"};
	const struct paleo_weight_type *t = &m->weights[0];
	const char *scheme = q ? paleo_hf_word_of(q, "activation_scheme") : NULL;
	const char *method = q ? paleo_hf_word_of(q, "quant_method") : NULL;
	struct paleo_error none;

	if (t->stored && paleo_stored_cores(t->stored) != PALEO_CORES_FP4)
		return 0;
	for (int i = 0; q && i < 2; i++) {
		const struct paleo_json *v = paleo_hf_part_of(q, paths[i]);
		int is_dynamic = 0;
		if (v && !paleo_json_to_bool(v, &is_dynamic, &none) && is_dynamic)
			return 0;
	}
	return !(scheme && !strcmp(scheme, "dynamic")) &&
	       !(method && paleo_hf_is_in("fbgemm_fp8 torchao", method));
}

/* The object that describes weight storage, or NULL. */
static const struct paleo_json *stored_of(const struct paleo_hf_config *c,
					  const struct paleo_json *quantised)
{
	static const char *const keys[] = {"quantization_config", "quantization"};
	const struct paleo_json *q = paleo_hf_get(c->root, keys[0]);

	if (!q && quantised)
		return paleo_hf_get(quantised, keys[1]);
	for (int i = 0; i < 4 && !q; i++)
		q = paleo_hf_get(i < 2 ? c->outer : c->root, keys[i % 2]);
	return q;
}

/* 1 if a file says nothing of a module that is stored in the type of the rest: of a mixed one that
 * lists all, or one whose groups are of named GEMMs. */
static int lists_all(const struct paleo_json *q, int mixed)
{
	const struct paleo_json *group = most_of(q);
	const char *method = paleo_hf_word_of(q, "quant_method");

	return (mixed && (!method || !strcmp(method, "modelopt"))) ||
	       (group && !is_of_all(group)) || paleo_hf_get(q, "modules_in_block_to_quantize");
}

int paleo_hf_read_stored(struct paleo_hf_config *c, const struct paleo_json *quantised,
			 const struct paleo_weight_type *asked)
{
	const struct paleo_json *q = stored_of(c, quantised), *v = NULL;
	struct paleo_hf_model *m = c->m;
	const char *method = "";
	int mixed = 0;

	PALEO_TRY(read_dtype(c));
	m->type_count = 2; /* and {0}, which is the net's */
	m->head_stored = 1;
	c->quantised = q;
	c->asked = asked != NULL;
	PALEO_TRY(q ? read_mixed(q, &mixed, c->err) : PALEO_OK);
	c->lists_all = q && lists_all(q, mixed);
	if (asked)
		m->weights[0] = *asked;
	if (asked || !q) {
		m->codes = knows_scales(m, NULL);
		return PALEO_OK;
	}
	int rc = mixed && c->lists_all ? PALEO_OK : read_method(q, mixed, &v, &method, c->err);
	if (!rc && v)
		rc = paleo_hf_parse_type(v, method, &m->weights[0], c->err);
	m->codes = !rc && knows_scales(m, q);
	return rc;
}
