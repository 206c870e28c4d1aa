/* net.c - loads a net from its file and owns its layers; the same net at another batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/net.h"

#include <stdlib.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/net_build.h"

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while loading a net");
}

enum paleo_dtype paleo_net_dtype(const struct paleo_net *net)
{
	return net->dtype ? (enum paleo_dtype)(net->dtype - 1) : PALEO_F32;
}

void paleo_net_free(struct paleo_net *net)
{
	if (!net)
		return;
	for (int i = 0; i < net->count; i++)
		paleo_layer_free(net->layers[i]);
	free(net->layers);
	free(net->name);
	free(net->title);
	free(net->note);
	free(net);
}

double paleo_net_weights(const struct paleo_net *net)
{
	double sum = 0;

	for (int i = 0; i < net->count; i++)
		sum += paleo_layer_weights(net->layers[i]);
	return sum;
}

double paleo_net_active(const struct paleo_net *net)
{
	double sum = 0;

	for (int i = 0; i < net->count; i++)
		sum += paleo_layer_active(net->layers[i]);
	return sum;
}

double paleo_net_weight_bytes(const struct paleo_net *net, enum paleo_dtype dtype)
{
	double sum = 0;

	for (int i = 0; i < net->count; i++)
		sum += paleo_layer_weight_bytes(net->layers[i], dtype);
	return sum;
}

static double cached(const struct paleo_net *net, enum paleo_dtype dtype, enum paleo_cached part,
		     int index)
{
	double sum = 0;

	for (int i = 0; i < net->count; i++)
		if (net->layers[i]->kind->index == index)
			sum += paleo_layer_cached_bytes(net->layers[i], dtype, part);
	return sum;
}

double paleo_net_cached_bytes(const struct paleo_net *net, enum paleo_dtype dtype,
			      enum paleo_cached part)
{
	return cached(net, dtype, part, 0);
}

double paleo_net_index_bytes(const struct paleo_net *net, enum paleo_dtype dtype,
			     enum paleo_cached part)
{
	return cached(net, dtype, part, 1);
}

double paleo_net_state_bytes(const struct paleo_net *net, enum paleo_dtype dtype)
{
	double sum = 0;

	for (int i = 0; i < net->count; i++)
		sum += paleo_layer_state_bytes(net->layers[i], dtype);
	return sum;
}

double paleo_net_items(const struct paleo_net *net, const char **unit)
{
	const struct paleo_shape none = {.rank = 4, .n = net->batch};
	const struct paleo_shape *in = net->count ? &net->layers[0]->out : &none;

	*unit = in->rank == 4 ? "images" : "tokens";
	return in->rank == 4 ? in->n : (double)in->n * (in->rank == 3 ? in->h : in->c);
}

/* The file's name without its folder and ".json". */
static char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *start = slash ? slash + 1 : path;
	size_t size = strlen(start);

	if (size > 5 && !strcmp(start + size - 5, ".json"))
		size -= 5;
	return strndup(start, size);
}

static int read_title(const struct paleo_json *root, const char **out, struct paleo_error *err)
{
	static const char *const keys[] = {"name", "dtype",  "number_type", "inference",
					   "note", "layers", NULL};
	const struct paleo_json *v;

	PALEO_TRY(paleo_json_only(root, keys, err));
	PALEO_TRY(paleo_json_need(root, "name", &v, err));
	return paleo_json_to_string(v, out, err);
}

/* Keys of a file besides its layers. */
static int read_head(const struct paleo_json *root, struct paleo_net *net, struct paleo_error *err)
{
	const struct paleo_json *type = paleo_json_get(root, "dtype");
	const struct paleo_json *former = paleo_json_get(root, "number_type");
	const struct paleo_json *inference = paleo_json_get(root, "inference");
	const struct paleo_json *note = paleo_json_get(root, "note");
	enum paleo_dtype dtype;
	struct paleo_error inner;
	const char *word;

	if (type && former)
		return paleo_json_fail(former, err, "'number_type' is 'dtype' now: leave it out");
	type = type ? type : former;
	if (type)
		PALEO_TRY(paleo_json_to_string(type, &word, err));
	if (inference)
		PALEO_TRY(paleo_json_to_bool(inference, &net->inference, err));
	if (type && paleo_dtype_parse(word, &dtype, &inner))
		return paleo_json_fail(type, err, "%s", inner.text);
	if (type)
		net->dtype = 1 + (int)dtype;
	if (note)
		PALEO_TRY(paleo_json_to_string(note, &word, err));
	if (note) {
		net->note = strdup(word);
		PALEO_TRY(net->note ? PALEO_OK : out_of_memory(err));
	}
	return PALEO_OK;
}

static int need_input(const struct paleo_build *b, const struct paleo_json *root,
		      struct paleo_error *err)
{
	for (int i = 0; i < b->count; i++)
		if (b->drafts[i].layer->kind == &paleo_kind_input)
			return PALEO_OK;
	return paleo_json_fail(paleo_json_get(root, "layers"), err,
			       "a net needs a layer of type 'Input'");
}

/* Sets the pointers between layers from the drafts' numbers. Children are in file order. */
static int link_layers(const struct paleo_build *b, struct paleo_error *err)
{
	for (int i = 0; i < b->count; i++) {
		struct paleo_layer *l = b->drafts[i].layer;
		if (!l->parent_count)
			continue;
		l->parents = malloc((size_t)l->parent_count * sizeof(struct paleo_layer *));
		if (!l->parents)
			return out_of_memory(err);
		for (int p = 0; p < l->parent_count; p++) {
			l->parents[p] = b->drafts[b->drafts[i].parents[p]].layer;
			l->parents[p]->child_count++;
		}
	}
	for (int i = 0; i < b->count; i++) {
		struct paleo_layer *l = b->drafts[i].layer;
		if (!l->child_count)
			continue;
		l->children = malloc((size_t)l->child_count * sizeof(struct paleo_layer *));
		if (!l->children)
			return out_of_memory(err);
		l->child_count = 0;
	}
	for (int i = 0; i < b->count; i++) {
		struct paleo_layer *l = b->drafts[i].layer;
		for (int p = 0; p < l->parent_count; p++)
			l->parents[p]->children[l->parents[p]->child_count++] = l;
	}
	return PALEO_OK;
}

/* All Inputs have the file's batch, or the requested one. */
static int set_batch(struct paleo_layer *l, int asked, int *file_batch, struct paleo_error *err)
{
	if (!*file_batch)
		*file_batch = l->out.n;
	if (l->out.n != *file_batch)
		return paleo_fail(err, PALEO_EINPUT,
				  "all Inputs must have the same N: this has %d, another one %d",
				  l->out.n, *file_batch);
	if (asked)
		l->out.n = asked;
	return PALEO_OK;
}

/* Computes every layer's shape and which gradients are needed. `order` as in net_build.h;
 * *file_batch is the batch of the Inputs in the file. */
static int shape_layers(const struct paleo_build *b, const int *order, int asked, int *file_batch,
			struct paleo_error *err)
{
	for (int i = 0; i < b->count; i++) {
		const struct paleo_draft *d = &b->drafts[order[i]];
		struct paleo_layer *l = d->layer;
		int rc = l->kind->shape(l, err);
		if (!rc && l->kind == &paleo_kind_input)
			rc = set_batch(l, asked, file_batch, err);
		if (!rc)
			rc = paleo_check_tokens(l, err);
		if (rc) {
			struct paleo_error fault = *err;
			return paleo_json_fail(d->json, err, "%s", fault.text);
		}
		l->needs_grad =
			paleo_layer_weights(l) > 0 || (l->shared && paleo_layer_active(l) > 0);
		for (int p = 0; p < l->parent_count; p++)
			l->needs_grad |= l->parents[p]->needs_grad;
	}
	return PALEO_OK;
}

/* A net of the drafts' layers, which it takes over. */
static int make_net(struct paleo_build *b, const int *order, const char *name, const char *title,
		    struct paleo_net **out, struct paleo_error *err)
{
	struct paleo_net *net = calloc(1, sizeof(*net));

	if (!net)
		return out_of_memory(err);
	net->name = short_name(name);
	net->title = *title ? strdup(title) : short_name(name);
	net->layers = malloc((size_t)b->count * sizeof(struct paleo_layer *));
	if (!net->name || !net->title || !net->layers) {
		paleo_net_free(net);
		return out_of_memory(err);
	}
	net->count = b->count;
	for (int i = 0; i < b->count; i++) {
		net->layers[i] = b->drafts[order[i]].layer;
		net->layers[i]->index = i;
		b->drafts[order[i]].layer = NULL;
	}
	*out = net;
	return PALEO_OK;
}

static int build_net(const struct paleo_json *root, const char *name, int asked,
		     struct paleo_net **out, struct paleo_error *err)
{
	struct paleo_build b = {0};
	struct paleo_net *net = NULL;
	int *order = NULL;
	const char *title;
	int file_batch = 0;

	int rc = read_title(root, &title, err);
	if (!rc)
		rc = paleo_build_expand(&b, root, err);
	if (!rc)
		rc = need_input(&b, root, err);
	if (!rc)
		rc = paleo_build_connect(&b, err);
	if (rc)
		goto out;
	order = malloc((size_t)b.count * sizeof(*order));
	rc = order ? paleo_build_order(&b, order, err) : out_of_memory(err);
	if (!rc)
		rc = link_layers(&b, err);
	if (!rc)
		rc = shape_layers(&b, order, asked, &file_batch, err);
	if (!rc)
		rc = make_net(&b, order, name, title, &net, err);
	if (!rc)
		rc = read_head(root, net, err);
	if (!rc) {
		net->batch = asked ? asked : file_batch;
		net->file_batch = file_batch;
		*out = net;
		net = NULL;
	}
out:
	free(order);
	paleo_net_free(net);
	paleo_build_release(&b);
	return rc;
}

static int check_batch(int batch, struct paleo_error *err)
{
	if (batch >= 0 && batch <= PALEO_DIM_MAX)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "a batch of %d is not possible, expected 1 to %d",
			  batch, PALEO_DIM_MAX);
}

int paleo_net_of_json(const struct paleo_json *root, const char *name, int batch,
		      struct paleo_net **out, struct paleo_error *err)
{
	int rc = check_batch(batch, err);

	return rc ? rc : build_net(root, name, batch, out, err);
}

int paleo_net_load(const char *path, int batch, struct paleo_net **out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = check_batch(batch, err);

	if (!rc)
		rc = paleo_json_load(path, &doc, err);
	if (!rc)
		rc = build_net(paleo_json_root(doc), path, batch, out, err);
	paleo_json_free(doc);
	return rc;
}

int paleo_net_parse(const char *name, const char *text, size_t size, int batch,
		    struct paleo_net **out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = check_batch(batch, err);

	if (!rc)
		rc = paleo_json_parse(name, 1, text, size, &doc, err);
	if (!rc)
		rc = build_net(paleo_json_root(doc), name, batch, out, err);
	paleo_json_free(doc);
	return rc;
}

/* The same net at another batch, without its file. */

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
		copy->dtype = net->dtype;
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
