/* exceptions.c - modules that a config.json stores in types of their own, by quantisation tool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/hf/modules.h"
#include "import/hf/stored.h"

/* The number of a type among the model's, which is added if need be. */
static int add_type(struct paleo_hf_model *m, const struct paleo_weight_type *t)
{
	for (int i = 0; i < m->type_count; i++)
		if (m->weights[i].dtype == t->dtype && m->weights[i].stored == t->stored)
			return i;
	if (m->type_count == PALEO_HF_TYPES)
		return -1;
	m->weights[m->type_count] = *t;
	return m->type_count++;
}

/* The word of an accompanying key; 4 bits are in blocks of 32. */
static int read_experts(const struct paleo_hf_config *c, struct paleo_weight_type *experts)
{
	const char *word = "fp8";
	int rc = c->expert_dtype ? paleo_json_to_string(c->expert_dtype, &word, c->err) : PALEO_OK;

	if (rc || !strcmp(word, "fp8"))
		return rc; /* like the other GEMMs */
	return paleo_hf_parse_type(c->expert_dtype, !strcmp(word, "fp4") ? "mxfp4" : word, experts,
				   c->err);
}

/* State of reading exceptions. */
struct exceptions {
	struct paleo_hf_config *c;
	struct paleo_hf_modules *modules;
	const struct paleo_json *q;
	int whole; /* 1: names are whole */
};

/* Stores modules in a type by its word; "" is that of most, NULL the net's. */
static int put(const struct exceptions *e, const struct paleo_json *v, const char *text,
	       enum paleo_hf_match match, const char *word)
{
	struct paleo_weight_type t = {0};
	int is_most = word && (!*word || e->c->asked);
	int rc = word && !is_most ? paleo_hf_parse_type(v, word, &t, e->c->err) : PALEO_OK;
	int type = is_most ? 0 : word ? add_type(e->c->m, &t) : 1;

	if (!rc && type < 0)
		return paleo_json_fail(v, e->c->err, "more than %d types of weights",
				       PALEO_HF_TYPES);
	return rc ? rc : paleo_hf_modules_set(e->modules, v, text, match, type);
}

/* The texts of a list, or of lists in it. */
static int put_list(const struct exceptions *e, const struct paleo_json *list, const char *word)
{
	enum paleo_hf_match match = e->whole ? PALEO_HF_MATCH_NAME : PALEO_HF_MATCH_PART;
	const char *text = "";

	for (const struct paleo_json *v = list ? paleo_json_first(list) : NULL; v;
	     v = paleo_json_next(v)) {
		int nested = paleo_json_type(v) == PALEO_JSON_ARRAY;
		for (const struct paleo_json *w = nested ? paleo_json_first(v) : NULL; w;
		     w = paleo_json_next(w)) {
			PALEO_TRY(paleo_json_to_string(w, &text, e->c->err));
			PALEO_TRY(put(e, w, text, match, word));
		}
		if (nested)
			continue;
		PALEO_TRY(paleo_json_to_string(v, &text, e->c->err));
		if (match != PALEO_HF_MATCH_NAME || strcmp(text, "Linear") != 0)
			PALEO_TRY(put(e, v, text, match, word));
	}
	return PALEO_OK;
}

/* Modules that are not quantised, by the keys of all tools. */
static int put_ignored(const struct exceptions *e)
{
	const char *keys = "modules_to_not_convert ignore ignored_layers exclude skip_modules"
			   " llm_int8_skip_modules exclude_modules";
	char key[PALEO_HF_KEY_BYTES];

	while (paleo_hf_next_word(&keys, key)) {
		const struct paleo_json *list = paleo_hf_get(e->q, key);
		if (list && paleo_json_type(list) != PALEO_JSON_ARRAY)
			return paleo_json_fail(list, e->c->err, "expected a list of names");
		PALEO_TRY(put_list(e, list, NULL));
	}
	return PALEO_OK;
}

/* compressed-tensors: groups that name GEMMs. */
static int put_groups(const struct exceptions *e)
{
	const struct paleo_json *groups = paleo_hf_part_of(e->q, "config_groups");

	for (const struct paleo_json *v = groups ? paleo_json_first(groups) : NULL; v;
	     v = paleo_json_next(v)) {
		const char *word = NULL;
		PALEO_TRY(paleo_hf_read_group(v, &word, e->c->err));
		PALEO_TRY(put_list(e, paleo_hf_part_of(v, "targets"), word));
	}
	return PALEO_OK;
}

/* The word of a module's own settings; NULL: it is not quantised. */
static int read_own(const struct exceptions *e, const struct paleo_json *v, const char **word)
{
	*word = NULL;
	if (paleo_json_type(v) != PALEO_JSON_OBJECT)
		return PALEO_OK; /* false, or null */
	if (paleo_hf_get(v, "weight"))
		return paleo_hf_read_quark(v, word, e->c->err);
	if (paleo_hf_get(v, "quant_algo")) {
		*word = paleo_hf_word_of(v, "quant_algo");
		return PALEO_OK;
	}
	return paleo_hf_read_groups(e->q, v, word, e->c->err);
}

/* Objects of settings by module: of GPTQ, where '-' means none; AutoRound; Quark; ModelOpt; and
 * MLX, next to its other keys. */
static int put_own(const struct exceptions *e, const struct paleo_json *object)
{
	for (const struct paleo_json *v = object ? paleo_json_first(object) : NULL; v;
	     v = paleo_json_next(v)) {
		const char *text = paleo_json_key(v), *word = NULL;
		int sign = (text[0] == '-' || text[0] == '+') && text[1] == ':';
		if (object == e->q && !strchr(text, '.') && strcmp(text, "lm_head") != 0)
			continue;
		PALEO_TRY(sign && text[0] == '-' ? PALEO_OK : read_own(e, v, &word));
		PALEO_TRY(put(e, v, sign ? text + 2 : text,
			      object == paleo_hf_get(e->q, "dynamic") ? PALEO_HF_MATCH_REGEX
								      : PALEO_HF_MATCH_PART,
			      word));
	}
	return PALEO_OK;
}

/* Experts whose type an accompanying key gives. */
static int put_experts(const struct exceptions *e)
{
	struct paleo_weight_type t = {0};
	int rc = e->c->asked ? PALEO_OK : read_experts(e->c, &t);

	if (rc || !(t.dtype || t.stored))
		return rc;
	return put(e, e->c->expert_dtype, "experts", PALEO_HF_MATCH_PART,
		   paleo_weight_type_name(&t, e->c->m->dtype));
}

static int put_all(const struct exceptions *e)
{
	static const char *const objects[] = {"dynamic", "extra_config", "layer_quant_config",
					      "quantized_layers"};
	int rc = e->q ? put_ignored(e) : PALEO_OK;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]) && e->q && !rc; i++)
		rc = put_own(e, paleo_hf_get(e->q, objects[i]));
	if (!rc && e->q)
		rc = put_groups(e);
	if (!rc && e->q && !paleo_hf_get(e->q, "quant_method"))
		rc = put_own(e, e->q);
	if (!rc && e->q && paleo_hf_get(e->q, "modules_in_block_to_quantize"))
		rc = put_list(e, paleo_hf_get(e->q, "modules_in_block_to_quantize"), "");
	return rc ? rc : put_experts(e);
}

int paleo_hf_read_exceptions(struct paleo_hf_config *c)
{
	const struct paleo_json *q = c->quantised;
	struct exceptions e = {.c = c, .q = q};
	const char *method = q ? paleo_hf_word_of(q, "quant_method") : NULL;
	int head = 0, rc = PALEO_OK;

	if (!q && !c->expert_dtype)
		return PALEO_OK;
	e.whole = method && !strcmp(method, "compressed-tensors");
	const struct paleo_json *own = q ? paleo_hf_part_of(q, "lm_head") : NULL;
	if (own && paleo_json_type(own) == PALEO_JSON_BOOL)
		rc = paleo_json_to_bool(own, &head, c->err);
	/* these tools list the head where they leave it out */
	head |= q && !c->m->is.tied &&
		(e.whole || (!method && paleo_hf_get(q, "bits")) || paleo_hf_get(q, "quant_algo"));
	c->m->head_stored = !head || c->lists_all;
	if (!rc)
		rc = paleo_hf_modules_new(c, &e.modules);
	if (!rc)
		rc = put_all(&e);
	if (!rc)
		rc = paleo_hf_modules_end(e.modules, q ? q : c->expert_dtype, c->lists_all);
	paleo_hf_modules_free(e.modules);
	return rc;
}
