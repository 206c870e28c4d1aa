/* checks.c - compares a net's weights with what else its file, or one next to it, has. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/checks.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "import/hf/hf.h"

enum {
	SENTENCE = 300,
	DIGITS = 40
};

/* Adds a sentence to the net's note. */
static int say(struct paleo_net *net, struct paleo_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int say(struct paleo_net *net, struct paleo_error *err, const char *format, ...)
{
	const size_t used = net->note ? strlen(net->note) : 0;
	char *note = realloc(net->note, used + SENTENCE);
	va_list list;

	if (!note)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	net->note = note;
	memcpy(note + used, "; ", 3);
	va_start(list, format);
	vsnprintf(note + (used ? used + 2 : 0), SENTENCE - 2, format, list); /* NOLINT */
	va_end(list);
	return PALEO_OK;
}

/* Weights of a tower that takes pictures; 0: of another kind. */
static double tower_weights(const struct paleo_json *tower)
{
	struct paleo_hf_model *m = paleo_hf_is_config(tower) ? malloc(sizeof(*m)) : NULL;
	const struct paleo_hf_options o = {0};
	struct paleo_net *net = NULL;
	struct paleo_error none;
	char *text = NULL;
	double weights = 0;

	if (m && !paleo_hf_read(tower, NULL, NULL, m, &none) && m->is.pictures &&
	    !paleo_hf_write(m, "tower", &o, &text, &none) &&
	    !paleo_net_parse("tower", text, strlen(text), 0, &net, &none))
		weights = paleo_net_weights(net);
	paleo_net_free(net);
	free(text);
	free(m);
	return weights;
}

static int is_object(const struct paleo_json *v)
{
	return v && paleo_json_type(v) == PALEO_JSON_OBJECT;
}

static int check_towers(const struct paleo_json *root, struct paleo_net *net,
			struct paleo_error *err)
{
	static const char *const keys[] = {"vision_config", "audio_config", "speech_config",
					   "talker_config"};
	const struct paleo_json *inner = paleo_json_get(root, "thinker_config");

	root = is_object(inner) ? inner : root;
	if (!is_object(paleo_json_get(root, "text_config")) &&
	    !is_object(paleo_json_get(root, "llm_config")) &&
	    !is_object(paleo_json_get(root, "language_config")))
		return PALEO_OK;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct paleo_json *tower = paleo_json_get(root, keys[i]);
		const double own = paleo_net_weights(net),
			     more = is_object(tower) ? tower_weights(tower) : 0;
		char digits[DIGITS];
		if (!is_object(tower) || !paleo_json_first(tower))
			continue;
		paleo_group_digits(more, digits, sizeof(digits));
		PALEO_TRY(more > 0 ? say(net, err,
					 "the text part alone, %.0f %% of the weights: %s, with %s "
					 "weights, is left out",
					 100 * own / (own + more), keys[i], digits)
				   : say(net, err, "the text part alone: %s is left out", keys[i]));
	}
	return PALEO_OK;
}

/* The bytes of all tensors, of the index next to a file called config.json; 0: none. */
static double index_bytes(const char *file)
{
	static const char config[] = "config.json", index[] = "model.safetensors.index.json";
	const size_t length = strlen(file), end = strlen(config);
	struct paleo_json_doc *doc = NULL;
	const struct paleo_json *v = NULL;
	char path[PATH_MAX + 32];
	struct paleo_error none;
	double bytes = 0;

	if (length < end || strcmp(file + length - end, config) != 0 ||
	    (length > end && file[length - end - 1] != '/'))
		return 0;
	snprintf(path, sizeof(path), "%.*s%s", (int)(length - end), file, index);
	if (access(path, R_OK) || paleo_json_load(path, &doc, &none))
		return 0;
	v = paleo_json_get(paleo_json_root(doc), "metadata");
	v = is_object(v) ? paleo_json_get(v, "total_size") : NULL;
	if (v && paleo_json_to_double(v, 0, 1e18, &bytes, &none))
		bytes = 0;
	paleo_json_free(doc);
	return bytes;
}

static int check_index(const char *file, struct paleo_net *net, struct paleo_error *err)
{
	const enum paleo_dtype dtype = net->dtype ? (enum paleo_dtype)(net->dtype - 1) : PALEO_F32;
	const double has = index_bytes(file), own = paleo_net_weight_bytes(net, dtype);

	if (!(has > 0) || fabs(own - has) <= 0.02 * has)
		return PALEO_OK;
	return say(
		net, err, "weights of %.3f GB, but the checkpoint's index has %.3f GB, %.0f %% %s",
		own * 1e-9, has * 1e-9, 100 * fabs(own - has) / has, own < has ? "more" : "less");
}

int paleo_check_config(const struct paleo_json *root, const char *file,
		       const struct paleo_hf_options *o, struct paleo_net *net,
		       struct paleo_error *err)
{
	int rc = check_towers(root, net, err);

	if (rc || o->tp > 1 || o->pp > 1 || o->ep > 1 || o->has_weights || o->alike)
		return rc;
	return check_index(file, net, err);
}

int paleo_check_floats(double floats, struct paleo_net *net, struct paleo_error *err)
{
	const double own = paleo_net_weights(net);
	char has[DIGITS], counts[DIGITS];

	if (own >= 0.9 * floats)
		return PALEO_OK;
	paleo_group_digits(floats, has, sizeof(has));
	paleo_group_digits(own, counts, sizeof(counts));
	return say(net, err,
		   "%s weights, but the file has %s floating-point numbers: %.0f %% are tables, or "
		   "learned and not counted",
		   counts, has, 100 * (1 - own / floats));
}
