/* graph_run_parts.c - the jobs of a whole graph, and where their operands lie. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "bench/backends/cuda/graph_run.h"
#include "bench/backends/cuda/status.h"

#define ALIGNMENT 256.0

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
}

int paleo_graph_run_blame(const struct paleo_graph_run *w, int step, int rc,
			  struct paleo_error *err)
{
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(&w->graph->steps[step].work, key, sizeof(key));
	paleo_error_prefix(err, "'%s'", key);
	return rc;
}

/* Adds a job for a work of a step and plans it. */
static int add_part(struct paleo_graph_run *w, int step, const struct paleo_work *work,
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
	int rc = paleo_way_choose(w->session, work, &chosen, err);
	paleo_job_begin(p->job, work, &chosen);
	p->job->session = w->session;
	p->job->is_part = 1;
	if (!rc)
		rc = paleo_job_plan(p->job, err);
	if (rc)
		return paleo_graph_run_blame(w, step, rc, err);
	/* The whole is captured at once, so that the job's own replays are not wanted. */
	p->job->layout.copies = 1;
	w->workspace_bytes = fmax(w->workspace_bytes, p->job->workspace_bytes);
	return PALEO_OK;
}

/* A sum reads its tensors at equal distances; two of them always are. */
static int add_sum(struct paleo_graph_run *w, int step, const struct paleo_bench_options *o,
		   struct paleo_error *err)
{
	struct paleo_work pair = w->graph->steps[step].work;
	int inputs = pair.geom.eltwise.inputs;

	pair.geom.eltwise.inputs = 2;
	int rc = paleo_work_finish(&pair, err);
	for (int i = 1; i < inputs && !rc; i++)
		rc = add_part(w, step, &pair, o, err);
	return rc;
}

int paleo_graph_run_plan(struct paleo_graph_run *w, const struct paleo_bench_options *o,
			 struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < w->graph->step_count && !rc; i++) {
		const struct paleo_work *work = &w->graph->steps[i].work;
		if (work->kind == PALEO_ELTWISE && work->geom.eltwise.inputs > 2)
			rc = add_sum(w, i, o, err);
		else
			rc = add_part(w, i, work, o, err);
	}
	return rc;
}

/* Finds room for the buffers and takes the memory for everything. */
int paleo_graph_run_take(struct paleo_graph_run *w, struct paleo_error *err)
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

void *paleo_graph_run_at(const struct paleo_graph_run *w, int buffer)
{
	return w->base + (size_t)w->offsets[buffer];
}

/* Which of the sum's pairs a part is: its first input is the first tensor or what was summed so
 * far.
 */
static void place_pair(const struct paleo_graph_run *w, struct paleo_graph_run_part *p, int pair)
{
	void *y = paleo_graph_run_at(w, paleo_graph_find(w->graph, p->step, PALEO_Y, 0)->buffer);
	int next = paleo_graph_find(w->graph, p->step, PALEO_X, pair + 1)->buffer;

	p->placed[0] = pair ? y
			    : paleo_graph_run_at(
				      w, paleo_graph_find(w->graph, p->step, PALEO_X, 0)->buffer);
	p->placed[1] = paleo_graph_run_at(w, next);
	p->placed[2] = y;
}

/* Where tensor `copy` of an operand lies; NULL where it is none of the program's. Parts of a copy
 * may lie one after another in one buffer. */
static void *operand_at(const struct paleo_graph_run *w, int step, const struct paleo_operand *o,
			int copy)
{
	int stacked = o->copies > 1 && paleo_graph_is_stacked(w->graph, step);
	const struct paleo_graph_use *u =
		o->access ? paleo_graph_find(w->graph, step, o->role, stacked ? 0 : copy) : NULL;

	if (!u)
		return NULL;
	char *at = paleo_graph_run_at(w, u->buffer);
	return stacked ? at + copy * (size_t)(o->bytes / o->copies) : at;
}

/* Tells a job where its operands lie. `pair` is its number among the parts of its step. */
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
	const struct paleo_work *work = &w->graph->steps[p->step].work;
	if (work->kind == PALEO_ELTWISE && work->geom.eltwise.inputs > 2)
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
	enum paleo_role role = j->work.pass == PALEO_FWD ? PALEO_X : PALEO_DX;

	if (j->work.kind != PALEO_COPY)
		return;
	int stacked = paleo_graph_is_stacked(w->graph, p->step);
	for (int i = 0; i < j->work.geom.copy.parts && i < PALEO_PARTS_MAX; i++) {
		int buffer = paleo_graph_find(w->graph, p->step, role, stacked ? 0 : i)->buffer;
		int width = (int)(w->graph->buffers[buffer].bytes /
				  paleo_dtype_bytes(j->work.dtype) / j->work.geom.copy.rows);
		j->widths[i] = stacked ? width / j->work.geom.copy.parts : width;
	}
}

int paleo_graph_run_bind(struct paleo_graph_run *w, struct paleo_error *err)
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
			return paleo_graph_run_blame(w, p->step, rc, err);
	}
	return rc;
}
