/* designed.c - measures the ops that a calibration is designed from. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "calib/design.h"
#include "calib/fit.h"
#include "library/find.h"
#include "tools/calibrate/calibrate.h"
#include "tools/session/plan.h"
#include "tools/session/progress.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

/* The design is drawn longer than it should take, and the clock cuts it: any beginning of it is a
 * balanced design. An op is timed for at most OP_BUDGET_S. */
enum {
	DESIGN_LONGER = 5,
	PRIOR_MIN = 40 /* records of an earlier run, to use their intervals */
};
static const double OP_BUDGET_S = 0.2, PASSES_SHARE = 0.25, PREPARE_S = 240;

/* A CPU is slow, and seldom asked for large batches: its ops are short, down to those of one
 * sample behind the images. What is larger than so many caches only takes as much longer. */
enum {
	HOST_BATCH_MAX = 16,
	HOST_SAMPLES = 5,
	HOST_CHECKS = 8,
	HOST_CACHES = 6
};
static const double HOST_SHORTEST_S = 5e-7, HOST_LONGEST_S = 10e-3, HOST_MEMORY_BYTES = 64e6,
		    HOST_SETUP_S = 0.03, HOST_TIMED_S = 0.01;
static const double HOST_BUDGET_S = 0.04, HOST_WARMUP_S = 0.003, HOST_SAMPLE_S = 0.001,
		    HOST_CI = 0.05;

/* Everything one run holds. */
struct designed {
	const struct designed_settings *settings;
	struct session session;
	struct records records;
	struct paleo_calibration guess; /* at half the peaks: to divide the budget by */
	struct paleo_design design;
	struct plan plan; /* the nets' ops */
	struct paleo_record *measured;
	struct runner_item *items;
	int *done;
	int *of_net; /* 1: the item is an op of a net */
	int count;   /* of items */
	struct runner_result result;
	struct paleo_results *results;
};

/* Expected time of an op. */
static double expected_s(const struct designed *d, const struct paleo_op *w)
{
	struct paleo_prediction p;
	struct paleo_error ignored;

	return paleo_predict_op(&d->guess, w, &p, &ignored) ? 0 : p.parts.total_s;
}

/* Dtypes of its ops, a bit each. */
static unsigned dtypes_of(const struct designed_settings *s)
{
	return 1u << s->dtype | 1u << paleo_dtype_wide(s->dtype);
}

static int open_device(struct designed *d, struct paleo_error *err)
{
	const struct designed_settings *s = d->settings;
	struct session_wish wish = {.peaks = dtypes_of(s),
				    .regime = s->regime,
				    .quiet = s->quiet || s->divided->is_other};
	const char *device = s->divided->device[0] ? s->divided->device : s->device;

	wish.worker.options.threads = s->threads;
	if (s->graph_net_count) /* a whole net may take long to prepare */
		wish.worker.op_timeout_s = PREPARE_S;
	PALEO_TRY(session_open(device, &wish, &d->session, err));
	session_tell(&d->session, s->notes);
	return PALEO_OK;
}

static int open_records(struct designed *d, struct paleo_error *err)
{
	const struct designed_settings *s = d->settings;
	char path[PALEO_PATH_MAX], threads[16] = "";

	if (s->threads)
		snprintf(threads, sizeof(threads), "-t%d", s->threads);
	snprintf(path, sizeof(path), "paleo-results/%s/design-%s%s%s%s.jsonl",
		 d->session.info.device.name, paleo_dtype_name(s->dtype),
		 s->layout == PALEO_NHWC ? "-nhwc" : "", threads,
		 s->regime == PALEO_SUSTAINED ? "-sustained" : "");
	const struct records_wish wish = {.place = divided_open(s->divided, &d->session),
					  .resume = s->resume || s->retry_failed,
					  .force = s->force,
					  .notes = s->notes};

	PALEO_TRY(
		records_open(s->records ? s->records : path, &wish, &d->session, &d->records, err));
	records_meta(&d->session, &d->results->meta);
	paleo_print(s->notes, "records: %s\n", d->records.path);
	for (int i = 0; i < d->records.old.count; i++) {
		const struct paleo_record old = paleo_result_record(&d->records.old.records[i]);
		PALEO_TRY(paleo_results_add(d->results, &old, err));
	}
	return PALEO_OK;
}

static int is_host(const struct designed *d)
{
	return d->session.backend->hardware == PALEO_HOST;
}

static int draw_ops(struct designed *d, struct paleo_error *err)
{
	const struct designed_settings *s = d->settings;
	const struct paleo_device *device = &d->session.info.device;
	struct paleo_design_options options = {.device = device,
					       .dtypes = dtypes_of(s),
					       .layout = s->layout,
					       .seed = s->seed,
					       .budget_s = DESIGN_LONGER * s->budget_s};

	if (is_host(d)) {
		options.batch_max = HOST_BATCH_MAX;
		options.shortest_s = HOST_SHORTEST_S;
		options.longest_s = HOST_LONGEST_S;
		options.memory_bytes = fmax(HOST_CACHES * device->cache_bytes, HOST_MEMORY_BYTES);
		options.setup_s = HOST_SETUP_S;
		options.timed_s = HOST_TIMED_S;
	}
	int rc = paleo_calibration_datasheet(device, 0.5, 0.5, &d->guess, err);
	return rc ? rc : paleo_design(&options, &d->design, err);
}

/* The ops that an earlier run left most uncertain come first. */
static int prefer_uncertain(struct designed *d, struct paleo_error *err)
{
	const struct paleo_fit_options how = {.mode = paleo_cache_mode_name(d->settings->mode)};
	struct paleo_fit_report report;
	struct paleo_calibration prior;

	if (d->records.old.count < PRIOR_MIN)
		return PALEO_OK;
	int rc = paleo_fit(&d->records.old, &how, &prior, &report, err);
	if (rc == PALEO_EINPUT) /* none of them has a time */
		return PALEO_OK;
	if (rc)
		return rc;
	rc = paleo_design_prefer(&d->design, &prior, err);
	paleo_print(d->settings->notes,
		    "Design: widest predicted intervals first, by %d existing records\n",
		    report.used);
	paleo_calibration_release(&prior);
	return rc;
}

static struct plan_settings settings_of_plan(const struct designed_settings *s, int batch_max)
{
	return (struct plan_settings){.batch = s->batch,
				      .batch_max = batch_max,
				      .dtype = s->dtype,
				      .layout = s->layout,
				      .passes = PALEO_PASSES_ALL};
}

static int list_net_ops(struct designed *d, struct paleo_error *err)
{
	const struct designed_settings *s = d->settings;
	const struct plan_settings ps = settings_of_plan(s, d->session.backend->batch_max);

	return plan_make(&ps, &d->guess, s->nets, s->net_count, &d->plan, err);
}

/* Adds an op, unless an earlier run has tried it. */
static void add_item(struct designed *d, const struct paleo_op *w, int of_net)
{
	const struct paleo_result *old =
		paleo_results_find(&d->records.old, w, paleo_cache_mode_name(d->settings->mode));
	int n = d->count;

	if (old && records_keeps(old->status, d->settings->retry_failed))
		return;
	d->items[n] = (struct runner_item){.op = *w,
					   .mode = d->settings->mode,
					   .expected_s = expected_s(d, w),
					   .record = &d->measured[n],
					   .done = &d->done[n]};
	d->of_net[n] = of_net;
	d->count++;
}

static int is_of_net(const struct designed *d, const struct paleo_op *w)
{
	for (int i = 0; i < d->plan.op_count; i++)
		if (paleo_op_equal(&d->plan.ops[i].op, w))
			return 1;
	return 0;
}

/* Drawn ops and those of the nets in turn; what is left of either follows. */
static int make_items(struct designed *d, struct paleo_error *err)
{
	size_t room = (size_t)d->design.count + (size_t)d->plan.op_count + 1;
	int left = d->plan.op_count;

	d->measured = calloc(room, sizeof(*d->measured));
	d->items = calloc(room, sizeof(*d->items));
	d->done = calloc(room, sizeof(*d->done));
	d->of_net = calloc(room, sizeof(*d->of_net));
	if (!d->measured || !d->items || !d->done || !d->of_net)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", room);
	for (int i = 0; i < d->design.count || left > 0; i++) {
		if (i < d->design.count && !is_of_net(d, &d->design.ops[i]))
			add_item(d, &d->design.ops[i], 0);
		if (left > 0) /* the plan's order is longest first */
			add_item(d, &d->plan.ops[d->plan.order[--left]].op, 1);
	}
	return PALEO_OK;
}

/* Many ops that are known to a few percent tell more than few that are known to one. */
static void hurry(struct paleo_measure_policy *p)
{
	p->budget_s = HOST_BUDGET_S;
	p->warmup_s = HOST_WARMUP_S;
	if (p->sustain_s == 0)
		p->sample_s = HOST_SAMPLE_S;
	p->target_ci = HOST_CI;
	p->min_samples = HOST_SAMPLES;
	p->verify_samples = HOST_CHECKS;
}

/* Progress of the nets' ops. */
static void print_nets(const struct designed *d)
{
	int measured = 0, left = 0;

	for (int i = 0; i < d->count; i++) {
		measured += d->of_net[i] && d->done[i];
		left += d->of_net[i] && !d->done[i];
	}
	if (d->settings->net_count)
		paleo_print(d->settings->notes,
			    "%d of them are the networks' ops, %d measured before, %d left for "
			    "--resume\n",
			    measured, d->plan.op_count - measured - left, left);
}

static int run_items(struct designed *d, struct paleo_error *err)
{
	const struct runner_result *r = &d->result;
	struct runner runner = {.session = &d->session,
				.records = &d->records,
				.budget_s = d->settings->budget_s *
					    (d->settings->graph_net_count ? 1 - PASSES_SHARE : 1),
				.policy = d->session.policy};

	runner.policy.budget_s = OP_BUDGET_S;
	if (is_host(d))
		hurry(&runner.policy);
	PALEO_TRY(divided_run(d->settings->divided, &runner, d->items, d->count, &d->result,
			      d->settings->notes, err));
	for (int i = 0; i < d->count; i++)
		if (d->done[i])
			PALEO_TRY(paleo_results_add(d->results, &d->measured[i], err));
	paleo_print(d->settings->notes, "%d ops measured in %.1f s, %d unsupported, %d failed",
		    r->measured, r->elapsed_s, r->unsupported, r->failed);
	runner_print_disturbed(r, d->settings->notes);
	fputc('\n', d->settings->notes);
	print_nets(d);
	runner_print_tags(r, d->settings->notes);
	return PALEO_OK;
}

static int is_stopped(struct designed *d)
{
	d->result.interrupted |= stop_came();
	return d->result.interrupted;
}

/* Each extent of a net, next to its ops' times that are known by now. */
static int run_net(struct designed *d, struct passes_settings *ps, const char *name,
		   struct paleo_error *err)
{
	struct paleo_net *net = NULL;

	int rc = plan_open_net(name, ps->batch, d->session.backend->batch_max, &net, err);
	for (int e = 0; !rc && !is_stopped(d) && e < PALEO_EXTENTS; e++) {
		struct paleo_graph_record f = {.count = 0};
		rc = passes_run(ps, &d->session, net, (enum paleo_extent)e, &f, err);
		ps->done++;
		if (!rc && f.status == PALEO_RECORD_OK)
			rc = paleo_results_add_pass(d->results, &f, err);
		else
			paleo_graph_record_release(&f);
	}
	paleo_net_free(net);
	return rc;
}

static struct passes_settings settings_of_passes(const struct designed_settings *s)
{
	return (struct passes_settings){.batch = s->batch,
					.dtype = s->dtype,
					.layout = s->layout,
					.budget_s = PASSES_SHARE * s->budget_s /
						    (s->graph_net_count * PALEO_EXTENTS),
					.retry_failed = s->retry_failed,
					.count = s->graph_net_count * PALEO_EXTENTS,
					.notes = s->notes};
}

static int run_passes(struct designed *d, struct paleo_error *err)
{
	const struct designed_settings *s = d->settings;
	struct passes_settings ps = settings_of_passes(s);

	ps.alone = d->results;
	ps.records = &d->records;
	for (int i = 0; !is_stopped(d) && i < s->graph_net_count; i++)
		PALEO_TRY(run_net(d, &ps, s->graph_nets[i], err));
	return PALEO_OK;
}

/* A signal ends it between two ops or two passes. */
static int run(struct designed *d, struct paleo_error *err)
{
	struct stop old;

	stop_hold(&old);
	int rc = run_items(d, err);
	if (!rc && d->settings->graph_net_count)
		rc = run_passes(d, err);
	stop_release(&old);
	return rc;
}

/* A pass that cannot be run is known before its ops are measured. */
static int check_passes(const struct designed_settings *s, const char *name,
			struct paleo_error *err)
{
	const struct passes_settings ps = settings_of_passes(s);

	for (int e = 0; e < PALEO_EXTENTS; e++)
		PALEO_TRY(passes_check(&ps, name, (enum paleo_extent)e, err));
	return PALEO_OK;
}

int designed_check(const struct designed_settings *s, struct paleo_error *err)
{
	const struct plan_settings ps = settings_of_plan(s, 0);

	int rc = plan_check(&ps, s->nets, s->net_count, NULL, err);
	for (int i = 0; !rc && i < s->graph_net_count; i++)
		rc = check_passes(s, s->graph_nets[i], err);
	return rc;
}

int designed_measure(const struct designed_settings *s, struct paleo_results *results,
		     int *interrupted, struct paleo_error *err)
{
	struct designed d = {.settings = s, .results = results};

	int rc = open_device(&d, err);
	if (!rc)
		rc = open_records(&d, err);
	if (!rc)
		rc = draw_ops(&d, err);
	if (!rc)
		rc = prefer_uncertain(&d, err);
	if (!rc && s->net_count)
		rc = list_net_ops(&d, err);
	if (!rc)
		rc = make_items(&d, err);
	if (!rc)
		rc = run(&d, err);
	if (!rc)
		rc = records_finish(&d.records, !d.result.interrupted, err);
	if (!rc && s->verbose)
		spent_print(&d.session, &d.records, s->notes);
	*interrupted = d.result.interrupted;
	free(d.measured);
	free(d.items);
	free(d.done);
	free(d.of_net);
	plan_release(&d.plan);
	paleo_design_release(&d.design);
	paleo_calibration_release(&d.guess);
	records_close(&d.records);
	session_close(&d.session);
	return rc;
}
