/* input.c - where data comes in: inputs that the net names, and Caffe's layers that read data. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "import/caffe/job.h"

/* A shape; 0 for sizes missing from the file. */
struct known {
	int n, c, h, w;
	int flat; /* 1: it is n, c alone */
};

/* Reads a shape { dim: 64 dim: 3 ... } of 2 or 4 sizes. */
static struct known read_shape(struct paleo_caffe_job *job, const struct paleo_caffe_field *shape)
{
	static const char *const names[] = {"dim", NULL};
	int d[4] = {0, 0, 1, 1}, count = 0;

	paleo_caffe_check_message(job, shape, names);
	for (const struct paleo_caffe_field *f = shape->first; f && !job->rc; f = f->next) {
		if (count < 4)
			job->rc =
				paleo_caffe_to_int(f, 1, PALEO_CAFFE_DIM_MAX, &d[count], job->err);
		count++;
	}
	if (count != 2 && count != 4)
		paleo_caffe_refuse(job, shape, "a net has tensors of 4 axes, or 2, not %d", count);
	return (struct known){d[0], d[1], d[2], d[3], count == 2};
}

/* Applies the options for this input, if any. */
static void apply_options(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			  const char *name, struct known *k)
{
	for (int i = 0; i < job->options->input_count; i++) {
		const struct paleo_caffe_input *o = &job->options->inputs[i];
		if (o->name[0] && strcmp(o->name, name) != 0)
			continue;
		if (!o->name[0] && job->input_names.count > 0)
			paleo_caffe_refuse(job, place,
					   "the net has several inputs: give this one's shape as "
					   "FILE:%s=...",
					   name);
		*k = (struct known){o->shape.n, o->shape.c, o->shape.h, o->shape.w,
				    o->shape.rank == 2};
	}
}

static void put_dim(char *buf, size_t size, int dim, const char *letter)
{
	size_t at = strlen(buf);

	if (dim)
		snprintf(buf + at, size - at, "%s%d", at ? "x" : "", dim);
	else
		snprintf(buf + at, size - at, "%s%s", at ? "x" : "", letter);
}

static void check_known(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			const char *name, const struct known *k)
{
	char text[64] = "";

	if (k->n && k->c && k->h && k->w)
		return;
	put_dim(text, sizeof(text), k->n, "N");
	put_dim(text, sizeof(text), k->c, "C");
	put_dim(text, sizeof(text), k->h, "H");
	put_dim(text, sizeof(text), k->w, "W");
	paleo_caffe_refuse(job, place,
			   "the shape of the input '%s' is incomplete: give it as FILE:%s=%s, "
			   "with numbers for the letters",
			   name, name, text);
}

/* A net's Input has height and width; where Caffe's has none they are taken away behind it. */
static void write_layers(struct paleo_caffe_job *job, struct paleo_caffe_blob *b,
			 const struct known *k)
{
	const int tensor[] = {k->n, k->h, k->w, k->c};
	const int flat[] = {-1, k->c};

	if (!paleo_caffe_begin(job, b->name, "Input", NULL, 0))
		return;
	paleo_caffe_put_ints(job, "tensor", tensor, 4);
	paleo_caffe_end(job);
	if (k->flat) {
		if (!paleo_caffe_begin(job, b->name, "Reshape", &job->source, 1))
			return;
		paleo_caffe_put_ints(job, "output_shape", flat, 2);
		paleo_caffe_end(job);
	}
	b->source = job->source;
	b->shape = (struct paleo_shape){
		.rank = k->flat ? 2 : 4, .n = k->n, .c = k->c, .h = k->h, .w = k->w};
}

/* Writes the blob as an input of the net, if anything reads it. The options take precedence; a size
 * still unknown is EINPUT at `place`. */
static void write_input(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			int blob, const struct known *said)
{
	struct paleo_caffe_blob *b = &job->blobs[blob];
	struct known k = *said;

	if (!b->readers || job->rc)
		return;
	apply_options(job, place, b->name, &k);
	check_known(job, place, b->name, &k);
	if (job->batch && k.n != job->batch)
		paleo_caffe_refuse(job, place,
				   "the input '%s' has a batch of %d, an earlier one has %d: "
				   "expected the same",
				   b->name, k.n, job->batch);
	job->batch = k.n;
	write_layers(job, b, &k);
	if (!job->rc && paleo_names_put(&job->input_names, b->name, strlen(b->name), 1))
		paleo_caffe_no_memory(job);
}

/* Reads four of input_dim, from *dim on, and moves *dim behind them. */
static struct known read_four(struct paleo_caffe_job *job, const struct paleo_caffe_field **dim)
{
	const struct paleo_caffe_field *first = *dim;
	int d[4] = {0};

	for (int i = 0; i < 4 && !job->rc; i++) {
		if (!*dim) {
			paleo_caffe_refuse(job, first, "expected 4 numbers for each 'input'");
			break;
		}
		job->rc = paleo_caffe_to_int(*dim, 1, PALEO_CAFFE_DIM_MAX, &d[i], job->err);
		*dim = paleo_caffe_again(*dim);
	}
	return (struct known){d[0], d[1], d[2], d[3], 0};
}

void paleo_caffe_write_inputs(struct paleo_caffe_job *job)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(job->root, "input");
	const struct paleo_caffe_field *shape = paleo_caffe_first(job->root, "input_shape");
	const struct paleo_caffe_field *dim = paleo_caffe_first(job->root, "input_dim");

	/* They are the first blobs, in their order. */
	for (int i = 0; f && !job->rc; i++, f = paleo_caffe_again(f)) {
		struct known known = {0};
		if (dim)
			known = read_four(job, &dim);
		if (shape && job->blobs[i].readers)
			known = read_shape(job, shape);
		write_input(job, f, i, &known);
		shape = shape ? paleo_caffe_again(shape) : NULL;
	}
}

void paleo_caffe_check_inputs(struct paleo_caffe_job *job)
{
	for (int i = 0; i < job->options->input_count; i++) {
		const char *name = job->options->inputs[i].name;
		if (name[0] && paleo_names_get(&job->input_names, name, strlen(name)) < 0)
			paleo_caffe_refuse(job, job->root, "the net has no input '%s'", name);
	}
	if (!job->input_names.count)
		paleo_caffe_refuse(job, job->root, "the net has no input");
}

/* Pictures from a file or a database, and perhaps labels. Their transforms imply some of their
 * channels and size. */
static void convert_pictures(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			     struct known *k)
{
	static const char *const names[] = {"scale",      "mirror",      "crop_size",  "mean_file",
					    "mean_value", "force_color", "force_gray", NULL};
	const struct paleo_caffe_field *changes =
		paleo_caffe_field(job, l->field, "transform_param");
	int color = 0, gray = 0, crop = 0;

	if (changes)
		paleo_caffe_check_message(job, changes, names);
	paleo_caffe_get_int(job, l->param, "batch_size", 1, PALEO_CAFFE_DIM_MAX, &k->n);
	const int means = paleo_caffe_count(changes, "mean_value");
	paleo_caffe_get_bool(job, changes, "force_color", &color);
	paleo_caffe_get_bool(job, changes, "force_gray", &gray);
	if (color || gray)
		k->c = color ? 3 : 1;
	else if (means > 1) /* one mean serves any number of channels */
		k->c = means;
	/* in old files it is in the layer's own message */
	paleo_caffe_get_int(job, l->param, "crop_size", 0, PALEO_CAFFE_DIM_MAX, &crop);
	paleo_caffe_get_int(job, changes, "crop_size", 0, PALEO_CAFFE_DIM_MAX, &crop);
	if (crop)
		k->h = k->w = crop;
	write_input(job, l->field, l->tops[0], k);
}

void paleo_caffe_convert_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	convert_pictures(job, l, &(struct known){0});
}

void paleo_caffe_convert_image_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct known k = {.n = 1}; /* batch_size is 1 if the file does not say it */
	int color = 1;

	paleo_caffe_get_bool(job, l->param, "is_color", &color);
	k.c = color ? 3 : 1;
	paleo_caffe_get_int(job, l->param, "new_height", 0, PALEO_CAFFE_DIM_MAX, &k.h);
	paleo_caffe_get_int(job, l->param, "new_width", 0, PALEO_CAFFE_DIM_MAX, &k.w);
	convert_pictures(job, l, &k);
}

void paleo_caffe_convert_window_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	convert_pictures(job, l, &(struct known){.c = 3}); /* it reads pictures in colour */
}

void paleo_caffe_convert_hdf5_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct known k = {0};

	paleo_caffe_get_int(job, l->param, "batch_size", 1, PALEO_CAFFE_DIM_MAX, &k.n);
	for (int i = 0; i < l->top_count; i++)
		write_input(job, l->field, l->tops[i], &k);
}

void paleo_caffe_convert_memory_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const int most = PALEO_CAFFE_DIM_MAX;
	struct known k = {0};

	paleo_caffe_get_int(job, l->param, "batch_size", 1, most, &k.n);
	paleo_caffe_get_int(job, l->param, "channels", 1, most, &k.c);
	paleo_caffe_get_int(job, l->param, "height", 1, most, &k.h);
	paleo_caffe_get_int(job, l->param, "width", 1, most, &k.w);
	write_input(job, l->field, l->tops[0], &k);
}

/* The field for top number `top`, if there is one for each; the only one otherwise. */
static const struct paleo_caffe_field *field_of_top(const struct paleo_caffe_layer *l,
						    const char *name, int top)
{
	const struct paleo_caffe_field *f = l->param ? paleo_caffe_first(l->param, name) : NULL;

	if (paleo_caffe_count(l->param, name) > 1)
		for (int i = 0; i < top && f; i++)
			f = paleo_caffe_again(f);
	return f;
}

/* Shapes as messages: of Input, and of DummyData in its new form. */
void paleo_caffe_convert_shapes(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const int count = paleo_caffe_count(l->param, "shape");

	if (count > 1 && count != l->top_count)
		paleo_caffe_refuse(job, l->param,
				   "expected one 'shape', or one for each of the %d tops, found %d",
				   l->top_count, count);
	for (int i = 0; i < l->top_count && !job->rc; i++) {
		const struct paleo_caffe_field *shape = field_of_top(l, "shape", i);
		struct known k = {0};
		if (shape && job->blobs[l->tops[i]].readers)
			k = read_shape(job, shape);
		write_input(job, l->field, l->tops[i], &k);
	}
}

/* DummyData gives a shape as a message, or each of its sizes for each top. */
void paleo_caffe_convert_dummy_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	static const char *const names[] = {"num", "channels", "height", "width"};

	if (paleo_caffe_count(l->param, "shape")) {
		paleo_caffe_convert_shapes(job, l);
		return;
	}
	for (int i = 0; i < l->top_count; i++) {
		int d[4] = {0};
		for (int j = 0; j < 4 && !job->rc; j++) {
			const struct paleo_caffe_field *f = field_of_top(l, names[j], i);
			if (f)
				job->rc = paleo_caffe_to_int(f, 1, PALEO_CAFFE_DIM_MAX, &d[j],
							     job->err);
		}
		write_input(job, l->field, l->tops[i], &(struct known){d[0], d[1], d[2], d[3], 0});
	}
}
