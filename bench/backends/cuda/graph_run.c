/* graph_run.c - a whole program on the device: one graph of all its steps, and one with events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/capture.h"
#include "bench/backends/cuda/status.h"
#include "bench/fill.h"

#define COVER 8 /* flushes before a pass: they take longer than the host to launch its graph */

/*
 * Each step is a job whose operands lie in the program's buffers. All steps are
 * captured, in order, into one graph, and a second time with an event between each
 * two: the clean time and where it goes. Where a step cannot be captured, all are
 * launched one after the other ("stream").
 *
 * What a backward job keeps beside its operands (statistics of a normalisation, the
 * result of an LRN) it makes once from the forward pass's tensors, not in each run.
 */
static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
}

static void release_part(struct paleo_graph_run_part *p)
{
	if (p->job) {
		p->job->placed = NULL;
		p->job->layout.base = NULL;
		paleo_job_close(p->job);
	}
	free(p->placed);
}

void paleo_graph_run_release(struct paleo_graph_run *w)
{
	if (!w)
		return;
	if (w->clean)
		cudaGraphExecDestroy(w->clean);
	if (w->timed)
		cudaGraphExecDestroy(w->timed);
	for (int i = 0; i < w->event_count; i++)
		cudaEventDestroy(w->events[i]);
	for (int i = 0; i < w->part_count; i++)
		release_part(&w->parts[i]);
	cudaFree(w->base);
	free(w->events);
	free(w->parts);
	free(w->offsets);
	free(w);
}

/* Fills a buffer that is given. */
static int fill(const struct paleo_graph_run *w, int buffer, struct paleo_error *err)
{
	const struct paleo_buffer *b = &w->graph->buffers[buffer];
	struct paleo_frame f;
	cudaKernel_t kernel;

	memset(&f, 0, sizeof(f));
	f.x = paleo_graph_run_at(w, buffer);
	f.count = (long long)(b->bytes / b->elem_bytes);
	f.stream = PALEO_FILL_BUFFERS + (unsigned)buffer;
	f.factor = (float)b->scale;
	f.second_moment = b->use == PALEO_USE_STATE || b->use == PALEO_USE_STATISTICS;
	f.wide = b->elem_bytes == sizeof(float);
	f.pixel_step = 1;
	int rc = paleo_kernels_find(w->session, w->graph->dtype, "fill", &kernel, err);
	double blocks = ceil((double)f.count / PALEO_KERNEL_THREADS);
	return rc ? rc : paleo_kernels_run(w->session, kernel, fmin(blocks, 1 << 20), &f, err);
}

/* Launches all steps; before each one an event where there are some. */
static int launch_all(const struct paleo_graph_run *w, int with_events, unsigned flags,
		      struct paleo_error *err)
{
	cudaStream_t stream = w->session->stream;
	int step = -1, rc = PALEO_OK;

	for (int i = 0; i < w->part_count && !rc; i++) {
		const struct paleo_graph_run_part *p = &w->parts[i];
		for (; with_events && step < p->step && !rc; step++)
			rc = paleo_cuda_check(
				cudaEventRecordWithFlags(w->events[step + 1], stream, flags),
				"record an event", err);
		if (!rc)
			rc = paleo_job_launch(p->job, PALEO_TIMED, 0, err);
		if (rc)
			return paleo_graph_run_blame(w, p->step, rc, err);
	}
	if (!rc && with_events)
		rc = paleo_cuda_check(
			cudaEventRecordWithFlags(w->events[w->event_count - 1], stream, flags),
			"record an event", err);
	return rc;
}

/* Poisons everything, fills what is given, runs once, with what backward jobs keep made on the way.
 */
static int run_first(struct paleo_graph_run *w, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	cudaStream_t stream = w->session->stream;
	int rc = paleo_cuda_check(
		cudaMemsetAsync(w->base, 0xff, (size_t)(w->total_bytes + w->hidden_bytes), stream),
		"poison the tensors", err);

	for (int i = 0; i < p->buffer_count && !rc; i++)
		if (p->buffers[i].scale > 0)
			rc = fill(w, i, err);
	for (int i = 0; i < w->part_count && !rc; i++) {
		const struct paleo_job *j = w->parts[i].job;
		/* A pooling's mask is the one of the forward pass itself. */
		if (j->work.kind != PALEO_POOL)
			rc = paleo_job_launch(j, PALEO_SETUP, 0, err);
		if (!rc)
			rc = paleo_job_launch(j, PALEO_TIMED, 0, err);
		if (rc)
			return paleo_graph_run_blame(w, w->parts[i].step, rc, err);
	}
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(stream),
				      "run the net for the first time", err);
	return rc;
}

/* What is captured: all steps, with events between them or without. */
struct captured_pass {
	const struct paleo_graph_run *run;
	int with_events;
};

static int launch_captured(const void *of, struct paleo_error *err)
{
	const struct captured_pass *c = of;

	return launch_all(c->run, c->with_events, cudaEventRecordExternal, err);
}

static int make_events(struct paleo_graph_run *w, struct paleo_error *err)
{
	int count = w->graph->step_count + 1, rc = PALEO_OK;

	w->events = calloc((size_t)count, sizeof(cudaEvent_t));
	if (!w->events)
		return no_memory(err);
	while (w->event_count < count && !rc) {
		rc = paleo_cuda_check(cudaEventCreate(&w->events[w->event_count]), "make an event",
				      err);
		w->event_count += !rc;
	}
	return rc;
}

/* Both graphs or none. That a step cannot be captured is no fault; a lost device is. */
static int capture_both(struct paleo_graph_run *w, struct paleo_error *err)
{
	struct paleo_error why;
	const struct captured_pass clean = {.run = w}, timed = {.run = w, .with_events = 1};
	cudaStream_t stream = w->session->stream;

	if (!paleo_cuda_capture(stream, launch_captured, &clean, &w->clean, &why) &&
	    !paleo_cuda_capture(stream, launch_captured, &timed, &w->timed, &why))
		return PALEO_OK;
	(void)cudaGetLastError();
	if (w->clean)
		cudaGraphExecDestroy(w->clean);
	w->clean = NULL;
	return paleo_cuda_check(cudaDeviceSynchronize(), "go on after a failed capture", err);
}

static void describe(const struct paleo_graph_run *w, struct paleo_pass_info *info)
{
	*info = (struct paleo_pass_info){.memory = paleo_graph_memory_of(w->graph)};
	snprintf(info->how, sizeof(info->how), "%s", w->clean ? "graph" : "stream");
	const struct paleo_graph_memory *m = &info->memory;
	double lasting = m->data + m->weights + m->gradients + m->optimizer;
	info->memory.activations = w->total_bytes - lasting + w->hidden_bytes;
	info->memory.workspace = w->workspace_bytes;
}

int paleo_graph_run_prepare(struct paleo_session *s, const struct paleo_graph *p,
			    const struct paleo_bench_options *o, struct paleo_graph_run **out,
			    struct paleo_pass_info *info, struct paleo_error *err)
{
	int rc = paleo_warm_up(s, err);

	if (rc)
		return rc;
	struct paleo_graph_run *w = calloc(1, sizeof(*w));
	if (!w)
		return no_memory(err);
	w->session = s;
	w->graph = p;
	rc = paleo_graph_run_plan(w, o, err);
	if (!rc)
		rc = paleo_graph_run_take(w, err);
	if (!rc)
		rc = paleo_graph_run_bind(w, err);
	if (!rc)
		rc = run_first(w, err);
	if (!rc)
		rc = make_events(w, err);
	if (!rc)
		rc = capture_both(w, err);
	if (rc) {
		paleo_graph_run_release(w);
		return rc;
	}
	describe(w, info);
	*out = w;
	return PALEO_OK;
}

/* One event before each step and one after the last. */
static int read_times(const struct paleo_graph_run *w, struct paleo_pass_times *times,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i + 1 < w->event_count && !rc; i++) {
		float ms = 0;
		rc = paleo_cuda_check(cudaEventElapsedTime(&ms, w->events[i], w->events[i + 1]),
				      "read the time of a step", err);
		times->step_s[i] = ms * 1e-3;
		times->change_s[i] = 0; /* a library changes layouts inside of its own calls */
	}
	return rc;
}

int paleo_graph_run_run(struct paleo_graph_run *w, double *elapsed_s,
			struct paleo_pass_times *times, struct paleo_error *err)
{
	struct paleo_session *s = w->session;
	cudaGraphExec_t graph = times ? w->timed : w->clean;
	int rc = graph ? paleo_timing_flush(s, COVER, err) : PALEO_OK;

	if (!rc)
		rc = paleo_clock_start(s, err);
	if (!rc)
		rc = graph ? paleo_cuda_check(cudaGraphLaunch(graph, s->stream), "launch a graph",
					      err)
			   : launch_all(w, times != NULL, cudaEventRecordDefault, err);
	if (!rc)
		rc = paleo_clock_stop(s, elapsed_s, err);
	return !rc && times ? read_times(w, times, err) : rc;
}

int paleo_graph_run_read(struct paleo_graph_run *w, int buffer, const double *index, int n,
			 float *out, struct paleo_error *err)
{
	const struct paleo_buffer *b = &w->graph->buffers[buffer];
	size_t bytes = (size_t)b->elem_bytes;
	uint32_t raw;
	int rc = PALEO_OK;

	if (b->last != w->graph->step_count)
		return paleo_fail(err, PALEO_EINPUT, "buffer %d is not kept to the end", buffer);
	for (int i = 0; i < n && !rc; i++) {
		const char *from =
			(const char *)paleo_graph_run_at(w, buffer) + (size_t)index[i] * bytes;
		raw = 0;
		rc = paleo_cuda_check(cudaMemcpyAsync(&raw, from, bytes, cudaMemcpyDeviceToHost,
						      w->session->stream),
				      "read a result", err);
		if (!rc)
			rc = paleo_cuda_check(cudaStreamSynchronize(w->session->stream),
					      "read the results", err);
		out[i] = paleo_memory_value(b->elem_bytes, w->graph->dtype, raw);
	}
	return rc;
}
