/* view.c - what a report shows: reads it, and predicts it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calib/fit.h"
#include "library/known.h"
#include "tools/session/session.h"

static int new_run(struct view *v, struct view_run **out, struct paleo_error *err)
{
	struct view_run *runs = paleo_grow(v->runs, v->count, &v->room, sizeof(*runs));

	if (!runs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the report");
	v->runs = runs;
	*out = &runs[v->count++];
	memset(*out, 0, sizeof(**out));
	return PALEO_OK;
}

static int new_nets(struct view_run *run, int count, struct paleo_error *err)
{
	run->nets = calloc((size_t)count + 1, sizeof(*run->nets));
	if (!run->nets)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d nets", count);
	run->count = count;
	return PALEO_OK;
}

static int new_rows(struct view_net *n, int count, struct paleo_error *err)
{
	n->rows = calloc((size_t)count + 1, sizeof(*n->rows));
	if (!n->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	n->count = count;
	return PALEO_OK;
}

static struct view_row row_without_times(void)
{
	return (struct view_row){.at_speed_s = NAN, .measured_s = NAN, .low_s = NAN, .high_s = NAN};
}

/* The nets of the run's plan, each row with its prediction. */
static int show_plan(struct view_run *run, struct paleo_error *err)
{
	int rc = new_nets(run, run->plan.net_count, err);

	for (int i = 0; !rc && i < run->count; i++) {
		const struct plan_net *from = &run->plan.nets[i];
		struct view_net *to = &run->nets[i];
		snprintf(to->name, sizeof(to->name), "%s", from->net->name);
		snprintf(to->title, sizeof(to->title), "%s", from->net->title);
		to->batch = from->net->batch;
		to->dtype = run->plan.dtype;
		rc = new_rows(to, from->rows.count, err);
		for (int k = 0; !rc && k < to->count; k++) {
			const struct plan_work *w = &run->plan.works[from->work_of[k]];
			struct view_row *r = &to->rows[k];
			*r = row_without_times();
			r->layer = from->rows.items[k].layer->name;
			r->kind = from->rows.items[k].what;
			r->pass = from->rows.items[k].pass;
			r->work = &w->work;
			r->is_predicted = w->predicted;
			r->prediction = w->prediction;
		}
	}
	return rc;
}

int view_add_nets(struct view *v, const struct view_wish *wish, const char *device,
		  const char *const *nets, int count, struct paleo_error *err)
{
	char name[SESSION_NAME_MAX];
	const struct paleo_source_wish source = {.law = wish->law,
						 .dtype = wish->plan.dtype,
						 .device = device ? name : NULL,
						 .devices = wish->devices,
						 .calibration = wish->calibration};
	struct view_run *run;
	int rc = session_name(device, wish->calibration != NULL, name, err);

	if (!rc)
		rc = new_run(v, &run, err);

	if (!rc)
		rc = paleo_choose_source(&source, &run->source, err);
	if (!rc)
		rc = plan_make(&wish->plan, &run->source.calibration, nets, count, &run->plan, err);
	if (rc)
		return rc;
	run->device = run->source.calibration.device;
	snprintf(run->title, sizeof(run->title), "%s, predicted", run->device.title);
	return show_plan(run, err);
}

/* What a record says of a row. */
static void show_record(const struct view_run *run, const struct paleo_record *record,
			struct view_row *r)
{
	const struct paleo_calibration *c = &run->source.calibration;
	const struct paleo_timing *t = &record->timing;
	struct paleo_prediction p;
	struct paleo_error ignored;

	if (record->status != PALEO_RECORD_OK) {
		r->status = paleo_record_status_name(record->status);
		return;
	}
	if (paleo_record_has_tag(record, PALEO_TAG_ABOVE))
		r->status = "above ceiling";
	r->measured_s = t->median_s;
	if (paleo_timing_has_interval(t)) {
		r->low_s = t->ci_low_s;
		r->high_s = t->ci_high_s;
	}
	if (!c->records || !(t->speed.flop_per_s > 0) || !(c->speed.flop_per_s > 0))
		return;
	struct paleo_device now = paleo_fit_device_at(c, record);
	if (!paleo_predict_on(c, &now, r->work, &p, &ignored))
		r->at_speed_s = p.parts.total_s;
}

static int show_rows(const struct view_run *run, const struct paleo_net_rows *from,
		     const char *mode, struct view_net *to, struct paleo_error *err)
{
	const struct paleo_calibration *c = &run->source.calibration;
	struct paleo_error ignored; /* a type without a peak has no prediction */
	int rc = new_rows(to, from->count, err);

	if (rc)
		return rc;
	snprintf(to->name, sizeof(to->name), "%s", from->net);
	snprintf(to->title, sizeof(to->title), "%s", from->net);
	to->batch = from->batch;
	to->dtype = from->dtype;
	for (int k = 0; k < to->count; k++) {
		struct view_row *r = &to->rows[k];
		*r = row_without_times();
		r->layer = from->rows[k].layer;
		r->kind = from->rows[k].kind;
		r->pass = from->rows[k].pass;
		r->work = &from->rows[k].work;
		r->is_predicted = !paleo_predict_work(c, r->work, &r->prediction, &ignored);
		r->was_fitted = c->records && paleo_calibration_saw(c, r->work);
		const struct paleo_record *record =
			paleo_results_find(&run->results, r->work, mode);
		if (record)
			show_record(run, record, r);
		else
			r->status = "not run";
		to->measured += !isnan(r->measured_s);
	}
	return PALEO_OK;
}

/* A file with the folder it is in: runs of one net differ in the folder alone. */
static const char *last_parts(const char *path)
{
	const char *from = path;

	for (const char *at = path, *slash = NULL; *at; at++)
		if (*at == '/') {
			from = slash ? slash + 1 : path;
			slash = at;
		}
	return from;
}

/* What predicts for the device of a results file: its own calibration, or the best there is. */
static int open_source(const struct view_wish *wish, struct view_run *run, struct paleo_error *err)
{
	const struct paleo_record_meta *m = &run->results.meta;
	struct paleo_device_info who = {.device = m->device, .threads = m->threads};

	snprintf(who.versions, sizeof(who.versions), "%s", m->versions);
	snprintf(who.processor, sizeof(who.processor), "%s", m->processor);
	int rc = paleo_source_open(wish->calibration, &who, 0, 0, &run->source, err);
	return rc ? rc : paleo_known_best(run->results.nets[0].dtype, &run->source, err);
}

int view_add_records(struct view *v, const struct view_wish *wish, const char *path,
		     const char *mode, struct paleo_error *err)
{
	struct view_run *run;
	int rc = new_run(v, &run, err);

	if (!rc)
		rc = paleo_results_load(path, &run->results, err);
	if (rc)
		return rc;
	if (!run->results.net_count)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: holds no net, expected what paleo profile writes", path);
	run->device = run->results.meta.device;
	snprintf(run->title, sizeof(run->title), "%s, measured %.10s (%.150s)", run->device.title,
		 run->results.meta.start_utc, last_parts(path));
	rc = open_source(wish, run, err);
	if (!rc)
		rc = new_nets(run, run->results.net_count, err);
	for (int i = 0; !rc && i < run->count; i++)
		rc = show_rows(run, &run->results.nets[i], mode, &run->nets[i], err);
	return rc;
}

void view_release(struct view *v)
{
	for (int i = 0; i < v->count; i++) {
		struct view_run *run = &v->runs[i];
		for (int k = 0; k < run->count; k++)
			free(run->nets[k].rows);
		free(run->nets);
		plan_release(&run->plan);
		paleo_results_release(&run->results);
		paleo_source_release(&run->source);
	}
	free(v->runs);
	struct view_lines *const both[] = {&v->steps, &v->choices};
	for (size_t k = 0; k < sizeof(both) / sizeof(both[0]); k++) {
		for (int i = 0; i < both[k]->count; i++)
			paleo_json_free(both[k]->docs[i]);
		free(both[k]->docs);
	}
	*v = (struct view){0};
}

double view_predicted(const struct view_row *r)
{
	return r->is_predicted ? r->prediction.parts.total_s : NAN;
}

double view_time(const struct view_net *n, const struct view_row *r)
{
	return n->measured ? r->measured_s : view_predicted(r);
}
