/* engine.c - finds the layers of a net in the names TensorRT gives to what it makes of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/traces/engine.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_stream.h"
#include "model/record/traces/intern.h"

enum {
	NAME_MAX_BYTES = 512, /* of a layer of a net */
	TWINS_MAX = 64        /* "layer", "layer_2" ...: nodes of one module */
};

struct matcher {
	const struct paleo_net *net;
	struct paleo_op_list rows; /* of the net */
	int *row_of;               /* layer of the net -> its first row; -1: none */
	int *owner;                /* layer of the net -> that of the engine; -1: none */
	struct paleo_intern names; /* of the net's layers, by their number; others behind */
	struct paleo_intern timed; /* of the engine's layers, by their number; others behind */
	struct paleo_intern made_of;
	int *metadata; /* layer of the engine -> number in made_of; -1: none */
	struct paleo_engine *out;
	int at, first; /* layer of the engine in hand; a layer of the net that it names, -1 */
	int claimed;   /* layers of the net that it has got */
	int is_full;   /* 1: no memory was left for a name */
};

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for the layers of an engine");
}

/* 1 if both begin alike, without regard to case and '_': "BatchNormalization" and "batch_norm". */
static int is_alike(const char *a, const char *b)
{
	int same = 0;

	for (; *a && *b; same++) {
		a += *a == '_';
		b += *b == '_';
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
		a += *a != 0;
		b += *b != 0;
	}
	return same > 2;
}

/* 1 if an op of the layer is called like the type of an ONNX node. */
static int has_kind(const struct matcher *m, int layer, const char *type)
{
	for (int i = m->row_of[layer]; i >= 0 && i < m->rows.count; i++) {
		if (m->rows.items[i].layer->index != layer)
			break;
		if (is_alike(type, m->rows.items[i].what))
			return 1;
	}
	return 0;
}

/* The layer of a name; -1: none, or m->is_full. */
static int layer_called(struct matcher *m, const char *name)
{
	const int at = paleo_intern(&m->names, name);

	m->is_full |= at < 0;
	return at < m->net->count ? at : -1;
}

/* The layer of an ONNX node: the net drops a leading '/', and the type behind the module's name,
 * "/layer1/conv/Conv"; several nodes of one module are "layer1", "layer1_2". */
static int find_layer(struct matcher *m, const char *node)
{
	char name[NAME_MAX_BYTES], twin[NAME_MAX_BYTES + 16];
	int found = layer_called(m, node);

	snprintf(name, sizeof(name), "%s", node + strspn(node, "/"));
	found = found < 0 ? layer_called(m, name) : found;
	char *type = strrchr(name, '/');
	if (found >= 0 || !type)
		return found;
	*type++ = '\0';
	const int only = layer_called(m, name);
	found = only >= 0 && has_kind(m, only, type) ? only : -1;
	for (int i = 2; found < 0 && i < TWINS_MAX; i++) {
		snprintf(twin, sizeof(twin), "%s_%d", name, i);
		const int other = layer_called(m, twin);
		if (other < 0)
			return i == 2 ? only : -1;
		found = has_kind(m, other, type) ? other : -1;
	}
	return found;
}

/* The layer in hand runs this one, unless a longer one does. */
static void claim(struct matcher *m, int layer)
{
	if (layer < 0)
		return;
	m->out->layers[m->at].known++;
	m->first = m->first < 0 ? layer : m->first;
	if (m->owner[layer] < 0) {
		m->owner[layer] = m->at;
		m->claimed++;
	}
}

/* "A...B": all from A to B, in the net's order. */
static void claim_range(struct matcher *m, char *range)
{
	char *dots = strstr(range, "...");
	int from, to;

	if (!dots) {
		claim(m, find_layer(m, range));
		return;
	}
	*dots = '\0';
	from = find_layer(m, range);
	to = find_layer(m, dots + 3);
	for (int i = from; from >= 0 && i <= to; i++)
		claim(m, i);
	if (from < 0 || to < from) { /* one of them is no layer, or the order is another one */
		claim(m, from);
		claim(m, to);
	}
}

/* One name of several, without "PWN(" before it and what closes that behind it. */
static void claim_name(struct matcher *m, char *name)
{
	int open = 0;

	while (!strncmp(name, "PWN(", 4))
		name += 4;
	for (char *c = name; *c; c++) {
		open += *c == '(';
		if (*c == ')' && --open < 0)
			*c = '\0';
		if (!*c)
			break;
	}
	claim(m, find_layer(m, name));
}

/* The nearest of the texts that separate names; *size is its length. NULL: there is none. */
static char *next_separator(char *text, size_t *size)
{
	static const char *const all[] = {" + ", " || ", ", "};
	char *first = NULL;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *at = strstr(text, all[i]);
		if (at && (!first || at < first)) {
			first = at;
			*size = strlen(all[i]);
		}
	}
	return first;
}

static void claim_names(struct matcher *m, char *text)
{
	static const char foreign[] = "{ForeignNode[";
	size_t size = 0;
	char *end;

	if (!strncmp(text, foreign, sizeof(foreign) - 1)) {
		end = strstr(text, "]}");
		if (end)
			*end = '\0';
		claim_range(m, text + sizeof(foreign) - 1);
		return;
	}
	for (char *next; text; text = next) {
		end = next_separator(text, &size);
		next = end ? end + size : NULL;
		if (end)
			*end = '\0';
		claim_name(m, text);
	}
}

/* "[ONNX Layer: /conv/Conv]" of each node. */
static int claim_metadata(struct matcher *m, char *text)
{
	static const char word[] = "[ONNX Layer: ";
	int found = 0;

	for (char *at = strstr(text, word), *end; at; at = strstr(end, word)) {
		at += sizeof(word) - 1;
		end = strchr(at, ']');
		if (!end)
			break;
		*end++ = '\0';
		claim(m, find_layer(m, at));
		found++;
	}
	return found;
}

static int is_copy(const char *name)
{
	return strstr(name, "Reformatting CopyNode") || strstr(name, "put reformatter ");
}

/* What the layer in hand is made of; one that has nothing of its own is part of the first owner. */
static int match_layer(struct matcher *m, struct paleo_error *err)
{
	struct paleo_engine_layer *l = &m->out->layers[m->at];
	const int made_of = m->metadata[m->at];

	assert(l->name);
	m->first = -1;
	m->claimed = 0;
	if (is_copy(l->name)) {
		l->why = "a copy to another layout";
		return PALEO_OK;
	}
	char *text = strdup(made_of < 0 ? l->name : m->made_of.texts[made_of]);
	if (!text)
		return no_memory(err);
	if (made_of < 0 || !claim_metadata(m, text))
		claim_names(m, text);
	free(text);
	if (m->is_full)
		return no_memory(err);
	l->why = "no such layer in the network";
	if (m->first >= 0)
		l->why = "no op of the network";
	if (m->first >= 0 && !m->claimed) {
		struct paleo_engine_layer *whole = &m->out->layers[m->owner[m->first]];
		whole->time_s += l->time_s;
		whole->kernels += l->kernels;
		l->kernels = 0;
	}
	return PALEO_OK;
}

/* 1 if it is called as its first parent is, "Gemm_7_2" behind "Gemm_7": one node may be both. */
static int is_twin(const struct paleo_layer *l)
{
	const char *before = l->parents[0]->name;
	const size_t size = strlen(before);

	return !strncmp(l->name, before, size) && l->name[size] == '_' &&
	       isdigit((unsigned char)l->name[size + 1]);
}

/* What no layer names belongs to that which runs all before it and all behind it. */
static void claim_between(struct matcher *m)
{
	for (int i = 0; i < m->net->count; i++) {
		const struct paleo_layer *l = m->net->layers[i];
		if (m->owner[i] >= 0 || !l->parent_count)
			continue;
		const int owner = m->owner[l->parents[0]->index];
		int same = l->child_count > 0;
		for (int k = 1; k < l->parent_count; k++)
			same &= m->owner[l->parents[k]->index] == owner;
		for (int k = 0; k < l->child_count; k++)
			same &= m->owner[l->children[k]->index] == owner;
		if (same || is_twin(l))
			m->owner[i] = owner;
	}
}

static int add_row(struct paleo_op_list *list, const struct paleo_net_op *row,
		   struct paleo_error *err)
{
	struct paleo_net_op *items =
		paleo_grow(list->items, list->count, &list->capacity, sizeof(*items));

	if (!items)
		return no_memory(err);
	list->items = items;
	items[list->count++] = *row;
	return PALEO_OK;
}

/* Gives each layer of the engine its ops, and fuses them. */
static int share_rows(struct matcher *m, struct paleo_error *err)
{
	struct paleo_engine *e = m->out;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < m->rows.count; i++) {
		const int owner = m->owner[m->rows.items[i].layer->index];
		rc = add_row(owner < 0 ? &e->rest : &e->layers[owner].ops, &m->rows.items[i], err);
	}
	for (int i = 0; !rc && i < e->count; i++)
		rc = paleo_op_list_fuse(&e->layers[i].ops, PALEO_FUSE_CHAINS, err);
	return rc ? rc : paleo_op_list_fuse(&e->rest, PALEO_FUSE_CHAINS, err);
}

static int by_time(const void *a, const void *b)
{
	const struct paleo_engine_layer *x = a, *y = b;

	if (!x->ops.count != !y->ops.count)
		return x->ops.count ? -1 : 1;
	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Drops those that are part of others, and sorts. */
static void settle(struct paleo_engine *e)
{
	int kept = 0;

	for (int i = 0; i < e->count; i++)
		if (e->layers[i].kernels)
			e->layers[kept++] = e->layers[i];
	e->count = kept;
	if (kept)
		qsort(e->layers, (size_t)kept, sizeof(*e->layers), by_time);
	for (int i = 0; i < kept && e->layers[i].ops.count; i++) {
		e->layers[i].why = NULL;
		e->matched_s += e->layers[i].time_s;
		e->matched++;
	}
}

static int read_info_layer(struct matcher *m, const struct paleo_json *layer,
			   struct paleo_error *err)
{
	const struct paleo_json *name, *metadata = NULL;
	const char *text = "";

	if (paleo_json_type(layer) == PALEO_JSON_OBJECT)
		metadata = paleo_json_get(layer, "Metadata");
	if (!metadata || paleo_json_type(metadata) != PALEO_JSON_STRING)
		return PALEO_OK; /* of an engine without --profilingVerbosity=detailed */
	PALEO_TRY(paleo_json_need(layer, "Name", &name, err));
	PALEO_TRY(paleo_json_to_string(name, &text, err));
	const int at = paleo_intern(&m->timed, text);
	PALEO_TRY(paleo_json_to_string(metadata, &text, err));
	const int made_of = paleo_intern(&m->made_of, text);
	if (at < 0 || made_of < 0)
		return no_memory(err);
	if (at < m->out->count && *text)
		m->metadata[at] = made_of;
	return PALEO_OK;
}

static int read_info(struct matcher *m, const char *path, struct paleo_error *err)
{
	struct paleo_json_stream *s = NULL;
	struct paleo_json_part part = {0};
	int layers = 0;
	int rc = paleo_json_stream_open(path, "what trtexec --exportLayerInfo writes", &s, err);

	while (!rc && !(rc = paleo_json_stream_next(s, &part, err)) && part.value)
		if (!strcmp(part.key, "Layers")) {
			layers++;
			rc = read_info_layer(m, part.value, err);
		}
	paleo_json_stream_close(s);
	if (!rc && !layers)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no 'Layers', expected what trtexec --exportLayerInfo "
				"writes",
				path);
	return rc;
}

/* The layers of both sides, none of which has got another yet. */
static int begin(struct matcher *m, const struct paleo_measured *measured, struct paleo_error *err)
{
	const size_t layers = (size_t)m->net->count, timed = (size_t)measured->other_count;

	m->row_of = malloc((layers + 1) * sizeof(*m->row_of));
	m->owner = malloc((layers + 1) * sizeof(*m->owner));
	m->metadata = calloc(timed + 1, sizeof(*m->metadata));
	m->out->layers = calloc(timed + 1, sizeof(*m->out->layers));
	if (!m->row_of || !m->owner || !m->metadata || !m->out->layers)
		return no_memory(err);
	for (size_t i = 0; i < layers; i++) {
		m->row_of[i] = m->owner[i] = -1;
		if (paleo_intern(&m->names, m->net->layers[i]->name) < 0)
			return no_memory(err);
	}
	for (int i = m->rows.count - 1; i >= 0; i--)
		m->row_of[m->rows.items[i].layer->index] = i;
	for (size_t i = 0; i < timed; i++) {
		const struct paleo_unmatched *o = &measured->others[i];
		m->metadata[i] = -1;
		m->out->layers[m->out->count++] = (struct paleo_engine_layer){
			.name = o->name, .time_s = o->time_s, .kernels = 1};
		if (paleo_intern(&m->timed, o->name) < 0)
			return no_memory(err);
	}
	m->out->total_s = measured->total_s;
	return PALEO_OK;
}

int paleo_engine_match(const struct paleo_measured *measured, const struct paleo_net *net,
		       enum paleo_dtype dtype, const char *info, struct paleo_engine *out,
		       struct paleo_error *err)
{
	struct matcher m = {.net = net, .out = out};

	*out = (struct paleo_engine){0};
	int rc = paleo_net_ops(net, dtype, PALEO_PASSES_FWD, &m.rows, err);
	if (!rc)
		rc = begin(&m, measured, err);
	if (!rc && info)
		rc = read_info(&m, info, err);
	for (m.at = 0; !rc && m.at < out->count; m.at++)
		rc = match_layer(&m, err);
	if (!rc)
		claim_between(&m);
	if (!rc)
		rc = share_rows(&m, err);
	if (!rc)
		settle(out);
	paleo_op_list_release(&m.rows);
	free(m.row_of);
	free(m.owner);
	free(m.metadata);
	paleo_intern_release(&m.names);
	paleo_intern_release(&m.timed);
	paleo_intern_release(&m.made_of);
	if (rc)
		paleo_engine_release(out);
	return rc;
}

void paleo_engine_release(struct paleo_engine *e)
{
	for (int i = 0; e->layers && i < e->count; i++)
		paleo_op_list_release(&e->layers[i].ops);
	free(e->layers);
	paleo_op_list_release(&e->rest);
	*e = (struct paleo_engine){0};
}
