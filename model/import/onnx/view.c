/* view.c - reshaping and transposing without moving anything. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/job.h"

int paleo_onnx_axis_size(const struct paleo_shape *s, enum paleo_onnx_axis axis)
{
	switch (axis) {
	case ONNX_N:
		return s->n;
	case ONNX_H:
		return s->h;
	case ONNX_W:
		return s->w;
	case ONNX_C:
	case ONNX_AXES:
		break;
	}
	return s->c;
}

void paleo_onnx_view_merge(struct paleo_onnx_view *v)
{
	int kept = 0;

	for (int i = 0; i < v->count; i++) {
		struct paleo_onnx_atom a = v->atoms[i];
		struct paleo_onnx_atom *last = kept ? &v->atoms[kept - 1] : NULL;
		if (last && last->axis == a.axis && last->stride == a.size * a.stride) {
			last->size *= a.size;
			last->stride = a.stride;
		} else {
			v->atoms[kept++] = a;
		}
	}
	v->count = kept;
}

int paleo_onnx_view_same(const struct paleo_onnx_view *a, const struct paleo_onnx_view *b)
{
	struct paleo_onnx_view x = *a, y = *b;

	paleo_onnx_view_merge(&x);
	paleo_onnx_view_merge(&y);
	for (int i = 0; i < x.count && i < y.count; i++) {
		if (x.atoms[i].axis != y.atoms[i].axis || x.atoms[i].size != y.atoms[i].size ||
		    x.atoms[i].stride != y.atoms[i].stride)
			return 0;
	}
	return x.count == y.count;
}

/* Moves steps that multiply to `size` from the front of `from` to the end of `to`, the last of them
 * divided if need be. */
static int take(struct paleo_onnx_view *from, double size, struct paleo_onnx_view *to)
{
	double left = size;

	while (left > 1) {
		struct paleo_onnx_atom *a = &from->atoms[0];
		if (!from->count || to->count == ONNX_ATOMS_MAX)
			return -1;
		if (left >= a->size && left / a->size == (int)(left / a->size)) {
			to->atoms[to->count++] = *a;
			left /= a->size;
			from->count--;
			memmove(a, a + 1, (size_t)from->count * sizeof(*a));
		} else if (a->size > left && a->size % (int)left == 0) {
			const int inner = a->size / (int)left;
			to->atoms[to->count++] =
				(struct paleo_onnx_atom){a->axis, (int)left, a->stride * inner};
			a->size = inner;
			left = 1;
		} else {
			return -1;
		}
	}
	return 0;
}

int paleo_onnx_view_reshape(struct paleo_onnx_view *v, const double *dims, int rank)
{
	struct paleo_onnx_view from = *v, to = {.layer = v->layer};

	paleo_onnx_view_merge(&from);
	for (int i = 0; i < rank; i++) {
		if (take(&from, dims[i], &to))
			return -1;
	}
	if (from.count)
		return -1;
	*v = to;
	return 0;
}

/* The steps of one axis, where the ones before it are known. */
static int steps_of(const struct paleo_onnx_view *v, int first, double size)
{
	double reached = 1;
	int count = 0;

	while (reached < size && first + count < v->count)
		reached *= v->atoms[first + count++].size;
	return count;
}

void paleo_onnx_view_axis(const struct paleo_onnx_value *v, int axis, int *first, int *count)
{
	*first = 0;
	for (int i = 0; i < axis; i++)
		*first += steps_of(&v->view, *first, v->dims[i]);
	*count = steps_of(&v->view, *first, v->dims[axis]);
}

void paleo_onnx_view_transpose(struct paleo_onnx_view *v, const double *dims, int rank,
			       const int *perm)
{
	struct paleo_onnx_value old = {.rank = rank, .view = *v};

	memcpy(old.dims, dims, (size_t)rank * sizeof(*dims));
	v->count = 0;
	for (int i = 0; i < rank; i++) {
		int first, count;
		paleo_onnx_view_axis(&old, perm[i], &first, &count);
		for (int k = 0; k < count; k++)
			v->atoms[v->count++] = old.view.atoms[first + k];
	}
}

int paleo_onnx_axis_is(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int axis,
		       enum paleo_onnx_axis is)
{
	const int size = paleo_onnx_axis_size(&job->layers[v->view.layer].out, is);
	struct paleo_onnx_view part = {0};
	int first, count;

	paleo_onnx_view_axis(v, axis, &first, &count);
	memcpy(part.atoms, v->view.atoms + first, (size_t)count * sizeof(part.atoms[0]));
	part.count = count;
	paleo_onnx_view_merge(&part);
	if (size == 1)
		return !part.count && v->dims[axis] == 1;
	return part.count == 1 && part.atoms[0].axis == is && part.atoms[0].size == size;
}

void paleo_onnx_axis_set(struct paleo_onnx_value *v, int axis, enum paleo_onnx_axis is, int size)
{
	struct paleo_onnx_view *w = &v->view;
	int first, count;

	paleo_onnx_view_axis(v, axis, &first, &count);
	if (!count && w->count == ONNX_ATOMS_MAX)
		return; /* no value has so many axes */
	memmove(w->atoms + first + 1, w->atoms + first + count,
		(size_t)(w->count - first - count) * sizeof(w->atoms[0]));
	w->count += 1 - count;
	w->atoms[first] = (struct paleo_onnx_atom){is, size, 1};
	v->dims[axis] = size;
}
