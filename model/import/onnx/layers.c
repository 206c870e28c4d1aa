/* layers.c - the layers of the net that comes out, and how they are written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "model/import/onnx/job.h"
#include "model/net/layers/common.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct paleo_onnx_used {
	UT_hash_handle hh;
	struct paleo_onnx_used *next;
	int count; /* how often the name was asked for */
	char text[];
};

enum {
	SUFFIX_MAX = 16, /* bytes of "_2" and the like, with the NUL */
	NAME_MAX_BYTES = 400
};

int paleo_onnx_is_small(const struct paleo_onnx_value *v)
{
	for (int i = 0; i < v->rank; i++) {
		if (v->dims[i] > PALEO_DIM_MAX)
			return 0;
	}
	return 1;
}

/* The node's name without the slash in front and, where the module's name is left then, without
 * its own type behind; "Conv_12" if it has none. '_' stands for what a layer's name may not have.
 */
static char *base_name(const struct paleo_onnx_node *n, const char *behind)
{
	size_t size = (size_t)(n->name.end - n->name.at), type = (size_t)(n->type.end - n->type.at);
	const char *text = (const char *)n->name.at;
	char *name = malloc(NAME_MAX_BYTES + 2 * SUFFIX_MAX);

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
	struct paleo_onnx_used *u = NULL;
	size_t size = strlen(name);

	HASH_FIND(hh, job->used, name, (unsigned)size, u);
	if (u)
		return ++u->count;
	u = calloc(1, sizeof(*u) + size + 1);
	if (!u)
		return 0;
	memcpy(u->text, name, size + 1);
	u->count = 1;
	HASH_ADD_KEYPTR(hh, job->used, u->text, (unsigned)size, u);
	if (!u->hh.tbl) {
		free(u);
		return 0;
	}
	u->next = job->names;
	job->names = u;
	return 1;
}

/* A name of its own, owned by the caller; NULL without memory. */
static char *make_name(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const char *behind)
{
	char *name = base_name(n, behind);
	int asked = name ? ask(job, name) : 0;

	while (asked > 1) {
		char *with = malloc(strlen(name) + SUFFIX_MAX);
		if (with)
			snprintf(with, strlen(name) + SUFFIX_MAX, "%s_%d", name, asked);
		asked = with ? ask(job, with) : 0;
		if (asked <= 1) {
			free(name);
			name = with;
		} else {
			free(with);
			asked = ask(job, name);
		}
	}
	if (name && !asked) {
		free(name);
		return NULL;
	}
	return name;
}

int paleo_onnx_add_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const int *parents, int count)
{
	return paleo_onnx_add_before(job, n, "", type, parents, count);
}

int paleo_onnx_add_before(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, const int *parents, int count)
{
	struct paleo_onnx_layer *layers =
		paleo_grow(job->layers, job->layer_count, &job->layer_room, sizeof(*layers));

	if (!layers)
		return -1;
	job->layers = layers;
	struct paleo_onnx_layer *l = &layers[job->layer_count];
	*l = (struct paleo_onnx_layer){.type = type, .parent_count = count};
	l->name = make_name(job, n, behind);
	l->parents = malloc(((size_t)count + 1) * sizeof(int));
	if (!l->name || !l->parents) {
		free(l->name);
		free(l->parents);
		return -1;
	}
	for (int i = 0; parents && i < count; i++)
		l->parents[i] = parents[i];
	if (parents && count)
		l->out = layers[parents[0]].out; /* as most layers' */
	return job->layer_count++;
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
	return key_of(&job->layers[job->layer_count - 1], name);
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
	struct paleo_onnx_key *k = add_key(job, name);

	k->is_flag = 1;
	k->numbers[0] = value;
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

void paleo_onnx_flag(struct paleo_onnx_job *job, int layer, const char *name)
{
	struct paleo_onnx_key *k = key_of(&job->layers[layer], name);

	k->is_flag = 1;
	k->numbers[0] = 1;
}

void paleo_onnx_on_layer(const struct paleo_onnx_value *v, int layer, struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = *v;

	made.state = ONNX_TENSOR;
	made.numbers = NULL;
	made.view.layer = layer;
	free(out->numbers);
	*out = made;
}

void paleo_onnx_is_layer(struct paleo_onnx_job *job, int layer, struct paleo_onnx_value *v)
{
	static const enum paleo_onnx_axis order[3][4] = {
		{ONNX_N, ONNX_C}, {ONNX_N, ONNX_H, ONNX_C}, {ONNX_N, ONNX_C, ONNX_H, ONNX_W}};
	const struct paleo_shape *s = &job->layers[layer].out;
	const int type = v->type;

	free(v->numbers);
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

void paleo_onnx_layers_release(struct paleo_onnx_job *job)
{
	for (int i = 0; i < job->layer_count; i++) {
		free(job->layers[i].name);
		free(job->layers[i].parents);
	}
	free(job->layers);
	HASH_CLEAR(hh, job->used);
	while (job->names) {
		struct paleo_onnx_used *next = job->names->next;
		free(job->names);
		job->names = next;
	}
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

/* Says of a layer that it has learned no such numbers. */
static void flag_of(struct paleo_onnx_layer *l, const char *name)
{
	struct paleo_onnx_key *k = key_of(l, name);

	k->is_flag = 1;
	k->numbers[0] = 0;
}

/* The file's name without folder and ending. */
static void write_name(struct paleo_json_writer *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && dot > name)
		*dot = '\0';
	paleo_json_put_string(w, "name", name[0] ? name : "net");
}

/* A file of 16 bits is a net in them: the type of more than half of the learned numbers. */
static void write_number_type(struct paleo_json_writer *w, const struct paleo_onnx_graph *g)
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
		paleo_json_put_string(w, "number_type", half > brain ? "f16" : "bf16");
}

int paleo_onnx_write(struct paleo_onnx_job *job, char **json, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(w, NULL);
	write_name(w, job->graph->path);
	write_number_type(w, job->graph);
	paleo_json_open_object(w, "layers");
	for (int i = 0; i < job->layer_count; i++) {
		struct paleo_onnx_layer *l = &job->layers[i];
		if (!strcmp(l->type, "LayerNorm") && l->open & ONNX_OPEN_SCALE)
			flag_of(l, "scale");
		if (!strcmp(l->type, "LayerNorm") && l->open & ONNX_OPEN_SHIFT)
			flag_of(l, "shift");
		write_layer(job, w, l);
	}
	paleo_json_close(w);
	paleo_json_close(w);
	int rc = paleo_json_writer_text(w, 1, json, err);
	paleo_json_writer_free(w);
	return rc;
}
