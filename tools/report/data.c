/* data.c - runs of a report: predicts nets, reads records, and writes both as JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "library/source.h"
#include "tools/session/engine.h"
#include "tools/session/measured.h"
#include "tools/session/session.h"

/* One row of a net. */
struct row {
	const char *layer, *kind; /* borrowed, as the op is */
	enum paleo_pass pass;
	const struct paleo_op *op;
	int is_predicted;
	struct paleo_prediction prediction; /* before measuring */
	double at_speed_s;                  /* predicted at the speed seen next to it; NaN */
	double measured_s, low_s, high_s;   /* NaN: not measured; no interval */
	double joules, measured_j;          /* of one run; NaN: not known */
	double least_s;                     /* of disturbed samples: low confidence; NaN: none */
	const char *status;                 /* why it has no time, or what is to be known of it */
	char algorithm[160];                /* by which it was measured, in words; "" */
	int was_fitted;                     /* 1: the calibration has seen this op */
};

/* One net of a run, at one batch, in one dtype. */
struct net {
	const char *name, *title;
	int batch;
	enum paleo_dtype dtype;
	struct row *rows; /* owned */
	int count;
	int measured; /* rows with a measured time */
};

/* A run while it is written. */
struct run {
	struct paleo_json_writer *w;
	const struct paleo_calibration *calibration;
	int *rows_on; /* how many rows are based on each of its factors; owned */
};

static int run_begin(struct run *r, struct paleo_json_writer *w, const char *title,
		     const struct paleo_device *device, const struct paleo_source *source,
		     struct paleo_error *err)
{
	const struct paleo_calibration *c = &source->calibration;

	*r = (struct run){w, c, calloc((size_t)c->count + 1, sizeof(*r->rows_on))};
	if (!r->rows_on)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d factors", c->count);
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "title", title);
	paleo_json_put_string(w, "source", source->title);
	paleo_device_write(device, w, "device");
	paleo_json_open_array(w, "nets");
	return PALEO_OK;
}

/* The factors that rows are based on. */
static void run_end(struct run *r)
{
	paleo_json_close(r->w);
	paleo_json_open_array(r->w, "factors");
	for (int i = 0; i < r->calibration->count; i++)
		if (r->rows_on[i])
			data_put_factor(r->w, r->calibration, &r->calibration->models[i],
					r->rows_on[i]);
	paleo_json_close(r->w);
	paleo_json_close(r->w);
}

/* The time that counts of a row: measured, else its least sample, else predicted; NaN. */
static double time_of(const struct row *r)
{
	if (!isnan(r->measured_s))
		return r->measured_s;
	if (!isnan(r->least_s))
		return r->least_s;
	return r->is_predicted ? r->prediction.parts.total_s : NAN;
}

/* What was predicted and measured of the rows of some passes, as far as they have the time that
 * counts; `list` has room for all rows. */
static int put_sum(struct paleo_json_writer *w, const struct net *n, const char *title,
		   unsigned passes, struct paleo_prediction *list, struct paleo_error *err)
{
	struct paleo_prediction_sum sum = {.interval = PALEO_NO_INTERVAL};
	int rows = 0, counted = 0, count = 0, rc = PALEO_OK;
	double measured_s = 0, filled_s = 0, joules = 0, measured_j = 0;

	for (int i = 0; i < n->count; i++) {
		const struct row *r = &n->rows[i];
		if (!(passes & 1u << r->pass))
			continue;
		rows++;
		if (isnan(time_of(r)))
			continue;
		counted++;
		filled_s += time_of(r);
		joules += r->joules;
		measured_j += r->measured_j;
		measured_s += isnan(r->measured_s) ? 0 : r->measured_s;
		if (r->is_predicted)
			list[count++] = r->prediction;
	}
	if (count)
		rc = paleo_prediction_add_up(list, count, &sum, err);
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "what", title);
	data_put_number(w, "s", sum.parts.total_s);
	data_put_number(w, "low_s", sum.interval.low);
	data_put_number(w, "high_s", sum.interval.high);
	data_put_number(w, "j", counted == rows ? joules : (double)NAN);
	data_put_number(w, "measured_j", counted == rows ? measured_j : (double)NAN);
	if (n->measured) {
		data_put_number(w, "measured_s", filled_s);
		data_put_number(w, "measured_share", measured_s / filled_s);
	}
	paleo_json_put_int(w, "rows", rows);
	paleo_json_put_int(w, "counted", counted);
	paleo_json_close(w);
	return rc;
}

/* Of the parts of a step that there are, and of the step if all are. */
static int put_sums(struct paleo_json_writer *w, const struct net *n, struct paleo_error *err)
{
	static const struct {
		const char *title;
		unsigned passes;
	} parts[] = {{"forward", PALEO_PASSES_FWD},
		     {"backward", PALEO_PASSES_BWD},
		     {"update", 1u << PALEO_PASS_UPDATE}};
	struct paleo_prediction *list = malloc(((size_t)n->count + 1) * sizeof(*list));
	unsigned there = 0;
	int rc = PALEO_OK, found = 0;

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->count);
	for (int i = 0; i < n->count; i++)
		there |= 1u << n->rows[i].pass;
	paleo_json_open_array(w, "sums");
	for (int i = 0; !rc && i < 3; i++) {
		if (!(there & parts[i].passes))
			continue;
		rc = put_sum(w, n, parts[i].title, parts[i].passes, list, err);
		found++;
	}
	if (!rc && found == 3)
		rc = put_sum(w, n, "training step", PALEO_PASSES_ALL, list, err);
	paleo_json_close(w);
	free(list);
	return rc;
}

static void put_row(struct run *run, const struct row *r)
{
	struct paleo_json_writer *w = run->w;

	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "layer", r->layer);
	paleo_json_put_string(w, "kind", r->kind);
	paleo_json_put_string(w, "pass", paleo_pass_name(r->pass));
	paleo_json_put_string(w, "dtype", paleo_dtype_name(r->op->dtype));
	data_put_number(w, "flops", r->op->flops);
	data_put_number(w, "bytes", r->op->read_bytes + r->op->write_bytes);
	if (r->is_predicted) {
		data_put_number(w, "s", r->prediction.parts.total_s);
		data_put_number(w, "low_s", r->prediction.interval.low);
		data_put_number(w, "high_s", r->prediction.interval.high);
		paleo_json_put_string(w, "bound", paleo_bound_name(r->prediction.bound));
		run->rows_on[r->prediction.factor - run->calibration->models]++;
	}
	data_put_number(w, "at_speed_s", r->at_speed_s);
	data_put_number(w, "measured_s", r->measured_s);
	data_put_number(w, "least_s", r->least_s);
	data_put_number(w, "j", r->joules);
	data_put_number(w, "measured_j", r->measured_j);
	data_put_number(w, "measured_low_s", r->low_s);
	data_put_number(w, "measured_high_s", r->high_s);
	if (r->status)
		paleo_json_put_string(w, "status", r->status);
	if (r->algorithm[0])
		paleo_json_put_string(w, "algorithm", r->algorithm);
	if (r->was_fitted)
		paleo_json_put_bool(w, "fitted", 1);
	paleo_json_close(w);
}

static int put_net(struct run *run, const struct net *n, struct paleo_error *err)
{
	struct paleo_json_writer *w = run->w;

	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "name", n->name);
	paleo_json_put_string(w, "title", n->title);
	paleo_json_put_int(w, "batch", n->batch);
	paleo_json_put_string(w, "dtype", paleo_dtype_name(n->dtype));
	int rc = put_sums(w, n, err);
	paleo_json_open_array(w, "rows");
	for (int i = 0; i < n->count; i++)
		put_row(run, &n->rows[i]);
	paleo_json_close(w);
	paleo_json_close(w);
	return rc;
}

static int new_rows(struct net *n, int count, struct paleo_error *err)
{
	const struct row none = {.at_speed_s = NAN,
				 .measured_s = NAN,
				 .least_s = NAN,
				 .low_s = NAN,
				 .high_s = NAN,
				 .joules = NAN,
				 .measured_j = NAN};

	n->rows = malloc(((size_t)count + 1) * sizeof(*n->rows));
	if (!n->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	n->count = count;
	for (int i = 0; i < count; i++)
		n->rows[i] = none;
	return PALEO_OK;
}

/* A net of the plan, each row with its prediction. */
static int put_planned(struct run *run, const struct plan *plan, const struct plan_net *from,
		       struct paleo_error *err)
{
	struct net n = {.name = from->net->name,
			.title = from->net->title,
			.batch = from->net->batch,
			.dtype = plan->dtype};
	PALEO_TRY(new_rows(&n, from->rows.count, err));
	for (int i = 0; i < n.count; i++) {
		const struct plan_op *w = &plan->ops[from->op_of[i]];
		n.rows[i].layer = from->rows.items[i].layer->name;
		n.rows[i].kind = from->rows.items[i].what;
		n.rows[i].pass = from->rows.items[i].pass;
		n.rows[i].op = &w->op;
		n.rows[i].is_predicted = w->predicted;
		n.rows[i].prediction = w->prediction;
		n.rows[i].joules = w->watts.mean_w * w->prediction.parts.total_s;
	}
	int rc = put_net(run, &n, err);
	free(n.rows);
	return rc;
}

static int put_plan(struct paleo_json_writer *w, const struct plan *plan,
		    const struct paleo_source *source, struct paleo_error *err)
{
	const struct paleo_device *device = &source->calibration.device;
	struct run run;
	char title[300];

	snprintf(title, sizeof(title), "%s, predicted", device->title);
	int rc = run_begin(&run, w, title, device, source, err);
	for (int i = 0; !rc && i < plan->net_count; i++)
		rc = put_planned(&run, plan, &plan->nets[i], err);
	if (!rc)
		run_end(&run);
	free(run.rows_on);
	return rc;
}

int data_put_nets(struct paleo_json_writer *w, const struct data_wish *wish, const char *device,
		  const char *const *nets, int count, struct paleo_error *err)
{
	struct paleo_device_info who;
	const struct paleo_source_wish source_wish = {.cost_model = wish->cost_model,
						      .dtype = wish->plan.dtype,
						      .device = device ? who.device.name : NULL,
						      .who = device ? &who : NULL,
						      .devices = wish->devices,
						      .calibration = wish->calibration};
	struct paleo_source source = {0};
	struct plan plan = {0};
	int rc = session_who(device, wish->calibration != NULL, &who, err);

	if (!rc)
		rc = paleo_choose_source(&source_wish, &source, err);
	if (!rc)
		rc = plan_make(&wish->plan, &source.calibration, nets, count, &plan, err);
	if (!rc)
		rc = plan_predict_power(&plan, &source.calibration, 0, err);
	if (!rc)
		rc = put_plan(w, &plan, &source, err);
	plan_release(&plan);
	paleo_source_release(&source);
	return rc;
}

/* Values of a row's record. */
static void take_record(const struct paleo_calibration *c, const struct paleo_result *record,
			struct row *r)
{
	const struct paleo_algorithm_texts texts = {record->algorithm, record->engine,
						    record->knobs, record->notes};
	const struct paleo_timing *t = &record->timing;
	struct paleo_prediction p;
	struct paleo_error ignored;

	if (record->least_s > 0)
		r->least_s = record->least_s;
	if (record->status != PALEO_RECORD_OK) {
		r->status = paleo_record_status_name(record->status);
		return;
	}
	if (paleo_record_has_tag(record->tags, PALEO_TAG_ABOVE))
		r->status = "above ceiling";
	r->measured_s = t->median_s;
	r->measured_j = paleo_state_joules(&record->state);
	if (record->algorithm)
		paleo_algorithm_title(&texts, r->algorithm, sizeof(r->algorithm));
	if (paleo_timing_has_interval(t)) {
		r->low_s = t->ci_low_s;
		r->high_s = t->ci_high_s;
	}
	if (!c->records || !(t->speed.flop_per_s > 0) || !(c->speed.flop_per_s > 0))
		return;
	struct paleo_device now = paleo_fit_device_at(c, t);
	if (!paleo_predict_on(c, &now, r->op, &p, &ignored))
		r->at_speed_s = p.parts.total_s;
}

/* A net of a results file. A type without a peak has no prediction. */
static int put_measured(struct run *run, const struct paleo_results *results,
			const struct paleo_net_rows *from, const char *mode,
			struct paleo_error *err)
{
	const struct paleo_calibration *c = run->calibration;
	struct net n = {from->net, from->net, from->batch, from->dtype, NULL, 0, 0};
	struct paleo_error ignored;

	PALEO_TRY(new_rows(&n, from->count, err));
	for (int i = 0; i < n.count; i++) {
		struct row *r = &n.rows[i];
		r->layer = from->rows[i].layer;
		r->kind = from->rows[i].kind;
		r->pass = from->rows[i].pass;
		r->op = &from->rows[i].op;
		r->is_predicted = !paleo_predict_op(c, r->op, &r->prediction, &ignored);
		r->was_fitted = c->records && paleo_calibration_saw(c, r->op);
		const struct paleo_result *record = paleo_results_find(results, r->op, mode);
		if (record)
			take_record(c, record, r);
		else
			r->status = "not run";
		n.measured += !isnan(r->measured_s);
	}
	int rc = put_net(run, &n, err);
	free(n.rows);
	return rc;
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

/* Parameter source for the device of a results file: its own calibration, or the best there is. */
static int open_source(const struct data_wish *wish, const struct paleo_results *results,
		       struct paleo_source *out, struct paleo_error *err)
{
	const struct paleo_record_meta *m = &results->meta;
	struct paleo_device_info who = {.device = m->device, .threads = m->threads};
	const struct paleo_source_wish source = {
		.dtype = results->nets[0].dtype, .who = &who, .calibration = wish->calibration};

	snprintf(who.versions, sizeof(who.versions), "%s", m->versions);
	snprintf(who.processor, sizeof(who.processor), "%s", m->processor);
	return paleo_choose_source(&source, out, err);
}

static int put_results(struct paleo_json_writer *w, const struct paleo_results *results,
		       const struct paleo_source *source, const char *path, const char *mode,
		       struct paleo_error *err)
{
	const struct paleo_device *device = &results->meta.device;
	struct run run;
	char title[300];

	snprintf(title, sizeof(title), "%s, measured %.10s (%.150s)", device->title,
		 results->meta.start_utc, last_parts(path));
	int rc = run_begin(&run, w, title, device, source, err);
	for (int i = 0; !rc && i < results->net_count; i++)
		rc = put_measured(&run, results, &results->nets[i], mode, err);
	if (!rc)
		run_end(&run);
	free(run.rows_on);
	return rc;
}

int data_put_records(struct paleo_json_writer *w, const struct data_wish *wish, const char *path,
		     const char *mode, struct paleo_error *err)
{
	const struct tables_settings how = {
		.device = wish->device, .devices = wish->devices, .as_nets = 1, .notes = stderr};
	struct paleo_results results = {0};
	struct paleo_source source = {0};
	const int tables = tables_given(&path, 1, err);
	int rc = tables < 0   ? tables
		 : tables > 0 ? tables_read(&how, &path, 1, &results, err)
			      : merge_load(path, &results, err);

	mode = tables > 0 ? "hot" : mode;
	if (!rc && !results.net_count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no network, expected records of paleo profile", path);
	if (!rc)
		rc = open_source(wish, &results, &source, err);
	if (!rc)
		rc = put_results(w, &results, &source, path, mode, err);
	paleo_results_release(&results);
	paleo_source_release(&source);
	return rc;
}

/* A row for each layer; `times` has room for what is predicted of them. */
static int put_layers(struct run *run, const struct engine_run *e, struct engine_time *times,
		      struct paleo_error *err)
{
	struct net n = {.name = e->net->name,
			.title = e->net->title,
			.batch = e->net->batch,
			.dtype = e->dtype,
			.measured = e->engine.count};
	int rc = new_rows(&n, e->engine.count, err);

	for (int i = 0; !rc && i < n.count; i++) {
		const struct paleo_engine_layer *l = &e->engine.layers[i];
		rc = engine_predict(e, &l->ops, &times[i], err);
		n.rows[i].layer = l->name;
		n.rows[i].kind = l->ops.count ? times[i].what : l->why;
		n.rows[i].op = &times[i].op;
		n.rows[i].is_predicted = times[i].is_predicted;
		n.rows[i].prediction = times[i].predicted;
		n.rows[i].measured_s = l->time_s;
	}
	if (!rc)
		rc = put_net(run, &n, err);
	free(n.rows);
	return rc;
}

int data_put_engine(struct paleo_json_writer *w, const struct data_wish *wish,
		    const char *const *given, int count, struct paleo_error *err)
{
	const struct engine_wish of = {.given = given,
				       .count = count,
				       .batch = wish->plan.batch,
				       .dtype = wish->dtype,
				       .device = wish->device,
				       .devices = wish->devices,
				       .calibration = wish->calibration,
				       .cost_model = wish->cost_model};
	struct engine_run e;
	struct engine_time *times = NULL;
	struct run run = {.w = w};
	char title[300];
	int rc = engine_open(&of, &e, err);
	const struct paleo_device *device = &e.source.calibration.device;

	if (!rc)
		rc = engine_tell(&e, given[0], stderr, err);
	if (!rc) {
		times = calloc((size_t)e.engine.count + 1, sizeof(*times));
		snprintf(title, sizeof(title), "%s, measured (%.150s)", device->title,
			 last_parts(given[0]));
		rc = times ? run_begin(&run, w, title, device, &e.source, err)
			   : paleo_fail(err, PALEO_ENOMEM, "out of memory for layers");
	}
	if (!rc)
		rc = put_layers(&run, &e, times, err);
	if (!rc)
		run_end(&run);
	free(run.rows_on);
	free(times);
	engine_close(&e);
	return rc;
}
