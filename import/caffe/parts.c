/* parts.c - layers that take a part of a blob, or put it in another order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/caffe/job.h"

/* A part along an axis of a layer of ours, which is at `source`; the result has `shape`. */
static void write_part(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       const char *source, int axis, int from, const struct paleo_shape *shape)
{
	struct paleo_shape s = *shape;

	if (!paleo_caffe_begin(job, l->name, "Slice", &source, 1))
		return;
	paleo_caffe_put_dim(job, &s, axis);
	paleo_json_put_int(job->writer, "from", from);
	paleo_json_put_int(job->writer, "size", *paleo_caffe_size(&s, axis));
	if (axis == 1)
		paleo_json_put_bool(job->writer, "view", 1);
}

/* The end of part `i`, from 0: given, or of parts of one size. */
static int end_of_part(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int i,
		       int size)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(l->param, "slice_point");
	int end = size;

	if (!f && size % l->top_count)
		paleo_caffe_refuse(job, l->field, "%d tops do not divide %d evenly", l->top_count,
				   size);
	if (!f || i == l->top_count - 1)
		return f ? size : size / l->top_count * (i + 1);
	for (int k = 0; k < i && f; k++)
		f = paleo_caffe_again(f);
	if (!f)
		paleo_caffe_refuse(job, l->param, "expected %d of 'slice_point'", l->top_count - 1);
	if (!job->rc)
		job->rc = paleo_caffe_to_int(f, 1, size, &end, job->err);
	return end;
}

void paleo_caffe_convert_slice(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape in = *paleo_caffe_in(job, l, 0);
	const char *source = job->blobs[l->bottoms[0]].source;
	struct paleo_shape part = in;
	int axis = 1, from = 0;

	paleo_caffe_get_axis(job, l, "slice_dim", in.rank, &axis);
	paleo_caffe_get_axis(job, l, "axis", in.rank, &axis);
	if (!axis)
		paleo_caffe_refuse(job, l->field, "a net cannot divide the images of a batch");
	const int size = *paleo_caffe_size(&part, axis);
	for (int i = 0; i < l->top_count && !job->rc; i++) {
		const int end = end_of_part(job, l, i, size);
		if (end <= from)
			paleo_caffe_refuse(job, l->field, "part %d is empty", i + 1);
		*paleo_caffe_size(&part, axis) = end - from;
		write_part(job, l, source, axis, from, &part);
		if (!job->rc)
			paleo_caffe_end_layer(job, l, i, &part);
		from = end;
	}
}

/* The offset of an axis, `i` being how many before it are cropped. */
static int offset_of(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int i)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(l->param, "offset");
	int offset = 0;

	for (; i > 0 && f && paleo_caffe_again(f); i--)
		f = paleo_caffe_again(f);
	if (f && !job->rc)
		job->rc = paleo_caffe_to_int(f, 0, PALEO_CAFFE_DIM_MAX, &offset, job->err);
	return offset;
}

/* The first bottom, with the sizes of the second from an axis on. */
void paleo_caffe_convert_crop(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct paleo_shape out = *paleo_caffe_in(job, l, 0), like = *paleo_caffe_in(job, l, 1);
	int first = 2;

	paleo_caffe_get_axis(job, l, "axis", 4, &first);
	if (out.rank != 4 || like.rank != 4)
		paleo_caffe_refuse(job, l->field, "a Crop needs height and width");
	paleo_caffe_alias(job, l->bottoms[0], l->tops[0]);
	for (int axis = first ? first : 1; axis < PALEO_CAFFE_AXES && !job->rc; axis++) {
		const int from = offset_of(job, l, axis - first),
			  all = *paleo_caffe_size(&out, axis),
			  size = *paleo_caffe_size(&like, axis);
		if ((double)from + size > all)
			paleo_caffe_refuse(job, l->field, "%d from %d on are more than %d", size,
					   from, all);
		if (size == all)
			continue;
		*paleo_caffe_size(&out, axis) = size;
		write_part(job, l, job->blobs[l->tops[0]].source, axis, from, &out);
		if (!job->rc)
			paleo_caffe_end_layer(job, l, 0, &out);
	}
}

/* The axes that are not named keep their order behind those that are. */
void paleo_caffe_convert_permute(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	struct paleo_shape in = *paleo_caffe_in(job, l, 0), out = in;
	int order[PALEO_CAFFE_AXES] = {0}, count = 0, seen = 0;
	const struct paleo_caffe_field *f = paleo_caffe_first(l->param, "order");

	for (; f && !job->rc && count < in.rank; f = paleo_caffe_again(f)) {
		job->rc = paleo_caffe_to_int(f, 0, in.rank - 1, &order[count], job->err);
		if (seen & 1 << order[count])
			paleo_caffe_refuse(job, f, "axis %d twice", order[count]);
		seen |= 1 << order[count++];
	}
	for (int axis = 0; axis < in.rank && count < in.rank; axis++)
		if (!(seen & 1 << axis))
			order[count++] = axis;
	if (order[0])
		paleo_caffe_refuse(job, l->field, "a net's batch stays the first axis");
	for (int i = 1; i < in.rank; i++)
		*paleo_caffe_size(&out, i) = *paleo_caffe_size(&in, order[i]);
	paleo_caffe_write_shaped(job, l, "Permute", &out);
}

void paleo_caffe_convert_shuffle(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	int groups = 1;

	paleo_caffe_get_int(job, l->param, "group", 1, PALEO_CAFFE_DIM_MAX, &groups);
	if (in->c % groups)
		paleo_caffe_refuse(job, l->field, "%d groups do not divide %d channels", groups,
				   in->c);
	paleo_caffe_write_shaped(job, l, "Permute", in);
}
