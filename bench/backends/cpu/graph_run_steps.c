/* graph_run_steps.c - from a step of a whole program to the calls that run it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/grow.h"
#include "bench/backends/cpu/graph_run.h"

struct paleo_cpu_call *paleo_cpu_call_add(struct paleo_graph_run *w, int step, int most)
{
	struct paleo_cpu_call *calls =
		paleo_grow(w->calls, w->call_count, &w->call_room, sizeof(*calls));
	size_t n = (size_t)most + 1;

	if (!calls)
		return NULL;
	w->calls = calls;
	struct paleo_cpu_call *c = &calls[w->call_count];
	*c = (struct paleo_cpu_call){.step = step};
	c->ids = calloc(n, sizeof(*c->ids));
	c->stores = calloc(n, sizeof(*c->stores));
	c->args = calloc(n, sizeof(*c->args));
	c->pointers = calloc(n, sizeof(*c->pointers));
	w->call_count++; /* it is released with the others in any case */
	return c->ids && c->stores && c->args && c->pointers ? c : NULL;
}

void paleo_cpu_call_argument(struct paleo_cpu_call *c, int id, int store)
{
	c->ids[c->count] = id;
	c->stores[c->count++] = store;
}

/* Calls that oneDNN refuses are unsupported, not failed. */
static int make(struct paleo_cpu_call *c, dnnl_status_t rc, struct paleo_error *err)
{
	if (rc == dnnl_success)
		rc = dnnl_primitive_create(&c->primitive, c->desc);
	if (rc == dnnl_success)
		return PALEO_OK;
	if (rc == dnnl_invalid_arguments)
		rc = dnnl_unimplemented;
	return paleo_cpu_fail(err, rc, "make a primitive");
}

int paleo_cpu_call_change(struct paleo_graph_run *w, int step, int from, int to,
			  struct paleo_error *err)
{
	struct paleo_cpu_call *c = paleo_cpu_call_add(w, step, 2);
	dnnl_engine_t engine = w->session->engine;
	int buffer = w->stores[from].buffer;

	if (!c)
		return paleo_cpu_no_memory(err);
	c->is_change = 1;
	c->is_once = buffer >= 0 && !w->is_written[buffer];
	paleo_cpu_call_argument(c, DNNL_ARG_FROM, from);
	paleo_cpu_call_argument(c, DNNL_ARG_TO, to);
	return make(c,
		    dnnl_reorder_primitive_desc_create(&c->desc, w->stores[from].layout, engine,
						       w->stores[to].layout, engine, NULL),
		    err);
}

/* The buffer of a plan's argument. */
static int buffer_of(const struct paleo_graph_run *w, int step, const struct paleo_cpu_arg *a)
{
	return paleo_graph_find(w->graph, step, a->role, a->copy)->buffer;
}

/* The first store of a buffer, created in its own order if missing: it is an input. */
static int first_store(struct paleo_graph_run *w, int step, const struct paleo_cpu_arg *a, int *out,
		       struct paleo_error *err)
{
	int buffer = buffer_of(w, step, a);
	const void *layout = NULL;
	int rc = PALEO_OK;

	if (w->primary[buffer] < 0) {
		rc = paleo_cpu_hold(w, &a->view, &layout, err);
		if (!rc)
			rc = paleo_cpu_store_produce(w, buffer, layout, &a->view, step, out, err);
		return rc;
	}
	*out = w->primary[buffer];
	return PALEO_OK;
}

static const struct paleo_cpu_arg *find_arg(const struct paleo_cpu_plan *p, enum paleo_role role)
{
	for (int i = 0; i < p->count; i++)
		if (p->args[i].role == role && p->args[i].copy == 0)
			return &p->args[i];
	return NULL;
}

static const void *layout_of(dnnl_primitive_desc_t desc, int id)
{
	return dnnl_primitive_desc_query_md(desc, dnnl_query_exec_arg_md, id);
}

/* Returns 1 if an op treats all elements alike, whatever their position. */
static int is_pointwise(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE || w->kind == PALEO_UPDATE;
}

/* An op on images takes its input's layout where its dims are in the same order of elements. */
static int takes_layout(const struct paleo_op *w)
{
	if (w->kind == PALEO_NORM)
		return w->geom.norm.mode == PALEO_BATCH_NORM ||
		       w->geom.norm.mode == PALEO_BATCH_INFERENCE;
	return w->kind == PALEO_ELTWISE || w->kind == PALEO_POOL || w->kind == PALEO_LRN ||
	       w->kind == PALEO_UPSAMPLE;
}

/* Forward: the input's layout, with the result in oneDNN's choice. */
static int adapt_forward(struct paleo_graph_run *w, int step, struct paleo_cpu_plan *p,
			 struct paleo_error *err)
{
	const struct paleo_cpu_arg *x = find_arg(p, PALEO_X);
	struct paleo_cpu_spec *s = &p->spec;
	int store = -1;

	int rc = first_store(w, step, x, &store, err);
	if (rc)
		return rc;
	const struct paleo_cpu_store *from = &w->stores[store];
	if (is_pointwise(&p->op)) {
		s->src.layout = s->weights.layout = s->dst.layout = from->layout;
		for (int i = 0; i < p->count; i++)
			p->args[i].view = from->view;
	} else if (paleo_cpu_is_same_view(&from->view, &x->view)) {
		s->src.layout = from->layout;
		s->dst.any = 1;
		if (p->op.kind == PALEO_NORM || p->op.kind == PALEO_LRN)
			s->dst = s->src;
	}
	return PALEO_OK;
}

/* Backward: the layouts of its forward step. */
static void adapt_backward(struct paleo_graph_run *w, int step, struct paleo_cpu_plan *p)
{
	int forward = w->graph->steps[step].forward;
	dnnl_primitive_desc_t desc = w->descs[forward];
	struct paleo_cpu_spec *s = &p->spec;

	s->src.layout = layout_of(desc, DNNL_ARG_SRC);
	s->dst.layout = layout_of(desc, DNNL_ARG_DST);
	if (!is_pointwise(&p->op))
		return;
	int buffer = paleo_graph_find(w->graph, forward, PALEO_X, 0)->buffer;
	for (int i = 0; i < p->count; i++)
		p->args[i].view = w->stores[w->primary[buffer]].view;
}

static int adapt(struct paleo_graph_run *w, int step, struct paleo_cpu_plan *p,
		 struct paleo_error *err)
{
	int forward = w->graph->steps[step].forward;

	if (!takes_layout(&p->op))
		return PALEO_OK;
	if (p->op.pass == PALEO_FWD)
		return adapt_forward(w, step, p, err);
	if (forward >= 0 && w->descs[forward])
		adapt_backward(w, step, p);
	return PALEO_OK;
}

/* Creates oneDNN's primitive descriptor. *out is owned. */
static dnnl_status_t describe(const struct paleo_graph_run *w, const struct paleo_cpu_spec *spec,
			      const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out)
{
	struct paleo_cpu_offers *offers = NULL;
	dnnl_status_t rc = paleo_cpu_offers(w->session->engine, spec, hint, &offers);

	if (rc != dnnl_success)
		return rc;
	*out = paleo_cpu_offers_next(offers);
	paleo_cpu_offers_free(offers);
	return *out ? dnnl_success : dnnl_unimplemented;
}

/* The forward primitive that oneDNN requires for a backward one: the one that has run, or where
 * that was another kind of pass (a deconvolution's), one that is only described. */
static dnnl_status_t find_hint(const struct paleo_graph_run *w, int step,
			       const struct paleo_cpu_spec *spec, dnnl_primitive_desc_t *own,
			       dnnl_primitive_desc_t *out)
{
	const struct paleo_graph_step *s = &w->graph->steps[step];
	struct paleo_cpu_spec forward = *spec;

	if (spec->prop == dnnl_prop_kind_undef || spec->prop == dnnl_forward_training ||
	    spec->prop == dnnl_forward_inference)
		return dnnl_success;
	if (s->forward >= 0 && w->descs[s->forward] &&
	    w->graph->steps[s->forward].op.pass == PALEO_FWD) {
		*out = w->descs[s->forward];
		return dnnl_success;
	}
	forward.prop = dnnl_forward_training;
	dnnl_status_t rc = describe(w, &forward, NULL, own);
	*out = *own;
	return rc;
}

static int is_argument(const struct paleo_cpu_call *c, int id)
{
	for (int i = 0; i < c->count; i++)
		if (c->ids[i] == id)
			return 1;
	return 0;
}

/* Tensors that a forward primitive saves for its backward pass. Statistics at inference are
 * given. */
static int add_kept(struct paleo_graph_run *w, int step, struct paleo_cpu_call *c,
		    struct paleo_error *err)
{
	static const int ids[PALEO_CPU_KEPT] = {DNNL_ARG_WORKSPACE, DNNL_ARG_MEAN,
						DNNL_ARG_VARIANCE};
	const struct paleo_cpu_tensor bytes = {.type = dnnl_u8};
	int forward = w->graph->steps[step].forward;

	for (int i = 0; i < PALEO_CPU_KEPT; i++) {
		const void *layout = layout_of(c->desc, ids[i]);
		int *from = forward < 0 ? NULL : &w->kept[forward * PALEO_CPU_KEPT + i];
		if (!layout || !dnnl_memory_desc_get_size(layout) || is_argument(c, ids[i]))
			continue;
		int store = from ? *from : -1;
		if (store < 0)
			store = paleo_cpu_store_add(w, -1, layout, &bytes, 0);
		if (store < 0)
			return paleo_cpu_no_memory(err);
		if (from && !dnnl_memory_desc_equal(w->stores[store].layout, layout))
			return paleo_fail(err, PALEO_EUNSUPPORTED,
					  "oneDNN's backward pass requires other tensors than its "
					  "forward pass saved");
		w->kept[step * PALEO_CPU_KEPT + i] = store;
		paleo_cpu_store_touch(w, store, step);
		paleo_cpu_call_argument(c, ids[i], store);
	}
	const void *shift = forward < 0 ? NULL : layout_of(c->desc, DNNL_ARG_SHIFT);
	if (shift && dnnl_memory_desc_get_size(shift)) {
		int store = paleo_cpu_store_add(w, -1, shift, &bytes, 0);
		if (store < 0)
			return paleo_cpu_no_memory(err);
		paleo_cpu_store_touch(w, store, step);
		paleo_cpu_call_argument(c, DNNL_ARG_SHIFT, store);
		c->may_drop = 1;
	}
	return PALEO_OK;
}

static int argument_store(struct paleo_graph_run *w, int step, const struct paleo_cpu_arg *a,
			  const void *layout, int *out, struct paleo_error *err)
{
	int buffer = buffer_of(w, step, a);

	if (a->access & PALEO_READ)
		return paleo_cpu_store_fetch(w, buffer, layout, &a->view, step, out, err);
	return paleo_cpu_store_produce(w, buffer, layout, &a->view, step, out, err);
}

/* Finds an argument's store. An image of a per-pixel normalisation has other dims. */
static int find_store(struct paleo_graph_run *w, int step, const struct paleo_cpu_plan *p, int arg,
		      const void *layout, int *out, struct paleo_error *err)
{
	const struct paleo_cpu_arg *a = &p->args[arg];

	return paleo_cpu_is_of_pixels(&p->op) && a->view.rank == 4
		       ? paleo_cpu_pixels_store(w, step, a, layout, out, err)
		       : argument_store(w, step, a, layout, out, err);
}

/* A primitive whose descriptor is made: its arguments, then the call. The descriptor becomes the
 * call's, or is freed. */
static int add_primitive(struct paleo_graph_run *w, int step, const struct paleo_cpu_plan *p,
			 dnnl_primitive_desc_t desc, struct paleo_error *err)
{
	int stores[PALEO_CPU_SLOTS_MAX];
	int rc = PALEO_OK;

	for (int i = 0; i < p->count && !rc; i++) {
		const void *layout = layout_of(desc, p->args[i].id);
		if (!layout || !dnnl_memory_desc_get_size(layout))
			rc = paleo_fail(err, PALEO_EBACKEND, "oneDNN takes no '%s' here",
					paleo_role_name(p->args[i].role));
		else
			rc = find_store(w, step, p, i, layout, &stores[i], err);
	}
	struct paleo_cpu_call *c = rc ? NULL : paleo_cpu_call_add(w, step, PALEO_CPU_SLOTS_MAX);
	if (!c) {
		dnnl_primitive_desc_destroy(desc);
		return rc ? rc : paleo_cpu_no_memory(err);
	}
	c->desc = w->descs[step] = desc;
	for (int i = 0; i < p->count; i++)
		paleo_cpu_call_argument(c, p->args[i].id, stores[i]);
	rc = add_kept(w, step, c, err);
	return rc ? rc : make(c, dnnl_success, err);
}

/* Store of a mask: a byte for each number, in the numbers' order; -1 if memory ran out. */
static int mask_store(struct paleo_graph_run *w, int step, int buffer,
		      const struct paleo_cpu_tensor *view, size_t count)
{
	int store = w->primary[buffer];

	if (store < 0)
		store = paleo_cpu_store_add(w, buffer, NULL, view, count);
	w->primary[buffer] = store;
	if (store >= 0)
		paleo_cpu_store_touch(w, store, step);
	return store;
}

/* Adds the call of a plan's kernel on these stores; NULL if memory ran out. */
static struct paleo_cpu_call *add_kernel_call(struct paleo_graph_run *w, int step,
					      const struct paleo_cpu_plan *p, const int *stores,
					      int count)
{
	struct paleo_cpu_call *c = paleo_cpu_call_add(w, step, count);

	if (!c)
		return NULL;
	c->kernel = p->kernel;
	c->op = p->op;
	for (int i = 0; i < count; i++)
		paleo_cpu_call_argument(c, 0, stores[i]);
	return c;
}

/* Its op is on so many numbers of this type. */
static void set_count(struct paleo_cpu_call *c, const struct paleo_cpu_plan *p,
		      dnnl_data_type_t type, double count)
{
	c->op.dtype = type == dnnl_f32 ? PALEO_F32 : p->op.dtype;
	if (c->op.kind == PALEO_UPDATE)
		c->op.geom.update.count = count;
	else
		c->op.geom.eltwise.count = count;
}

/* Our elementwise kernels treat operands as arrays, whatever their order: all get the layout of the
 * first one read, and padding is computed, too. */
static int add_kernel(struct paleo_graph_run *w, int step, const struct paleo_cpu_plan *p,
		      struct paleo_error *err)
{
	int stores[PALEO_CPU_ARGS_MAX], first = -1;
	const struct paleo_cpu_arg *lead = &p->args[0];

	/* The input itself rather than the gradient that arrives: that is the one to be changed. */
	if (p->op.kind == PALEO_ELTWISE && find_arg(p, PALEO_X))
		lead = find_arg(p, PALEO_X);
	int rc = first_store(w, step, lead, &first, err);
	if (rc)
		return rc;
	const struct paleo_cpu_tensor view = w->stores[first].view;
	const void *layout = w->stores[first].layout;
	size_t bytes = w->stores[first].bytes, elem = dnnl_data_type_size(view.type);
	for (int i = 0; i < p->count && !rc; i++) {
		struct paleo_cpu_arg a = p->args[i];
		int buffer = buffer_of(w, step, &a);
		a.view = view;
		if (a.role != PALEO_MASK) {
			rc = argument_store(w, step, &a, layout, &stores[i], err);
			continue;
		}
		stores[i] = mask_store(w, step, buffer, &view, bytes / elem);
		if (stores[i] < 0)
			return paleo_cpu_no_memory(err);
	}
	struct paleo_cpu_call *c = rc ? NULL : add_kernel_call(w, step, p, stores, p->count);
	if (!c)
		return rc ? rc : paleo_cpu_no_memory(err);
	size_t elements = bytes / elem;
	set_count(c, p, view.type, (double)elements);
	return PALEO_OK;
}

/* Our kernels on pixels, or on whole rows: their operands are in the order of their dims. */
static int add_row_kernel(struct paleo_graph_run *w, int step, const struct paleo_cpu_plan *p,
			  struct paleo_error *err)
{
	const struct paleo_cpu_tensor bytes = {.type = dnnl_u8};
	int stores[PALEO_CPU_ARGS_MAX + 1], count = p->count, rc = PALEO_OK;

	for (int i = 0; i < p->count && !rc; i++) {
		struct paleo_cpu_tensor rows = p->args[i].view;
		const void *layout = NULL;
		paleo_cpu_set_rows(&rows);
		rc = paleo_cpu_hold(w, &rows, &layout, err);
		if (!rc)
			rc = find_store(w, step, p, i, layout, &stores[i], err);
	}
	if (!rc && p->kernel->scratch) {
		size_t size = p->kernel->scratch(&p->op, w->threads);
		stores[count] = paleo_cpu_store_add(w, -1, NULL, &bytes, size);
		if (stores[count] < 0)
			return paleo_cpu_no_memory(err);
		paleo_cpu_store_touch(w, stores[count++], step);
	}
	struct paleo_cpu_call *c = rc ? NULL : add_kernel_call(w, step, p, stores, count);
	if (!c)
		return rc ? rc : paleo_cpu_no_memory(err);
	c->has_scratch = count > p->count;
	return PALEO_OK;
}

/* The update of 16-bit weights: masters, states and the gradient are in the order of their dims,
 * and the rounded copy is reordered to the layout in which the weights are read. */
static int add_masters(struct paleo_graph_run *w, int step, const struct paleo_cpu_plan *p,
		       struct paleo_error *err)
{
	int stores[PALEO_CPU_ARGS_MAX], weights = -1;
	const void *layout = NULL;
	int rc = first_store(w, step, &p->args[0], &weights, err);

	if (rc)
		return rc;
	struct paleo_cpu_tensor rows = w->stores[weights].view;
	rc = paleo_cpu_hold(w, &rows, &layout, err);
	if (rc)
		return rc;
	int in_order = dnnl_memory_desc_equal(w->stores[weights].layout, layout);
	stores[0] = in_order ? weights : paleo_cpu_store_add(w, -1, layout, &rows, 0);
	if (stores[0] < 0)
		return paleo_cpu_no_memory(err);
	paleo_cpu_store_touch(w, stores[0], step);
	paleo_cpu_store_touch(w, weights, step);
	for (int i = 1; i < p->count && !rc; i++) {
		rc = paleo_cpu_hold(w, &p->args[i].view, &layout, err);
		if (!rc)
			rc = argument_store(w, step, &p->args[i], layout, &stores[i], err);
	}
	if (rc)
		return rc;
	if (!add_kernel_call(w, step, p, stores, p->count))
		return paleo_cpu_no_memory(err);
	return in_order ? PALEO_OK : paleo_cpu_call_change(w, step, stores[0], weights, err);
}

/* Describes the step's primitive in the layouts of its inputs, and adds it. */
static int add_described(struct paleo_graph_run *w, int step, struct paleo_cpu_plan *p,
			 struct paleo_error *err)
{
	dnnl_primitive_desc_t own = NULL, hint = NULL, desc = NULL;
	int rc = adapt(w, step, p, err);

	if (rc)
		return rc;
	dnnl_status_t status = find_hint(w, step, &p->spec, &own, &hint);
	if (status == dnnl_success)
		status = describe(w, &p->spec, hint, &desc);
	if (status == dnnl_invalid_arguments)
		status = dnnl_unimplemented;
	rc = status == dnnl_success ? add_primitive(w, step, p, desc, err)
				    : paleo_cpu_fail(err, status, "make a primitive");
	dnnl_primitive_desc_destroy(own);
	return rc;
}

int paleo_cpu_step_add(struct paleo_graph_run *w, int step, struct paleo_error *err)
{
	struct paleo_cpu_plan *p = malloc(sizeof(*p));

	if (!p)
		return paleo_cpu_no_memory(err);
	int rc = paleo_cpu_plan(&w->graph->steps[step].op, p, err);
	if (!rc) {
		paleo_cpu_turn_views(p);
		rc = !p->kernel                  ? add_described(w, step, p, err)
		     : find_arg(p, PALEO_MASTER) ? add_masters(w, step, p, err)
		     : is_pointwise(&p->op)      ? add_kernel(w, step, p, err)
						 : add_row_kernel(w, step, p, err);
	}
	free(p);
	return rc;
}
