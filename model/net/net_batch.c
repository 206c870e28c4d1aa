/* net_batch.c - the same net at another batch, without its file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/net.h"
#include "model/net/net_build.h"

static struct paleo_layer *copy_layer(const struct paleo_layer *l)
{
	struct paleo_layer *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *l;
	c->name = strdup(l->name);
	c->param = l->param ? malloc(l->kind->param_size) : NULL;
	c->parents = malloc(((size_t)l->parent_count + 1) * sizeof(*c->parents));
	c->children = malloc(((size_t)l->child_count + 1) * sizeof(*c->children));
	if (!c->name || (l->param && !c->param) || !c->parents || !c->children) {
		paleo_layer_free(c);
		return NULL;
	}
	if (l->param)
		memcpy(c->param, l->param, l->kind->param_size);
	return c;
}

/* Points the copies at each other as the originals point. */
static void link_copies(const struct paleo_net *from, struct paleo_net *to)
{
	for (int i = 0; i < from->count; i++) {
		const struct paleo_layer *l = from->layers[i];
		for (int p = 0; p < l->parent_count; p++)
			to->layers[i]->parents[p] = to->layers[l->parents[p]->index];
		for (int c = 0; c < l->child_count; c++)
			to->layers[i]->children[c] = to->layers[l->children[c]->index];
	}
}

static int reshape(struct paleo_net *net, int batch, struct paleo_error *err)
{
	for (int i = 0; i < net->count; i++) {
		struct paleo_layer *l = net->layers[i];
		int rc = l->kind->shape(l, err);
		if (!rc && l->kind == &paleo_kind_input)
			l->out.n = batch;
		if (!rc)
			rc = paleo_check_tokens(l, err);
		if (rc) {
			paleo_error_prefix(err, "layer '%s' at a batch of %d", l->name, batch);
			return rc;
		}
	}
	net->batch = batch;
	return PALEO_OK;
}

int paleo_net_at_batch(const struct paleo_net *net, int batch, struct paleo_net **out,
		       struct paleo_error *err)
{
	struct paleo_net *copy = calloc(1, sizeof(*copy));
	int whole = copy != NULL;

	if (whole) {
		copy->name = strdup(net->name);
		copy->title = strdup(net->title);
		copy->layers = malloc((size_t)net->count * sizeof(*copy->layers));
		copy->file_batch = net->file_batch;
		copy->number_type = net->number_type;
		copy->inference = net->inference;
		copy->note = net->note ? strdup(net->note) : NULL;
		whole = copy->name && copy->title && copy->layers && !copy->note == !net->note;
	}
	for (int i = 0; whole && i < net->count; i++) {
		copy->layers[i] = copy_layer(net->layers[i]);
		whole = copy->layers[i] != NULL;
		copy->count += whole;
	}
	int rc = PALEO_OK;
	if (whole) {
		link_copies(net, copy);
		rc = reshape(copy, batch, err);
	} else {
		rc = paleo_fail(err, PALEO_ENOMEM, "memory ran out while copying a net");
	}
	if (rc) {
		paleo_net_free(copy);
		return rc;
	}
	*out = copy;
	return PALEO_OK;
}
