/* graph_run_store.c - the tensors of a whole program in the layouts they are wanted in. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "bench/backends/cpu/graph_run.h"
#include "bench/fill.h"

int paleo_cpu_no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "no memory to connect the steps");
}

int paleo_cpu_is_of_pixels(const struct paleo_op *w)
{
	return w->kind == PALEO_NORM &&
	       (w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM);
}

void paleo_cpu_turn_views(struct paleo_cpu_plan *p)
{
	if (p->op.layout != PALEO_NHWC)
		return;
	for (int i = 0; i < p->count; i++) {
		struct paleo_cpu_tensor *v = &p->args[i].view;
		if (v->rank < 4)
			continue;
		/* n or k, c, h or r, w or s; groups are in front of a filter's k */
		dnnl_dim_t *stride = v->strides + v->rank - 4;
		const dnnl_dim_t *dim = v->dims + v->rank - 4;
		if (paleo_cpu_is_of_pixels(&p->op)) {
			paleo_cpu_set_rows(v);
			continue;
		}
		stride[1] = 1;
		stride[3] = dim[1];
		stride[2] = dim[1] * dim[3];
		stride[0] = dim[1] * dim[3] * dim[2];
		if (v->rank == 5)
			v->strides[0] = dim[0] * stride[0];
	}
}

/* n, h, w, c as n, c, h, w. */
static struct paleo_cpu_tensor image_of(const struct paleo_cpu_tensor *pixels)
{
	static const int from[4] = {0, 3, 1, 2};
	struct paleo_cpu_tensor t = {.rank = 4, .type = pixels->type};

	for (int i = 0; i < 4; i++) {
		t.dims[i] = pixels->dims[from[i]];
		t.strides[i] = pixels->strides[from[i]];
	}
	return t;
}

int paleo_cpu_pixels_store(struct paleo_graph_run *w, int step, const struct paleo_cpu_arg *a,
			   const void *layout, int *out, struct paleo_error *err)
{
	const struct paleo_cpu_tensor view = image_of(&a->view);
	struct paleo_cpu_tensor rows = a->view;
	int buffer = paleo_graph_find(w->graph, step, a->role, a->copy)->buffer, store = -1;
	const void *innermost = NULL;

	paleo_cpu_set_rows(&rows);
	rows = image_of(&rows);
	int rc = paleo_cpu_hold(w, &rows, &innermost, err);
	if (!rc && a->access & PALEO_READ)
		rc = paleo_cpu_store_fetch(w, buffer, innermost, &view, step, &store, err);
	else if (!rc)
		rc = paleo_cpu_store_produce(w, buffer, innermost, &view, step, &store, err);
	if (rc)
		return rc;
	*out = paleo_cpu_store_see(w, store, layout, &a->view, step);
	return *out < 0 ? paleo_cpu_no_memory(err) : PALEO_OK;
}

/* Between two tensors, so that equal places in them meet in different sets of a cache. */
static const size_t line = 64, gap = 320;

int paleo_cpu_store_add(struct paleo_graph_run *w, int buffer, const void *layout,
			const struct paleo_cpu_tensor *view, size_t bytes)
{
	struct paleo_cpu_store *stores =
		paleo_grow(w->stores, w->store_count, &w->store_room, sizeof(*stores));

	if (!stores)
		return -1;
	w->stores = stores;
	stores[w->store_count] = (struct paleo_cpu_store){
		.buffer = buffer,
		.layout = layout,
		.view = *view,
		.bytes = layout ? dnnl_memory_desc_get_size(layout) : bytes,
		.first = w->graph->step_count,
		.last = -1,
		.same_data = -1,
	};
	return w->store_count++;
}

void paleo_cpu_store_touch(struct paleo_graph_run *w, int store, int step)
{
	struct paleo_cpu_store *s = &w->stores[store];

	while (s->same_data >= 0)
		s = &w->stores[s->same_data];
	if (step == w->graph->step_count)
		s->first = -1;
	if (step < s->first)
		s->first = step;
	if (step > s->last)
		s->last = step;
}

static int hold(struct paleo_graph_run *w, dnnl_memory_t memory, const void **out,
		struct paleo_error *err)
{
	void *holders =
		paleo_grow(w->holders, w->holder_count, &w->holder_room, sizeof(dnnl_memory_t));

	if (!holders) {
		dnnl_memory_destroy(memory);
		return paleo_cpu_no_memory(err);
	}
	w->holders = holders;
	w->holders[w->holder_count++] = memory;
	dnnl_status_t rc = paleo_cpu_memory_layout(memory, out);
	return rc == dnnl_success ? PALEO_OK : paleo_cpu_fail(err, rc, "tell a layout");
}

int paleo_cpu_hold(struct paleo_graph_run *w, const struct paleo_cpu_tensor *t, const void **out,
		   struct paleo_error *err)
{
	dnnl_memory_t memory = NULL;
	dnnl_status_t rc = paleo_cpu_memory(w->session->engine, t, DNNL_MEMORY_NONE, &memory);

	if (rc != dnnl_success)
		return paleo_cpu_fail(err, rc, "describe a layout");
	return hold(w, memory, out, err);
}

int paleo_cpu_hold_part(struct paleo_graph_run *w, const void *layout, const dnnl_dims_t dims,
			const dnnl_dims_t offsets, const void **out, struct paleo_error *err)
{
	dnnl_memory_t memory = NULL;
	dnnl_status_t rc = paleo_cpu_part(w->session->engine, layout, dims, offsets, &memory);

	if (rc != dnnl_success)
		return paleo_cpu_fail(err, rc, "describe a part of a tensor");
	return hold(w, memory, out, err);
}

/* The stride of a dimension of size 1 is irrelevant. */
int paleo_cpu_is_same_view(const struct paleo_cpu_tensor *a, const struct paleo_cpu_tensor *b)
{
	int same = a->rank == b->rank;

	for (int i = 0; same && i < a->rank; i++)
		same = a->dims[i] == b->dims[i] &&
		       (a->dims[i] == 1 || a->strides[i] == b->strides[i]);
	return same;
}

/* A layout of the type of `view` with the operand's own order of elements. */
static int plain_layout(struct paleo_graph_run *w, const struct paleo_cpu_tensor *view,
			dnnl_data_type_t type, const void **out, struct paleo_error *err)
{
	struct paleo_cpu_tensor plain = *view;

	plain.type = type;
	return paleo_cpu_hold(w, &plain, out, err);
}

/* A store of the buffer in this layout that is there already, or -1. Rows of n, h, w, c and of n,
 * c, h, w are equal layouts where c, h and w are. */
static int find(const struct paleo_graph_run *w, int buffer, const void *layout,
		const struct paleo_cpu_tensor *view)
{
	for (int i = 0; i < w->store_count; i++)
		if (w->stores[i].buffer == buffer && w->stores[i].layout &&
		    paleo_cpu_is_same_view(&w->stores[i].view, view) &&
		    dnnl_memory_desc_equal(w->stores[i].layout, layout))
			return i;
	return -1;
}

/* A buffer that is not rewritten in each run has a permanent address. */
static int is_lasting(const struct paleo_graph_run *w, int buffer)
{
	return w->graph->buffers[buffer].use < PALEO_USE_ACTIVATION;
}

/* Adds a store of the buffer that is made from another one of it. */
static int add_change(struct paleo_graph_run *w, int from, const void *layout,
		      const struct paleo_cpu_tensor *view, int step, int *out,
		      struct paleo_error *err)
{
	int buffer = w->stores[from].buffer;
	int made = paleo_cpu_store_add(w, buffer, layout, view, 0);

	if (made < 0)
		return paleo_cpu_no_memory(err);
	if (is_lasting(w, buffer) && !w->is_written[buffer])
		paleo_cpu_store_touch(w, made, w->graph->step_count);
	paleo_cpu_store_touch(w, made, step);
	paleo_cpu_store_touch(w, from, step);
	*out = made;
	return paleo_cpu_call_change(w, step, from, made, err);
}

int paleo_cpu_store_see(struct paleo_graph_run *w, int store, const void *layout,
			const struct paleo_cpu_tensor *view, int step)
{
	int buffer = w->stores[store].buffer, other = find(w, buffer, layout, view);

	if (other < 0) {
		other = paleo_cpu_store_add(w, buffer, layout, view, 0);
		if (other >= 0)
			w->stores[other].same_data = store;
	}
	if (other >= 0)
		paleo_cpu_store_touch(w, other, step);
	return other;
}

/* The buffer in its operand's own order, seen with the dims of `view`. */
static int fetch_plain(struct paleo_graph_run *w, int primary, const struct paleo_cpu_tensor *view,
		       int step, int *out, struct paleo_error *err)
{
	const struct paleo_cpu_store from = w->stores[primary];
	const void *layout = NULL;
	int plain = -1;

	int rc = plain_layout(w, &from.view, from.view.type, &layout, err);
	if (!rc)
		rc = paleo_cpu_store_fetch(w, from.buffer, layout, &from.view, step, &plain, err);
	if (!rc)
		rc = plain_layout(w, view, from.view.type, &layout, err);
	if (rc)
		return rc;
	int other = paleo_cpu_store_see(w, plain, layout, view, step);
	if (other < 0)
		return paleo_cpu_no_memory(err);
	*out = other;
	return PALEO_OK;
}

int paleo_cpu_store_fetch(struct paleo_graph_run *w, int buffer, const void *layout,
			  const struct paleo_cpu_tensor *view, int step, int *out,
			  struct paleo_error *err)
{
	int primary = w->primary[buffer], from = primary;

	if (primary < 0) /* given, and not used so far */
		return paleo_cpu_store_produce(w, buffer, layout, view, step, out, err);
	int found = find(w, buffer, layout, view);
	if (found >= 0) {
		paleo_cpu_store_touch(w, found, step);
		*out = found;
		return PALEO_OK;
	}
	if (!paleo_cpu_is_same_view(&w->stores[primary].view, view)) {
		int rc = fetch_plain(w, primary, view, step, &from, err);
		if (rc)
			return rc;
		if (dnnl_memory_desc_equal(w->stores[from].layout, layout)) {
			*out = from;
			return PALEO_OK;
		}
	}
	return add_change(w, from, layout, view, step, out, err);
}

int paleo_cpu_store_produce(struct paleo_graph_run *w, int buffer, const void *layout,
			    const struct paleo_cpu_tensor *view, int step, int *out,
			    struct paleo_error *err)
{
	int made = w->primary[buffer];

	if (made < 0)
		made = paleo_cpu_store_add(w, buffer, layout, view, 0);
	if (made < 0)
		return paleo_cpu_no_memory(err);
	w->primary[buffer] = made;
	if (is_lasting(w, buffer) || buffer == w->graph->output)
		paleo_cpu_store_touch(w, made, w->graph->step_count);
	paleo_cpu_store_touch(w, made, step);
	*out = made;
	return PALEO_OK;
}

/* Puts all stores with data of their own into one piece of memory. */
static int place(struct paleo_graph_run *w, const struct paleo_bench_options *o,
		 struct paleo_error *err)
{
	struct paleo_span *spans = calloc((size_t)w->store_count + 1, sizeof(*spans));

	if (!spans)
		return paleo_cpu_no_memory(err);
	for (int i = 0; i < w->store_count; i++) {
		const struct paleo_cpu_store *s = &w->stores[i];
		spans[i] = (struct paleo_span){.first = s->first, .last = s->last};
		if (s->same_data < 0)
			spans[i].bytes = (double)(s->bytes + gap);
	}
	double bytes = paleo_spans_place(spans, w->store_count, (double)line);
	for (int i = 0; i < w->store_count; i++)
		w->stores[i].offset = (size_t)spans[i].offset;
	free(spans);
	if (bytes < 0)
		return paleo_cpu_no_memory(err);
	int rc = paleo_cpu_check_memory(bytes, o, err);
	if (rc)
		return rc;
	w->arena_bytes = (size_t)bytes;
	w->arena = paleo_cpu_allocate(w->arena_bytes);
	if (!w->arena)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %.1f MB of tensors",
				  bytes * 1e-6);
	return PALEO_OK;
}

static int fill(struct paleo_graph_run *w, int buffer, struct paleo_error *err)
{
	const struct paleo_cpu_store *s = &w->stores[w->primary[buffer]];
	int64_t count = (int64_t)paleo_cpu_count(&s->view);
	float *values = paleo_cpu_allocate((size_t)count * sizeof(*values));

	if (!values)
		return paleo_cpu_no_memory(err);
#pragma omp parallel for schedule(static)
	for (int64_t i = 0; i < count; i++)
		values[i] = paleo_fill_buffer(w->graph, buffer, (double)i);
	int rc = paleo_cpu_put(w->session, &s->view, values, s->memory, err);
	free(values);
	return rc;
}

int paleo_cpu_stores_place(struct paleo_graph_run *w, const struct paleo_bench_options *o,
			   struct paleo_error *err)
{
	int rc = place(w, o, err);

	if (rc)
		return rc;
	/* Poisoned with NaN to expose elements nobody writes. */
	memset(w->arena, 0xff, w->arena_bytes);
	for (int i = 0; i < w->store_count && !rc; i++) {
		struct paleo_cpu_store *s = &w->stores[i];
		if (s->same_data >= 0)
			s->offset = w->stores[s->same_data].offset;
		if (s->buffer < 0)
			memset(w->arena + s->offset, 0, s->bytes);
		if (!s->layout)
			continue;
		dnnl_status_t status = dnnl_memory_create(&s->memory, s->layout, w->session->engine,
							  w->arena + s->offset);
		if (status != dnnl_success)
			rc = paleo_cpu_fail(err, status, "make a memory object");
	}
	for (int i = 0; i < w->graph->buffer_count && !rc; i++)
		if (w->graph->buffers[i].scale > 0 && w->primary[i] >= 0)
			rc = fill(w, i, err);
	return rc;
}
