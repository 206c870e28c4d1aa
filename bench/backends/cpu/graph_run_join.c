/* graph_run_join.c - concatenates and splits tensors in any layout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cpu/graph_run.h"

/* The buffers of a join or split: images that add up along one of their dimensions; or, where a
 * reshape was before it, rows that add up. */
struct join {
	int count, axis;
	int rows; /* 0: images */
	int whole;
	int parts[PALEO_CPU_JOIN_MAX];
};

static struct paleo_cpu_tensor image_of(const struct paleo_graph_run *w, const struct join *j,
					int buffer, dnnl_data_type_t type)
{
	const struct paleo_buffer *b = &w->graph->buffers[buffer];
	const double rows[2] = {j->rows, b->bytes / b->elem_bytes / j->rows};

	return j->rows ? paleo_cpu_rows(type, 2, rows) : paleo_cpu_rows(type, b->rank, b->dims);
}

/* The dimension along which the parts add up to the whole; -1 if they do not. */
static int find_axis(const struct paleo_graph_run *w, const struct join *j)
{
	const struct paleo_buffer *whole = &w->graph->buffers[j->whole];

	for (int axis = 1; axis < 4; axis++) {
		double sum = 0;
		int fits = 1;
		for (int i = 0; i < j->count; i++) {
			const struct paleo_buffer *part = &w->graph->buffers[j->parts[i]];
			sum += part->dims[axis];
			for (int d = 0; d < 4; d++)
				fits &= d == axis || part->dims[d] == whole->dims[d];
		}
		if (fits && sum == whole->dims[axis])
			return axis;
	}
	return -1;
}

static int find_join(const struct paleo_graph_run *w, int step, struct join *j,
		     struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	int fwd = p->steps[step].op.pass == PALEO_FWD;

	j->count = p->steps[step].op.geom.copy.parts;
	if (j->count > PALEO_CPU_JOIN_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "more than %d parts",
				  PALEO_CPU_JOIN_MAX);
	j->whole = paleo_graph_find(p, step, fwd ? PALEO_Y : PALEO_DY, 0)->buffer;
	for (int i = 0; i < j->count; i++)
		j->parts[i] = paleo_graph_find(p, step, fwd ? PALEO_X : PALEO_DX, i)->buffer;
	j->axis = find_axis(w, j);
	j->rows = 0;
	if (j->axis < 0) {
		j->axis = 1;
		j->rows = p->steps[step].op.geom.copy.rows;
	}
	return PALEO_OK;
}

/* The store of a buffer as an image: as it is, or in rows where it was something else. */
static int fetch_image(struct paleo_graph_run *w, const struct join *j, int buffer, int step,
		       int *out, struct paleo_error *err)
{
	int primary = w->primary[buffer];
	dnnl_data_type_t type = w->graph->dtype == PALEO_BF16 ? dnnl_bf16 : dnnl_f32;
	struct paleo_cpu_tensor image = image_of(w, j, buffer, type);
	const void *layout = NULL;

	if (primary >= 0 && paleo_cpu_is_same_view(&w->stores[primary].view, &image)) {
		paleo_cpu_store_touch(w, primary, step);
		*out = primary;
		return PALEO_OK;
	}
	int rc = paleo_cpu_hold(w, &image, &layout, err);
	return rc ? rc : paleo_cpu_store_fetch(w, buffer, layout, &image, step, out, err);
}

static int add_join(struct paleo_graph_run *w, int step, const struct join *j,
		    struct paleo_error *err)
{
	const void *layouts[PALEO_CPU_JOIN_MAX];
	int stores[PALEO_CPU_JOIN_MAX] = {0}, whole = -1, rc = PALEO_OK;
	dnnl_primitive_desc_t desc = NULL;

	for (int i = 0; i < j->count && !rc; i++)
		rc = fetch_image(w, j, j->parts[i], step, &stores[i], err);
	if (rc)
		return rc;
	for (int i = 0; i < j->count; i++)
		layouts[i] = w->stores[stores[i]].layout;
	dnnl_status_t status =
		paleo_cpu_concat(w->session->engine, j->count, j->axis, layouts, &desc);
	if (status != dnnl_success)
		return paleo_cpu_fail(err, status, "join tensors");
	struct paleo_cpu_call *c = paleo_cpu_call_add(w, step, j->count + 1);
	if (!c) {
		dnnl_primitive_desc_destroy(desc);
		return paleo_cpu_no_memory(err);
	}
	c->desc = desc;
	struct paleo_cpu_tensor view = image_of(w, j, j->whole, w->stores[stores[0]].view.type);
	rc = paleo_cpu_store_produce(w, j->whole,
				     dnnl_primitive_desc_query_md(desc, dnnl_query_dst_md, 0),
				     &view, step, &whole, err);
	for (int i = 0; i < j->count; i++)
		paleo_cpu_call_argument(c, DNNL_ARG_MULTIPLE_SRC + i, stores[i]);
	paleo_cpu_call_argument(c, DNNL_ARG_DST, whole);
	status = rc ? dnnl_success : dnnl_primitive_create(&c->primitive, desc);
	return status == dnnl_success ? rc : paleo_cpu_fail(err, status, "join tensors");
}

/* Copies the part that begins at `start` into a tensor with the layout of the one that was joined
 * there; where the whole cannot be seen in parts, through one in rows. */
static int add_part(struct paleo_graph_run *w, int step, const struct join *j, int part,
		    dnnl_dim_t start, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	int forward = p->steps[step].forward, whole = -1, to = -1;
	int model = w->primary[paleo_graph_find(p, forward, PALEO_X, part)->buffer];
	dnnl_data_type_t type = w->stores[model].view.type;
	struct paleo_cpu_tensor image = image_of(w, j, j->parts[part], type);
	dnnl_dims_t offsets = {0};
	const void *layout = NULL, *rows = NULL;

	offsets[j->axis] = start;
	int rc = fetch_image(w, j, j->whole, step, &whole, err);
	if (!rc &&
	    paleo_cpu_hold_part(w, w->stores[whole].layout, image.dims, offsets, &layout, err)) {
		struct paleo_cpu_tensor all = image_of(w, j, j->whole, type);
		rc = paleo_cpu_hold(w, &all, &rows, err);
		if (!rc)
			rc = paleo_cpu_store_fetch(w, j->whole, rows, &all, step, &whole, err);
		if (!rc)
			rc = paleo_cpu_hold_part(w, rows, image.dims, offsets, &layout, err);
	}
	const void *like = w->stores[model].layout;
	if (!rc && !paleo_cpu_is_same_view(&w->stores[model].view, &image))
		rc = paleo_cpu_hold(w, &image, &like, err);
	if (!rc)
		rc = paleo_cpu_store_produce(w, j->parts[part], like, &image, step, &to, err);
	if (rc)
		return rc;
	int from = paleo_cpu_store_add(w, j->whole, layout, &image, 0);
	if (from < 0)
		return paleo_cpu_no_memory(err);
	w->stores[from].same_data = whole;
	w->stores[from].buffer = -2; /* a part: the whole is not looked up here */
	rc = paleo_cpu_call_change(w, step, from, to, err);
	if (!rc)
		w->calls[w->call_count - 1].is_change = 0; /* it is the step itself */
	return rc;
}

static int add_split(struct paleo_graph_run *w, int step, const struct join *j,
		     struct paleo_error *err)
{
	dnnl_dim_t start = 0;
	int rc = PALEO_OK;

	for (int i = 0; i < j->count && !rc; i++) {
		rc = add_part(w, step, j, i, start, err);
		start += image_of(w, j, j->parts[i], dnnl_f32).dims[j->axis];
	}
	return rc;
}

/* Parts that lie one after another are [parts, rows, columns], and the whole is the same seen
 * otherwise: one call changes the one into the other. */
static int add_stack(struct paleo_graph_run *w, int step, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	const struct paleo_copy_geom *g = &p->steps[step].op.geom.copy;
	dnnl_data_type_t type = p->dtype == PALEO_BF16 ? dnnl_bf16 : dnnl_f32;
	int joins = p->steps[step].op.pass == PALEO_FWD, from = -1, to = -1;
	int whole = paleo_graph_find(p, step, joins ? PALEO_Y : PALEO_DY, 0)->buffer;
	int stack = paleo_graph_find(p, step, joins ? PALEO_X : PALEO_DX, 0)->buffer;
	const struct paleo_buffer *b = &p->buffers[whole];
	const double dims[3] = {g->parts, g->rows, (double)g->cols / g->parts};
	const struct paleo_cpu_tensor parts = paleo_cpu_rows(type, 3, dims);
	const struct paleo_cpu_tensor rows = paleo_cpu_rows(type, b->rank, b->dims);
	struct paleo_cpu_tensor inside = parts;
	const void *parts_layout = NULL, *inside_layout = NULL, *rows_layout = NULL;

	inside.strides[0] = parts.dims[2];
	inside.strides[1] = g->cols;
	int rc = paleo_cpu_hold(w, &parts, &parts_layout, err);
	if (!rc)
		rc = paleo_cpu_hold(w, &inside, &inside_layout, err);
	if (!rc)
		rc = paleo_cpu_hold(w, &rows, &rows_layout, err);
	if (!rc && joins) {
		rc = paleo_cpu_store_fetch(w, stack, parts_layout, &parts, step, &from, err);
		if (!rc)
			rc = paleo_cpu_store_produce(w, whole, rows_layout, &rows, step, &to, err);
		if (!rc)
			to = paleo_cpu_store_see(w, to, inside_layout, &inside, step);
	} else if (!rc) {
		rc = paleo_cpu_store_fetch(w, whole, inside_layout, &inside, step, &from, err);
		if (!rc)
			rc = paleo_cpu_store_produce(w, stack, parts_layout, &parts, step, &to,
						     err);
	}
	if (!rc && to < 0)
		rc = paleo_cpu_no_memory(err);
	if (!rc)
		rc = paleo_cpu_call_change(w, step, from, to, err);
	if (!rc)
		w->calls[w->call_count - 1].is_change = 0; /* it is the step itself */
	return rc;
}

int paleo_cpu_join_add(struct paleo_graph_run *w, int step, struct paleo_error *err)
{
	struct join j;

	if (paleo_graph_is_stacked(w->graph, step))
		return add_stack(w, step, err);
	int rc = find_join(w, step, &j, err);
	if (rc)
		return rc;
	if (w->graph->steps[step].op.pass == PALEO_FWD)
		return add_join(w, step, &j, err);
	return add_split(w, step, &j, err);
}
