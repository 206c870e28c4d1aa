/* options.c - reads what of a model is wanted: "decode,past=4096,tp=2". */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/hf/hf.h"

enum {
	WORD_MAX = 32,
	SIZE_MAX_READ = 1 << 24
};

static const char *const phases[PALEO_HF_PHASES] = {"prefill", "decode", "train"};

#define AT(member) offsetof(struct paleo_hf_options, member)
static const struct {
	const char *name;
	size_t offset;
	int is_type; /* a number type's name, kept as 1 + its number */
} fields[] = {
	{"batch", AT(batch), 0},   {"seq", AT(seq), 0},
	{"source", AT(source), 0}, {"past", AT(past), 0},
	{"tp", AT(tp), 0},         {"pp", AT(pp), 0},
	{"ep", AT(ep), 0},         {"unfused", AT(unfused), 0},
	{"kv", AT(kv), 1},         {"weights", AT(has_weights), 1},
};

static int take_phase(const char *word, struct paleo_hf_options *o)
{
	for (int i = 0; i < PALEO_HF_PHASES; i++) {
		if (!strcmp(word, phases[i])) {
			o->phase = (enum paleo_hf_phase)i;
			return 1;
		}
	}
	return 0;
}

static int take_value(size_t i, const char *value, struct paleo_hf_options *o,
		      struct paleo_error *err)
{
	int *to = (int *)(void *)((char *)o + fields[i].offset);
	enum paleo_dtype dtype;
	char *end;

	if (to == &o->has_weights) {
		int rc = paleo_weight_type_parse(value, &o->weights, err);
		*to = rc ? *to : 1;
		return rc;
	}
	if (fields[i].is_type) {
		int rc = paleo_dtype_parse(value, &dtype, err);
		*to = rc ? *to : 1 + (int)dtype;
		return rc;
	}
	long number = strtol(value, &end, 10);
	if (end == value || *end || number < 1 || number > SIZE_MAX_READ)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is '%s', expected a whole number from 1 to %d",
				  fields[i].name, value, SIZE_MAX_READ);
	*to = (int)number;
	return PALEO_OK;
}

static int take(const char *word, struct paleo_hf_options *o, struct paleo_error *err)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : 0;

	if (take_phase(word, o) || (!strncmp(word, "phase=", 6) && take_phase(word + 6, o)))
		return PALEO_OK;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (equals && strlen(fields[i].name) == length &&
		    !strncmp(word, fields[i].name, length))
			return take_value(i, equals + 1, o, err);
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown word '%s', expected prefill, decode or train, or batch=, seq=, "
			  "source=, past=, tp=, pp=, ep=, unfused=, weights=, kv= with a value",
			  word);
}

int paleo_hf_options_read(const char *text, struct paleo_hf_options *o, struct paleo_error *err)
{
	while (*text) {
		char word[WORD_MAX];
		size_t length = strcspn(text, ",");
		if (length >= sizeof(word))
			return paleo_fail(err, PALEO_EINPUT, "'%.*s' is too long a word", WORD_MAX,
					  text);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		int rc = length ? take(word, o, err) : PALEO_OK;
		if (rc)
			return rc;
		text += length + (text[length] == ',');
	}
	return PALEO_OK;
}
