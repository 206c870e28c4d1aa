/* trained_net.c - opens nets for a training step: a config.json in its training phase. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/trained_net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/import/import.h"
#include "paleo/net.h"

static int too_long(const char *name, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the name of a net has %zu characters", strlen(name));
}

/* Once more with the phase among its words, if it has none yet. */
static int open_again(const char *name, struct trained_net *out, struct paleo_error *err)
{
	const char *words = paleo_import_words(name);
	struct paleo_net *net = NULL;

	if (words && (strstr(words, "prefill") || strstr(words, "decode")))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: a training step has phase train, and no other", name);
	int n = snprintf(out->name, sizeof(out->name), "%s%strain", name, words ? "," : ":");
	if (n < 0 || (size_t)n >= sizeof(out->name))
		return too_long(name, err);
	if (paleo_net_open(out->name, 0, &net, err))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: is for inference, and has no backward pass", name);
	paleo_net_free(out->net);
	out->net = net;
	return PALEO_OK;
}

int trained_net_open(const char *name, struct trained_net *out, struct paleo_error *err)
{
	*out = (struct trained_net){.tokens = NAN};
	if (strlen(name) >= sizeof(out->name))
		return too_long(name, err);
	snprintf(out->name, sizeof(out->name), "%s", name);
	int rc = paleo_net_open(name, 0, &out->net, err);
	if (!rc && out->net->inference)
		rc = open_again(name, out, err);
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

int trained_net_part(const void *self, int tp, int ep, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct trained_net *t = self;
	char name[TRAINED_NAME_MAX + 64];
	int has_words = paleo_import_words(t->name) != NULL;

	snprintf(name, sizeof(name), "%s%ctp=%d,ep=%d", t->name, has_words ? ',' : ':', tp, ep);
	return paleo_net_open(name, 0, out, err);
}

int trained_nets_dtype(const char *const *names, int count, int *out, struct paleo_error *err)
{
	int type = -1;

	for (int i = 0; i < count; i++) {
		struct paleo_net *net = NULL;
		int rc = paleo_net_open(names[i], 0, &net, err);
		if (rc)
			return rc;
		int own = net->number_type - 1;
		paleo_net_free(net);
		if (i && own != type)
			return paleo_fail(err, PALEO_EINPUT,
					  "the nets are in different number types: choose one "
					  "with --dtype");
		type = own;
	}
	*out = type;
	return PALEO_OK;
}
