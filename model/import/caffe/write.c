/* write.c - writes the layers of the net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/caffe/values.h"

enum {
	SUFFIX_MAX = 16 /* bytes of "_2" and the like, with the NUL */
};

struct paleo_caffe_string {
	struct paleo_caffe_string *next;
	char text[];
};

void paleo_caffe_strings_release(struct paleo_caffe_job *job)
{
	while (job->strings) {
		struct paleo_caffe_string *next = job->strings->next;
		free(job->strings);
		job->strings = next;
	}
}

/* A copy with room for a number, in which '_' stands for what a layer's name may not have. */
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

/* A name of its own, made of `name`; NULL if memory ran out. */
static const char *make_name(struct paleo_caffe_job *job, const char *name)
{
	const struct paleo_caffe_string *base = clean_copy(job, name);
	int number = base ? paleo_caffe_names_get(&job->layer_names, base->text) : 0;

	if (!base)
		return NULL;
	if (number < 0)
		return paleo_caffe_names_put(&job->layer_names, base->text, 1) ? NULL : base->text;
	struct paleo_caffe_string *s = clean_copy(job, name);
	if (!s)
		return NULL;
	do {
		snprintf(s->text + strlen(base->text), SUFFIX_MAX, "_%d", ++number);
	} while (paleo_caffe_names_get(&job->layer_names, s->text) >= 0);
	if (paleo_caffe_names_put(&job->layer_names, base->text, number) ||
	    paleo_caffe_names_put(&job->layer_names, s->text, 1))
		return NULL;
	return s->text;
}

int paleo_caffe_begin(struct paleo_caffe_job *job, const char *name, const char *type,
		      const char *const *parents, int count, const char **source,
		      struct paleo_error *err)
{
	const char *own = make_name(job, name);

	if (!own)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(job->writer, own);
	paleo_json_put_string(job->writer, "type", type);
	paleo_json_open_array(job->writer, "parents");
	for (int i = 0; i < count; i++)
		paleo_json_put_string(job->writer, NULL, parents[i]);
	paleo_json_close(job->writer);
	*source = own;
	return PALEO_OK;
}

int paleo_caffe_check_parents(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      struct paleo_error *err)
{
	struct paleo_caffe_names seen = {0};
	int rc = PALEO_OK;

	for (int i = 0; l->bottom_count > 1 && i < l->bottom_count && !rc; i++) {
		const struct paleo_caffe_blob *b = &job->blobs[l->bottoms[i]];
		if (paleo_caffe_names_get(&seen, b->source) >= 0)
			rc = paleo_caffe_fail(l->field, err,
					      "it reads '%s' twice, but a layer of a net names a "
					      "parent once",
					      b->name);
		else if (paleo_caffe_names_put(&seen, b->source, 1))
			rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	paleo_caffe_names_release(&seen);
	return rc;
}

int paleo_caffe_begin_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type, const char **source, struct paleo_error *err)
{
	int rc = paleo_caffe_check_parents(job, l, err);

	if (rc)
		return rc;
	const char **parents = malloc(((size_t)l->bottom_count + 1) * sizeof(*parents));
	if (!parents)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < l->bottom_count; i++)
		parents[i] = job->blobs[l->bottoms[i]].source;
	rc = paleo_caffe_begin(job, l->name, type, parents, l->bottom_count, source, err);
	free(parents);
	return rc;
}

void paleo_caffe_end(struct paleo_caffe_job *job)
{
	paleo_json_close(job->writer);
}

void paleo_caffe_end_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			   const char *source, const struct paleo_shape *shape)
{
	paleo_caffe_end(job);
	job->blobs[l->tops[0]].source = source;
	job->blobs[l->tops[0]].shape = *shape;
}

int paleo_caffe_write_plain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type, struct paleo_error *err)
{
	const char *source;
	int rc = paleo_caffe_begin_layer(job, l, type, &source, err);

	if (!rc)
		paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	return rc;
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
