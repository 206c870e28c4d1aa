/* model_options.c - the options that say what of a config.json's model is wanted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/model_options.h"

#include <stdlib.h>
#include <string.h>

#include "model/import/import.h"
#include "tools/option_rows.h"

#define OF_CONFIG "of a config.json: "

const struct option_spec option_model_phase =
	TEXT("phase", 0, "P", OF_CONFIG "prefill, decode or train (default prefill)");

const struct option_spec option_model_seq =
	WHOLE("seq", 0, "N", 1, 1 << 24,
	      OF_CONFIG "new tokens of each sequence (default 1024; decoding 1)");

const struct option_spec option_model_source =
	WHOLE("source", 0, "N", 1, 1 << 24,
	      OF_CONFIG "tokens that an encoder reads for its decoder (default 1024, or the "
			"model's)");

const struct option_spec option_model_past =
	WHOLE("past", 0, "N", 1, 1 << 24,
	      OF_CONFIG "tokens that are in the cache already (default 0; decoding 1024)");

const struct option_spec option_model_tp =
	WHOLE("tp", 0, "N", 1, 1024,
	      OF_CONFIG "workers over which heads and inner sizes are divided; the times are "
			"those of one (default 1)");

const struct option_spec option_model_pp =
	WHOLE("pp", 0, "N", 1, 1024,
	      OF_CONFIG "stages of layers; the times are those of the last (default 1)");

const struct option_spec option_model_ep =
	WHOLE("ep", 0, "N", 1, 1024,
	      OF_CONFIG "workers over which experts are divided, each with a batch of its own "
			"(default 1)");

const struct option_spec option_model_weights =
	TEXT("weights", 0, "TYPE",
	     OF_CONFIG "number type of the products' weights (default: the file's)");

const struct option_spec option_model_kv =
	TEXT("kv", 0, "TYPE", OF_CONFIG "number type of the cache (default: that of the net)");

static size_t add_number(char *buf, size_t size, const char *name, int value)
{
	return value ? (size_t)snprintf(buf, size, "%s=%d,", name, value) : 0;
}

static size_t add_text(char *buf, size_t size, const char *name, const char *value)
{
	return value ? (size_t)snprintf(buf, size, "%s=%s,", name, value) : 0;
}

/* The words, with a comma behind the last; 0 if there are none. */
static size_t write_words(const struct model_options *o, char *buf, size_t size)
{
	const struct {
		const char *name;
		int value;
	} numbers[] = {{"seq", o->seq}, {"source", o->source}, {"past", o->past},
		       {"tp", o->tp},   {"pp", o->pp},         {"ep", o->ep}};
	size_t used = add_text(buf, size, "phase", o->phase);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		used += add_number(buf + used, size - used, numbers[i].name, numbers[i].value);
	used += add_text(buf + used, size - used, "weights", o->weights);
	return used + add_text(buf + used, size - used, "kv", o->kv);
}

int model_names_make(const struct model_options *o, const char *const *nets, int count,
		     struct model_names **out, struct paleo_error *err)
{
	size_t limit = MODEL_NAME_BYTES / 8; /* of the words */

	if (count > MODEL_NETS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%d nets are more than %d", count,
				  MODEL_NETS_MAX);
	if ((o->phase && strlen(o->phase) > 16) || (o->weights && strlen(o->weights) > 16) ||
	    (o->kv && strlen(o->kv) > 16))
		return paleo_fail(err, PALEO_EINPUT,
				  "--phase, --weights and --kv are short words (see --help)");
	struct model_names *names = malloc(sizeof(*names));
	if (!names)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++) {
		char *text = names->text[i];
		size_t length = strlen(nets[i]);
		names->items[i] = text;
		if (length + limit >= MODEL_NAME_BYTES) {
			free(names);
			return paleo_fail(err, PALEO_EINPUT, "the name of a net has %zu characters",
					  length);
		}
		memcpy(text, nets[i], length + 1);
		text[length] = paleo_import_words(nets[i]) ? ',' : ':';
		size_t words = write_words(o, text + length + 1, limit);
		/* without the last comma, or the colon */
		text[length + (words ? words : 0)] = '\0';
	}
	*out = names;
	return PALEO_OK;
}
