/* layers.c - the layers of the net that comes out, and how they are written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "import/onnx/job.h"

enum {
	SUFFIX_MAX = 16, /* bytes of "_2" and the like, with the NUL */
	NAME_MAX_BYTES = 400
};

/* The node's name without the leading slash and, where the module's name remains, without its
 * trailing type; "Conv_12" if it has none. '_' replaces characters not allowed in a layer's
 * name. */
static char *base_name(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const char *behind)
{
	size_t size = (size_t)(n->name.end - n->name.at), type = (size_t)(n->type.end - n->type.at);
	const char *text = (const char *)n->name.at;
	char *name = paleo_onnx_new(job, NAME_MAX_BYTES + 2 * SUFFIX_MAX, 1);

	if (!name)
		return NULL;
	while (size && *text == '/') {
		text++;
		size--;
	}
	if (size > type + 1 && text[size - type - 1] == '/' &&
	    !memcmp(text + size - type, n->type.at, type))
		size -= type + 1;
	if (!size) {
		snprintf(name, NAME_MAX_BYTES, "%.*s_%d", (int)(type > 64 ? 64 : type),
			 (const char *)n->type.at, n->number);
	} else {
		if (size >= NAME_MAX_BYTES)
			size = NAME_MAX_BYTES - 1;
		memcpy(name, text, size);
		name[size] = '\0';
	}
	snprintf(name + strlen(name), SUFFIX_MAX, "%s", behind);
	for (char *c = name; *c; c++) {
		if (*c == '@' || (unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '_';
	}
	return name;
}

/* Counts one more that asks for this name; 0 without memory. */
static int ask(struct paleo_onnx_job *job, const char *name)
{
	const int asked = paleo_names_get(&job->used, name, strlen(name));
	const int now = asked < 0 ? 1 : asked + 1;

	if (!paleo_names_put(&job->used, name, strlen(name), now))
		return now;
	paleo_onnx_no_memory(job);
	return 0;
}

/* A unique name; NULL without memory. */
static char *make_name(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const char *behind)
{
	char *name = base_name(job, n, behind), *with = name;
	int asked = name ? ask(job, name) : 0;

	while (asked > 1) {
		with = paleo_onnx_new(job, strlen(name) + SUFFIX_MAX, 1);
		if (!with)
			return NULL;
		snprintf(with, strlen(name) + SUFFIX_MAX, "%s_%d", name, asked);
		const int found = ask(job, with);
		asked = found > 1 ? ask(job, name) : found;
	}
	return asked ? with : NULL;
}

int paleo_onnx_add_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const int *parents, int count)
{
	return paleo_onnx_add_before(job, n, "", type, parents, count);
}

int paleo_onnx_add_before(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, const int *parents, int count)
{
	struct paleo_onnx_layer made = {.type = type,
					.name = make_name(job, n, behind),
					.parents = paleo_onnx_new(job, (size_t)count, sizeof(int)),
					.parent_count = count};

	for (int i = 0; made.parents && i < count; i++)
		made.parents[i] = parents[i];
	if (count)
		made.out = job->layers[parents[0]].out; /* as most layers' */
	job->last = job->layer_count;
	job->layers[job->last] = made;
	struct paleo_onnx_layer *more =
		paleo_grow(job->layers, job->layer_count + 1, &job->layer_room, sizeof(*more));
	if (!more) { /* the next one takes its place */
		paleo_onnx_no_memory(job);
		return job->last;
	}
	job->layers = more;
	return job->layer_count++;
}

int paleo_onnx_add_shaped(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, int parent,
			  const struct paleo_shape *s)
{
	const struct paleo_shape shape = *s; /* it may be a layer's */
	int layer = paleo_onnx_add_before(job, n, behind, type, &parent, 1), dims[4] = {0};

	paleo_shape_dims(&shape, dims);
	paleo_onnx_put_ints(job, "output_shape", shape.rank, PALEO_INFERRED, dims[1], dims[2],
			    dims[3]);
	job->layers[layer].out = shape;
	return layer;
}

static struct paleo_onnx_key *key_of(struct paleo_onnx_layer *l, const char *name)
{
	for (int i = 0; i < l->key_count; i++) {
		if (!strcmp(l->keys[i].name, name))
			return &l->keys[i];
	}
	l->keys[l->key_count].name = name;
	return &l->keys[l->key_count++];
}

static struct paleo_onnx_key *add_key(struct paleo_onnx_job *job, const char *name)
{
	return key_of(&job->layers[job->last], name);
}

void paleo_onnx_put_ints(struct paleo_onnx_job *job, const char *name, int count, int a, int b,
			 int c, int d)
{
	struct paleo_onnx_key *k = add_key(job, name);

	k->count = count;
	k->numbers[0] = a;
	k->numbers[1] = b;
	k->numbers[2] = c;
	k->numbers[3] = d;
}

void paleo_onnx_put_int(struct paleo_onnx_job *job, const char *name, int value)
{
	add_key(job, name)->numbers[0] = value;
}

void paleo_onnx_put_flag(struct paleo_onnx_job *job, const char *name, int value)
{
	paleo_onnx_flag(job, job->last, name, value);
}

void paleo_onnx_put_double(struct paleo_onnx_job *job, const char *name, double value)
{
	add_key(job, name)->real = value;
}

void paleo_onnx_put_word(struct paleo_onnx_job *job, const char *name, const char *word)
{
	add_key(job, name)->word = word;
}

void paleo_onnx_set(struct paleo_onnx_job *job, int layer, const char *name, int value)
{
	key_of(&job->layers[layer], name)->numbers[0] = value;
}

int paleo_onnx_has(const struct paleo_onnx_job *job, int layer, const char *name)
{
	const struct paleo_onnx_layer *l = &job->layers[layer];

	for (int i = 0; i < l->key_count; i++) {
		if (!strcmp(l->keys[i].name, name))
			return 1;
	}
	return 0;
}

void paleo_onnx_flag(struct paleo_onnx_job *job, int layer, const char *name, int value)
{
	struct paleo_onnx_key *k = key_of(&job->layers[layer], name);

	k->is_flag = 1;
	k->numbers[0] = value;
}

void paleo_onnx_put_learned(struct paleo_onnx_job *job, const struct paleo_onnx_value *w)
{
	if (!paleo_onnx_learn(job, w))
		paleo_onnx_put_flag(job, "shared", 1);
}

int paleo_onnx_on_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *v, int layer)
{
	struct paleo_onnx_value made = *v;

	made.state = ONNX_TENSOR;
	made.numbers = NULL;
	made.view.layer = layer;
	return paleo_onnx_put(job, n, 0, &made);
}

void paleo_onnx_is_layer(struct paleo_onnx_job *job, int layer, struct paleo_onnx_value *v)
{
	static const enum paleo_onnx_axis order[3][4] = {
		{ONNX_N, ONNX_C}, {ONNX_N, ONNX_H, ONNX_C}, {ONNX_N, ONNX_C, ONNX_H, ONNX_W}};
	const struct paleo_shape *s = &job->layers[layer].out;
	const int type = v->type;

	*v = (struct paleo_onnx_value){.state = ONNX_TENSOR, .type = type, .rank = s->rank};
	v->view.layer = layer;
	for (int i = 0; i < s->rank; i++) {
		const enum paleo_onnx_axis axis = order[s->rank - 2][i];
		const int size = paleo_onnx_axis_size(s, axis);
		v->dims[i] = size;
		if (size > 1)
			v->view.atoms[v->view.count++] = (struct paleo_onnx_atom){axis, size, 1};
	}
}

int paleo_onnx_put_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int layer,
			 int rank)
{
	struct paleo_onnx_value made = {0};

	paleo_onnx_is_layer(job, layer, &made);
	made.rank = rank;
	return paleo_onnx_put(job, n, 0, &made);
}

void paleo_onnx_layers_release(struct paleo_onnx_job *job)
{
	free(job->layers);
	paleo_names_release(&job->used);
}

static void write_key(struct paleo_json_writer *w, const struct paleo_onnx_key *k)
{
	if (k->word) {
		paleo_json_put_string(w, k->name, k->word);
	} else if (k->is_flag) {
		paleo_json_put_bool(w, k->name, k->numbers[0]);
	} else if (k->real != 0) {
		paleo_json_put_double(w, k->name, k->real);
	} else if (!k->count) {
		paleo_json_put_int(w, k->name, k->numbers[0]);
	} else {
		paleo_json_open_array(w, k->name);
		for (int i = 0; i < k->count; i++)
			paleo_json_put_int(w, NULL, k->numbers[i]);
		paleo_json_close(w);
	}
}

static void write_layer(const struct paleo_onnx_job *job, struct paleo_json_writer *w,
			const struct paleo_onnx_layer *l)
{
	paleo_json_open_object(w, l->name);
	paleo_json_put_string(w, "type", l->type);
	paleo_json_open_array(w, "parents");
	for (int i = 0; i < l->parent_count; i++)
		paleo_json_put_string(w, NULL, job->layers[l->parents[i]].name);
	paleo_json_close(w);
	for (int i = 0; i < l->key_count; i++)
		write_key(w, &l->keys[i]);
	paleo_json_close(w);
}

/* A file of 16 bits is a net in them: the type of more than half of the learned numbers. */
static void write_dtype(struct paleo_json_writer *w, const struct paleo_onnx_graph *g)
{
	double all = 0, half = 0, brain = 0;

	for (int i = 0; i < g->name_count; i++) {
		const struct paleo_onnx_tensor *t = &g->names[i].tensor;
		if (!g->names[i].is_initializer || !paleo_onnx_is_float(t->type))
			continue;
		double count = paleo_onnx_tensor_count(t);
		all += count;
		half += t->type == ONNX_FLOAT16 ? count : 0;
		brain += t->type == ONNX_BFLOAT16 ? count : 0;
	}
	if (half > all / 2 || brain > all / 2)
		paleo_json_put_string(w, "dtype", half > brain ? "f16" : "bf16");
}

int paleo_onnx_write(struct paleo_onnx_job *job, char **json)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	if (!w)
		return paleo_onnx_no_memory(job);
	paleo_json_open_object(w, NULL);
	paleo_names_put_stem(w, job->graph->path);
	write_dtype(w, job->graph);
	paleo_json_open_object(w, "layers");
	for (int i = 0; i < job->layer_count; i++) {
		const struct paleo_onnx_layer *l = &job->layers[i];
		if (!strcmp(l->type, "LayerNorm") && l->open & ONNX_OPEN_SCALE)
			paleo_onnx_flag(job, i, "scale", 0);
		if (!strcmp(l->type, "LayerNorm") && l->open & ONNX_OPEN_SHIFT)
			paleo_onnx_flag(job, i, "shift", 0);
		write_layer(job, w, l);
	}
	paleo_json_close(w);
	paleo_json_close(w);
	int rc = paleo_json_writer_text(w, 1, json, job->err);
	paleo_json_writer_free(w);
	return rc;
}
