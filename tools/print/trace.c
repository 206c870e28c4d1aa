/* trace.c - a timeline in a file that Perfetto and chrome://tracing open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/save.h"
#include "paleo_config.h"
#include "tools/print/print.h"

enum {
	ALIKE_DRAWN = 8, /* of workers that all do the same */
	LANES_MAX = 16,  /* of sends at a time */
	TITLE_MAX = 512
};

struct trace {
	struct paleo_json_writer *writer; /* within the list of events */
	struct paleo_save *save;
	int processes;
};

static const struct paleo_file_kind trace_kind = {
	.what = "a trace of paleo",
	.marks = {"{\"displayTimeUnit\":\"ms\",", "\"writer\":\"paleo", "\"traceEvents\""}};

int trace_open(const char *path, int force, struct trace **out, struct paleo_error *err)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t || !(t->writer = paleo_json_writer_new())) {
		free(t);
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	}
	int rc = paleo_save_begin(path, &trace_kind, force, &t->save, err);
	if (rc) {
		trace_close(t);
		return rc;
	}
	struct paleo_json_writer *w = t->writer;
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "displayTimeUnit", "ms");
	paleo_json_open_object(w, "otherData");
	paleo_json_put_string(w, "writer", "paleo " PALEO_VERSION);
	paleo_json_close(w);
	paleo_json_open_array(w, "traceEvents");
	*out = t;
	return PALEO_OK;
}

int trace_save(struct trace *t, struct paleo_error *err)
{
	char *text = NULL;

	paleo_json_close(t->writer);
	paleo_json_close(t->writer);
	int rc = paleo_json_writer_text(t->writer, 0, &text, err);
	if (!rc)
		rc = paleo_save_commit(t->save, text, strlen(text), err);
	free(text);
	return rc;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	paleo_json_writer_free(t->writer);
	paleo_save_end(t->save);
	free(t);
}

/* A metadata event: the name of a process, or of a track in it. */
static void put_name(struct trace *t, const char *what, int process, int track, const char *name)
{
	struct paleo_json_writer *w = t->writer;

	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "ph", "M");
	paleo_json_put_string(w, "name", what);
	paleo_json_put_int(w, "pid", process);
	paleo_json_put_int(w, "tid", track);
	paleo_json_put_int(w, "ts", 0);
	paleo_json_open_object(w, "args");
	paleo_json_put_string(w, "name", name);
	paleo_json_close(w);
	paleo_json_close(w);
}

/* A track of a process, numbered from 1. */
struct track {
	int process, number;
};

static double microseconds(double seconds)
{
	return round(1e9 * seconds) / 1e3;
}

/* An event whose `args` are still open: end_event() follows. */
static void begin_event(struct trace *t, struct track at, const char *name, const char *category,
			const double span_s[2])
{
	struct paleo_json_writer *w = t->writer;
	double start = microseconds(span_s[0]), end = microseconds(span_s[1]);

	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "ph", "X");
	paleo_json_put_string(w, "name", name);
	paleo_json_put_string(w, "cat", category);
	paleo_json_put_int(w, "pid", at.process);
	paleo_json_put_int(w, "tid", at.number);
	paleo_json_put_double(w, "ts", start);
	paleo_json_put_double(w, "dur", round(1e3 * (end - start)) / 1e3);
	paleo_json_open_object(w, "args");
}

static void end_event(struct trace *t)
{
	paleo_json_close(t->writer);
	paleo_json_close(t->writer);
}

/* A row's time on a track: predicted, or one of enum beside. */
enum {
	TRACK_PREDICTED = -1
};

static double row_s(const struct plan *p, const struct plan_net *n, int row, int what)
{
	const struct plan_op *w = &p->ops[n->op_of[row]];

	if (what == TRACK_PREDICTED)
		return w->predicted ? w->prediction.parts.total_s : NAN;
	return beside_s(p, n, row, (enum beside)what);
}

/* An argument of an event; what is not known is left out. */
static void put_seconds(struct trace *t, const char *key, double seconds)
{
	if (!isnan(seconds))
		paleo_json_put_double(t->writer, key, seconds);
}

static void put_row(struct trace *t, const struct plan *p, const struct plan_net *n, int row)
{
	const struct plan_op *w = &p->ops[n->op_of[row]];
	const struct paleo_net_op *nw = &n->rows.items[row];
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&w->op, key, sizeof(key));
	paleo_json_put_string(t->writer, "layer", nw->layer->name);
	paleo_json_put_string(t->writer, "op", key);
	paleo_json_put_double(t->writer, "flops", w->op.flops);
	paleo_json_put_double(t->writer, "bytes", w->op.read_bytes + w->op.write_bytes);
	if (w->predicted) {
		put_seconds(t, "predicted_s", w->prediction.parts.total_s);
		put_seconds(t, "predicted_low_s", w->prediction.interval.low);
		put_seconds(t, "predicted_high_s", w->prediction.interval.high);
		paleo_json_put_string(t->writer, "bound", paleo_bound_name(w->prediction.bound));
	}
	if (p->modes.count)
		put_seconds(t, "measured_s", row_s(p, n, row, (int)p->modes.items[0]));
}

/* All rows with a time of this kind, one after the other: they are in the order of a step. */
static void put_track(struct trace *t, const struct plan *p, const struct plan_net *n,
		      struct track at, int what)
{
	double end_s = 0;

	for (int row = 0; row < n->rows.count; row++) {
		const struct paleo_net_op *nw = &n->rows.items[row];
		const double seconds = row_s(p, n, row, what);
		const double span_s[2] = {end_s, end_s + seconds};
		char name[TITLE_MAX];
		if (isnan(seconds))
			continue;
		snprintf(name, sizeof(name), "%.400s: %s", nw->layer->name, nw->what);
		begin_event(t, at, name, paleo_pass_name(nw->pass), span_s);
		put_row(t, p, n, row);
		end_event(t);
		end_s = span_s[1];
	}
}

static int has_times(const struct plan *p, const struct plan_net *n, int what)
{
	for (int i = 0; i < n->rows.count; i++)
		if (!isnan(row_s(p, n, i, what)))
			return 1;
	return 0;
}

void trace_plan(struct trace *t, const struct plan *p, const char *device)
{
	char name[TITLE_MAX];

	for (int i = 0; i < p->net_count; i++) {
		const struct plan_net *n = &p->nets[i];
		struct track at = {.process = ++t->processes};
		snprintf(name, sizeof(name), "%.200s, batch %d, %s: %.200s", n->net->title,
			 n->net->batch, paleo_dtype_name(p->dtype), device);
		put_name(t, "process_name", at.process, 0, name);
		for (int what = TRACK_PREDICTED; what < BESIDE_COUNT; what++) {
			if (!has_times(p, n, what))
				continue;
			at.number++;
			snprintf(name, sizeof(name), "%s%s",
				 what == TRACK_PREDICTED ? "predicted" : "measured, ",
				 what == TRACK_PREDICTED ? "" : beside_name((enum beside)what));
			put_name(t, "thread_name", at.process, at.number, name);
			put_track(t, p, n, at, what);
		}
	}
}

/* The spans of one worker on one of its tracks. */
struct lanes {
	const struct paleo_timeline *steps;
	int from; /* the worker that has drawn them */
	enum paleo_track track;
	int count; /* 1, unless spans overlap */
	int *lane; /* of each span of the step; -1: not of these */
};

/* Deals spans out so that none overlaps another on its lane; what is more than LANES_MAX at a time
 * stays on the last. ENOMEM. */
static int deal_lanes(struct lanes *l, struct paleo_error *err)
{
	double end_s[LANES_MAX] = {0};

	l->lane = malloc(((size_t)l->steps->count + 1) * sizeof(*l->lane));
	if (!l->lane)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the trace");
	l->count = l->track == PALEO_TRACK_SEND ? 0 : 1; /* it may send nothing */
	for (int i = 0; i < l->steps->count; i++) {
		const struct paleo_stretch *s = &l->steps->spans[i];
		int lane = 0;
		l->lane[i] = -1;
		if (s->worker != l->from || s->track != l->track)
			continue;
		while (lane < LANES_MAX - 1 && microseconds(s->start_s) < microseconds(end_s[lane]))
			lane++;
		l->lane[i] = lane;
		end_s[lane] = s->start_s + s->duration_s;
		if (lane >= l->count)
			l->count = lane + 1;
	}
	return PALEO_OK;
}

static void put_span(struct trace *t, struct track at, const struct paleo_stretch *s)
{
	const double span_s[2] = {s->start_s, s->start_s + s->duration_s};
	char name[TITLE_MAX], micro[24] = "";

	if (s->micro)
		snprintf(micro, sizeof(micro), " %d", s->micro);
	snprintf(name, sizeof(name), "%s%s%s%.400s", s->what, micro, s->layer ? " " : "",
		 s->layer ? s->layer->name : "");
	begin_event(t, at, name, s->what, span_s);
	if (s->layer)
		paleo_json_put_string(t->writer, "layer", s->layer->name);
	if (s->micro) {
		paleo_json_put_int(t->writer, "micro_batch", s->micro);
		paleo_json_put_int(t->writer, "chunk", s->chunk);
	}
	paleo_json_put_double(t->writer, "seconds", s->duration_s);
	end_event(t);
}

/* One of a worker's tracks, or several where its spans overlap. */
static int put_worker(struct trace *t, const struct paleo_timeline *steps, struct track *at,
		      int worker, enum paleo_track track, struct paleo_error *err)
{
	static const char *const names[PALEO_TRACKS] = {"compute", "communication", "sends"};
	struct lanes l = {steps, steps->alike ? 0 : worker, track, 0, NULL};
	char name[TITLE_MAX];

	PALEO_TRY(deal_lanes(&l, err));
	for (int lane = 0; lane < l.count; lane++) {
		at->number++;
		snprintf(name, sizeof(name), "%s %d: %s%s", steps->stages ? "stage" : "worker",
			 worker, names[track], lane ? ", overlapped" : "");
		if (lane > 1)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), " %d", lane);
		put_name(t, "thread_name", at->process, at->number, name);
		for (int i = 0; i < steps->count; i++)
			if (l.lane[i] == lane)
				put_span(t, *at, &steps->spans[i]);
	}
	free(l.lane);
	return PALEO_OK;
}

int trace_step(struct trace *t, const char *title, const struct paleo_timeline *steps,
	       struct paleo_error *err)
{
	int workers = steps->alike < ALIKE_DRAWN ? steps->alike : ALIKE_DRAWN, rc = PALEO_OK;
	struct track at = {.process = ++t->processes};
	char name[TITLE_MAX];

	for (int i = 0; i < steps->count; i++)
		if (steps->spans[i].worker >= workers)
			workers = steps->spans[i].worker + 1;
	snprintf(name, sizeof(name), "%.400s", title);
	if (steps->stages)
		snprintf(name, sizeof(name), "%.400s; one worker of each stage", title);
	else if (steps->alike > workers)
		snprintf(name, sizeof(name), "%.400s; %d of %d workers, which do the same", title,
			 workers, steps->alike);
	put_name(t, "process_name", at.process, 0, name);
	for (int i = 0; !rc && i < workers * PALEO_TRACKS; i++)
		rc = put_worker(t, steps, &at, i / PALEO_TRACKS,
				(enum paleo_track)(i % PALEO_TRACKS), err);
	return rc;
}
