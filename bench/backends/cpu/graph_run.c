/* graph_run.c - prepares, runs and reads a whole program: those hooks of backend.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/graph_run.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"

static void release_call(struct paleo_cpu_call *c)
{
	dnnl_primitive_destroy(c->primitive);
	dnnl_primitive_desc_destroy(c->desc);
	free(c->ids);
	free(c->stores);
	free(c->args);
	free(c->pointers);
}

void paleo_cpu_whole_release(struct paleo_graph_run *w)
{
	if (!w)
		return;
	for (int i = 0; i < w->call_count; i++)
		release_call(&w->calls[i]);
	for (int i = 0; i < w->store_count; i++)
		dnnl_memory_destroy(w->stores[i].memory);
	for (int i = 0; i < w->holder_count; i++)
		dnnl_memory_destroy(w->holders[i]);
	free(w->calls);
	free(w->stores);
	free(w->holders);
	free(w->primary);
	free(w->is_written);
	free(w->kept);
	free(w->descs);
	free(w->arena);
	free(w);
}

static int run_call(struct paleo_graph_run *w, struct paleo_cpu_call *c, struct paleo_error *err)
{
	if (c->kernel) {
		c->kernel->run(&c->op, c->pointers,
			       c->has_scratch ? c->pointers[c->count - 1] : NULL);
		return PALEO_OK;
	}
	dnnl_status_t rc =
		dnnl_primitive_execute(c->primitive, w->session->stream, c->count, c->args);
	if (rc == dnnl_success)
		rc = dnnl_stream_wait(w->session->stream);
	return rc == dnnl_success ? PALEO_OK : paleo_cpu_fail(err, rc, "run");
}

/* The first run, including one-time work. */
static int run_first(struct paleo_graph_run *w, struct paleo_error *err)
{
	for (int i = 0; i < w->call_count; i++) {
		struct paleo_cpu_call *c = &w->calls[i];
		int rc = run_call(w, c, err);
		if (rc && c->may_drop) {
			c->count--;
			c->may_drop = 0;
			rc = run_call(w, c, err);
		}
		if (rc)
			return paleo_graph_blame(w->graph, c->step, rc, err);
	}
	return PALEO_OK;
}

static int allocate(struct paleo_graph_run *w, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	size_t buffers = (size_t)p->buffer_count, steps = (size_t)p->step_count;

	w->primary = malloc((buffers + 1) * sizeof(*w->primary));
	w->is_written = calloc(buffers + 1, sizeof(*w->is_written));
	w->kept = malloc((steps + 1) * PALEO_CPU_KEPT * sizeof(*w->kept));
	w->descs = calloc(steps + 1, sizeof(dnnl_primitive_desc_t));
	if (!w->primary || !w->is_written || !w->kept || !w->descs)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
	for (size_t i = 0; i < buffers; i++)
		w->primary[i] = -1;
	for (size_t i = 0; i < steps * PALEO_CPU_KEPT; i++)
		w->kept[i] = -1;
	for (int i = 0; i < p->use_count; i++)
		if (p->uses[i].access & PALEO_WRITE)
			w->is_written[p->uses[i].buffer] = 1;
	return PALEO_OK;
}

static int add_steps(struct paleo_graph_run *w, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;

	for (int i = 0; i < p->step_count; i++) {
		int rc = p->steps[i].op.kind == PALEO_COPY ? paleo_cpu_join_add(w, i, err)
							   : paleo_cpu_step_add(w, i, err);
		if (rc)
			return paleo_graph_blame(w->graph, i, rc, err);
	}
	return PALEO_OK;
}

/* Binds each call to the addresses of its arguments. */
static void bind(struct paleo_graph_run *w)
{
	for (int i = 0; i < w->call_count; i++) {
		struct paleo_cpu_call *c = &w->calls[i];
		for (int k = 0; k < c->count; k++) {
			const struct paleo_cpu_store *s = &w->stores[c->stores[k]];
			c->args[k] = (dnnl_exec_arg_t){.arg = c->ids[k], .memory = s->memory};
			c->pointers[k] = w->arena + s->offset;
		}
		int64_t bytes = 0;
		if (c->desc)
			dnnl_primitive_desc_query(c->desc, dnnl_query_memory_consumption_s64, 0,
						  &bytes);
		w->workspace_bytes = fmax(w->workspace_bytes, (double)bytes);
	}
}

static void describe(const struct paleo_graph_run *w, struct paleo_pass_info *info)
{
	double sum[PALEO_USES] = {0}, lasting = 0;

	*info = (struct paleo_pass_info){.how = "primitives"};
	for (int i = 0; i < w->call_count; i++)
		info->layout_changes += w->calls[i].is_change && !w->calls[i].is_once;
	for (int i = 0; i < w->store_count; i++) {
		const struct paleo_cpu_store *s = &w->stores[i];
		if (s->same_data >= 0 || s->first >= 0 || s->buffer < 0)
			continue;
		enum paleo_buffer_use use = w->graph->buffers[s->buffer].use;
		if (use >= PALEO_USE_ACTIVATION)
			continue;
		sum[use] += (double)s->bytes;
		lasting += (double)s->bytes;
	}
	info->memory = (struct paleo_graph_memory){
		.data = sum[PALEO_USE_DATA],
		.weights = sum[PALEO_USE_WEIGHTS] + sum[PALEO_USE_STATISTICS],
		.gradients = sum[PALEO_USE_GRADIENTS],
		.optimizer = sum[PALEO_USE_STATE] + sum[PALEO_USE_MASTER],
		.activations = (double)w->arena_bytes - lasting,
		.workspace = w->workspace_bytes,
	};
}

int paleo_cpu_whole_prepare(struct paleo_session *s, const struct paleo_graph *p,
			    const struct paleo_bench_options *o, struct paleo_graph_run **out,
			    struct paleo_pass_info *info, struct paleo_error *err)
{
	struct paleo_graph_memory least = paleo_graph_memory_of(p);

	if (p->dtype != PALEO_F32 && !(p->dtype == PALEO_BF16 && s->has_bf16))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no '%s'; use f32",
				  s->host.title, paleo_dtype_name(p->dtype));
	int rc = paleo_cpu_check_memory(paleo_graph_memory_sum(&least), o, err);
	if (rc)
		return rc;
	struct paleo_graph_run *w = calloc(1, sizeof(*w));
	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
	w->session = s;
	w->graph = p;
	w->threads = o->threads > 0 ? o->threads : s->host.cores;
	omp_set_num_threads(w->threads);
	rc = allocate(w, err);
	if (!rc)
		rc = add_steps(w, err);
	if (!rc)
		rc = paleo_cpu_stores_place(w, o, err);
	if (!rc) {
		bind(w);
		rc = run_first(w, err);
	}
	if (rc) {
		paleo_cpu_whole_release(w);
		return rc;
	}
	describe(w, info);
	*out = w;
	return PALEO_OK;
}

int paleo_cpu_whole_run(struct paleo_graph_run *w, double *elapsed_s,
			struct paleo_pass_times *times, struct paleo_error *err)
{
	for (int i = 0; times && i < w->graph->step_count; i++)
		times->step_s[i] = times->change_s[i] = 0;
	omp_set_num_threads(w->threads);
	double start = paleo_now_s(), last = start;
	for (int i = 0; i < w->call_count; i++) {
		struct paleo_cpu_call *c = &w->calls[i];
		if (c->is_once)
			continue;
		int rc = run_call(w, c, err);
		if (rc)
			return paleo_graph_blame(w->graph, c->step, rc, err);
		if (!times)
			continue;
		double now = paleo_now_s();
		(c->is_change ? times->change_s : times->step_s)[c->step] += now - last;
		last = now;
	}
	*elapsed_s = paleo_now_s() - start;
	return PALEO_OK;
}

int paleo_cpu_whole_read(struct paleo_graph_run *w, int buffer, const double *index, int n,
			 float *out, struct paleo_error *err)
{
	const struct paleo_cpu_store *s = NULL;

	if (buffer >= 0 && buffer < w->graph->buffer_count && w->primary[buffer] >= 0)
		s = &w->stores[w->primary[buffer]];
	if (!s || !s->layout || s->first >= 0)
		return paleo_fail(err, PALEO_EINPUT, "buffer %d is not kept to the end", buffer);
	size_t count = paleo_cpu_count(&s->view);
	float *values = paleo_cpu_allocate(count * sizeof(*values));
	if (!values)
		return paleo_fail(err, PALEO_ENOMEM, "no memory to read a result");
	int rc = paleo_cpu_read(w->session, &s->view, s->memory, values, err);
	for (int i = 0; i < n && !rc; i++) {
		if (!(index[i] >= 0 && index[i] < (double)count))
			rc = paleo_fail(err, PALEO_EINPUT, "buffer %d has no element %.0f", buffer,
					index[i]);
		else
			out[i] = values[(size_t)index[i]];
	}
	free(values);
	return rc;
}
