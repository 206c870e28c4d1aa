/* graph_run_view.c - how works see the tensors of a graph whose dims are in another order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/graph_run.h"

int paleo_cpu_is_of_pixels(const struct paleo_work *w)
{
	return w->kind == PALEO_NORM &&
	       (w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM);
}

void paleo_cpu_turn_views(struct paleo_cpu_plan *p)
{
	if (p->work.layout != PALEO_NHWC)
		return;
	for (int i = 0; i < p->count; i++) {
		struct paleo_cpu_tensor *v = &p->args[i].view;
		if (v->rank < 4)
			continue;
		/* n or k, c, h or r, w or s; groups are in front of a filter's k */
		dnnl_dim_t *stride = v->strides + v->rank - 4;
		const dnnl_dim_t *dim = v->dims + v->rank - 4;
		if (paleo_cpu_is_of_pixels(&p->work)) {
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
	return *out < 0 ? paleo_fail(err, PALEO_ENOMEM, "no memory to connect the steps")
			: PALEO_OK;
}
