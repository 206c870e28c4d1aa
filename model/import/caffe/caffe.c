/* caffe.c - turns a network of Caffe's into the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/caffe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/caffe/job.h"
#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

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
				  "'%s' is no shape of an input, expected NxCxHxW or NxC, as in "
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

/* What a layer reads must be tensors, pictures for some kinds. */
static int check_bottoms(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 struct paleo_error *err)
{
	for (int i = 0; i < l->bottom_count; i++) {
		const struct paleo_caffe_blob *b = &job->blobs[l->bottoms[i]];
		if (!b->shape.rank)
			return paleo_caffe_fail(l->field, err,
						"it reads '%s', which holds labels or a loss: no "
						"layer of a net does",
						b->name);
	}
	if (l->kind->picture && paleo_caffe_in(job, l, 0)->rank != 4)
		return paleo_caffe_fail(l->field, err,
					"it needs height and width, which '%s' has not",
					job->blobs[l->bottoms[0]].name);
	return PALEO_OK;
}

static int write_layers(struct paleo_caffe_job *job, struct paleo_error *err)
{
	int rc = paleo_caffe_write_inputs(job, err);

	for (int i = 0; i < job->layer_count && !rc; i++) {
		struct paleo_caffe_layer *l = &job->layers[i];
		rc = check_bottoms(job, l, err);
		if (!rc)
			rc = l->kind->convert(job, l, err);
	}
	return rc ? rc : paleo_caffe_check_inputs(job, err);
}

/* The net's name, or its file's without folder and ending; never empty. */
static int put_name(struct paleo_caffe_job *job, struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	const char *name = "";
	int rc = paleo_caffe_one(job->root, "name", &f, err);

	if (!rc && f)
		rc = paleo_caffe_to_string(f, &name, err);
	if (rc || name[0]) {
		if (!rc)
			paleo_json_put_string(job->writer, "name", name);
		return rc;
	}
	const char *slash = strrchr(job->root->name, '/');
	char *stem = strdup(slash ? slash + 1 : job->root->name);
	if (!stem)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	char *dot = strrchr(stem, '.');
	if (dot && dot > stem)
		*dot = '\0';
	paleo_json_put_string(job->writer, "name", stem[0] ? stem : "net");
	free(stem);
	return PALEO_OK;
}

static int write_net(struct paleo_caffe_job *job, char **json, struct paleo_error *err)
{
	job->writer = paleo_json_writer_new();
	if (!job->writer)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(job->writer, NULL);
	int rc = put_name(job, err);
	if (rc)
		return rc;
	paleo_json_open_object(job->writer, "layers");
	rc = write_layers(job, err);
	if (rc)
		return rc;
	paleo_json_close(job->writer);
	paleo_json_close(job->writer);
	return paleo_json_writer_text(job->writer, 1, json, err);
}

static void release(struct paleo_caffe_job *job)
{
	for (int i = 0; i < job->layer_count; i++) {
		free(job->layers[i].bottoms);
		free(job->layers[i].tops);
	}
	free(job->layers);
	free(job->blobs);
	paleo_caffe_names_release(&job->blob_names);
	paleo_caffe_names_release(&job->layer_names);
	paleo_caffe_names_release(&job->param_names);
	paleo_caffe_names_release(&job->input_names);
	paleo_caffe_strings_release(job);
	paleo_json_writer_free(job->writer);
}

int paleo_caffe_convert(const struct paleo_caffe_doc *doc,
			const struct paleo_caffe_options *options, char **json,
			struct paleo_error *err)
{
	struct paleo_caffe_job job = {.root = paleo_caffe_doc_root(doc), .options = options};
	int rc = paleo_caffe_read_graph(&job, err);

	if (!rc)
		rc = write_net(&job, json, err);
	release(&job);
	return rc;
}
