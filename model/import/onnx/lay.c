/* lay.c - makes a value the output of a layer [N, rows, features], or [N, H, W, C], by its axes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/job.h"
#include "model/net/layers/common.h"

/* How a value will lie: its steps now and then, without those of the batch. */
struct plan {
	struct paleo_onnx_view now, then;
	int at[ONNX_ATOMS_MAX]; /* of each of these steps in the value's view */
	double batch;           /* the steps of the batch, multiplied */
	int repeats;
	struct paleo_shape s;
};

static int add_steps(const struct paleo_onnx_value *v, int axis, enum paleo_onnx_axis to,
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
	return PALEO_OK;
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

/* 1 if the steps lead through the layer's output as it lies. */
static int is_in_order(const struct paleo_shape *s, const struct plan *p)
{
	struct paleo_onnx_view v = p->now;

	paleo_onnx_view_merge(&v);
	for (int i = 0; i < v.count; i++) {
		const struct paleo_onnx_atom *a = &v.atoms[i];
		if (a->size != paleo_onnx_axis_size(s, a->axis) || (i && a[-1].axis >= a->axis))
			return 0;
	}
	return !p->repeats;
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
		   struct paleo_onnx_value *v, int from_w, int from_c, struct paleo_error *err)
{
	const struct paleo_shape old = job->layers[v->view.layer].out;
	struct plan p = {.batch = 1};

	for (int i = 0; i < v->rank; i++)
		add_steps(v, i, i < from_w ? ONNX_H : i < from_c ? ONNX_W : ONNX_C, &p);
	p.s = (struct paleo_shape){.rank = from_w == from_c ? 3 : 4, .n = old.n};
	if (p.batch != old.n || measure(&p))
		return 1;
	if (is_so(&old, &p))
		return PALEO_OK;
	const char *type = p.repeats ? "Gather" : is_in_order(&old, &p) ? "Reshape" : "Permute";
	if (strcmp(type, "Reshape") != 0 && paleo_shape_count(&p.s) / old.n > PALEO_DIM_MAX)
		return 1;
	int layer = paleo_onnx_add_before(job, n, "/order", type, &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int dims[4];
	paleo_shape_dims(&p.s, dims);
	paleo_onnx_put_ints(job, "output_shape", p.s.rank, PALEO_INFERRED, dims[1], dims[2],
			    dims[3]);
	job->layers[layer].out = p.s;
	for (int i = 0; i < p.then.count; i++)
		v->view.atoms[p.at[i]] = p.then.atoms[i];
	v->view.layer = layer;
	return PALEO_OK;
}

int paleo_onnx_alike(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_onnx_value *values, int count, struct paleo_error *err)
{
	int sequences = 0;

	for (int i = 0; i < count; i++)
		sequences |= job->layers[values[i].view.layer].out.rank == 3;
	for (int i = 0; i < count && sequences; i++) {
		int *layer = &values[i].view.layer;
		struct paleo_shape s = job->layers[*layer].out;
		if (s.rank != 2)
			continue;
		*layer = paleo_onnx_add_before(job, n, "/order", "Reshape", layer, 1);
		if (*layer < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		paleo_onnx_put_ints(job, "output_shape", 3, PALEO_INFERRED, 1, s.c, 0);
		s.rank = 3;
		job->layers[*layer].out = s;
	}
	return PALEO_OK;
}

int paleo_onnx_other(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int *layer,
		     struct paleo_error *err)
{
	const struct paleo_shape s = job->layers[*layer].out;
	int made = paleo_onnx_add_before(job, n, "/again", "Reshape", layer, 1);
	int dims[4];

	if (made < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_shape_dims(&s, dims);
	paleo_onnx_put_ints(job, "output_shape", s.rank, PALEO_INFERRED, dims[1], dims[2], dims[3]);
	*layer = made;
	return PALEO_OK;
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

int paleo_onnx_choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, const double *dims, int rank,
		      struct paleo_error *err)
{
	const int batch = job->layers[v->view.layer].out.n;
	struct paleo_onnx_value made = {.type = v->type}, *out = paleo_onnx_out(job, n, 0);
	double rows = 1, sizes[ONNX_RANK_MAX];

	memcpy(sizes, dims, (size_t)rank * sizeof(*dims));
	for (int i = 0; i + 1 < rank; i++)
		rows *= sizes[i];
	const double features = rank ? sizes[rank - 1] : 1;
	if (!(features >= 1 && rows >= 1 && rows * features <= PALEO_DIM_MAX) ||
	    (batch > 1 && (rank < 2 || fmod(sizes[0], batch) != 0)))
		return paleo_onnx_refuse(job, n, "of so many elements of a layer's output", err);
	int layer = paleo_onnx_add_layer(job, n, "Gather", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	const struct paleo_shape s = {
		.rank = 3, .n = batch, .h = (int)(rows / batch), .w = 1, .c = (int)features};
	paleo_onnx_put_ints(job, "output_shape", 3, PALEO_INFERRED, s.h, s.c, 0);
	job->layers[layer].out = s;
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_view_reshape(&made.view, sizes, rank))
		return paleo_onnx_refuse(job, n, "to a shape of another form", err);
	made.rank = rank;
	memcpy(made.dims, sizes, (size_t)rank * sizeof(*sizes));
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_surround(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_onnx_value *v, struct paleo_error *err)
{
	struct paleo_onnx_value x = *v;

	x.state = ONNX_TENSOR;
	x.dims[2] -= x.pads[0] + x.pads[2];
	x.dims[3] -= x.pads[1] + x.pads[3];
	int rc = paleo_onnx_as_picture(job, n, &x, err);
	if (rc)
		return rc;
	int layer = paleo_onnx_add_before(job, n, "/pad", "Gather", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	struct paleo_shape *s = &job->layers[layer].out;
	s->h += x.pads[0] + x.pads[2];
	s->w += x.pads[1] + x.pads[3];
	paleo_onnx_put_ints(job, "output_shape", 4, PALEO_INFERRED, s->h, s->w, s->c);
	v->numbers = NULL;
	paleo_onnx_is_layer(job, layer, v);
	return PALEO_OK;
}

int paleo_onnx_multiplied(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const struct paleo_onnx_value *w, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	return v && v->rank > 1 && paleo_onnx_is_beside(v) && w && w->state == ONNX_WEIGHT &&
			       w->rank > 1 && w->dims[0] > 1
		       ? paleo_onnx_parameter(job, n, v, err)
		       : PALEO_OK;
}

int paleo_onnx_parameter(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, struct paleo_error *err)
{
	const int first = 0, batch = job->layer_count ? job->layers[0].out.n : 0;
	const int repeated = v->rank && batch > 1 && v->dims[0] == batch;
	const double count = paleo_onnx_count(v) / (repeated ? batch : 1);
	const double last = v->rank ? v->dims[v->rank - 1] : 1;
	struct paleo_onnx_value made = *v;

	if (!batch || v->rank < 1 || (v->learned > 0 && count != v->learned) ||
	    count > PALEO_DIM_MAX || (batch > 1 && !repeated) || (repeated && v->rank < 2))
		return PALEO_OK;
	int layer = paleo_onnx_add_before(job, n, "/learned", "Parameter", &first, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	const struct paleo_shape s = {
		.rank = 3, .n = batch, .h = (int)(count / last), .w = 1, .c = (int)last};
	paleo_onnx_put_ints(job, "output_shape", 3, PALEO_INFERRED, s.h, s.c, 0);
	if (v->learned == 0 || !paleo_onnx_learn(job, v)) /* known numbers are nobody's weights */
		paleo_onnx_put_flag(job, "shared", 1);
	job->layers[layer].out = s;
	made.numbers = NULL;
	paleo_onnx_is_layer(job, layer, &made);
	if (paleo_onnx_view_reshape(&made.view, v->dims, v->rank))
		return PALEO_OK;
	free(v->numbers);
	v->numbers = NULL;
	v->view = made.view;
	v->state = ONNX_TENSOR;
	return PALEO_OK;
}
