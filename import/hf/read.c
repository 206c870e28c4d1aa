/* read.c - reads a config.json: finds its family and its parts, and its MLP's activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/hf/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct paleo_json *paleo_hf_get(const struct paleo_json *root, const char *key)
{
	const struct paleo_json *v = paleo_json_get(root, key);

	return v && paleo_json_type(v) != PALEO_JSON_NULL ? v : NULL;
}

int paleo_hf_is_word(const struct paleo_json *v, const char *word)
{
	const char *said;
	struct paleo_error none;

	return v && !paleo_json_to_string(v, &said, &none) && !strcmp(said, word);
}

int paleo_hf_to_int(const struct paleo_json *object, const char *key, int low, int *out,
		    struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(object, key);

	return v ? paleo_json_to_int(v, low, PALEO_HF_SIZE_MAX, out, err) : PALEO_OK;
}

int paleo_hf_to_flag(const struct paleo_json *object, const char *key, int *out,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_hf_get(object, key);

	return v ? paleo_json_to_bool(v, out, err) : PALEO_OK;
}

int paleo_hf_check(const struct paleo_hf_config *c, const struct paleo_hf_checked *sizes)
{
	for (; sizes->what; sizes++)
		if (!(sizes->size <= PALEO_HF_SIZE_MAX))
			return paleo_hf_fail(c, "%s of size %.0f: expected at most %d", sizes->what,
					     sizes->size, PALEO_HF_SIZE_MAX);
	return PALEO_OK;
}

void paleo_hf_say(struct paleo_hf_model *m, const char *format, ...)
{
	size_t used = strlen(m->note);
	va_list list;

	va_start(list, format);
	if (used + 1 < sizeof(m->note)) {
		m->note[used] = ' ';
		vsnprintf(m->note + used + 1, sizeof(m->note) - used - 1, format,
			  list); /* NOLINT */
	}
	va_end(list);
}

static int ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

/* Classes of the same sizes that are another model: heads that draft tokens. */
static int check_class(struct paleo_hf_config *c, const struct paleo_json *list)
{
	static const char *const drafts[] = {"Eagle", "EAGLE", "Medusa",     "Hydra",  "Draft",
					     "MTP",   "NextN", "Speculator", "MLPSpec"};
	static const char *const ends[] = {"ForCausalLM", "ForConditionalGeneration", "Model",
					   "LMHeadModel", "ForMaskedLM"};
	const struct paleo_json *v = list ? paleo_json_first(list) : NULL;
	const char *class = "";
	struct paleo_error none;
	int known = !v || paleo_json_to_string(v, &class, &none) || strstr(class, "For");

	for (size_t i = 0; i < sizeof(drafts) / sizeof(drafts[0]); i++)
		if (strstr(class, drafts[i]))
			return paleo_json_fail(
				v, c->err,
				"'%.60s' is a head that drafts tokens of another "
				"model, which is not supported; see --speculative of "
				"paleo serving",
				class);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		known |= ends_with(class, ends[i]);
	if (!known)
		paleo_hf_say(c->m, "the class '%.60s' in architectures is not known;", class);
	return PALEO_OK;
}

/* 1 if a file of an unknown family has the keys of a llama, and no others that may count. */
static int is_llama(struct paleo_hf_config *c)
{
	const char *needed = "hidden_size intermediate_size num_hidden_layers num_attention_heads"
			     " vocab_size";
	char key[PALEO_HF_KEY_BYTES];
	int has_all = 1;

	while (paleo_hf_next_word(&needed, key))
		has_all &= paleo_hf_get(c->root, key) != NULL;
	c->family = paleo_hf_family_find("llama");
	return has_all && (c->ignores_all || !paleo_hf_unknown_keys(c, c->root, NULL, 0));
}

static int find_family(struct paleo_hf_config *c)
{
	const struct paleo_json *class = paleo_hf_get(c->root, "architectures"), *v;
	const char *type;
	int rc = PALEO_OK;

	v = class && paleo_json_type(class) == PALEO_JSON_ARRAY ? paleo_json_first(class) : NULL;
	if (!v || paleo_hf_get(c->root, "model_type")) /* a text part may have its class alone */
		rc = paleo_json_need(c->root, "model_type", &v, c->err);
	if (!rc)
		rc = paleo_json_to_string(v, &type, c->err);
	if (rc)
		return rc;
	rc = check_class(c, class);
	c->family = rc ? NULL : paleo_hf_family_find(type);
	if (rc || c->family)
		return rc;
	const char *lacks = paleo_hf_family_lacks(type);
	if (lacks)
		return paleo_json_fail(
			v, c->err,
			"unsupported model_type '%s': it has %s; try an ONNX export of the model",
			type, lacks);
	if (is_llama(c)) {
		c->family = paleo_hf_family_find("llama");
		paleo_hf_say(c->m,
			     "model_type '%.40s' is not known: read as a llama, whose keys it has;",
			     type);
		return PALEO_OK;
	}
	return paleo_json_fail(v, c->err,
			       "unsupported model_type '%s'; docs/guide/transformers.md lists the "
			       "supported ones; or try an ONNX export of the model",
			       type);
}

/* Defaults of a family. */
static void begin(struct paleo_hf_config *c)
{
	const struct paleo_hf_family *f = c->family;

	c->m->is = f->is;
	c->m->activation = "gelu";
	c->m->bias = f->bias;
	c->m->head_dim = f->head_dim;
	c->weight_groups = f->weight_groups;
	c->buckets = f->buckets;
	c->parallel = c->asked_qk_norm = c->norm_before = c->places_join = -1;
	if (c->outer != c->root)
		paleo_hf_fill_sizes(c);
}

/* Position encoding of an encoder. */
static void read_positions(struct paleo_hf_config *c, const struct paleo_json *at)
{
	static const struct {
		const char *word;
		enum paleo_hf_positions positions;
	} known[] = {{"absolute", PALEO_HF_LEARNED},
		     {"rotary", PALEO_HF_ROTARY},
		     {"alibi", PALEO_HF_NO_POSITIONS}};
	const struct paleo_json *v = paleo_hf_get(at, "position_embedding_type");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && c->family->declared_positions;
	     i++)
		if (paleo_hf_is_word(v, known[i].word))
			c->m->is.positions = known[i].positions;
}

/* By the word of ours that costs as much. */
int paleo_hf_read_activation(struct paleo_hf_config *c, const struct paleo_json *v)
{
	static const struct {
		const char *words, *ours;
		int with_gate;
	} known[] = {
		{"silu swish swigluoai swiglu", "silu", 1},
		{"gelu gelu_new gelu_fast gelu_python quick_gelu gelu_pytorch_tanh", "gelu", 1},
		{"relu relu2", "relu", 0},
		{"xielu", "gelu", 0}};
	const int count = sizeof(known) / sizeof(known[0]);
	const char *word = "";
	int i = 0;

	PALEO_TRY(paleo_json_to_string(v, &word, c->err));
	if (!strncmp(word, "gated-", 6)) { /* T5's way to say it */
		word += 6;
		c->m->is.plain = 0;
	}
	while (i < count && !paleo_hf_is_in(known[i].words, word))
		i++;
	int plain = c->m->is.plain && !c->gated && !c->swiglu;
	if (i == count || (!known[i].with_gate && !plain && !c->family->relu_gate))
		return paleo_json_fail(v, c->err, "'%s' is not supported here, expected 'silu'",
				       word);
	c->m->activation = known[i].ours;
	return PALEO_OK;
}

/* Reads members of the file itself, and of its nested parts. */
static int read_members(struct paleo_hf_config *c)
{
	const char *parts = c->family->parts ? c->family->parts : "";
	char part[PALEO_HF_KEY_BYTES];
	int rc = paleo_hf_read_keys(c, c->root);

	read_positions(c, c->root);
	if (c->m->is.head_dense && paleo_hf_get(c->root, "local_attention"))
		c->window /= 2;
	while (!rc && paleo_hf_next_word(&parts, part)) {
		const struct paleo_json *at = paleo_hf_get(c->root, part);
		if (at && paleo_json_type(at) != PALEO_JSON_OBJECT)
			return paleo_json_fail(at, c->err, "expected an object");
		rc = at ? paleo_hf_read_keys(c, at) : PALEO_OK;
	}
	/* given once for text and images */
	if (!rc && !paleo_hf_get(c->root, "tie_word_embeddings"))
		rc = paleo_hf_to_flag(c->outer, "tie_word_embeddings", &c->m->is.tied, c->err);
	if (c->gated || c->swiglu)
		c->m->is.plain = 0;
	if (paleo_hf_is_word(c->feed_forward_type, "geglu")) { /* only the last GEMM has one */
		c->m->is.plain = 0;
		c->m->bias = (c->m->bias & ~PALEO_HF_BIAS_MLP) | PALEO_HF_BIAS_CONTRACT;
	}
	return rc;
}

/* The text part of a model that has others, or all of it. */
static const struct paleo_json *text_of(const struct paleo_json *root)
{
	const char *keys = "thinker_config text_config language_config llm_config";
	char key[PALEO_HF_KEY_BYTES];

	while (paleo_hf_next_word(&keys, key)) {
		const struct paleo_json *inner = paleo_hf_get(root, key);
		if (inner && paleo_json_type(inner) == PALEO_JSON_OBJECT)
			root = inner;
	}
	return root;
}

int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_hf_options *o, struct paleo_hf_model *m,
		  struct paleo_error *err)
{
	struct paleo_hf_config c = {.outer = root,
				    .root = text_of(root),
				    .m = m,
				    .err = err,
				    .ignores_all = o && o->ignore_keys};

	memset(m, 0, sizeof(*m));
	PALEO_TRY(find_family(&c));
	begin(&c);
	PALEO_TRY(read_members(&c));
	PALEO_TRY(paleo_hf_read_stored(&c, quantised, o && o->has_weights ? &o->weights : NULL));
	PALEO_TRY(paleo_hf_complete(&c));
	PALEO_TRY(paleo_hf_read_layers(&c));
	return paleo_hf_read_exceptions(&c);
}

int paleo_hf_is_config(const struct paleo_json *root)
{
	return paleo_json_type(root) == PALEO_JSON_OBJECT && !paleo_json_get(root, "layers") &&
	       paleo_json_get(root, "model_type");
}

int paleo_hf_convert(const struct paleo_json *root, const struct paleo_json *quantised,
		     const char *title, const struct paleo_hf_options *o, char **out,
		     struct paleo_error *err)
{
	struct paleo_hf_model *m = malloc(sizeof(*m));

	if (!m)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = paleo_hf_read(root, quantised, o, m, err);
	if (!rc)
		rc = paleo_hf_write(m, title, o, out, err);
	free(m);
	return rc;
}
