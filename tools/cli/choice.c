/* choice.c - what several commands make of their options: combinations, names of networks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/cli/choice.h"

#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "model/device/link.h"
#include "model/net/net.h"
#include "model/predict/predict.h"
#include "paleo/net.h"
#include "tools/cli/options.h"
#include "tools/session/session.h"

const unsigned choice_pass_bits[] = {PALEO_PASSES_ALL, PALEO_PASSES_FWD, PALEO_PASSES_BWD,
				     1u << PALEO_PASS_UPDATE};

static int at_least_one(int count)
{
	return count ? count : 1;
}

int choice_combinations(const struct choice_lists *l)
{
	return at_least_one(l->batches.count) * at_least_one(l->seqs.count) *
	       at_least_one(l->layouts.count) * at_least_one(l->dtypes.count);
}

struct choice_combination choice_combination(const struct choice_lists *l, int i)
{
	int batches = at_least_one(l->batches.count), seqs = at_least_one(l->seqs.count);
	int layouts = at_least_one(l->layouts.count);

	return (struct choice_combination){
		.batch = l->batches.items[i % batches],
		.seq = l->seqs.items[i / batches % seqs],
		.layout = l->layouts.items[i / batches / seqs % layouts],
		.dtype = l->dtypes.count ? l->dtypes.items[i / batches / seqs / layouts]
					 : CHOICE_DTYPE_OWN,
	};
}

int choice_own_dtype(const char *const *nets, int count, int batch, int *dtype,
		     struct paleo_net **first, struct paleo_error *err)
{
	int own = PALEO_F32;

	for (int i = 0; *dtype == CHOICE_DTYPE_OWN && i < count; i++) {
		struct paleo_net *net = NULL;

		PALEO_TRY(paleo_net_open(nets[i], batch, &net, err));
		enum paleo_dtype type = paleo_net_dtype(net);
		if (first && i == 0)
			*first = net;
		else
			paleo_net_free(net);
		if (i && (int)type != own)
			return paleo_fail(err, PALEO_EINPUT,
					  "the networks have different dtypes, %s and %s: choose "
					  "one with --dtype",
					  paleo_dtype_name((enum paleo_dtype)own),
					  paleo_dtype_name(type));
		own = (int)type;
	}
	if (*dtype == CHOICE_DTYPE_OWN)
		*dtype = own;
	return PALEO_OK;
}

double choice_framework_factor(int framework)
{
	const struct paleo_framework_factor *f =
		paleo_framework_factor_find((enum paleo_framework)framework, 1, PALEO_NCHW);

	return f ? f->factor : 0;
}

int choice_links(const char *file, const char *usual, struct paleo_link **mine, int *count,
		 const char **name, struct paleo_error *err)
{
	int rc = file ? paleo_links_load(file, mine, count, err) : PALEO_OK;

	if (rc || *name)
		return rc;
	if (file && *count > 1)
		return paleo_fail(err, PALEO_EINPUT, "%s has %d links: choose with --link", file,
				  *count);
	*name = file ? (*mine)[0].name : usual;
	return PALEO_OK;
}

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
	} numbers[] = {
		{"seq", o->seq}, {"past", o->past}, {"tp", o->tp}, {"pp", o->pp}, {"ep", o->ep}};
	size_t used = add_text(buf, size, "phase", o->phase);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		used += add_number(buf + used, size - used, numbers[i].name, numbers[i].value);
	used += add_text(buf + used, size - used, "weights", o->weights);
	if (o->ignore_keys)
		used += (size_t)snprintf(buf + used, size - used, "ignore-keys,");
	return used + add_text(buf + used, size - used, "kv", o->kv);
}

int model_names_make(const struct model_options *o, const char *const *nets, int count,
		     struct model_names **out, struct paleo_error *err)
{
	size_t limit = MODEL_NAME_BYTES / 8; /* of the words */

	if (count > MODEL_NETS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%d networks, expected at most %d", count,
				  MODEL_NETS_MAX);
	if ((o->phase && strlen(o->phase) > 16) || (o->weights && strlen(o->weights) > 16) ||
	    (o->kv && strlen(o->kv) > 16))
		return paleo_fail(err, PALEO_EINPUT,
				  "--phase, --weights or --kv is too long (see --help)");
	struct model_names *names = malloc(sizeof(*names));
	if (!names)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++) {
		char *text = names->text[i];
		size_t length = strlen(nets[i]);
		names->items[i] = text;
		if (length + limit >= MODEL_NAME_BYTES) {
			free(names);
			return paleo_fail(err, PALEO_EINPUT,
					  "the name of a network has %zu characters, too many",
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
