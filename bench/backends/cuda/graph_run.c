/* graph_run.c - a whole program on the device: one graph of all its steps, and one with events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "bench/backends/cuda/session.h"
#include "bench/fill.h"

#define ALIGNMENT 256.0
#define COVER 8 /* flushes before a pass: they take longer than the host to launch its graph */

/*
 * Each step is a job whose operands are the program's buffers. All steps are captured, in order,
 * into one graph, and a second time with an event between each two: the clean time and its
 * breakdown. Where a step cannot be captured, all are launched one after the other ("stream").
 *
 * Hidden operands of a backward job (statistics of a normalisation, the result of an LRN) are
 * computed once from the forward pass's tensors, not in each run.
 */

/* One job of a step. A sum of many tensors is several jobs, each of two. */
struct paleo_graph_run_part {
	struct paleo_job *job;
	void **placed; /* where its operands lie */
	int step;
};

struct paleo_graph_run {
	struct paleo_session *session;
	const struct paleo_graph *graph;
	struct paleo_graph_run_part *parts;
	int part_count, part_room;
	char *base;          /* one allocation: buffers, then hidden operands and workspace */
	double *offsets;     /* of the buffers */
	double hidden_bytes; /* in addition to the buffers */
	double workspace_bytes, total_bytes;
	cudaGraphExec_t clean, timed; /* NULL: launched one by one */
	cudaEvent_t *events;          /* before each step, and after the last */
	int event_count;
};

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
}

/* Adds a job for an op of a step and plans it. */
static int add_part(struct paleo_graph_run *w, int step, const struct paleo_op *op,
		    const struct paleo_bench_options *o, struct paleo_error *err)
{
	struct paleo_graph_run_part *parts =
		paleo_grow(w->parts, w->part_count, &w->part_room, sizeof(*parts));

	if (!parts)
		return no_memory(err);
	w->parts = parts;
	struct paleo_graph_run_part *p = &parts[w->part_count++];
	*p = (struct paleo_graph_run_part){.step = step, .job = malloc(sizeof(*p->job))};
	if (!p->job)
		return no_memory(err);
	struct paleo_bench_options chosen = *o;
	int rc = paleo_way_choose(w->session, op, &chosen, err);
	paleo_job_begin(p->job, op, &chosen);
	p->job->session = w->session;
	p->job->is_part = 1;
	if (!rc)
		rc = paleo_job_plan(p->job, err);
	if (rc)
		return paleo_graph_blame(w->graph, step, rc, err);
	/* The whole is captured at once, so that the job's own replays are not wanted. */
	p->job->layout.copies = 1;
	w->workspace_bytes = fmax(w->workspace_bytes, p->job->workspace_bytes);
	return PALEO_OK;
}

/* A sum reads its tensors at equal distances; two of them always are. */
static int add_sum(struct paleo_graph_run *w, int step, const struct paleo_bench_options *o,
		   struct paleo_error *err)
{
	struct paleo_op pair = w->graph->steps[step].op;
	int inputs = pair.geom.eltwise.inputs;

	pair.geom.eltwise.inputs = 2;
	int rc = paleo_op_finish(&pair, err);
	for (int i = 1; i < inputs && !rc; i++)
		rc = add_part(w, step, &pair, o, err);
	return rc;
}

static int plan_all(struct paleo_graph_run *w, const struct paleo_bench_options *o,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < w->graph->step_count && !rc; i++) {
		const struct paleo_op *op = &w->graph->steps[i].op;
		if (op->kind == PALEO_ELTWISE && op->geom.eltwise.inputs > 2)
			rc = add_sum(w, i, o, err);
		else
			rc = add_part(w, i, op, o, err);
	}
	return rc;
}

/* Finds room for the buffers and takes the memory for everything. */
static int take_memory(struct paleo_graph_run *w, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	struct paleo_span *spans = calloc((size_t)p->buffer_count + 1, sizeof(*spans));
	void *base = NULL;

	w->offsets = calloc((size_t)p->buffer_count + 1, sizeof(*w->offsets));
	if (!spans || !w->offsets) {
		free(spans);
		return no_memory(err);
	}
	for (int i = 0; i < p->buffer_count; i++)
		spans[i] = (struct paleo_span){.bytes = p->buffers[i].bytes,
					       .first = p->buffers[i].first,
					       .last = p->buffers[i].last};
	double bytes = paleo_spans_place(spans, p->buffer_count, ALIGNMENT);
	for (int i = 0; i < p->buffer_count; i++)
		w->offsets[i] = spans[i].offset;
	free(spans);
	if (bytes < 0)
		return no_memory(err);
	w->total_bytes = ceil(bytes / ALIGNMENT) * ALIGNMENT;
	for (int i = 0; i < w->part_count; i++) {
		const struct paleo_job *j = w->parts[i].job;
		for (int k = 0; k < j->operand_count; k++)
			if (!j->operands[k].access)
				w->hidden_bytes +=
					ceil(j->operands[k].bytes / ALIGNMENT) * ALIGNMENT;
	}
	int rc = paleo_cuda_check(
		cudaMalloc(&base, (size_t)(w->total_bytes + w->hidden_bytes + w->workspace_bytes)),
		"take memory for the whole net", err);
	if (rc)
		paleo_error_prefix(err, "%.2f GB",
				   (w->total_bytes + w->hidden_bytes + w->workspace_bytes) * 1e-9);
	w->base = base;
	return rc;
}

static void *buffer_at(const struct paleo_graph_run *w, int buffer)
{
	return w->base + (size_t)w->offsets[buffer];
}

/* Selects the sum's pair of a part: its first input is the first tensor or the sum so far. */
static void place_pair(const struct paleo_graph_run *w, struct paleo_graph_run_part *p, int pair)
{
	void *y = buffer_at(w, paleo_graph_find(w->graph, p->step, PALEO_Y, 0)->buffer);
	int next = paleo_graph_find(w->graph, p->step, PALEO_X, pair + 1)->buffer;

	p->placed[0] =
		pair ? y : buffer_at(w, paleo_graph_find(w->graph, p->step, PALEO_X, 0)->buffer);
	p->placed[1] = buffer_at(w, next);
	p->placed[2] = y;
}

/* Address of tensor `copy` of an operand; NULL where it does not belong to the program. Parts of a
 * copy may be consecutive in one buffer. */
static void *operand_at(const struct paleo_graph_run *w, int step, const struct paleo_operand *o,
			int copy)
{
	int stacked = o->copies > 1 && paleo_graph_is_stacked(w->graph, step);
	const struct paleo_graph_use *u =
		o->access ? paleo_graph_find(w->graph, step, o->role, stacked ? 0 : copy) : NULL;

	if (!u)
		return NULL;
	char *at = buffer_at(w, u->buffer);
	return stacked ? at + copy * (size_t)(o->bytes / o->copies) : at;
}

/* Binds a job to its operands' addresses. `pair` is its number among the parts of its step. */
static int place(struct paleo_graph_run *w, struct paleo_graph_run_part *p, int pair,
		 double *hidden, struct paleo_error *err)
{
	struct paleo_job *j = p->job;
	int count = 0, at = 0;

	for (int i = 0; i < j->operand_count; i++)
		count += j->operands[i].copies;
	p->placed = calloc((size_t)count + 1, sizeof(*p->placed));
	if (!p->placed)
		return no_memory(err);
	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		for (int copy = 0; copy < o->copies; copy++, at++) {
			p->placed[at] = operand_at(w, p->step, o, copy);
			if (p->placed[at])
				continue;
			p->placed[at] = w->base + (size_t)(w->total_bytes + *hidden);
			*hidden += ceil(o->bytes / ALIGNMENT) * ALIGNMENT;
		}
	}
	const struct paleo_op *op = &w->graph->steps[p->step].op;
	if (op->kind == PALEO_ELTWISE && op->geom.eltwise.inputs > 2)
		place_pair(w, p, pair);
	j->placed = p->placed;
	j->layout.base = w->base;
	j->layout.workspace_offset = (size_t)(w->total_bytes + w->hidden_bytes);
	return PALEO_OK;
}

/* The widths of the parts of a copy are those of their buffers. */
static void set_widths(const struct paleo_graph_run *w, struct paleo_graph_run_part *p)
{
	struct paleo_job *j = p->job;
	enum paleo_role role = j->op.pass == PALEO_FWD ? PALEO_X : PALEO_DX;

	if (j->op.kind != PALEO_COPY)
		return;
	int stacked = paleo_graph_is_stacked(w->graph, p->step);
	for (int i = 0; i < j->op.geom.copy.parts && i < PALEO_PARTS_MAX; i++) {
		int buffer = paleo_graph_find(w->graph, p->step, role, stacked ? 0 : i)->buffer;
		int width = (int)(w->graph->buffers[buffer].bytes / paleo_dtype_bytes(j->op.dtype) /
				  j->op.geom.copy.rows);
		j->widths[i] = stacked ? width / j->op.geom.copy.parts : width;
	}
}

static int bind_all(struct paleo_graph_run *w, struct paleo_error *err)
{
	double hidden = 0;
	int pair = 0, rc = PALEO_OK;

	for (int i = 0; i < w->part_count && !rc; i++) {
		struct paleo_graph_run_part *p = &w->parts[i];
		pair = i > 0 && w->parts[i - 1].step == p->step ? pair + 1 : 0;
		rc = place(w, p, pair, &hidden, err);
		if (!rc) {
			set_widths(w, p);
			rc = paleo_job_bind(p->job, err);
		}
		if (rc)
			return paleo_graph_blame(w->graph, p->step, rc, err);
	}
	return rc;
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

	memset(&f, 0, sizeof(f));
	f.x = buffer_at(w, buffer);
	f.count = (long long)(b->bytes / b->elem_bytes);
	f.stream = PALEO_FILL_BUFFERS + (unsigned)buffer;
	f.factor = (float)b->scale;
	f.second_moment = b->use == PALEO_USE_STATE || b->use == PALEO_USE_STATISTICS;
	f.wide = b->elem_bytes == sizeof(float);
	f.pixel_step = 1;
	return paleo_kernels_fill(w->session, w->graph->dtype, "fill", &f, err);
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
			return paleo_graph_blame(w->graph, p->step, rc, err);
	}
	if (!rc && with_events)
		rc = paleo_cuda_check(
			cudaEventRecordWithFlags(w->events[w->event_count - 1], stream, flags),
			"record an event", err);
	return rc;
}

/* Poisons all buffers, fills the inputs, runs once, and computes the hidden operands of backward
 * jobs on the way. */
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
		if (j->op.kind != PALEO_POOL)
			rc = paleo_job_launch(j, PALEO_SETUP, 0, err);
		if (!rc)
			rc = paleo_job_launch(j, PALEO_TIMED, 0, err);
		if (rc)
			return paleo_graph_blame(w->graph, w->parts[i].step, rc, err);
	}
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(stream),
				      "run the net for the first time", err);
	return rc;
}

/* Captured content: all steps, with events between them or without. */
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

/* Both graphs or none. A step that cannot be captured is not an error; a lost device is. */
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
	rc = plan_all(w, o, err);
	if (!rc)
		rc = take_memory(w, err);
	if (!rc)
		rc = bind_all(w, err);
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
		times->change_s[i] = 0; /* a library changes layouts within its own calls */
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
		const char *from = (const char *)buffer_at(w, buffer) + (size_t)index[i] * bytes;
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
