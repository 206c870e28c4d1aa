/* schedule.c - the schedule of a pipeline: its order, its time, its timeline. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/schedule.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/simulate/sim_parts.h"

static const struct paleo_schedule schedules[] = {
	{.name = "1f1b",
	 .what = "one forward, one backward; with several chunks of a stage interleaved",
	 .source = "Narayanan et al. 2021, 2.2",
	 .ahead = 1},
	{.name = "zb1",
	 .what = "gradients of weights fill the bubble, with no more memory (ZB-H1)",
	 .source = "Qi et al. 2023",
	 .splits = 1,
	 .ahead = 1},
	{.name = "zb2",
	 .what = "the same with twice as many micro-batches in flight (ZB-H2)",
	 .source = "Qi et al. 2023",
	 .splits = 1,
	 .ahead = 2},
};

enum {
	SCHEDULES = sizeof(schedules) / sizeof(schedules[0])
};

const struct paleo_schedule *paleo_schedules(int *count)
{
	*count = SCHEDULES;
	return schedules;
}

const struct paleo_schedule *paleo_schedule_find(const char *name)
{
	for (int i = 0; i < SCHEDULES; i++)
		if (!strcmp(schedules[i].name, name))
			return &schedules[i];
	return NULL;
}

/* One stage, as far as it has come. */
struct stage {
	double clock, begin;
	int at;      /* forward and backward passes done */
	int forward; /* of these */
	int later;   /* gradients of weights that are still to be computed */
	int waits;   /* 1: for a pass that another stage has not begun */
	double kept, peak;
};

struct run {
	const struct paleo_pipeline *p;
	struct stage *stages;
	double *forward, *backward; /* when each chunk has done each micro-batch; NaN: not yet */
	int passes;                 /* forward ones of a stage */
};

/*
 * Narayanan et al. 2021: with chunks, stage k of p begins with 2 (p - 1 - k) + (chunks - 1) p
 * forward passes. It cycles through its chunks, with p micro-batches each time.
 */
static int warm_up(const struct run *r, int k)
{
	const struct paleo_pipeline *p = r->p;
	int behind = p->stages - 1 - k;
	int n = p->chunks > 1 ? 2 * behind + (p->chunks - 1) * p->stages
			      : p->schedule->ahead * behind;

	return n < r->passes ? n : r->passes;
}

/* Returns 1 if the next pass of a stage is a forward one. */
static int is_forward(const struct run *r, int k)
{
	int warm = warm_up(r, k), behind = r->stages[k].at - warm;

	return behind < 0 || (behind < 2 * (r->passes - warm) && behind % 2 == 0);
}

/* Index of the n-th pass in one direction, by the net's chunk and the micro-batch. */
static int place(const struct run *r, int k, int n, int forward)
{
	const struct paleo_pipeline *p = r->p;
	int turn = p->stages * p->chunks, chunk = n % turn / p->stages;
	int batch = p->chunks > 1 ? n / turn * p->stages + n % p->stages : n;

	if (p->chunks == 1)
		chunk = 0;
	if (!forward)
		chunk = p->chunks - 1 - chunk;
	return (chunk * p->stages + k) * p->micro_batches + batch;
}

/* When the inputs of a pass are ready; NaN: not known yet. */
static double ready(const struct run *r, int at, int forward)
{
	const struct paleo_pipeline *p = r->p;
	int chunk = at / p->micro_batches, last = p->stages * p->chunks - 1, m = p->micro_batches;

	if (forward)
		return chunk == 0 ? 0 : r->forward[at - m] + p->chunk[chunk].send_s;
	return chunk == last ? r->forward[at] : r->backward[at + m] + p->chunk[chunk + 1].send_s;
}

/* Records the span of a stage for a chunk and a micro-batch, an index into a list. */
static void draw(const struct run *r, enum paleo_track track, const char *what, int at,
		 double start_s, double duration_s)
{
	const struct paleo_pipeline *p = r->p;

	paleo_timeline_add(p->timeline,
			   &(struct paleo_stretch){.track = track,
						   .worker = at / p->micro_batches % p->stages,
						   .what = what,
						   .start_s = start_s,
						   .duration_s = duration_s,
						   .chunk = 1 + at / p->micro_batches,
						   .micro = 1 + at % p->micro_batches});
}

/* Draws a pass that begins now: computation, the communication it waits for, and its sends. */
static void draw_pass(const struct run *r, int at, int forward, double start_s)
{
	const struct paleo_pipeline *p = r->p;
	int chunk = at / p->micro_batches, last = p->stages * p->chunks - 1;
	const struct paleo_chunk *c = &p->chunk[chunk];
	double comm_s = forward ? c->fwd_comm_s : c->bwd_comm_s;
	double end_s = start_s + (forward ? c->fwd_s : c->bwd_s);

	draw(r, PALEO_TRACK_COMPUTE, forward ? "forward" : "dgrad", at, start_s,
	     end_s - start_s - comm_s);
	draw(r, PALEO_TRACK_COMM, forward ? "forward exchange" : "dgrad exchange", at,
	     end_s - comm_s, comm_s);
	if (forward && chunk < last)
		draw(r, PALEO_TRACK_SEND, "activations", at, end_s, c[1].send_s);
	if (!forward && chunk > 0)
		draw(r, PALEO_TRACK_SEND, "gradients", at, end_s, c->send_s);
	if (!forward && !p->schedule->splits)
		draw(r, PALEO_TRACK_COMPUTE, "wgrad", at, end_s, c->wgrad_s);
}

static void do_later(const struct run *r, int k)
{
	struct stage *s = &r->stages[k];
	const struct paleo_chunk *c = &r->p->chunk[k];

	/* the oldest of those that wait */
	draw(r, PALEO_TRACK_COMPUTE, "wgrad", place(r, k, s->at - s->forward - s->later, 0),
	     s->clock, c->wgrad_s);
	s->clock += c->wgrad_s;
	s->kept -= c->kept_bytes;
	s->later--;
}

static void do_pass(const struct run *r, int k, int at, int forward)
{
	struct stage *s = &r->stages[k];
	const struct paleo_chunk *c = &r->p->chunk[at / r->p->micro_batches];
	int splits = r->p->schedule->splits;

	draw_pass(r, at, forward, s->clock);
	s->at++;
	if (forward) {
		s->forward++;
		s->kept += c->kept_bytes;
		s->peak = fmax(s->peak, s->kept);
		s->clock += c->fwd_s;
		r->forward[at] = s->clock;
		return;
	}
	s->clock += c->bwd_s + (splits ? 0 : c->wgrad_s);
	r->backward[at] = s->clock;
	if (splits)
		s->later++;
	else
		s->kept -= c->kept_bytes;
}

/* Micro-batches that a stage may keep: as many as the first one does before its first backward. */
static int limit(const struct run *r)
{
	return r->p->schedule->ahead * (r->p->stages - 1) + 1;
}

/* Runs a stage's next pass; 0 if it has to wait for a pass that another stage has not begun. */
static int advance(const struct run *r, int k)
{
	struct stage *s = &r->stages[k];
	int forward = is_forward(r, k);
	int n = forward ? s->forward : s->at - s->forward;
	int at = place(r, k, n, forward);
	double when = ready(r, at, forward);
	int kept = s->forward - (s->at - s->forward) + s->later;

	if (s->later > 0 && ((forward && kept >= limit(r)) || isnan(when) ||
			     when - s->clock >= r->p->chunk[k].wgrad_s)) {
		do_later(r, k);
		return 1;
	}
	if (isnan(when))
		return 0;
	s->clock = fmax(s->clock, when);
	if (s->at == 0)
		s->begin = s->clock;
	do_pass(r, k, at, forward);
	return 1;
}

/* The stage whose clock is first, of those that can go on; -1 if none can. */
static int first_of(const struct run *r)
{
	int first = -1;

	for (int k = 0; k < r->p->stages; k++) {
		const struct stage *s = &r->stages[k];
		if (!s->waits && s->at < 2 * r->passes &&
		    (first < 0 || s->clock < r->stages[first].clock))
			first = k;
	}
	return first;
}

static void run_all(const struct run *r, double *span_s, double *peak)
{
	int k;

	while ((k = first_of(r)) >= 0) {
		if (!advance(r, k)) {
			r->stages[k].waits = 1;
			continue;
		}
		for (int i = 0; i < r->p->stages; i++)
			r->stages[i].waits = 0;
	}
	*span_s = 0;
	for (k = 0; k < r->p->stages; k++) {
		assert(r->stages[k].at == 2 * r->passes); /* no order makes stages wait for ever */
		while (r->stages[k].later > 0)
			do_later(r, k);
		*span_s = fmax(*span_s, r->stages[k].clock - r->stages[k].begin);
		peak[k] = r->stages[k].peak;
		if (r->p->end_s)
			r->p->end_s[k] = r->stages[k].clock;
	}
}

static int check(const struct paleo_pipeline *p, struct paleo_error *err)
{
	if (p->chunks > 1 && p->schedule->splits)
		return paleo_fail(err, PALEO_EINPUT,
				  "schedule '%s' requires one chunk per stage, not %d: leave 'v%d' "
				  "or '%s' out",
				  p->schedule->name, p->chunks, p->chunks, p->schedule->name);
	if (p->chunks > 1 && p->micro_batches % p->stages)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d micro-batches: interleaving needs a multiple of the %d "
				  "stages",
				  p->micro_batches, p->stages);
	return PALEO_OK;
}

int paleo_pipeline_run(const struct paleo_pipeline *p, double *span_s, double *peak,
		       struct paleo_error *err)
{
	struct run r = {.p = p, .passes = p->chunks * p->micro_batches};
	size_t places = (size_t)p->stages * (size_t)r.passes;

	PALEO_TRY(check(p, err));
	r.stages = calloc((size_t)p->stages, sizeof(*r.stages));
	r.forward = malloc(2 * places * sizeof(*r.forward));
	if (!r.stages || !r.forward) {
		free(r.stages);
		free(r.forward);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d micro-batches",
				  p->micro_batches);
	}
	r.backward = r.forward + places;
	for (size_t i = 0; i < 2 * places; i++)
		r.forward[i] = NAN;
	run_all(&r, span_s, peak);
	free(r.stages);
	free(r.forward);
	return PALEO_OK;
}

/* Timeline of the workers during a simulated step. */

void paleo_timeline_add(struct paleo_timeline *t, const struct paleo_stretch *span)
{
	if (!t || t->failed || !(span->duration_s > 0))
		return;
	struct paleo_stretch *spans = paleo_grow(t->spans, t->count, &t->capacity, sizeof(*spans));
	if (!spans) {
		t->failed = 1;
		return;
	}
	t->spans = spans;
	t->spans[t->count++] = *span;
}

void paleo_timeline_release(struct paleo_timeline *t)
{
	free(t->spans);
	*t = (struct paleo_timeline){0};
}

double paleo_timeline_forward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			      const char *what, double start_s)
{
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, what, l->layer, start_s, l->fwd_s);
		start_s += l->fwd_s;
	}
	return start_s;
}

double paleo_timeline_backward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			       double start_s)
{
	for (int i = c->count - 1; i >= 0; i--) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, "backward", l->layer, start_s, l->bwd_s);
		start_s += l->bwd_s;
	}
	return start_s;
}

void paleo_timeline_update(struct paleo_timeline *t, const struct paleo_sim_cost *c, double start_s,
			   int sharers)
{
	for (int i = 0; t && i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, "update", l->layer, start_s, l->update_s / sharers);
		start_s += l->update_s / sharers;
	}
}
