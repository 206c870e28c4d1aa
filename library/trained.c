/* trained.c - a net that is to be trained, also one of a config.json, and its parts of workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/trained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "paleo/net.h"

static int too_long(const char *name, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the name of a network has %zu characters, too many",
			  strlen(name));
}

/* Once more with the phase among its words, if it has none yet. */
static int open_again(const char *name, int batch, struct paleo_trained_net *out,
		      struct paleo_error *err)
{
	const char *words = paleo_import_words(name);
	struct paleo_net *net = NULL;

	if (words && (strstr(words, "prefill") || strstr(words, "decode")))
		return paleo_fail(err, PALEO_EINPUT, "%s: a training step needs phase train", name);
	int n = snprintf(out->name, sizeof(out->name), "%s%strain", name, words ? "," : ":");
	if (n < 0 || (size_t)n >= sizeof(out->name))
		return too_long(name, err);
	if (paleo_net_open(out->name, batch, &net, err))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: an inference network has no backward pass", name);
	paleo_net_free(out->net);
	out->net = net;
	return PALEO_OK;
}

int paleo_trained_net_open(const char *name, int batch, struct paleo_trained_net *out,
			   struct paleo_error *err)
{
	*out = (struct paleo_trained_net){.tokens = NAN};
	if (strlen(name) >= sizeof(out->name))
		return too_long(name, err);
	snprintf(out->name, sizeof(out->name), "%s", name);
	int rc = paleo_net_open(name, batch, &out->net, err);
	if (!rc && out->net->inference)
		rc = open_again(name, batch, out, err);
	if (rc) {
		paleo_net_free(out->net);
		out->net = NULL;
		return rc;
	}
	const char *unit;
	double items = paleo_net_items(out->net, &unit);
	if (items > out->net->batch)
		out->tokens = items / out->net->batch;
	return PALEO_OK;
}

int paleo_trained_net_part(const void *self, const struct paleo_part_key *key,
			   struct paleo_net **out, struct paleo_error *err)
{
	const struct paleo_trained_net *t = self;
	char name[PALEO_TRAINED_NAME_MAX + 64];
	int has_words = paleo_import_words(t->name) != NULL;

	int length = snprintf(name, sizeof(name), "%s%ctp=%d,ep=%d", t->name, has_words ? ',' : ':',
			      key->tp, key->ep);
	if (key->etp != key->tp)
		snprintf(name + length, sizeof(name) - (size_t)length, ",etp=%d", key->etp);
	return paleo_net_open(name, 0, out, err);
}
