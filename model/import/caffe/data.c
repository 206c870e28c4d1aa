/* data.c - Caffe's layers that read data: what they say of the shapes they give. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/input.h"
#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"

enum {
	INPUTS_MAX = 256 /* that one layer gives */
};

static const char *const transform[] = {"transform_param", NULL};

/* Writes the top as an input, unless nothing reads it, as is so with labels. */
static int write_top(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int top,
		     const struct paleo_caffe_known *said, struct paleo_error *err)
{
	if (!job->blobs[l->tops[top]].readers)
		return PALEO_OK;
	return paleo_caffe_write_input(job, l->field, l->tops[top], said, err);
}

/* crop_size stands in transform_param, in old files in the layer's own message. */
static int read_crop(const struct paleo_caffe_layer *l, const struct paleo_caffe_field *changes,
		     struct paleo_caffe_known *k, struct paleo_error *err)
{
	int crop = 0;
	int rc = paleo_caffe_get_int(l->param, "crop_size", 0, PALEO_CAFFE_DIM_MAX, &crop, err);

	if (!rc)
		rc = paleo_caffe_get_int(changes, "crop_size", 0, PALEO_CAFFE_DIM_MAX, &crop, err);
	if (!rc && crop)
		k->h = k->w = crop;
	return rc;
}

/* What is done to pictures on their way in says something of their channels. */
static int read_channels(const struct paleo_caffe_field *changes, struct paleo_caffe_known *k,
			 struct paleo_error *err)
{
	int color = 0, gray = 0;
	int means = paleo_caffe_count(changes, "mean_value");
	int rc = paleo_caffe_get_bool(changes, "force_color", &color, err);

	if (!rc)
		rc = paleo_caffe_get_bool(changes, "force_gray", &gray, err);
	if (rc)
		return rc;
	if (color)
		k->c = 3;
	else if (gray)
		k->c = 1;
	else if (means > 1) /* one mean serves any number of channels */
		k->c = means;
	return PALEO_OK;
}

/* Pictures from a file or a database, and perhaps labels. */
static int convert_pictures(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    struct paleo_caffe_known *k, struct paleo_error *err)
{
	static const char *const names[] = {"scale",      "mirror",      "crop_size",  "mean_file",
					    "mean_value", "force_color", "force_gray", NULL};
	const struct paleo_caffe_field *changes;
	int rc = paleo_caffe_one(l->field, "transform_param", &changes, err);

	if (!rc && changes)
		rc = paleo_caffe_to_message(changes, err);
	if (!rc && changes)
		rc = paleo_caffe_only(changes, names, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "batch_size", 1, PALEO_CAFFE_DIM_MAX, &k->n,
					 err);
	if (!rc)
		rc = read_channels(changes, k, err);
	if (!rc)
		rc = read_crop(l, changes, k, err);
	return rc ? rc : write_top(job, l, 0, k, err);
}

static int convert_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			struct paleo_error *err)
{
	struct paleo_caffe_known k = {0};

	return convert_pictures(job, l, &k, err);
}

static const char *const data_fields[] = {
	"source",    "batch_size", "rand_skip",           "backend",  "scale", "mean_file",
	"crop_size", "mirror",     "force_encoded_color", "prefetch", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_data = {
	.type = "Data",
	.old = "DATA",
	.param = "data_param",
	.fields = data_fields,
	.others = transform,
	.min_tops = 1,
	.max_tops = 2,
	.convert = convert_data,
};

static int convert_image_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			      struct paleo_error *err)
{
	struct paleo_caffe_known k = {.n = 1}; /* batch_size is 1 if the file does not say it */
	int color = 1;
	int rc = paleo_caffe_get_bool(l->param, "is_color", &color, err);

	k.c = color ? 3 : 1;
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "new_height", 0, PALEO_CAFFE_DIM_MAX, &k.h, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "new_width", 0, PALEO_CAFFE_DIM_MAX, &k.w, err);
	return rc ? rc : convert_pictures(job, l, &k, err);
}

static const char *const image_data_fields[] = {
	"source",    "batch_size", "rand_skip", "shuffle", "new_height",  "new_width", "is_color",
	"mean_file", "crop_size",  "mirror",    "scale",   "root_folder", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_image_data = {
	.type = "ImageData",
	.old = "IMAGE_DATA",
	.param = "image_data_param",
	.fields = image_data_fields,
	.others = transform,
	.min_tops = 1,
	.max_tops = 2,
	.convert = convert_image_data,
};

static int convert_window_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			       struct paleo_error *err)
{
	struct paleo_caffe_known k = {.c = 3}; /* it reads pictures in colour */

	return convert_pictures(job, l, &k, err);
}

static const char *const window_data_fields[] = {
	"source",    "scale",        "mean_file",    "batch_size",  "crop_size",
	"mirror",    "fg_threshold", "bg_threshold", "fg_fraction", "context_pad",
	"crop_mode", "cache_images", "root_folder",  NULL};

const struct paleo_caffe_kind paleo_caffe_kind_window_data = {
	.type = "WindowData",
	.old = "WINDOW_DATA",
	.param = "window_data_param",
	.fields = window_data_fields,
	.others = transform,
	.min_tops = 1,
	.max_tops = 2,
	.convert = convert_window_data,
};

static int convert_hdf5_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			     struct paleo_error *err)
{
	struct paleo_caffe_known k = {0};
	int rc = paleo_caffe_get_int(l->param, "batch_size", 1, PALEO_CAFFE_DIM_MAX, &k.n, err);

	for (int i = 0; i < l->top_count && !rc; i++)
		rc = write_top(job, l, i, &k, err);
	return rc;
}

static const char *const hdf5_data_fields[] = {"source", "batch_size", "shuffle", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_hdf5_data = {
	.type = "HDF5Data",
	.old = "HDF5_DATA",
	.param = "hdf5_data_param",
	.fields = hdf5_data_fields,
	.min_tops = 1,
	.max_tops = INPUTS_MAX,
	.convert = convert_hdf5_data,
};

static int convert_memory_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			       struct paleo_error *err)
{
	const int most = PALEO_CAFFE_DIM_MAX;
	struct paleo_caffe_known k = {0};
	int rc = paleo_caffe_get_int(l->param, "batch_size", 1, most, &k.n, err);

	if (!rc)
		rc = paleo_caffe_get_int(l->param, "channels", 1, most, &k.c, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "height", 1, most, &k.h, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "width", 1, most, &k.w, err);
	return rc ? rc : write_top(job, l, 0, &k, err);
}

static const char *const memory_data_fields[] = {"batch_size", "channels", "height", "width", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_memory_data = {
	.type = "MemoryData",
	.old = "MEMORY_DATA",
	.param = "memory_data_param",
	.fields = memory_data_fields,
	.others = transform,
	.min_tops = 1,
	.max_tops = 2,
	.convert = convert_memory_data,
};

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
static int convert_shapes(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			  struct paleo_error *err)
{
	int count = paleo_caffe_count(l->param, "shape");

	if (count > 1 && count != l->top_count)
		return paleo_caffe_fail(l->param, err,
					"expected one 'shape', or one for each of the %d tops, "
					"found %d",
					l->top_count, count);
	for (int i = 0; i < l->top_count; i++) {
		const struct paleo_caffe_field *shape = field_of_top(l, "shape", i);
		struct paleo_caffe_known k = {0};
		int rc = PALEO_OK;
		if (shape && job->blobs[l->tops[i]].readers)
			rc = paleo_caffe_read_shape(shape, &k, err);
		if (!rc)
			rc = write_top(job, l, i, &k, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static const char *const input_fields[] = {"shape", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_input = {
	.type = "Input",
	.param = "input_param",
	.fields = input_fields,
	.min_tops = 1,
	.max_tops = INPUTS_MAX,
	.convert = convert_shapes,
};

/* DummyData says a shape as a message, or each of its sizes for each top. */
static int convert_dummy_data(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			      struct paleo_error *err)
{
	static const char *const names[] = {"num", "channels", "height", "width"};

	if (paleo_caffe_count(l->param, "shape"))
		return convert_shapes(job, l, err);
	for (int i = 0; i < l->top_count; i++) {
		int dims[4] = {0};
		int rc = PALEO_OK;
		for (int j = 0; j < 4 && !rc; j++) {
			const struct paleo_caffe_field *f = field_of_top(l, names[j], i);
			if (f)
				rc = paleo_caffe_to_int(f, 1, PALEO_CAFFE_DIM_MAX, &dims[j], err);
		}
		struct paleo_caffe_known k = {dims[0], dims[1], dims[2], dims[3], 0};
		if (!rc)
			rc = write_top(job, l, i, &k, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static const char *const dummy_data_fields[] = {"data_filler", "shape", "num", "channels",
						"height",      "width", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_dummy_data = {
	.type = "DummyData",
	.old = "DUMMY_DATA",
	.param = "dummy_data_param",
	.fields = dummy_data_fields,
	.min_tops = 1,
	.max_tops = INPUTS_MAX,
	.convert = convert_dummy_data,
};
