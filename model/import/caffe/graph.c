/* graph.c - reads which layers there are, and which blobs they read and make. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory");
}

/* A new blob, from now on the one of its name. *out is its number. */
static int add_blob(struct paleo_caffe_job *job, const char *name, int *out,
		    struct paleo_error *err)
{
	struct paleo_caffe_blob *blobs =
		paleo_grow(job->blobs, job->blob_count, &job->blob_capacity, sizeof(*blobs));
	if (!blobs)
		return out_of_memory(err);
	job->blobs = blobs;
	if (paleo_caffe_names_put(&job->blob_names, name, job->blob_count))
		return out_of_memory(err);
	job->blobs[job->blob_count] = (struct paleo_caffe_blob){.name = name, .reader = -1};
	*out = job->blob_count++;
	return PALEO_OK;
}

/* EINPUT unless there are from `low` to `high` of what the field `name` lists. */
static int check_count(const struct paleo_caffe_layer *l, const char *name, int count, int low,
		       int high, struct paleo_error *err)
{
	if (count >= low && count <= high)
		return PALEO_OK;
	if (low == high)
		return paleo_caffe_fail(l->field, err, "expected %d of '%s', found %d", low, name,
					count);
	return paleo_caffe_fail(l->field, err, "expected %s%d of '%s', found %d",
				count < low ? "at least " : "at most ", count < low ? low : high,
				name, count);
}

static int *new_numbers(int count)
{
	return calloc((size_t)count + 1, sizeof(int));
}

static int read_bottoms(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			struct paleo_error *err)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(l->field, "bottom");
	const struct paleo_caffe_kind *kind = l->kind;
	int count = paleo_caffe_count(l->field, "bottom");
	const char *name;
	int rc = check_count(l, "bottom", count, kind->min_bottoms, kind->max_bottoms, err);

	if (rc)
		return rc;
	if (kind->reads == PALEO_CAFFE_READS_NONE)
		count = 0;
	if (kind->reads == PALEO_CAFFE_READS_FIRST)
		count = 1;
	l->bottoms = new_numbers(count);
	if (!l->bottoms)
		return out_of_memory(err);
	for (; l->bottom_count < count; f = paleo_caffe_again(f)) {
		rc = paleo_caffe_to_string(f, &name, err);
		if (rc)
			return rc;
		int blob = paleo_caffe_names_get(&job->blob_names, name);
		if (blob < 0)
			return paleo_caffe_fail(f, err, "no layer before this one makes '%s'",
						name);
		job->blobs[blob].readers++;
		job->blobs[blob].reader = (int)(l - job->layers);
		l->bottoms[l->bottom_count++] = blob;
	}
	return PALEO_OK;
}

/* 1 if the layer reads a blob of this name: then it may make one, in place. */
static int reads_name(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		      const char *name)
{
	for (int i = 0; i < l->bottom_count; i++) {
		if (!strcmp(job->blobs[l->bottoms[i]].name, name))
			return 1;
	}
	return 0;
}

static int read_tops(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
		     struct paleo_error *err)
{
	int count = paleo_caffe_count(l->field, "top");
	const char *name;
	int rc = check_count(l, "top", count, l->kind->min_tops, l->kind->max_tops, err);

	if (rc)
		return rc;
	l->tops = new_numbers(count);
	if (!l->tops)
		return out_of_memory(err);
	for (const struct paleo_caffe_field *f = paleo_caffe_first(l->field, "top"); f;
	     f = paleo_caffe_again(f)) {
		rc = paleo_caffe_to_string(f, &name, err);
		if (rc)
			return rc;
		if (paleo_caffe_names_get(&job->blob_names, name) >= 0 && !reads_name(job, l, name))
			return paleo_caffe_fail(f, err, "'%s' is made a second time", name);
		rc = add_blob(job, name, &l->tops[l->top_count], err);
		if (rc)
			return rc;
		l->top_count++;
	}
	return PALEO_OK;
}

static int read_name(struct paleo_caffe_layer *l, struct paleo_error *err)
{
	const struct paleo_caffe_field *name;
	int rc = paleo_caffe_one(l->field, "name", &name, err);

	l->name = l->kind->type;
	if (!rc && name)
		rc = paleo_caffe_to_string(name, &l->name, err);
	if (!rc && !l->name[0])
		l->name = l->kind->type;
	return rc;
}

/* Appends a NULL-ended list, which may be NULL. */
static void append(const char **names, int *count, const char *const *more)
{
	while (more && *more)
		names[(*count)++] = *more++;
	names[*count] = NULL;
}

/* Checks the names of the layer's fields and of those in its kind's message, which it finds. */
static int check_fields(struct paleo_caffe_layer *l, struct paleo_error *err)
{
	static const char *const common[] = {"name",
					     "type",
					     "bottom",
					     "top",
					     "phase",
					     "include",
					     "exclude",
					     "loss_weight",
					     "param",
					     "propagate_down",
					     "blobs",
					     "blobs_lr",
					     "weight_decay",
					     "blob_share_mode",
					     NULL};
	const struct paleo_caffe_kind *kind = l->kind;
	const char *const own[] = {kind->param, NULL};
	const char *names[32];
	int count = 0;

	append(names, &count, own);
	append(names, &count, kind->others);
	append(names, &count, common);
	int rc = paleo_caffe_only(l->field, names, err);
	if (rc || !kind->param)
		return rc;
	rc = paleo_caffe_one(l->field, kind->param, &l->param, err);
	if (!rc && l->param)
		rc = paleo_caffe_to_message(l->param, err);
	if (!rc && l->param)
		rc = paleo_caffe_only(l->param, kind->fields, err);
	return rc;
}

static int read_layer(struct paleo_caffe_job *job, const struct paleo_caffe_field *field,
		      struct paleo_error *err)
{
	struct paleo_caffe_layer *l = &job->layers[job->layer_count];
	int in_phase = 0;
	int rc = paleo_caffe_to_message(field, err);

	if (!rc)
		rc = paleo_caffe_in_phase(job, field, &in_phase, err);
	if (rc || !in_phase)
		return rc;
	l->field = field;
	rc = paleo_caffe_find_kind(field, &l->kind, err);
	if (rc)
		return rc;
	job->layer_count++; /* from here on its lists are freed with the job */
	rc = read_name(l, err);
	if (!rc)
		rc = check_fields(l, err);
	if (!rc)
		rc = paleo_caffe_check_weights(job, l, err);
	if (!rc)
		rc = read_bottoms(job, l, err);
	return rc ? rc : read_tops(job, l, err);
}

/* The blobs that the net itself names: input: "data". */
static int read_inputs(struct paleo_caffe_job *job, struct paleo_error *err)
{
	const char *name;
	int number;

	for (const struct paleo_caffe_field *f = paleo_caffe_first(job->root, "input"); f;
	     f = paleo_caffe_again(f)) {
		int rc = paleo_caffe_to_string(f, &name, err);
		if (rc)
			return rc;
		if (paleo_caffe_names_get(&job->blob_names, name) >= 0)
			return paleo_caffe_fail(f, err, "'%s' is an input a second time", name);
		rc = add_blob(job, name, &number, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static int check_root(const struct paleo_caffe_job *job, struct paleo_error *err)
{
	static const char *const names[] = {"name",       "input",  "input_shape",    "input_dim",
					    "layer",      "layers", "force_backward", "state",
					    "debug_info", NULL};
	const struct paleo_caffe_field *layer = paleo_caffe_first(job->root, "layer");
	const struct paleo_caffe_field *old = paleo_caffe_first(job->root, "layers");
	const struct paleo_caffe_field *state, *force;
	int forced = 0;
	int rc = paleo_caffe_only(job->root, names, err);

	if (rc)
		return rc;
	if (layer && old)
		return paleo_caffe_fail(old, err, "expected 'layer' or 'layers', not both");
	if (!layer && !old)
		return paleo_caffe_fail(job->root, err, "there is no 'layer' in it");
	rc = paleo_caffe_one(job->root, "state", &state, err);
	if (!rc && state)
		rc = paleo_caffe_to_message(state, err);
	if (!rc)
		rc = paleo_caffe_one(job->root, "force_backward", &force, err);
	if (!rc && force)
		rc = paleo_caffe_to_bool(force, &forced, err);
	if (!rc && forced && !job->options->test)
		rc = paleo_caffe_fail(force, err,
				      "a net has no gradient into its input; remove it to have the "
				      "net counted without");
	return rc;
}

int paleo_caffe_read_graph(struct paleo_caffe_job *job, struct paleo_error *err)
{
	int rc = check_root(job, err);

	if (!rc)
		rc = read_inputs(job, err);
	if (rc)
		return rc;
	const char *name = paleo_caffe_first(job->root, "layer") ? "layer" : "layers";
	job->layers = calloc((size_t)paleo_caffe_count(job->root, name), sizeof(*job->layers));
	if (!job->layers)
		return out_of_memory(err);
	for (const struct paleo_caffe_field *f = paleo_caffe_first(job->root, name); f && !rc;
	     f = paleo_caffe_again(f))
		rc = read_layer(job, f, err);
	return rc;
}
