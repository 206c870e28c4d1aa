/* flat.c - layers that take the axes of a blob together: InnerProduct, Flatten, Reshape. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

enum {
	AXES_MAX = 4
};

static int convert_inner_product(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
				 struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out = {.rank = 2, .n = in->n, .h = 1, .w = 1};
	const char *source;
	int bias = 1, axis = 1;
	int rc = paleo_caffe_need_outputs(l, &out.c, err);

	if (!rc)
		rc = paleo_caffe_get_bool(l->param, "bias_term", &bias, err);
	if (!rc)
		rc = paleo_caffe_get_axis(l, "axis", in->rank, &axis, err);
	if (!rc && axis != 1)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "axis"), err,
				      "expected 1: a net multiplies all numbers of an image");
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "InnerProduct", &source, err);
	if (rc)
		return rc;
	paleo_json_put_int(job->writer, "num_outputs", out.c);
	if (!bias)
		paleo_json_put_bool(job->writer, "bias", 0);
	paleo_caffe_end_layer(job, l, source, &out);
	return PALEO_OK;
}

static const char *const inner_product_fields[] = {
	"num_output", "bias_term", "weight_filler", "bias_filler", "axis", "transpose", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_inner_product = {
	.type = "InnerProduct",
	.old = "INNER_PRODUCT",
	.param = "inner_product_param",
	.fields = inner_product_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.learns = 1,
	.convert = convert_inner_product,
};

/* A Reshape of the layer's bottom. */
static int write_reshape(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 const struct paleo_shape *out, struct paleo_error *err)
{
	const int two[] = {-1, out->c};
	const int four[] = {-1, out->h, out->w, out->c};
	const char *source;
	int rc = paleo_caffe_begin_layer(job, l, "Reshape", &source, err);

	if (rc)
		return rc;
	paleo_caffe_put_ints(job, "output_shape", out->rank == 2 ? two : four, out->rank);
	paleo_caffe_end_layer(job, l, source, out);
	return PALEO_OK;
}

static int convert_flatten(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out = {.rank = 2, .n = in->n, .h = 1, .w = 1};
	double size = (double)in->c * in->h * in->w;
	int axis = 1, end = in->rank - 1;
	int rc = paleo_caffe_get_axis(l, "axis", in->rank, &axis, err);

	if (!rc)
		rc = paleo_caffe_get_axis(l, "end_axis", in->rank, &end, err);
	if (!rc && (axis != 1 || end != in->rank - 1))
		rc = paleo_caffe_fail(l->param, err,
				      "expected 'axis' 1 and 'end_axis' -1: a net's tensors have 4 "
				      "axes or 2");
	if (!rc)
		rc = paleo_caffe_check_dim(l, size, "the size of an image", err);
	if (rc)
		return rc;
	out.c = (int)size;
	return write_reshape(job, l, &out, err);
}

static const char *const flatten_fields[] = {"axis", "end_axis", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_flatten = {
	.type = "Flatten",
	.old = "FLATTEN",
	.param = "flatten_param",
	.fields = flatten_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_flatten,
};

/* The axes of a blob, in Caffe's order. */
struct axes {
	int sizes[2 * AXES_MAX];
	int count;
};

/* shape { dim: 0 dim: -1 }: what stands in place of the bottom's axes from `first` on. */
static int read_new_axes(const struct paleo_caffe_field *shape, const struct axes *in, int first,
			 struct axes *out, int *open, struct paleo_error *err)
{
	static const char *const names[] = {"dim", NULL};
	int rc = paleo_caffe_only(shape, names, err);
	int axis = first;

	for (const struct paleo_caffe_field *f = rc ? NULL : shape->first; f; f = f->next, axis++) {
		int size;
		rc = paleo_caffe_to_int(f, -1, PALEO_CAFFE_DIM_MAX, &size, err);
		if (rc)
			return rc;
		if (out->count >= AXES_MAX)
			return paleo_caffe_fail(f, err, "a net's tensors have at most 4 axes");
		if (size == 0 && axis >= in->count)
			return paleo_caffe_fail(f, err, "0 copies an axis that there is not");
		if (size == -1 && *open >= 0)
			return paleo_caffe_fail(f, err, "only one size may be -1");
		if (size == -1)
			*open = out->count;
		out->sizes[out->count++] = size == 0 ? in->sizes[axis] : size;
	}
	return rc;
}

/* Gives the axis number `open` the size that keeps the number of elements. */
static int close_axes(const struct paleo_caffe_field *place, const struct axes *in,
		      struct axes *out, int open, struct paleo_error *err)
{
	double have = 1, want = 1;

	for (int i = 0; i < in->count; i++)
		have *= in->sizes[i];
	for (int i = 0; i < out->count; i++)
		want *= i == open ? 1 : out->sizes[i];
	if (open >= 0 && have / want >= 1 && have / want <= PALEO_CAFFE_DIM_MAX &&
	    (int)(have / want) * want == have) {
		out->sizes[open] = (int)(have / want);
		want = have;
	}
	if (want != have)
		return paleo_caffe_fail(place, err, "%.0f elements do not become %.0f", have, want);
	return PALEO_OK;
}

/* The bottom's axes outside of [axis, axis + num_axes) stay, the others become `shape`. */
static int reshape_axes(const struct paleo_caffe_layer *l, const struct axes *in, struct axes *out,
			struct paleo_error *err)
{
	const struct paleo_caffe_field *shape = NULL;
	int axis = 0, axes = -1, open = -1;
	int rc = l->param ? paleo_caffe_one(l->param, "shape", &shape, err) : PALEO_OK;

	if (rc)
		return rc;
	if (!shape)
		return paleo_caffe_fail(l->param ? l->param : l->field, err, "'shape' is missing");
	rc = paleo_caffe_to_message(shape, err);
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "axis", -in->count - 1, in->count, &axis, err);
	if (axis < 0)
		axis += in->count + 1; /* -1 is behind the last axis */
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "num_axes", -1, in->count - axis, &axes, err);
	if (rc)
		return rc;
	int end = axes < 0 ? in->count : axis + axes;
	for (int i = 0; i < axis; i++)
		out->sizes[out->count++] = in->sizes[i];
	rc = read_new_axes(shape, in, axis, out, &open, err);
	for (int i = end; i < in->count && !rc; i++)
		out->sizes[out->count++] = in->sizes[i];
	return rc ? rc : close_axes(shape, in, out, open, err);
}

static int convert_reshape(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	const struct paleo_shape *s = paleo_caffe_in(job, l, 0);
	struct axes in = {{s->n, s->c, s->h, s->w}, s->rank};
	struct axes out = {{0}, 0};
	int rc = reshape_axes(l, &in, &out, err);

	if (rc)
		return rc;
	if (out.count != 2 && out.count != 4)
		return paleo_caffe_fail(l->field, err, "a net's tensors have 4 axes or 2, not %d",
					out.count);
	if (out.sizes[0] != s->n)
		return paleo_caffe_fail(l->field, err, "it makes a batch of %d into one of %d",
					s->n, out.sizes[0]);
	struct paleo_shape shape = {
		.rank = out.count, .n = out.sizes[0], .c = out.sizes[1], .h = 1, .w = 1};
	if (out.count == 4) {
		shape.h = out.sizes[2];
		shape.w = out.sizes[3];
	}
	return write_reshape(job, l, &shape, err);
}

static const char *const reshape_fields[] = {"shape", "axis", "num_axes", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_reshape = {
	.type = "Reshape",
	.param = "reshape_param",
	.fields = reshape_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_reshape,
};
