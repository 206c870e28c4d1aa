/* graph_build.c - connects the rows of a net: which operand of which op is which buffer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/graph_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/layers/params.h"

static int is_weight(enum paleo_role role)
{
	return role == PALEO_W || role == PALEO_BIAS || role == PALEO_SCALE || role == PALEO_SHIFT;
}

/* The buffer of a forward step's operand. `in` are the step's inputs. An operand without a source
 * (the broadcast bias of a deconvolution) is data. */
static int forward_buffer(struct paleo_graph_builder *b, const struct paleo_net_op *r,
			  const struct paleo_operand *o, const int *in, int copy)
{
	int is_input = o->role == PALEO_X || (o->role == PALEO_DY && r->op.pass != PALEO_FWD);

	if (is_input)
		return in[copy] >= 0 ? in[copy]
				     : paleo_build_shaped(b, PALEO_USE_DATA, &r->layer->out);
	if (is_weight(o->role))
		return paleo_build_weights(b, o, &r->op);
	if (o->role == PALEO_STATE1 || o->role == PALEO_STATE2)
		return paleo_build_statistics(b, o);
	if (o->role == PALEO_MASK)
		return paleo_build_like(b, PALEO_USE_ACTIVATION, o);
	return paleo_build_shaped(b, PALEO_USE_ACTIVATION, &r->layer->out);
}

/* Adds a forward row, whose inputs are `in`, and yields its result in *out. */
static int add_forward(struct paleo_graph_builder *b, const int *in, int *out,
		       struct paleo_error *err)
{
	const struct paleo_net_op *r = &b->list->items[b->next];
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(&r->op, operands);

	if (paleo_build_step(b, &r->op, b->next, -1) < 0)
		return paleo_build_no_memory(err);
	for (int i = 0; i < n; i++) {
		for (int copy = 0; copy < operands[i].copies; copy++) {
			int buffer = forward_buffer(b, r, &operands[i], in, copy);
			if (!paleo_build_use(b, &operands[i], copy, buffer))
				return paleo_build_no_memory(err);
			int is_result = operands[i].role == PALEO_Y || operands[i].role == PALEO_DX;
			if (is_result)
				*out = buffer;
		}
	}
	b->next++;
	return PALEO_OK;
}

static int is_row_of(const struct paleo_graph_builder *b, const struct paleo_layer *l,
		     unsigned passes)
{
	if (b->next >= b->list->count)
		return 0;
	const struct paleo_net_op *r = &b->list->items[b->next];
	return r->layer == l && (passes & 1u << r->pass);
}

static int forward_layer(struct paleo_graph_builder *b, const struct paleo_layer *l,
			 struct paleo_error *err)
{
	struct paleo_layer_state *state = &b->layers[l->index];
	int room = l->parent_count > 2 ? l->parent_count : 2;
	int *in = malloc((size_t)room * sizeof(*in));
	int rc = PALEO_OK;

	if (!in)
		return paleo_build_no_memory(err);
	for (int i = 0; i < room; i++)
		in[i] = i < l->parent_count ? b->layers[l->parents[i]->index].out : -1;
	state->out = l->parent_count ? in[0] : paleo_build_shaped(b, PALEO_USE_DATA, &l->out);
	state->step = b->p.step_count;
	state->buffer = b->p.buffer_count;
	if (state->out < 0)
		rc = paleo_build_no_memory(err);
	if (!rc && paleo_layer_attends(l))
		rc = paleo_build_attention(b, l, in, &state->out, err);
	while (!rc && is_row_of(b, l, PALEO_PASSES_FWD)) {
		rc = add_forward(b, in, &state->out, err);
		in[0] = state->out;
		for (int i = 1; i < room; i++)
			in[i] = -1;
	}
	state->step_count = b->p.step_count - state->step;
	state->buffers_end = b->p.buffer_count;
	free(in);
	return rc;
}

/* 1 if a backward op can be the gradient of a forward one. */
static int is_gradient_of(const struct paleo_op *g, const struct paleo_op *f)
{
	if (g->kind != f->kind)
		return 0;
	return g->kind != PALEO_ELTWISE || g->geom.eltwise.op == f->geom.eltwise.op;
}

/* The gradient of the layer's result that is known now: the children's, or for a last layer one
 * that is given. */
static int incoming(struct paleo_graph_builder *b, const struct paleo_layer *l)
{
	struct paleo_layer_state *state = &b->layers[l->index];

	if (state->delta_count)
		return state->deltas[state->delta_count - 1];
	int given = paleo_build_shaped(b, PALEO_USE_DATA, &l->out);
	if (given >= 0)
		b->p.buffers[given].scale = 0x1p-10; /* as divided by a batch; weights stay near */
	return given;
}

/* Adds the row that sums gradients of the layer's children. */
static int add_sum(struct paleo_graph_builder *b, const struct paleo_layer *l,
		   struct paleo_error *err)
{
	const struct paleo_op *w = &b->list->items[b->next].op;
	struct paleo_layer_state *state = &b->layers[l->index];
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(w, operands), inputs = w->geom.eltwise.inputs;

	if (inputs > state->delta_count)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "layer '%s' sums %d gradients, but %d arrive", l->name, inputs,
				  state->delta_count);
	if (paleo_build_step(b, w, b->next, -1) < 0)
		return paleo_build_no_memory(err);
	int first = state->delta_count - inputs;
	for (int i = 0; i < n; i++) {
		for (int copy = 0; copy < operands[i].copies; copy++) {
			int is_input = operands[i].role == PALEO_X;
			int buffer = is_input ? state->deltas[first + copy]
					      : paleo_build_delta(b, state->deltas[first]);
			if (!paleo_build_use(b, &operands[i], copy, buffer))
				return paleo_build_no_memory(err);
			if (!is_input)
				state->deltas[first] = buffer;
		}
	}
	state->delta_count = first + 1;
	b->next++;
	return PALEO_OK;
}

/* GEMM operands have other names: maps each to an operand of the forward step. */
static int product_buffer(struct paleo_graph_builder *b, const struct paleo_op *w,
			  enum paleo_role role, int f, int g)
{
	int filter = w->pass == PALEO_BWD_FILTER;

	if (role == PALEO_X)
		return g;
	if (role == PALEO_W)
		return paleo_build_buffer_of(b, f, filter ? PALEO_X : PALEO_W, 0);
	if (role == PALEO_DBIAS)
		return paleo_build_gradient(b, paleo_build_buffer_of(b, f, PALEO_BIAS, 0));
	return filter ? paleo_build_gradient(b, paleo_build_buffer_of(b, f, PALEO_W, 0))
		      : paleo_build_delta(b, paleo_build_buffer_of(b, f, PALEO_X, 0));
}

/* A deconvolution is the data gradient of a convolution, so its own gradients are that one's other
 * passes: x is the incoming gradient, dy the input. */
static int transposed_buffer(struct paleo_graph_builder *b, enum paleo_role role, int f, int g)
{
	if (role == PALEO_X)
		return g;
	if (role == PALEO_DW)
		return paleo_build_gradient(b, paleo_build_buffer_of(b, f, PALEO_W, 0));
	if (role == PALEO_Y)
		return paleo_build_delta(b, paleo_build_buffer_of(b, f, PALEO_DY, 0));
	return paleo_build_buffer_of(b, f, role, 0);
}

/* The buffer of a backward row's operand. `f` is the forward step, `g` the gradient that arrives.
 */
static int backward_buffer(struct paleo_graph_builder *b, const struct paleo_op *w,
			   const struct paleo_operand *o, int copy, const int fg[2])
{
	static const enum paleo_role weights[PALEO_ROLES] = {
		[PALEO_DW] = PALEO_W,
		[PALEO_DBIAS] = PALEO_BIAS,
		[PALEO_DSCALE] = PALEO_SCALE,
		[PALEO_DSHIFT] = PALEO_SHIFT,
	};
	int f = fg[0], g = fg[1];

	if (w->kind == PALEO_GEMM)
		return product_buffer(b, w, o->role, f, g);
	if (w->kind == PALEO_CONV && b->p.steps[f].op.pass != PALEO_FWD)
		return transposed_buffer(b, o->role, f, g);
	if (weights[o->role])
		return paleo_build_gradient(b, paleo_build_buffer_of(b, f, weights[o->role], 0));
	if (o->role == PALEO_DY)
		return g;
	if (o->role == PALEO_DX)
		return paleo_build_delta(b, paleo_build_buffer_of(b, f, PALEO_X, copy));
	return paleo_build_buffer_of(b, f, o->role, copy);
}

/* Adds a backward row of forward step `f`. `g` holds the gradients: [0] is the incoming one; those
 * of the step's inputs replace it, and *count becomes their number. */
static int add_backward(struct paleo_graph_builder *b, int f, int *g, int *count,
			struct paleo_error *err)
{
	const struct paleo_net_op *r = &b->list->items[b->next];
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(&r->op, operands);
	int fg[2] = {f, g[0]};

	if (paleo_build_step(b, &r->op, b->next, f) < 0)
		return paleo_build_no_memory(err);
	for (int i = 0; i < n; i++) {
		const struct paleo_operand *o = &operands[i];
		for (int copy = 0; copy < o->copies; copy++) {
			int buffer = backward_buffer(b, &r->op, o, copy, fg);
			if (!paleo_build_use(b, o, copy, buffer))
				return paleo_build_no_memory(err);
			if (!(o->access & PALEO_WRITE) ||
			    b->p.buffers[buffer].use != PALEO_USE_DELTA)
				continue;
			g[copy] = buffer;
			*count = copy + 1;
		}
	}
	b->next++;
	return PALEO_OK;
}

/* The gradient of a deconvolution's bias: sums of the incoming gradient, which is passed on
 * unchanged. The result is not read: it is one sum for each image. */
static int add_bias_gradient(struct paleo_graph_builder *b, int g, struct paleo_error *err)
{
	const struct paleo_net_op *r = &b->list->items[b->next];
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(&r->op, operands);

	if (paleo_build_step(b, &r->op, b->next, -1) < 0)
		return paleo_build_no_memory(err);
	for (int i = 0; i < n; i++) {
		const struct paleo_operand *o = &operands[i];
		int buffer = o->role == PALEO_X
				     ? g
				     : paleo_build_like(b,
							o->role == PALEO_W ? PALEO_USE_DATA
									   : PALEO_USE_DELTA,
							o);
		if (!paleo_build_use(b, o, 0, buffer))
			return paleo_build_no_memory(err);
	}
	b->next++;
	return PALEO_OK;
}

/* Adds the layer's own backward rows; `g` as in add_backward(). */
static int backward_rows(struct paleo_graph_builder *b, const struct paleo_layer *l, int *g,
			 int *count, struct paleo_error *err)
{
	const struct paleo_layer_state *state = &b->layers[l->index];
	int f = state->step + state->step_count - 1;

	while (is_row_of(b, l, PALEO_PASSES_BWD)) {
		const struct paleo_net_op *r = &b->list->items[b->next];
		if (!strcmp(r->what, "bias gradient"))
			PALEO_TRY(add_bias_gradient(b, g[0], err));
		else {
			while (f >= state->step && !is_gradient_of(&r->op, &b->p.steps[f].op))
				f--;
			if (f < state->step)
				return paleo_fail(
					err, PALEO_EUNSUPPORTED,
					"layer '%s': '%s' is a gradient without a forward op",
					l->name, r->what);
			PALEO_TRY(add_backward(b, f, g, count, err));
		}
	}
	return PALEO_OK;
}

/* Passes the gradients on to those parents that need one. */
static void hand_on(struct paleo_graph_builder *b, const struct paleo_layer *l, const int *g,
		    int count)
{
	for (int i = 0; i < l->parent_count; i++) {
		struct paleo_layer_state *parent = &b->layers[l->parents[i]->index];
		if (l->parents[i]->needs_grad)
			parent->deltas[parent->delta_count++] = g[count > 1 ? i : 0];
	}
}

static int backward_layer(struct paleo_graph_builder *b, const struct paleo_layer *l,
			  struct paleo_error *err)
{
	int *g = malloc(((size_t)l->parent_count + 2) * sizeof(*g));
	int count = 1, rc = PALEO_OK;

	if (!g)
		return paleo_build_no_memory(err);
	while (!rc && is_row_of(b, l, PALEO_PASSES_BWD) &&
	       !strcmp(b->list->items[b->next].what, "sum of gradients"))
		rc = add_sum(b, l, err);
	if (!rc) {
		g[0] = incoming(b, l);
		rc = g[0] < 0 ? paleo_build_no_memory(err) : PALEO_OK;
	}
	if (!rc && paleo_layer_attends(l) && is_row_of(b, l, PALEO_PASSES_BWD))
		rc = paleo_build_attention_back(b, l, g, &count, err);
	if (!rc)
		rc = backward_rows(b, l, g, &count, err);
	if (!rc)
		hand_on(b, l, g, count);
	free(g);
	return rc;
}

/* The gradient of a weight tensor; one without (a deconvolution's bias) gets it as data. */
static int update_gradient(struct paleo_graph_builder *b, int weights)
{
	if (b->gradient_of[weights] >= 0)
		return b->gradient_of[weights];
	const struct paleo_buffer f = b->p.buffers[weights];
	int given = paleo_build_buffer(b, PALEO_USE_DATA, f.rank, f.dims, f.elem_bytes);
	if (given >= 0)
		b->p.buffers[given].scale = 0x1p-10;
	return given;
}

static int update_buffer(struct paleo_graph_builder *b, const struct paleo_operand *o, int weights)
{
	const struct paleo_buffer f = b->p.buffers[weights];
	int master = o->role == PALEO_MASTER;

	if (o->role == PALEO_W)
		return weights;
	if (o->role == PALEO_DY)
		return update_gradient(b, weights);
	int made = paleo_build_buffer(b, master ? PALEO_USE_MASTER : PALEO_USE_STATE, f.rank,
				      f.dims, o->elem_bytes);
	if (made >= 0)
		b->p.buffers[made].scale = master ? f.scale : 0x1p-10;
	return made;
}

/* Adds the update of one tensor of weights, for the row that is the layer's update. */
static int add_update(struct paleo_graph_builder *b, int weights, struct paleo_error *err)
{
	const struct paleo_buffer *f = &b->p.buffers[weights];
	struct paleo_operand operands[PALEO_OPERANDS_MAX];
	struct paleo_op w = {
		.kind = PALEO_UPDATE,
		.pass = PALEO_PASS_UPDATE,
		.dtype = paleo_graph_dtype(&b->p, weights),
		.geom.update = {.rule = (int)b->rule, .count = f->bytes / f->elem_bytes},
	};

	PALEO_TRY(paleo_op_finish(&w, err));
	int n = paleo_op_operands(&w, operands);
	if (paleo_build_step(b, &w, b->next, -1) < 0)
		return paleo_build_no_memory(err);
	for (int i = 0; i < n; i++)
		if (!paleo_build_use(b, &operands[i], 0, update_buffer(b, &operands[i], weights)))
			return paleo_build_no_memory(err);
	return PALEO_OK;
}

static int update_layer(struct paleo_graph_builder *b, const struct paleo_layer *l,
			struct paleo_error *err)
{
	const struct paleo_layer_state *state = &b->layers[l->index];

	if (!is_row_of(b, l, 1u << PALEO_PASS_UPDATE))
		return PALEO_OK;
	for (int i = state->buffer; i < state->buffers_end; i++)
		if (b->p.buffers[i].use == PALEO_USE_WEIGHTS)
			PALEO_TRY(add_update(b, i, err));
	b->next++;
	return PALEO_OK;
}

/* Result of the last forward step; a deconvolution's is called dx. */
static int last_result(const struct paleo_graph_builder *b)
{
	int step = b->p.step_count - 1;
	int y = paleo_build_buffer_of(b, step, PALEO_Y, 0);

	return y >= 0 ? y : paleo_build_buffer_of(b, step, PALEO_DX, 0);
}

static int build(struct paleo_graph_builder *b, struct paleo_error *err)
{
	const struct paleo_net *net = b->net;

	for (int i = 0; i < net->count; i++) {
		size_t n = (size_t)net->layers[i]->child_count + 1;
		b->layers[i].deltas = malloc(n * sizeof(int));
		if (!b->layers[i].deltas)
			return paleo_build_no_memory(err);
	}
	for (int i = 0; i < net->count; i++)
		PALEO_TRY(forward_layer(b, net->layers[i], err));
	if (!b->p.step_count)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "the net has nothing to run");
	b->p.output = last_result(b);
	for (int i = net->count - 1; b->p.extent != PALEO_EXTENT_FWD && i >= 0; i--)
		if (net->layers[i]->needs_grad && !net->layers[i]->kind->no_gradient)
			PALEO_TRY(backward_layer(b, net->layers[i], err));
	for (int i = 0; b->p.extent == PALEO_EXTENT_STEP && i < net->count; i++)
		PALEO_TRY(update_layer(b, net->layers[i], err));
	if (b->next < b->list->count)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED, "layer '%s': '%s' does not occur in the pass",
			b->list->items[b->next].layer->name, b->list->items[b->next].what);
	return PALEO_OK;
}

/* Buffers not written in each run persist between runs. */
static void set_lifetimes(struct paleo_graph *p)
{
	for (int i = 0; i < p->buffer_count; i++) {
		struct paleo_buffer *f = &p->buffers[i];
		if (f->use < PALEO_USE_ACTIVATION)
			f->first = -1;
		if (f->use < PALEO_USE_ACTIVATION || i == p->output)
			f->last = p->step_count;
	}
}

/* Adds up buffers that are allocated and freed, step by step: integers, so that the sum is
 * exact. */
static int find_peak(struct paleo_graph *p, struct paleo_error *err)
{
	double *change = calloc((size_t)p->step_count + 2, sizeof(*change)), live = 0;

	if (!change)
		return paleo_build_no_memory(err);
	for (int i = 0; i < p->buffer_count; i++) {
		const struct paleo_buffer *b = &p->buffers[i];
		if (b->use < PALEO_USE_ACTIVATION)
			continue;
		change[b->first < 0 ? 0 : b->first] += b->bytes;
		change[b->last + 1] -= b->bytes;
	}
	for (int step = 0; step < p->step_count; step++) {
		live += change[step];
		p->peak_bytes = fmax(p->peak_bytes, live);
	}
	free(change);
	return PALEO_OK;
}

int paleo_graph_build(const struct paleo_net *net, const struct paleo_op_list *list,
		      enum paleo_extent extent, enum paleo_update_rule rule,
		      struct paleo_graph *out, struct paleo_error *err)
{
	struct paleo_graph_builder b = {
		.net = net, .list = list, .rule = rule, .p = {.extent = extent}};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++)
		rc = paleo_graph_check_row(&list->items[i], err);
	if (rc)
		return rc;
	b.p.dtype = list->count ? list->items[0].op.dtype : PALEO_F32;
	b.layers = calloc((size_t)net->count + 1, sizeof(*b.layers));
	if (!b.layers)
		return paleo_build_no_memory(err);
	rc = build(&b, err);
	if (!rc) {
		set_lifetimes(&b.p);
		rc = find_peak(&b.p, err);
	}
	for (int i = 0; i < net->count; i++)
		free(b.layers[i].deltas);
	free(b.layers);
	free(b.gradient_of);
	if (rc) {
		paleo_graph_release(&b.p);
		return rc;
	}
	*out = b.p;
	return PALEO_OK;
}
