/* layout.c - makes a value the output of a layer with the required memory layout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

/* Target layout of a value: its steps before and after, without those of the batch. */
struct plan {
	struct paleo_onnx_view now, then;
	int at[ONNX_ATOMS_MAX]; /* of each of these steps in the value's view */
	double batch;           /* the steps of the batch, multiplied */
	int repeats;
	struct paleo_shape s;
};

static void add_steps(const struct paleo_onnx_value *v, int axis, enum paleo_onnx_axis to,
		      struct plan *p)
{
	int first, count;

	paleo_onnx_view_axis(v, axis, &first, &count);
	for (int i = first; i < first + count; i++) {
		const struct paleo_onnx_atom *a = &v->view.atoms[i];
		if (a->axis == ONNX_N) {
			p->batch *= a->size;
			continue;
		}
		if (a->axis == ONNX_AXES)
			p->repeats = 1;
		else
			p->now.atoms[p->now.count++] = *a;
		p->at[p->then.count] = i;
		p->then.atoms[p->then.count++] = (struct paleo_onnx_atom){to, a->size, 1};
	}
}

/* The strides of the new steps, and the sizes of the new dimensions. 0, or -1 if too large. */
static int measure(struct plan *p)
{
	double sizes[ONNX_AXES] = {1, 1, 1, 1};

	for (int i = p->then.count - 1; i >= 0; i--) {
		struct paleo_onnx_atom *a = &p->then.atoms[i];
		a->stride = (int)sizes[a->axis];
		sizes[a->axis] *= a->size;
		if (sizes[a->axis] > PALEO_DIM_MAX)
			return -1;
	}
	p->s.h = (int)sizes[ONNX_H];
	p->s.w = (int)sizes[ONNX_W];
	p->s.c = (int)sizes[ONNX_C];
	return sizes[ONNX_H] * sizes[ONNX_W] * p->s.n <= PALEO_DIM_MAX ? 0 : -1;
}

/* 1 if the layer's output is so already. */
static int is_so(const struct paleo_shape *old, const struct plan *p)
{
	const struct paleo_shape *s = &p->s;
	const int flat = old->rank == 2 && s->rank == 3 && s->h == 1;

	return !p->repeats && (old->rank == s->rank || flat) && old->h == s->h && old->w == s->w &&
	       old->c == s->c && paleo_onnx_view_same(&p->now, &p->then);
}

int paleo_onnx_lay(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *v, int from_w, int from_c)
{
	const struct paleo_shape old = job->layers[v->view.layer].out;
	struct plan p = {.batch = 1};

	for (int i = 0; i < v->rank; i++)
		add_steps(v, i, i < from_w ? ONNX_H : i < from_c ? ONNX_W : ONNX_C, &p);
	p.s = (struct paleo_shape){.rank = from_w == from_c ? 3 : 4, .n = old.n};
	if (p.batch != old.n || measure(&p))
		return 1;
	if (is_so(&old, &p))
		return 0;
	const char *type = p.repeats                           ? "Gather"
			   : paleo_onnx_in_order(&p.now, &old) ? "Reshape"
							       : "Permute";
	if (strcmp(type, "Reshape") != 0 && paleo_shape_count(&p.s) / old.n > PALEO_DIM_MAX)
		return 1;
	for (int i = 0; i < p.then.count; i++)
		v->view.atoms[p.at[i]] = p.then.atoms[i];
	v->view.layer = paleo_onnx_add_shaped(job, n, "/order", type, v->view.layer, &p.s);
	return 0;
}

/* Lays the value out with these axes, flags, as its features; the value stays as it was. */
int paleo_onnx_lay_apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, int flags)
{
	struct paleo_onnx_value turned = *v;
	int perm[ONNX_RANK_MAX], back[ONNX_RANK_MAX], count = 0, kept = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < v->rank; i++) {
			if (!(flags & 1 << i) == !pass)
				perm[count++] = i;
		}
		kept = pass ? kept : count;
	}
	for (int i = 0; i < v->rank; i++)
		back[perm[i]] = i;
	paleo_onnx_transpose(&turned, perm);
	if (paleo_onnx_lay(job, n, &turned, kept, kept))
		return 1;
	paleo_onnx_transpose(&turned, back);
	v->view = turned.view;
	return 0;
}

void paleo_onnx_alike(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *values, int count)
{
	int sequences = 0;

	for (int i = 0; i < count; i++)
		sequences |= job->layers[values[i].view.layer].out.rank == 3;
	for (int i = 0; i < count && sequences; i++) {
		int *layer = &values[i].view.layer;
		const struct paleo_shape s = job->layers[*layer].out,
					 row = paleo_onnx_sequence(s.n, 1, s.c);
		if (s.rank == 2)
			*layer = paleo_onnx_add_shaped(job, n, "/order", "Reshape", *layer, &row);
	}
}

void paleo_onnx_other(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int *layer)
{
	*layer = paleo_onnx_add_shaped(job, n, "/again", "Reshape", *layer,
				       &job->layers[*layer].out);
}

int paleo_onnx_choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, const double *dims, int rank)
{
	const int batch = job->layers[v->view.layer].out.n;
	struct paleo_onnx_value made = {.type = v->type};
	double rows = 1, sizes[ONNX_RANK_MAX];

	memcpy(sizes, dims, (size_t)rank * sizeof(*dims));
	for (int i = 0; i + 1 < rank; i++)
		rows *= sizes[i];
	const double features = rank ? sizes[rank - 1] : 1;
	if (!(features >= 1 && rows >= 1 && rows * features <= PALEO_DIM_MAX) ||
	    (batch > 1 && (rank < 2 || fmod(sizes[0], batch) != 0)))
		return paleo_onnx_refuse(job, n, "of too many elements of a layer's output");
	const struct paleo_shape s = paleo_onnx_sequence(batch, (int)(rows / batch), (int)features);
	int layer = paleo_onnx_add_shaped(job, n, "", "Gather", v->view.layer, &s);
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_view_reshape(&made.view, sizes, rank))
		return paleo_onnx_refuse(job, n, "to a shape of another form");
	made.rank = rank;
	memcpy(made.dims, sizes, (size_t)rank * sizeof(*sizes));
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_surround(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_onnx_value *v)
{
	struct paleo_onnx_value x = *v;

	x.state = ONNX_TENSOR;
	x.dims[2] -= x.pads[0] + x.pads[2];
	x.dims[3] -= x.pads[1] + x.pads[3];
	if (paleo_onnx_as_picture(job, n, &x))
		return 1;
	struct paleo_shape s = job->layers[x.view.layer].out;
	s.h += x.pads[0] + x.pads[2];
	s.w += x.pads[1] + x.pads[3];
	int layer = paleo_onnx_add_shaped(job, n, "/pad", "Gather", x.view.layer, &s);
	paleo_onnx_is_layer(job, layer, v);
	return 0;
}

void paleo_onnx_parameter(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v)
{
	const int batch = job->layer_count ? job->layers[0].out.n : 0;
	const int repeated = v->rank && batch > 1 && v->dims[0] == batch;
	const double count = paleo_onnx_count(v) / (repeated ? batch : 1);
	const double last = v->rank ? v->dims[v->rank - 1] : 1;
	struct paleo_onnx_value made = *v;

	if (!batch || v->rank < 1 || (v->learned > 0 && count != v->learned) ||
	    !(count >= 1 && count <= PALEO_DIM_MAX) || (batch > 1 && !repeated) ||
	    (repeated && v->rank < 2))
		return;
	const struct paleo_shape s = paleo_onnx_sequence(batch, (int)(count / last), (int)last);
	int layer = paleo_onnx_add_shaped(job, n, "/learned", "Parameter", 0, &s);
	if (v->learned == 0 || !paleo_onnx_learn(job, v)) /* constants are not weights */
		paleo_onnx_put_flag(job, "shared", 1);
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_view_reshape(&made.view, v->dims, v->rank))
		return;
	v->numbers = NULL;
	v->view = made.view;
	v->state = ONNX_TENSOR;
}

void paleo_onnx_multiplied(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   const struct paleo_onnx_value *w)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (v && v->rank > 1 && paleo_onnx_is_aux(v) && w && w->state == ONNX_WEIGHT &&
	    w->rank > 1 && w->dims[0] > 1)
		paleo_onnx_parameter(job, n, v);
}

/* Returns 1 if the axes are N, C, H, W of a layer that has them. */
static int is_picture(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	return job->layers[v->view.layer].out.rank == 4 && paleo_onnx_axis_is(job, v, 0, ONNX_N) &&
	       paleo_onnx_axis_is(job, v, 1, ONNX_C) && paleo_onnx_axis_is(job, v, 2, ONNX_H) &&
	       paleo_onnx_axis_is(job, v, 3, ONNX_W);
}

/* Returns 1 if the axes in this order follow the layer's memory layout. */
static int lies_so(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		   const int order[4])
{
	struct paleo_onnx_value sorted = *v;

	paleo_onnx_transpose(&sorted, order);
	return paleo_onnx_in_order(&sorted.view, &job->layers[v->view.layer].out);
}

/* Tokens that become pixels, or features that become channels of a few pixels. */
static int is_free(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	static const int pixels[4] = {0, 2, 3, 1}, channels[4] = {0, 1, 2, 3};

	return lies_so(job, v, pixels) ||
	       (job->layers[v->view.layer].out.rank == 2 && lies_so(job, v, channels));
}

int paleo_onnx_as_picture(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v)
{
	if (v->rank == 3) /* a line, as of sound */
		v->dims[v->rank++] = 1;
	if (v->rank != 4 || v->dims[0] != job->layers[v->view.layer].out.n)
		return 1;
	if (is_picture(job, v))
		return 0;
	const struct paleo_shape s = {.rank = 4,
				      .n = (int)v->dims[0],
				      .c = (int)v->dims[1],
				      .h = (int)v->dims[2],
				      .w = (int)v->dims[3]};
	const char *type = is_free(job, v) ? "Reshape" : "Permute";
	const int layer = paleo_onnx_add_shaped(job, n, "/order", type, v->view.layer, &s);
	paleo_onnx_is_layer(job, layer, v);
	return 0;
}

/* Pixels of a picture as tokens of a sequence: each step down is as many tokens as a line has. */
static void pixels_to_tokens(struct paleo_onnx_view *v, int width)
{
	for (int i = 0; i < v->count; i++) {
		struct paleo_onnx_atom *a = &v->atoms[i];
		if (a->axis == ONNX_H)
			a->stride *= width;
		if (a->axis == ONNX_W)
			a->axis = ONNX_H;
	}
}

/* Rows of another order than the layer has: a copy to [N, rows of each image, features]. */
static int copy_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_onnx_value *v)
{
	const int batch = job->layers[v->view.layer].out.n;
	const double features = v->dims[v->rank - 1];
	const double rows = paleo_onnx_count(v) / features / batch;
	struct paleo_onnx_value made = *v;

	if (!(rows >= 1 && rows <= PALEO_DIM_MAX && rows == floor(rows)) ||
	    features > PALEO_DIM_MAX)
		return 1;
	const struct paleo_shape s = paleo_onnx_sequence(batch, (int)rows, (int)features);
	int layer = paleo_onnx_add_shaped(job, n, "/order", "Permute", v->view.layer, &s);
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_view_reshape(&made.view, v->dims, v->rank))
		return 1;
	v->view = made.view;
	return 0;
}

int paleo_onnx_as_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_onnx_value *v)
{
	const struct paleo_shape s = job->layers[v->view.layer].out;
	const double image = (double)s.h * s.w * s.c;
	const int last = v->rank - 1;
	struct paleo_onnx_value made = *v;

	if (v->rank < 2)
		return 1;
	const int is_pixels = paleo_onnx_axis_is(job, v, last, ONNX_C);
	if (is_pixels && (s.rank < 4 || s.h * s.w == 1))
		return 0;
	if (!is_pixels && (v->dims[last] != image || image > PALEO_DIM_MAX))
		return copy_rows(job, n, v);
	struct paleo_shape rows = paleo_onnx_sequence(s.n, s.h * s.w, s.c);
	if (!is_pixels) {
		rows = paleo_onnx_sequence(s.n, 1, (int)image);
		rows.rank = v->rank > 2 ? 3 : 2;
	}
	int layer = paleo_onnx_add_shaped(job, n, "/order", "Reshape", v->view.layer, &rows);
	paleo_onnx_is_layer(job, layer, &made);
	if (is_pixels)
		pixels_to_tokens(&v->view, s.w);
	else
		v->view = made.view;
	v->view.layer = layer;
	return 0;
}

int paleo_onnx_fits(const struct paleo_onnx_job *job, const struct paleo_onnx_value *a,
		    const struct paleo_onnx_value *b)
{
	const struct paleo_shape *s = &job->layers[a->view.layer].out,
				 *t = &job->layers[b->view.layer].out;

	if (s->n != t->n || (s->rank != t->rank && (s->rank != 4 || t->rank != 2)))
		return 0;
	if (paleo_onnx_count(a) == paleo_onnx_count(b))
		return s->rank == t->rank && paleo_onnx_view_same(&a->view, &b->view);
	if (a->rank != b->rank)
		return 0;
	for (int i = 0; i < a->rank; i++) {
		enum paleo_onnx_axis x = ONNX_N;
		if (a->dims[i] < b->dims[i]) /* each is repeated along another axis */
			return 0;
		if (a->dims[i] == 1)
			continue;
		while (x < ONNX_AXES && !paleo_onnx_axis_is(job, a, i, x))
			x++;
		if (x == ONNX_AXES ||
		    paleo_onnx_axis_size(t, x) != (b->dims[i] == 1 ? 1 : (int)a->dims[i]) ||
		    !paleo_onnx_axis_is(job, b, i, x))
			return 0;
	}
	return 1;
}

int paleo_onnx_meet(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *a, struct paleo_onnx_value *b)
{
	const int more = a->rank - b->rank;
	int from = -1, to = -1;

	if (more < 0)
		return 1;
	memmove(b->dims + more, b->dims, (size_t)b->rank * sizeof(b->dims[0]));
	for (int i = 0; i < more; i++)
		b->dims[i] = 1;
	b->rank = a->rank;
	for (int i = 0; i < a->rank; i++) {
		if (a->dims[i] == b->dims[i])
			continue;
		if (b->dims[i] != 1) { /* each is repeated: one of them in earnest */
			struct paleo_onnx_value shape;
			if (paleo_onnx_broadcast(a, b, &shape) || paleo_onnx_repeat(a, shape.dims))
				return 1;
			return paleo_onnx_meet(job, n, a, b);
		}
		from = from < 0 ? i : from;
		to = i + 1;
	}
	for (int i = from; i >= 0 && i < to; i++) {
		if (a->dims[i] > 1 && b->dims[i] > 1) { /* apart: repeat it in earnest */
			if (paleo_onnx_repeat(b, a->dims))
				return 1;
			from = to = -1;
		}
	}
	if (from < 0)
		from = to = a->rank - (a->rank > 1);
	else if (to == a->rank)
		to = from;
	return paleo_onnx_lay(job, n, a, from, to) || paleo_onnx_lay(job, n, b, from, to);
}
