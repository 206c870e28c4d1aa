/* caffe.c - turns a network of Caffe's into the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/caffe/caffe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/caffe/job.h"

enum {
	SUFFIX_MAX = 16 /* bytes of "_2" and the like, with the NUL */
};

struct paleo_caffe_string {
	struct paleo_caffe_string *next;
	char text[];
};

/* Reads "64x3x224x224" from `text` to its end; the result is how many sizes it has, 0 if it is
 * none. */
static int read_sizes(const char *text, int sizes[4])
{
	int count = 0;

	for (;;) {
		char *end;
		errno = 0;
		long size = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
		if (size < 1 || size > PALEO_CAFFE_DIM_MAX || errno || count == 4)
			return 0;
		sizes[count++] = (int)size;
		if (!*end)
			return count;
		if (*end != 'x')
			return 0;
		text = end + 1;
	}
}

int paleo_caffe_input_parse(const char *text, struct paleo_caffe_input *out,
			    struct paleo_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	struct paleo_caffe_input in = {0};
	int sizes[4] = {0, 0, 1, 1};
	int count = read_sizes(equals ? equals + 1 : text, sizes);

	if (count != 2 && count != 4)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is not an input shape, expected NxCxHxW or NxC, as in "
				  "64x3x224x224, or NAME=NxCxHxW",
				  text);
	if (equals == text || length >= sizeof(in.name))
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s': the name of an input has 1 to %zu bytes", text,
				  sizeof(in.name) - 1);
	memcpy(in.name, text, length);
	in.shape = (struct paleo_shape){
		.rank = count, .n = sizes[0], .c = sizes[1], .h = sizes[2], .w = sizes[3]};
	*out = in;
	return PALEO_OK;
}

int paleo_caffe_no_memory(struct paleo_caffe_job *job)
{
	if (!job->rc)
		job->rc = paleo_fail(job->err, PALEO_ENOMEM, "out of memory");
	return job->rc;
}

const struct paleo_caffe_field *paleo_caffe_field(struct paleo_caffe_job *job,
						  const struct paleo_caffe_field *message,
						  const char *name)
{
	const struct paleo_caffe_field *f = NULL;

	if (!job->rc && message)
		job->rc = paleo_caffe_one(message, name, &f, job->err);
	return f;
}

void paleo_caffe_check_message(struct paleo_caffe_job *job, const struct paleo_caffe_field *f,
			       const char *const *names)
{
	if (!job->rc)
		job->rc = paleo_caffe_to_message(f, job->err);
	if (!job->rc && names)
		job->rc = paleo_caffe_only(f, names, job->err);
}

const char *paleo_caffe_string(struct paleo_caffe_job *job, const struct paleo_caffe_field *f)
{
	const char *text = "";

	if (!job->rc)
		job->rc = paleo_caffe_to_string(f, &text, job->err);
	return text;
}

void paleo_caffe_get_int(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			 const char *name, int low, int high, int *out)
{
	const struct paleo_caffe_field *f = paleo_caffe_field(job, message, name);

	if (f)
		job->rc = paleo_caffe_to_int(f, low, high, out, job->err);
}

void paleo_caffe_get_double(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			    const char *name, double low, double high, double *out)
{
	const struct paleo_caffe_field *f = paleo_caffe_field(job, message, name);

	if (f)
		job->rc = paleo_caffe_to_double(f, low, high, out, job->err);
}

void paleo_caffe_get_bool(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			  const char *name, int *out)
{
	const struct paleo_caffe_field *f = paleo_caffe_field(job, message, name);

	if (f)
		job->rc = paleo_caffe_to_bool(f, out, job->err);
}

void paleo_caffe_get_enum(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			  const char *name, const char *const *words, int *out)
{
	const struct paleo_caffe_field *f = paleo_caffe_field(job, message, name);

	if (f)
		job->rc = paleo_caffe_to_enum(f, words, out, job->err);
}

void paleo_caffe_get_axis(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			  const char *name, int rank, int *out)
{
	paleo_caffe_get_int(job, l->param, name, -rank, rank - 1, out);
	if (*out < 0)
		*out += rank;
}

void paleo_caffe_need_channels(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			       const char *why)
{
	int axis = 1;

	paleo_caffe_get_axis(job, l, "axis", paleo_caffe_in(job, l, 0)->rank, &axis);
	if (axis != 1)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "axis"), "expected 1: %s", why);
}

int paleo_caffe_need_outputs(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	int outputs = 1;

	if (!l->param || !paleo_caffe_first(l->param, "num_output"))
		paleo_caffe_refuse(job, l->param ? l->param : l->field, "'num_output' is missing");
	paleo_caffe_get_int(job, l->param, "num_output", 1, PALEO_CAFFE_DIM_MAX, &outputs);
	return outputs;
}

int paleo_caffe_dim(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, double size,
		    const char *what)
{
	const int fits = size >= 1 && size <= PALEO_CAFFE_DIM_MAX;

	if (!fits)
		paleo_caffe_refuse(job, l->field, "%s is %.0f, expected 1 to %d", what, size,
				   PALEO_CAFFE_DIM_MAX);
	return fits ? (int)size : 1;
}

const struct paleo_shape *paleo_caffe_in(const struct paleo_caffe_job *job,
					 const struct paleo_caffe_layer *l, int i)
{
	return &job->blobs[l->bottoms[i]].shape;
}

void paleo_caffe_shape_text(const struct paleo_shape *s, char *buf, size_t size)
{
	if (s->rank == 2)
		snprintf(buf, size, "%dx%d", s->n, s->c);
	else
		snprintf(buf, size, "%dx%dx%dx%d", s->n, s->c, s->h, s->w);
}

/* A copy with space for a number, in which '_' replaces characters not allowed in a layer's
 * name. */
static struct paleo_caffe_string *clean_copy(struct paleo_caffe_job *job, const char *name)
{
	size_t size = strlen(name) + 1;
	struct paleo_caffe_string *s = malloc(sizeof(*s) + size + SUFFIX_MAX);

	if (!s)
		return NULL;
	memcpy(s->text, name, size);
	for (char *c = s->text; *c; c++) {
		if (*c == '@' || (unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '_';
	}
	s->next = job->strings;
	job->strings = s;
	return s;
}

/* A unique name, made of `name`; NULL if memory ran out. */
static const char *make_name(struct paleo_caffe_job *job, const char *name)
{
	const struct paleo_caffe_string *base = clean_copy(job, name);
	int number = base ? paleo_names_get(&job->layer_names, base->text, strlen(base->text)) : 0;

	if (!base)
		return NULL;
	if (number < 0)
		return paleo_names_put(&job->layer_names, base->text, strlen(base->text), 1)
			       ? NULL
			       : base->text;
	struct paleo_caffe_string *s = clean_copy(job, name);
	if (!s)
		return NULL;
	do {
		snprintf(s->text + strlen(base->text), SUFFIX_MAX, "_%d", ++number);
	} while (paleo_names_get(&job->layer_names, s->text, strlen(s->text)) >= 0);
	if (paleo_names_put(&job->layer_names, base->text, strlen(base->text), number) ||
	    paleo_names_put(&job->layer_names, s->text, strlen(s->text), 1))
		return NULL;
	return s->text;
}

int paleo_caffe_begin(struct paleo_caffe_job *job, const char *name, const char *type,
		      const char *const *parents, int count)
{
	const char *own = job->rc ? NULL : make_name(job, name);

	if (!own) {
		paleo_caffe_no_memory(job);
		return 0;
	}
	paleo_json_open_object(job->writer, own);
	paleo_json_put_string(job->writer, "type", type);
	paleo_json_open_array(job->writer, "parents");
	for (int i = 0; i < count; i++)
		paleo_json_put_string(job->writer, NULL, parents[i]);
	paleo_json_close(job->writer);
	job->source = own;
	return 1;
}

void paleo_caffe_check_parents(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	struct paleo_names seen = {0};

	for (int i = 0; l->bottom_count > 1 && i < l->bottom_count && !job->rc; i++) {
		const struct paleo_caffe_blob *b = &job->blobs[l->bottoms[i]];
		if (paleo_names_get(&seen, b->source, strlen(b->source)) >= 0)
			paleo_caffe_refuse(
				job, l->field,
				"it reads '%s' twice, but a net's layer names a parent once",
				b->name);
		else if (paleo_names_put(&seen, b->source, strlen(b->source), 1))
			paleo_caffe_no_memory(job);
	}
	paleo_names_release(&seen);
}

int paleo_caffe_begin_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type)
{
	const char **parents = malloc(((size_t)l->bottom_count + 1) * sizeof(*parents));

	paleo_caffe_check_parents(job, l);
	if (!parents)
		paleo_caffe_no_memory(job);
	for (int i = 0; i < l->bottom_count && parents; i++)
		parents[i] = job->blobs[l->bottoms[i]].source;
	const int begun = paleo_caffe_begin(job, l->name, type, parents, l->bottom_count);
	free(parents);
	return begun;
}

void paleo_caffe_end(struct paleo_caffe_job *job)
{
	paleo_json_close(job->writer);
}

void paleo_caffe_end_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int top,
			   const struct paleo_shape *shape)
{
	paleo_caffe_end(job);
	job->blobs[l->tops[top]].source = job->source;
	job->blobs[l->tops[top]].shape = *shape;
}

void paleo_caffe_write_plain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			     const char *type, const char *key, const char *word)
{
	if (!paleo_caffe_begin_layer(job, l, type))
		return;
	if (key)
		paleo_json_put_string(job->writer, key, word);
	paleo_caffe_end_layer(job, l, 0, paleo_caffe_in(job, l, 0));
}

void paleo_caffe_write_shaped(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      const char *type, const struct paleo_shape *out)
{
	const int four[] = {-1, out->h, out->w, out->c}, two[] = {-1, out->c};

	if (!paleo_caffe_begin_layer(job, l, type))
		return;
	paleo_caffe_put_ints(job, "output_shape", out->rank == 2 ? two : four, out->rank);
	paleo_caffe_end_layer(job, l, 0, out);
}

int *paleo_caffe_size(struct paleo_shape *s, int axis)
{
	int *const sizes[] = {&s->n, &s->c, &s->h, &s->w};

	return sizes[axis >= 0 && axis < PALEO_CAFFE_AXES ? axis : 0];
}

void paleo_caffe_put_dim(struct paleo_caffe_job *job, const struct paleo_shape *s, int axis)
{
	static const int dims[] = {0, 3, 1, 2}; /* of a net: [N, H, W, C] */

	paleo_json_put_int(job->writer, "dim", s->rank == 2 ? 1 : dims[axis]);
}

void paleo_caffe_put_ints(struct paleo_caffe_job *job, const char *key, const int *values,
			  int count)
{
	paleo_json_open_array(job->writer, key);
	for (int i = 0; i < count; i++)
		paleo_json_put_int(job->writer, NULL, values[i]);
	paleo_json_close(job->writer);
}

void paleo_caffe_alias(struct paleo_caffe_job *job, int from, int to)
{
	job->blobs[to].source = job->blobs[from].source;
	job->blobs[to].shape = job->blobs[from].shape;
}

/* Checks that a layer's inputs are tensors, for some kinds images. */
static void check_bottoms(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	for (int i = 0; i < l->bottom_count; i++) {
		const struct paleo_caffe_blob *b = &job->blobs[l->bottoms[i]];
		if (!b->shape.rank)
			paleo_caffe_refuse(job, l->field,
					   "it reads '%s', which holds labels or a loss: a net's "
					   "layers cannot",
					   b->name);
	}
	if (l->kind->flags & PALEO_CAFFE_PICTURE && paleo_caffe_in(job, l, 0)->rank != 4)
		paleo_caffe_refuse(job, l->field, "it needs height and width, which '%s' lacks",
				   job->blobs[l->bottoms[0]].name);
}

static void write_layers(struct paleo_caffe_job *job)
{
	paleo_caffe_write_inputs(job);
	for (int i = 0; i < job->layer_count && !job->rc; i++) {
		check_bottoms(job, &job->layers[i]);
		if (!job->rc)
			job->layers[i].kind->convert(job, &job->layers[i]);
	}
	paleo_caffe_check_inputs(job);
}

/* The net's name, or its file's; never empty. */
static void put_name(struct paleo_caffe_job *job)
{
	const struct paleo_caffe_field *f = paleo_caffe_field(job, job->root, "name");
	const char *name = f ? paleo_caffe_string(job, f) : "";

	if (name[0])
		paleo_json_put_string(job->writer, "name", name);
	else
		paleo_names_put_stem(job->writer, job->root->name);
}

static int write_net(struct paleo_caffe_job *job, char **json)
{
	job->writer = paleo_json_writer_new();
	if (!job->writer)
		return paleo_caffe_no_memory(job);
	paleo_json_open_object(job->writer, NULL);
	put_name(job);
	paleo_json_open_object(job->writer, "layers");
	write_layers(job);
	if (job->rc)
		return job->rc;
	paleo_json_close(job->writer);
	paleo_json_close(job->writer);
	return paleo_json_writer_text(job->writer, 1, json, job->err);
}

static void release(struct paleo_caffe_job *job)
{
	for (int i = 0; i < job->layer_count; i++) {
		free(job->layers[i].bottoms);
		free(job->layers[i].tops);
	}
	free(job->layers);
	free(job->blobs);
	paleo_names_release(&job->blob_names);
	paleo_names_release(&job->layer_names);
	paleo_names_release(&job->param_names);
	paleo_names_release(&job->input_names);
	while (job->strings) {
		struct paleo_caffe_string *next = job->strings->next;
		free(job->strings);
		job->strings = next;
	}
	paleo_json_writer_free(job->writer);
}

int paleo_caffe_convert(const struct paleo_caffe_doc *doc,
			const struct paleo_caffe_options *options, char **json,
			struct paleo_error *err)
{
	struct paleo_caffe_job job = {
		.root = paleo_caffe_doc_root(doc), .options = options, .err = err};

	paleo_caffe_read_graph(&job);
	const int rc = job.rc ? job.rc : write_net(&job, json);
	release(&job);
	return rc;
}
