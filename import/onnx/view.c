/* view.c - values as steps through a layer's output: reshaping and transposing move nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "import/onnx/job.h"

struct paleo_shape paleo_onnx_sequence(int n, int tokens, int features)
{
	return (struct paleo_shape){.rank = 3, .n = n, .h = tokens, .w = 1, .c = features};
}

int paleo_onnx_file_dim(const struct paleo_shape *s, enum paleo_onnx_axis axis)
{
	return axis == ONNX_C ? s->rank - 1 : axis == ONNX_W ? 2 : 1;
}

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

/* Merges steps that follow each other. */
static void merge(struct paleo_onnx_view *v)
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

	merge(&x);
	merge(&y);
	for (int i = 0; i < x.count && i < y.count; i++) {
		if (x.atoms[i].axis != y.atoms[i].axis || x.atoms[i].size != y.atoms[i].size ||
		    x.atoms[i].stride != y.atoms[i].stride)
			return 0;
	}
	return x.count == y.count;
}

int paleo_onnx_in_order(const struct paleo_onnx_view *v, const struct paleo_shape *s)
{
	struct paleo_onnx_view merged = *v;

	merge(&merged);
	for (int i = 0; i < merged.count; i++) {
		const struct paleo_onnx_atom *a = &merged.atoms[i];
		if (a->size != paleo_onnx_axis_size(s, a->axis) || (i && a[-1].axis >= a->axis))
			return 0;
	}
	return 1;
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
		if (left >= a->size && fmod(left, a->size) == 0) {
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

	merge(&from);
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

void paleo_onnx_transpose(struct paleo_onnx_value *v, const int *perm)
{
	const struct paleo_onnx_value old = *v;

	v->view.count = 0;
	for (int i = 0; i < v->rank; i++) {
		int first, count;
		paleo_onnx_view_axis(&old, perm[i], &first, &count);
		for (int k = 0; k < count; k++)
			v->view.atoms[v->view.count++] = old.view.atoms[first + k];
		v->dims[i] = old.dims[perm[i]];
	}
}

void paleo_onnx_swap(struct paleo_onnx_value *v, int a, int b)
{
	int perm[ONNX_RANK_MAX];

	for (int i = 0; i < v->rank; i++)
		perm[i] = i == a ? b : i == b ? a : i;
	paleo_onnx_transpose(v, perm);
}

void paleo_onnx_drop_axes(struct paleo_onnx_value *v, int flags, int keep)
{
	int rank = 0;

	for (int i = 0; i < v->rank; i++) {
		if (!(flags & 1 << i))
			v->dims[rank++] = v->dims[i];
		else if (keep)
			v->dims[rank++] = 1;
	}
	v->rank = rank;
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
	merge(&part);
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

void paleo_onnx_last_axis(struct paleo_onnx_value *v, int size)
{
	int first, count;

	paleo_onnx_view_axis(v, v->rank - 1, &first, &count);
	v->view.count = first;
	if (size > 1)
		v->view.atoms[v->view.count++] = (struct paleo_onnx_atom){ONNX_C, size, 1};
	v->dims[v->rank - 1] = size;
}

int paleo_onnx_broadcast(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
			 struct paleo_onnx_value *out)
{
	const int rank = a->rank > b->rank ? a->rank : b->rank;

	out->rank = rank;
	for (int i = 0; i < rank; i++) {
		const double x = i < rank - a->rank ? 1 : a->dims[i - rank + a->rank];
		const double y = i < rank - b->rank ? 1 : b->dims[i - rank + b->rank];
		if (x != y && x != 1 && y != 1)
			return -1;
		out->dims[i] = x == 1 ? y : x;
	}
	return 0;
}

int paleo_onnx_repeat(struct paleo_onnx_value *v, const double *dims)
{
	struct paleo_onnx_value made = *v;
	struct paleo_onnx_view *w = &made.view;

	memcpy(made.dims, dims, (size_t)v->rank * sizeof(*dims));
	for (int i = 0; i < made.rank; i++) {
		int first, count;
		if ((made.dims[i] != v->dims[i] && v->dims[i] != 1) || made.dims[i] > INT_MAX)
			return -1;
		if (made.dims[i] == v->dims[i])
			continue;
		made.dims[i] = v->dims[i];
		paleo_onnx_view_axis(&made, i, &first, &count);
		if (w->count == ONNX_ATOMS_MAX)
			return -1;
		memmove(w->atoms + first + 1, w->atoms + first,
			(size_t)(w->count - first) * sizeof(w->atoms[0]));
		made.dims[i] = dims[i];
		w->atoms[first] = (struct paleo_onnx_atom){ONNX_AXES, (int)dims[i], 0};
		w->count++;
	}
	*v = made;
	return 0;
}
