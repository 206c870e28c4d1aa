/* graph.c - a program: adds steps, and derives uses, lifetimes and memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/net/graph_build.h"
#include "model/net/layers/common.h"
#include "model/net/layers/params.h"

static const char *const extent_names[PALEO_EXTENTS] = {
	[PALEO_EXTENT_FWD] = "fwd",
	[PALEO_EXTENT_BOTH] = "fwd+bwd",
	[PALEO_EXTENT_STEP] = "step",
};

const char *paleo_extent_name(enum paleo_extent e)
{
	assert(e < PALEO_EXTENTS);
	return extent_names[e];
}

int paleo_extent_parse(const char *word, enum paleo_extent *out, struct paleo_error *err)
{
	for (int i = 0; i < PALEO_EXTENTS; i++) {
		if (!strcmp(word, extent_names[i])) {
			*out = (enum paleo_extent)i;
			return PALEO_OK;
		}
	}
	return paleo_fail(err, PALEO_EINPUT, "unknown pass '%.40s', expected fwd, fwd+bwd or step",
			  word);
}

unsigned paleo_graph_passes(enum paleo_extent e)
{
	switch (e) {
	case PALEO_EXTENT_FWD:
		return PALEO_PASSES_FWD;
	case PALEO_EXTENT_BOTH:
		return PALEO_PASSES_FWD | PALEO_PASSES_BWD;
	case PALEO_EXTENT_STEP:
	case PALEO_EXTENTS:
		break;
	}
	return PALEO_PASSES_ALL;
}

const struct paleo_graph_use *paleo_graph_find(const struct paleo_graph *p, int step,
					       enum paleo_role role, int copy)
{
	const struct paleo_graph_step *s = &p->steps[step];

	for (int i = s->first_use; i < s->first_use + s->use_count; i++)
		if (p->uses[i].role == role && p->uses[i].copy == copy)
			return &p->uses[i];
	return NULL;
}

int paleo_graph_blame(const struct paleo_graph *p, int step, int rc, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&p->steps[step].op, key, sizeof(key));
	paleo_error_prefix(err, "'%s'", key);
	return rc;
}

int paleo_graph_is_stacked(const struct paleo_graph *p, int step)
{
	const struct paleo_op *w = &p->steps[step].op;
	enum paleo_role parts = w->pass == PALEO_FWD ? PALEO_X : PALEO_DX;

	return w->kind == PALEO_COPY && w->geom.copy.parts > 1 &&
	       !paleo_graph_find(p, step, parts, 1);
}

void paleo_graph_release(struct paleo_graph *p)
{
	if (!p)
		return;
	free(p->steps);
	free(p->uses);
	free(p->buffers);
	*p = (struct paleo_graph){.step_count = 0};
}

int paleo_graph_check_dtype(enum paleo_dtype dtype, struct paleo_error *err)
{
	if (!paleo_dtype_is_narrow(dtype))
		return PALEO_OK;
	return paleo_fail(err, PALEO_EUNSUPPORTED, "full passes do not run in %s: use %s",
			  paleo_dtype_name(dtype), paleo_dtype_name(paleo_dtype_wide(dtype)));
}

/* 1 if a row of attention is one of those that graph_attention.c connects: of whole sequences,
 * whose keys are all the second parent's. */
static int is_plain_attention(const struct paleo_net_op *r)
{
	const struct paleo_layer *l = r->layer;
	const struct paleo_attention_geom *g = &r->op.geom.attention;

	if (l->parent_count != 3 || r->op.kind == PALEO_ROPE)
		return 0;
	if (r->op.kind == PALEO_ATTENTION)
		return !g->cache && !g->latent && g->batch == l->out.n && g->q == l->out.h &&
		       g->keys == l->parents[1]->out.h;
	return r->op.kind != PALEO_SOFTMAX || l->kind == &paleo_kind_attention ||
	       r->op.geom.softmax.cols == l->parents[1]->out.h;
}

int paleo_graph_check_row(const struct paleo_net_op *r, struct paleo_error *err)
{
	const struct paleo_op *w = &r->op;
	int repeats = w->kind == PALEO_ELTWISE && w->geom.eltwise.small > 0;

	if (paleo_layer_attends(r->layer) && !is_plain_attention(r))
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"layer '%s': full passes do not support a cache, chunks or relative "
			"positions of attention; paleo profile times its ops one by one",
			r->layer->name);
	if (r->layer->kind->no_graph || repeats)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"layer '%s': full passes do not support a '%s' that broadcasts a smaller "
			"tensor or separates tokens; paleo profile times its ops one by one",
			r->layer->name, r->layer->kind->type);
	return paleo_graph_check_dtype(r->op.dtype, err);
}

enum paleo_dtype paleo_graph_dtype(const struct paleo_graph *p, int buffer)
{
	int is_own = p->buffers[buffer].elem_bytes == paleo_dtype_bytes(p->dtype);

	return is_own ? p->dtype : PALEO_F32;
}

static int by_size(const void *a, const void *b)
{
	const struct paleo_span *x = *(const struct paleo_span *const *)a;
	const struct paleo_span *y = *(const struct paleo_span *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x > y) - (x < y); /* the same answer from every sort */
}

static int live_together(const struct paleo_span *a, const struct paleo_span *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Lowest offset for `s` next to those of `placed` (sorted by offset) whose lifetimes overlap its
 * own. */
static double lowest(const struct paleo_span *s, struct paleo_span *const *placed, int count,
		     double align)
{
	double at = 0;

	for (int i = 0; i < count && placed[i]->offset < at + s->bytes; i++)
		if (live_together(s, placed[i]))
			at = fmax(at, ceil((placed[i]->offset + placed[i]->bytes) / align) * align);
	return at;
}

/* Sorts a span in by its place. */
static void insert(struct paleo_span *s, struct paleo_span **placed, int count)
{
	int low = 0, high = count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (placed[middle]->offset <= s->offset)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(placed + low + 1, placed + low, (size_t)(count - low) * sizeof(*placed));
	placed[low] = s;
}

double paleo_spans_place(struct paleo_span *spans, int count, double align)
{
	struct paleo_span **order = malloc(2 * ((size_t)count + 1) * sizeof(struct paleo_span *));
	double total = 0;

	if (!order)
		return -1;
	struct paleo_span **placed = order + count;
	for (int i = 0; i < count; i++)
		order[i] = &spans[i];
	qsort(order, (size_t)count, sizeof(struct paleo_span *), by_size);
	for (int i = 0; i < count; i++) {
		order[i]->offset = lowest(order[i], placed, i, align);
		total = fmax(total, order[i]->offset + order[i]->bytes);
		insert(order[i], placed, i);
	}
	free(order);
	return total;
}

struct paleo_graph_memory paleo_graph_memory_of(const struct paleo_graph *p)
{
	double sum[PALEO_USES] = {0};

	for (int i = 0; i < p->buffer_count; i++)
		sum[p->buffers[i].use] += p->buffers[i].bytes;
	return (struct paleo_graph_memory){
		.data = sum[PALEO_USE_DATA],
		.weights = sum[PALEO_USE_WEIGHTS] + sum[PALEO_USE_STATISTICS],
		.gradients = sum[PALEO_USE_GRADIENTS],
		.optimizer = sum[PALEO_USE_STATE] + sum[PALEO_USE_MASTER],
		.activations = p->peak_bytes,
	};
}

double paleo_graph_memory_sum(const struct paleo_graph_memory *m)
{
	return m->data + m->weights + m->gradients + m->optimizer + m->activations + m->workspace;
}

/* Adds steps, uses and buffers to a program that is being built. */

int paleo_build_no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while connecting the ops of a net");
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

/* Adds a gradient with the shape of its tensor. */
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

/* A gradient with the shape of its tensor. */
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
			const struct paleo_op *w)
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
int paleo_build_step(struct paleo_graph_builder *b, const struct paleo_op *w, int row, int forward)
{
	struct paleo_graph *p = &b->p;
	void *grown = paleo_grow(p->steps, p->step_count, &b->step_room, sizeof(*p->steps));

	if (!grown)
		return -1;
	p->steps = grown;
	p->steps[p->step_count] = (struct paleo_graph_step){
		.op = *w, .row = row, .forward = forward, .first_use = p->use_count};
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
