/* flat.c - layers that take axes or blobs together: InnerProduct, Flatten, Concat, Eltwise. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "import/caffe/job.h"

enum {
	SUM_MAX = 64 /* parents of a net's sum */
};

void paleo_caffe_convert_inner_product(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct paleo_shape out = {.rank = 2, .n = paleo_caffe_in(job, l, 0)->n, .h = 1, .w = 1};
	int bias = 1;

	out.c = paleo_caffe_need_outputs(job, l);
	paleo_caffe_get_bool(job, l->param, "bias_term", &bias);
	paleo_caffe_need_channels(job, l, "a net multiplies all numbers of an image");
	if (!paleo_caffe_begin_layer(job, l, "InnerProduct"))
		return;
	paleo_json_put_int(job->writer, "num_outputs", out.c);
	if (!bias)
		paleo_json_put_bool(job->writer, "bias", 0);
	paleo_caffe_end_layer(job, l, 0, &out);
}

void paleo_caffe_convert_flatten(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_shape out = {.rank = 2, .n = in->n, .h = 1, .w = 1};
	int axis = 1, end = in->rank - 1;

	paleo_caffe_get_axis(job, l, "axis", in->rank, &axis);
	paleo_caffe_get_axis(job, l, "end_axis", in->rank, &end);
	if (axis != 1 || end != in->rank - 1)
		paleo_caffe_refuse(
			job, l->param,
			"expected 'axis' 1 and 'end_axis' -1: a net's tensors have 4 axes or 2");
	out.c = paleo_caffe_dim(job, l, (double)in->c * in->h * in->w, "the size of an image");
	paleo_caffe_write_shaped(job, l, "Reshape", &out);
}

/* The axes of a blob, in Caffe's order. */
struct axes {
	int sizes[2 * PALEO_CAFFE_AXES];
	int count;
};

/* shape { dim: 0 dim: -1 }: replacement for the bottom's axes from `first` on. */
static void read_new_axes(struct paleo_caffe_job *job, const struct paleo_caffe_field *shape,
			  const struct axes *in, int first, struct axes *out, int *open)
{
	int axis = first;

	for (const struct paleo_caffe_field *f = shape->first; f && !job->rc; f = f->next, axis++) {
		int size = 1;
		job->rc = paleo_caffe_to_int(f, -1, PALEO_CAFFE_DIM_MAX, &size, job->err);
		if (out->count >= PALEO_CAFFE_AXES)
			paleo_caffe_refuse(job, f, "a net's tensors have at most 4 axes");
		if (size == 0 && axis >= in->count)
			paleo_caffe_refuse(job, f, "0 copies an axis that does not exist");
		if (size == -1 && *open >= 0)
			paleo_caffe_refuse(job, f, "only one size may be -1");
		if (job->rc)
			return;
		if (size == -1)
			*open = out->count;
		out->sizes[out->count++] = size == 0 ? in->sizes[axis] : size;
	}
}

/* Gives the axis number `open` the size that keeps the number of elements. */
static void close_axes(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
		       const struct axes *in, struct axes *out, int open)
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
		paleo_caffe_refuse(job, place, "%.0f elements cannot become %.0f", have, want);
}

/* The bottom's axes outside of [axis, axis + num_axes) stay, the others become `shape`. */
static void reshape_axes(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 const struct axes *in, struct axes *out)
{
	static const char *const dims[] = {"dim", NULL};
	const struct paleo_caffe_field *shape = paleo_caffe_field(job, l->param, "shape");
	int axis = 0, axes = -1, open = -1;

	if (!shape) {
		paleo_caffe_refuse(job, l->param ? l->param : l->field, "'shape' is missing");
		return;
	}
	paleo_caffe_check_message(job, shape, NULL);
	paleo_caffe_get_int(job, l->param, "axis", -in->count - 1, in->count, &axis);
	axis += axis < 0 ? in->count + 1 : 0; /* -1 is behind the last axis */
	paleo_caffe_get_int(job, l->param, "num_axes", -1, in->count - axis, &axes);
	const int end = axes < 0 ? in->count : axis + axes;
	for (int i = 0; i < axis; i++)
		out->sizes[out->count++] = in->sizes[i];
	paleo_caffe_check_message(job, shape, dims);
	read_new_axes(job, shape, in, axis, out, &open);
	for (int i = end; i < in->count && !job->rc; i++)
		out->sizes[out->count++] = in->sizes[i];
	close_axes(job, shape, in, out, open);
}

void paleo_caffe_convert_reshape(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *s = paleo_caffe_in(job, l, 0);
	const struct axes in = {{s->n, s->c, s->h, s->w}, s->rank};
	struct axes out = {{0}, 0};

	reshape_axes(job, l, &in, &out);
	if (out.count != 2 && out.count != 4)
		paleo_caffe_refuse(job, l->field, "a net's tensors have 4 axes or 2, not %d",
				   out.count);
	if (out.sizes[0] != s->n)
		paleo_caffe_refuse(job, l->field, "it changes a batch of %d into one of %d", s->n,
				   out.sizes[0]);
	const int flat = out.count == 2;
	const struct paleo_shape shape = {.rank = out.count,
					  .n = out.sizes[0],
					  .c = out.sizes[1],
					  .h = flat ? 1 : out.sizes[2],
					  .w = flat ? 1 : out.sizes[3]};
	paleo_caffe_write_shaped(job, l, "Reshape", &shape);
}

/* EINPUT unless all bottoms have the shape of the first; `axis` -1, or one along which they may
 * differ. */
static void check_alike(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int axis)
{
	struct paleo_shape first = *paleo_caffe_in(job, l, 0);
	char a[48], b[48];

	for (int i = 1; i < l->bottom_count; i++) {
		const struct paleo_shape *other = paleo_caffe_in(job, l, i);
		struct paleo_shape s = *other;
		if (axis >= 0)
			*paleo_caffe_size(&s, axis) = *paleo_caffe_size(&first, axis);
		if (s.rank == first.rank && s.n == first.n && s.c == first.c && s.h == first.h &&
		    s.w == first.w)
			continue;
		paleo_caffe_shape_text(&first, a, sizeof(a));
		paleo_caffe_shape_text(other, b, sizeof(b));
		paleo_caffe_refuse(job, l->field, "the shapes do not fit: '%s' has %s, '%s' %s",
				   job->blobs[l->bottoms[0]].name, a,
				   job->blobs[l->bottoms[i]].name, b);
	}
}

/* concat_dim is the old name of axis. */
static int read_concat_axis(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    int rank)
{
	const int is_old = paleo_caffe_count(l->param, "concat_dim") > 0;
	const char *name = is_old ? "concat_dim" : "axis";
	int axis = 1;

	if (is_old && paleo_caffe_count(l->param, "axis") > 0)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, name),
				   "expected either this or 'axis'");
	paleo_caffe_get_axis(job, l, name, rank, &axis);
	if (axis == 0)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, name),
				   "a net cannot concatenate batches");
	return axis;
}

void paleo_caffe_convert_concat(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct paleo_shape out = *paleo_caffe_in(job, l, 0);
	const int axis = read_concat_axis(job, l, out.rank);
	double sum = 0;

	check_alike(job, l, axis);
	for (int i = 0; i < l->bottom_count; i++) {
		struct paleo_shape s = *paleo_caffe_in(job, l, i);
		sum += *paleo_caffe_size(&s, axis);
	}
	*paleo_caffe_size(&out, axis) = paleo_caffe_dim(job, l, sum, "the sum of the sizes");
	if (!paleo_caffe_begin_layer(job, l, "Concatenate"))
		return;
	paleo_caffe_put_dim(job, &out, axis);
	paleo_caffe_end_layer(job, l, 0, &out);
}

enum {
	OP_PROD,
	OP_SUM,
	OP_MAX
};

/* Factors of 1 and -1 make a sum or a difference, which cost the same; others need a
 * multiplication. */
static void check_factors(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_field *f = l->param ? paleo_caffe_first(l->param, "coeff") : NULL;

	for (; f && !job->rc; f = paleo_caffe_again(f)) {
		double value = 1;
		job->rc = paleo_caffe_to_double(f, -HUGE_VAL, HUGE_VAL, &value, job->err);
		if (fabs(value) != 1)
			paleo_caffe_refuse(job, f, "expected 1 or -1: a net's sum has no factors");
	}
}

/* A net's product and maximum take two parents: more become a chain. */
static void write_chain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			const char *op)
{
	const char *source = job->blobs[l->bottoms[0]].source;

	paleo_caffe_check_parents(job, l);
	for (int i = 1; i < l->bottom_count; i++) {
		const char *const parents[] = {source, job->blobs[l->bottoms[i]].source};
		if (!paleo_caffe_begin(job, l->name, "Elementwise", parents, 2))
			return;
		paleo_json_put_string(job->writer, "op", op);
		source = job->source;
		if (i + 1 < l->bottom_count)
			paleo_caffe_end(job);
		else
			paleo_caffe_end_layer(job, l, 0, paleo_caffe_in(job, l, 0));
	}
}

void paleo_caffe_convert_eltwise(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	static const char *const words[] = {"PROD", "SUM", "MAX", NULL};
	int op = OP_SUM;

	paleo_caffe_get_enum(job, l->param, "operation", words, &op);
	if (op == OP_SUM)
		check_factors(job, l);
	check_alike(job, l, -1);
	if (op != OP_SUM) {
		write_chain(job, l, op == OP_PROD ? "mul" : "max");
		return;
	}
	if (l->bottom_count > SUM_MAX)
		paleo_caffe_refuse(job, l->field, "a net's sum has at most %d parents", SUM_MAX);
	paleo_caffe_write_plain(job, l, "Elementwise", "op", "add");
}

/* In a net anyone may read an output: the copies are the blob itself. */
void paleo_caffe_convert_split(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	for (int i = 0; i < l->top_count; i++)
		paleo_caffe_alias(job, l->bottoms[0], l->tops[i]);
}

/* It keeps Caffe from printing a blob, and does nothing else. */
void paleo_caffe_convert_silence(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	(void)job;
	(void)l;
}
