/* fullpass.c - the command `fullpass`: runs whole nets, beside the sum of their layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/source.h"
#include "tools/choice.h"
#include "tools/fullpass_print.h"
#include "tools/option_rows.h"
#include "tools/session/graph_runs.h"
#include "tools/session/merge.h"
#include "tools/session/plan.h"
#include "tools/session/stop.h"

/* A whole net may take long to prepare, and longer on a busy machine. */
static const double PREPARE_S = 240, PASS_BUDGET_S = 20;

struct settings {
	const char *device;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int extent; /* 0: all of them */
	int rule;
	double budget_s;
	int threads, no_cudnn_norm;
	const char *calibration;
	const char *isolated;
	const char *output;
	int resume, retry_failed, force;
	int layers, quiet;
	int format;
};

static const char *const choice_extent[] = {"all", "fwd", "fwd+bwd", "step", NULL};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device, .offset = AT(device)},
	{.like = &option_batch_measured, .offset = AT(batch)},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse, .offset = AT(fuse)},
	WORD("pass", AT(extent), "PASS", choice_extent,
	     "fwd, fwd+bwd, step (with the update) or all of them (default all)"),
	WORD("optimizer", AT(rule), "RULE", choice_optimizer,
	     "how a step updates weights: sgd, momentum, adam (default sgd)"),
	TIME("time-budget", AT(budget_s), "TIME", 0.1, 3600,
	     "measure each pass for so long at most (default 20s)"),
	{.like = &option_no_cudnn_norm, .offset = AT(no_cudnn_norm)},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_calibration, .offset = AT(calibration)},
	TEXT("records", AT(isolated), "FILE",
	     "a profile of the nets: its works, measured alone, are summed beside the pass"),
	TEXT("output", AT(output), "FILE", "where the passes are recorded (default: nowhere)"),
	{.like = &option_resume, .offset = AT(resume)},
	{.like = &option_retry_failed, .offset = AT(retry_failed)},
	{.like = &option_force, .offset = AT(force)},
	FLAG("layers", AT(layers),
	     "print every row, in the net and alone, instead of one for each pass"),
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_quiet, .offset = AT(quiet)},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
}

/* Everything one run holds. */
struct run {
	const struct settings *settings;
	struct session session;
	struct paleo_source source;
	struct records records;
	struct paleo_results isolated; /* of --records */
	struct fullpass_view *views;
	int count, wanted; /* passes so far, and all */
	int failed;
	int interrupted;
	FILE *notes;
};

static int open_device(struct run *r, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct session_wish wish = {
		.peaks = 1, .worker.op_timeout_s = PREPARE_S, .quiet = s->quiet};

	wish.worker.options.threads = s->threads;
	wish.worker.options.own_norms = s->no_cudnn_norm;
	int rc = session_open(s->device, &wish, &r->session, err);
	if (rc)
		return rc;
	session_tell(&r->session, r->notes);
	rc = paleo_source_open(s->calibration, &r->session.info, 0, 0, &r->source, err);
	if (!rc)
		paleo_print(r->notes, "%s\n", r->source.title);
	return rc;
}

/* The sum of the rows' predictions is for the pass as it was run. */
static int predict_rows(const struct run *r, struct fullpass_view *v, struct paleo_error *err)
{
	const struct paleo_graph_record *f = &v->pass;
	const struct paleo_pass_correction like = {
		.extent = f->extent, .dtype = f->dtype, .layout = f->layout, .fused = f->fused};
	const struct paleo_calibration *of = &r->source.calibration;
	const struct paleo_pass_correction *c = paleo_calibration_pass(of, &like);

	double parts_s[2] = {0, 0}; /* forward and backward; updates */

	v->predicted_s = malloc(((size_t)f->count + 1) * sizeof(double));
	if (!v->predicted_s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", f->count);
	for (int i = 0; i < f->count; i++) {
		struct paleo_prediction p;
		struct paleo_error ignored;
		int unknown = paleo_predict_work(of, &f->rows[i].row.work, &p, &ignored);
		v->predicted_s[i] = unknown ? NAN : p.parts.total_s;
		v->borrowed += !unknown && !p.exact && of->records && !of->method[0];
		parts_s[f->rows[i].row.pass == PALEO_PASS_UPDATE] += v->predicted_s[i];
	}
	v->whole_s = c ? paleo_pass_time(c, parts_s[0], parts_s[1]) : NAN;
	return PALEO_OK;
}

static struct passes_settings settings_of_passes(struct run *r)
{
	const struct settings *s = r->settings;

	return (struct passes_settings){
		.batch = s->batch,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse,
		.rule = (enum paleo_update_rule)s->rule,
		.budget_s = s->budget_s > 0 ? s->budget_s : PASS_BUDGET_S,
		.retry_failed = s->retry_failed,
		.alone = &r->isolated,
		.records = r->records.file ? &r->records : NULL,
		.count = r->wanted,
		.notes = r->notes,
	};
}

static int is_wanted(const struct settings *s, int extent)
{
	return !s->extent || s->extent - 1 == extent;
}

/* A signal ends it between two passes. */
static int is_stopped(struct run *r)
{
	r->interrupted |= stop_came();
	return r->interrupted;
}

static int run_net(struct run *r, const char *name, struct paleo_error *err)
{
	struct passes_settings ps = settings_of_passes(r);
	struct paleo_net *net = NULL;

	int rc = plan_open_net(name, ps.batch, r->session.backend->batch_max, &net, err);
	for (int e = 0; !rc && !is_stopped(r) && e < PALEO_EXTENTS; e++) {
		if (!is_wanted(r->settings, e))
			continue;
		ps.done = r->count;
		struct fullpass_view *v = &r->views[r->count++];
		rc = passes_run(&ps, &r->session, net, (enum paleo_extent)e, &v->pass, err);
		if (!rc)
			rc = predict_rows(r, v, err);
		r->failed += !rc && v->pass.status != PALEO_RECORD_OK &&
			     v->pass.status != PALEO_RECORD_DISTURBED;
	}
	paleo_net_free(net);
	return rc;
}

/* The passes that cannot be run are known before the device is: nothing is overwritten for them. */
static int check_passes(struct run *r, const char *name, struct paleo_error *err)
{
	const struct passes_settings ps = settings_of_passes(r);
	int rc = PALEO_OK;

	for (int e = 0; !rc && e < PALEO_EXTENTS; e++)
		if (is_wanted(r->settings, e))
			rc = passes_check(&ps, name, (enum paleo_extent)e, err);
	return rc;
}

/* A mistake in what was asked for is told before the device is opened. */
static int check_request(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct plan_settings plan = {
		.batch = s->batch,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse,
		.passes = s->extent ? paleo_graph_passes((enum paleo_extent)(s->extent - 1))
				    : PALEO_PASSES_ALL,
	};

	if ((s->resume || s->retry_failed) && !s->output)
		return paleo_fail(err, PALEO_EINPUT, "--%s goes on with a file: give --output",
				  s->resume ? "resume" : "retry-failed");
	int rc = plan_check(&plan, nets, count, err);
	for (int i = 0; !rc && i < count; i++)
		rc = check_passes(r, nets[i], err);
	if (!rc && s->isolated)
		rc = merge_load(s->isolated, &r->isolated, err);
	return rc;
}

static int run_nets(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	struct stop old;
	int rc = PALEO_OK;

	stop_hold(&old);
	for (int i = 0; !rc && !is_stopped(r) && i < count; i++)
		rc = run_net(r, nets[i], err);
	stop_release(&old);
	return rc;
}

static int fullpass(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	enum paleo_table_format format = (enum paleo_table_format)s->format;
	const struct records_wish wish = {
		.resume = s->resume || s->retry_failed, .force = s->force, .notes = r->notes};

	int rc = check_request(r, nets, count, err);
	if (!rc)
		rc = open_device(r, err);
	if (!rc && s->output)
		rc = records_open(s->output, &wish, &r->session, &r->records, err);
	r->wanted = count * (s->extent ? 1 : PALEO_EXTENTS);
	r->views = calloc((size_t)count * PALEO_EXTENTS, sizeof(*r->views));
	if (!rc && !r->views)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d nets", count);
	if (!rc)
		rc = run_nets(r, nets, count, err);
	if (!rc && r->records.file)
		rc = records_finish(&r->records, !r->interrupted, err);
	if (rc)
		return rc;
	rc = s->layers ? fullpass_print_rows(r->views, r->count, format, stdout, err)
		       : fullpass_print(r->views, r->count, format, stdout, err);
	if (!rc)
		fullpass_print_borrowed(r->views, r->count, r->notes);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct run r = {.settings = settings};
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(stderr,
			    "paleo-fullpass: no net was given, for example vgg16 (see --help)\n");
		return EXIT_MISUSE;
	}
	r.notes = paleo_table_is_data(r.settings->format) ? stderr : stdout;
	int rc = fullpass(&r, arguments, count, &err);
	for (int i = 0; i < r.count; i++)
		fullpass_view_release(&r.views[i]);
	free(r.views);
	records_close(&r.records);
	paleo_results_release(&r.isolated);
	paleo_source_release(&r.source);
	session_close(&r.session);
	if (rc)
		return command_fail(&command_fullpass, &err);
	if (r.interrupted) {
		paleo_print(stderr, "paleo-fullpass: interrupted%s\n",
			    r.settings->output ? "; the same command with --resume goes on" : "");
		return EXIT_INTERRUPTED;
	}
	return r.failed ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_fullpass = {
	.name = "fullpass",
	.what = "runs whole nets as one thing, beside the sum of their layers",
	.usage = "NET.json...",
	.about = "Runs each net on the device as one thing, its layers connected: forward, forward "
		 "and backward, and a training step with the update. Prints the time of the pass "
		 "beside the sum of its layers, timed inside of it (in-network), alone "
		 "(isolated, from --records) and predicted; and the memory taken beside what is "
		 "needed at least.\n"
		 "A net is a file, or the bare name of a shipped one (vgg16). The net's input and "
		 "the gradient of its output are given: there is no loss, and no data is read.\n"
		 "Exit status: 0 good, 1 a pass failed, 2 wrong options or files, 3 the vendor's "
		 "libraries are unusable, 4 no such device, 130 interrupted.",
	.examples = "paleo-fullpass --batch 4 resnet50\n"
		    "paleo-fullpass --layout nhwc --fuse --pass fwd resnet50\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
