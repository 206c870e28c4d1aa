/* graph_parts.c - adds steps, uses and buffers to a program that is being built. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/grow.h"
#include "model/net/graph_build.h"

int paleo_build_no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while connecting the works of a net");
}

static int grow_buffers(struct paleo_graph_builder *b)
{
	int room = b->buffer_room, same = b->buffer_room;
	struct paleo_graph *p = &b->p;

	struct paleo_buffer *buffers =
		paleo_grow(p->buffers, p->buffer_count, &room, sizeof(*p->buffers));
	if (buffers)
		p->buffers = buffers;
	int *gradient_of = paleo_grow(b->gradient_of, p->buffer_count, &same, sizeof(int));
	if (gradient_of)
		b->gradient_of = gradient_of;
	/* One of the two that is larger than the room of all does no harm. */
	if (!buffers || !gradient_of)
		return 0;
	b->buffer_room = room;
	return 1;
}

/* Adds a buffer; its number, or -1. */
int paleo_build_buffer(struct paleo_graph_builder *b, enum paleo_buffer_use use, int rank,
		       const double *dims, int elem_bytes)
{
	struct paleo_graph *p = &b->p;
	struct paleo_buffer f = {.use = use, .rank = rank, .elem_bytes = elem_bytes};

	if (!grow_buffers(b))
		return -1;
	f.bytes = elem_bytes;
	for (int i = 0; i < rank; i++) {
		f.dims[i] = dims[i];
		f.bytes *= dims[i];
	}
	f.scale = use == PALEO_USE_DATA || use == PALEO_USE_WEIGHTS;
	f.first = f.last = -1;
	b->gradient_of[p->buffer_count] = -1;
	p->buffers[p->buffer_count] = f;
	return p->buffer_count++;
}

int paleo_build_like(struct paleo_graph_builder *b, enum paleo_buffer_use use,
		     const struct paleo_operand *o)
{
	const double turned[4] = {o->dims[0], o->dims[2], o->dims[3], o->dims[1]};
	int turn = b->list->layout == PALEO_NHWC && o->rank == 4;

	return paleo_build_buffer(b, use, o->rank, turn ? turned : o->dims, o->elem_bytes);
}

int paleo_build_shaped(struct paleo_graph_builder *b, enum paleo_buffer_use use,
		       const struct paleo_shape *s)
{
	const struct paleo_shape x = paleo_shape_rows(s);
	const double dims[4] = {x.n, x.c, x.h, x.w}, turned[4] = {x.n, x.h, x.w, x.c};

	return paleo_build_buffer(b, use, 4, b->list->layout == PALEO_NHWC ? turned : dims,
				  paleo_dtype_bytes(b->p.dtype));
}

/* A gradient with the shape of what it is the gradient of. */
int paleo_build_delta(struct paleo_graph_builder *b, int of)
{
	if (of < 0)
		return -1;
	const struct paleo_buffer f = b->p.buffers[of];

	return paleo_build_buffer(b, PALEO_USE_DELTA, f.rank, f.dims, f.elem_bytes);
}

/* The gradient of a buffer of weights. */
int paleo_build_gradient(struct paleo_graph_builder *b, int weights)
{
	const struct paleo_buffer f = b->p.buffers[weights];

	if (b->gradient_of[weights] < 0) {
		int made = paleo_build_buffer(b, PALEO_USE_GRADIENTS, f.rank, f.dims, f.elem_bytes);
		if (made >= 0)
			b->gradient_of[weights] = made;
		return made;
	}
	return b->gradient_of[weights];
}

/* Weights of a layer. He et al. 2015: uniform with variance 2 / inputs keeps the size of
 * activations from layer to layer; biases, scales and shifts are small numbers of both signs. */
int paleo_build_weights(struct paleo_graph_builder *b, const struct paleo_operand *o,
			const struct paleo_work *w)
{
	int made = paleo_build_like(b, PALEO_USE_WEIGHTS, o);

	if (made < 0)
		return made;
	double inputs = 1;
	if (o->role == PALEO_W && w->kind == PALEO_CONV)
		inputs = w->pass == PALEO_FWD ? o->dims[1] * o->dims[2] * o->dims[3]
					      : o->dims[0] * o->dims[2] * o->dims[3];
	else if (o->role == PALEO_W)
		inputs = w->geom.gemm.k;
	b->p.buffers[made].scale = o->role == PALEO_W ? sqrt(6 / inputs) : 1;
	return made;
}

/* Mean or variance of a normalisation at inference. Variances up to 9 have inverses whose mean is
 * about 1 (fill.h adds 2^-10: log(9 * 1024) / 9), so that activations keep their size. */
int paleo_build_statistics(struct paleo_graph_builder *b, const struct paleo_operand *o)
{
	int made = paleo_build_like(b, PALEO_USE_STATISTICS, o);

	if (made >= 0)
		b->p.buffers[made].scale = o->role == PALEO_STATE2 ? 9 : 1;
	return made;
}

/* Begins a step; its uses are added next. */
int paleo_build_step(struct paleo_graph_builder *b, const struct paleo_work *w, int row,
		     int forward)
{
	struct paleo_graph *p = &b->p;
	void *grown = paleo_grow(p->steps, p->step_count, &b->step_room, sizeof(*p->steps));

	if (!grown)
		return -1;
	p->steps = grown;
	p->steps[p->step_count] = (struct paleo_graph_step){
		.work = *w, .row = row, .forward = forward, .first_use = p->use_count};
	return p->step_count++;
}

/* Adds a use to the last step. A buffer that is -1 could not be made. */
int paleo_build_use(struct paleo_graph_builder *b, const struct paleo_operand *o, int copy,
		    int buffer)
{
	struct paleo_graph *p = &b->p;
	struct paleo_graph_step *s = &p->steps[p->step_count - 1];
	int step = p->step_count - 1;

	if (buffer < 0)
		return 0;
	void *grown = paleo_grow(p->uses, p->use_count, &b->use_room, sizeof(*p->uses));
	if (!grown)
		return 0;
	p->uses = grown;
	p->uses[p->use_count++] = (struct paleo_graph_use){
		.role = o->role, .copy = copy, .access = o->access, .buffer = buffer};
	s->use_count++;
	if (p->buffers[buffer].first < 0)
		p->buffers[buffer].first = step;
	p->buffers[buffer].last = step;
	return 1;
}

/* The buffer of a step's operand; -1 if it has none. */
int paleo_build_buffer_of(const struct paleo_graph_builder *b, int step, enum paleo_role role,
			  int copy)
{
	const struct paleo_graph_use *u = paleo_graph_find(&b->p, step, role, copy);

	return u ? u->buffer : -1;
}
