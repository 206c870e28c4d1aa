/* input.c - where data comes in: inputs that the net names, and Caffe's layers that read data. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/input.h"

#include <stdio.h>
#include <string.h>

#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

int paleo_caffe_read_shape(const struct paleo_caffe_field *shape, struct paleo_caffe_known *out,
			   struct paleo_error *err)
{
	static const char *const names[] = {"dim", NULL};
	int dims[4], count = 0;
	int rc = paleo_caffe_to_message(shape, err);

	if (!rc)
		rc = paleo_caffe_only(shape, names, err);
	for (const struct paleo_caffe_field *f = rc ? NULL : shape->first; f && !rc; f = f->next) {
		if (count < 4)
			rc = paleo_caffe_to_int(f, 1, PALEO_CAFFE_DIM_MAX, &dims[count], err);
		count++;
	}
	if (rc)
		return rc;
	if (count != 2 && count != 4)
		return paleo_caffe_fail(shape, err, "a net has tensors of 4 axes, or 2, not of %d",
					count);
	*out = count == 4 ? (struct paleo_caffe_known){dims[0], dims[1], dims[2], dims[3], 0}
			  : (struct paleo_caffe_known){dims[0], dims[1], 1, 1, 1};
	return PALEO_OK;
}

/* What the options say of the input, if they do. */
static int apply_options(const struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			 const char *name, struct paleo_caffe_known *k, struct paleo_error *err)
{
	for (int i = 0; i < job->options->input_count; i++) {
		const struct paleo_caffe_input *o = &job->options->inputs[i];
		if (o->name[0] && strcmp(o->name, name) != 0)
			continue;
		if (!o->name[0] && job->input_names.count > 0)
			return paleo_caffe_fail(place, err,
						"the net has more inputs than one: give this one's "
						"shape as --input %s=...",
						name);
		*k = (struct paleo_caffe_known){o->shape.n, o->shape.c, o->shape.h, o->shape.w,
						o->shape.rank == 2};
	}
	return PALEO_OK;
}

static void put_dim(char *buf, size_t size, int dim, const char *letter)
{
	size_t at = strlen(buf);

	if (dim)
		snprintf(buf + at, size - at, "%s%d", at ? "x" : "", dim);
	else
		snprintf(buf + at, size - at, "%s%s", at ? "x" : "", letter);
}

static int check_known(const struct paleo_caffe_field *place, const char *name,
		       const struct paleo_caffe_known *k, struct paleo_error *err)
{
	char text[64] = "";

	if (k->n && k->c && k->h && k->w)
		return PALEO_OK;
	put_dim(text, sizeof(text), k->n, "N");
	put_dim(text, sizeof(text), k->c, "C");
	put_dim(text, sizeof(text), k->h, "H");
	put_dim(text, sizeof(text), k->w, "W");
	return paleo_caffe_fail(place, err,
				"the file does not say the whole shape of the input '%s': give it "
				"as --input %s=%s, with numbers for the letters",
				name, name, text);
}

/* A net's Input has height and width; where Caffe's has none they are taken away behind it. */
static int write_layers(struct paleo_caffe_job *job, struct paleo_caffe_blob *b,
			const struct paleo_caffe_known *k, struct paleo_error *err)
{
	const int tensor[] = {k->n, k->h, k->w, k->c};
	const int flat[] = {-1, k->c};
	const char *source;
	int rc = paleo_caffe_begin(job, b->name, "Input", NULL, 0, &source, err);

	if (rc)
		return rc;
	paleo_caffe_put_ints(job, "tensor", tensor, 4);
	paleo_caffe_end(job);
	if (k->flat) {
		const char *parent = source;
		rc = paleo_caffe_begin(job, b->name, "Reshape", &parent, 1, &source, err);
		if (rc)
			return rc;
		paleo_caffe_put_ints(job, "output_shape", flat, 2);
		paleo_caffe_end(job);
	}
	b->source = source;
	b->shape = (struct paleo_shape){
		.rank = k->flat ? 2 : 4, .n = k->n, .c = k->c, .h = k->h, .w = k->w};
	return PALEO_OK;
}

int paleo_caffe_write_input(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			    int blob, const struct paleo_caffe_known *said, struct paleo_error *err)
{
	struct paleo_caffe_blob *b = &job->blobs[blob];
	struct paleo_caffe_known k = *said;
	int rc = apply_options(job, place, b->name, &k, err);

	if (!rc)
		rc = check_known(place, b->name, &k, err);
	if (!rc && job->batch && k.n != job->batch)
		rc = paleo_caffe_fail(
			place, err,
			"the input '%s' has a batch of %d, one before it has %d: those "
			"of a net have the same",
			b->name, k.n, job->batch);
	job->batch = k.n;
	if (!rc)
		rc = write_layers(job, b, &k, err);
	if (!rc && paleo_caffe_names_put(&job->input_names, b->name, 1))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	return rc;
}

/* Reads four of input_dim, from *dim on, and moves *dim behind them. */
static int read_four(const struct paleo_caffe_field **dim, struct paleo_caffe_known *out,
		     struct paleo_error *err)
{
	const struct paleo_caffe_field *first = *dim;
	int dims[4];

	for (int i = 0; i < 4; i++) {
		if (!*dim)
			return paleo_caffe_fail(first, err, "expected 4 numbers for each 'input'");
		int rc = paleo_caffe_to_int(*dim, 1, PALEO_CAFFE_DIM_MAX, &dims[i], err);
		if (rc)
			return rc;
		*dim = paleo_caffe_again(*dim);
	}
	*out = (struct paleo_caffe_known){dims[0], dims[1], dims[2], dims[3], 0};
	return PALEO_OK;
}

int paleo_caffe_write_inputs(struct paleo_caffe_job *job, struct paleo_error *err)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(job->root, "input");
	const struct paleo_caffe_field *shape = paleo_caffe_first(job->root, "input_shape");
	const struct paleo_caffe_field *dim = paleo_caffe_first(job->root, "input_dim");
	int rc = PALEO_OK;

	/* They are the first blobs, in their order. */
	for (int i = 0; f && !rc; i++, f = paleo_caffe_again(f)) {
		struct paleo_caffe_known known = {0};
		if (dim)
			rc = read_four(&dim, &known, err);
		if (!rc && shape && job->blobs[i].readers)
			rc = paleo_caffe_read_shape(shape, &known, err);
		if (!rc && job->blobs[i].readers)
			rc = paleo_caffe_write_input(job, f, i, &known, err);
		shape = shape ? paleo_caffe_again(shape) : NULL;
	}
	return rc;
}

int paleo_caffe_check_inputs(const struct paleo_caffe_job *job, struct paleo_error *err)
{
	for (int i = 0; i < job->options->input_count; i++) {
		const char *name = job->options->inputs[i].name;
		if (name[0] && paleo_caffe_names_get(&job->input_names, name) < 0)
			return paleo_caffe_fail(job->root, err, "the net has no input '%s'", name);
	}
	if (!job->input_names.count)
		return paleo_caffe_fail(job->root, err, "the net has no input");
	return PALEO_OK;
}
