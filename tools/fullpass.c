/* fullpass.c - the command `fullpass`: runs whole nets, beside the sum of their layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/choice.h"
#include "tools/find.h"
#include "tools/fullpass_print.h"
#include "tools/options.h"
#include "tools/plan.h"
#include "tools/records.h"

enum {
	MIN_SAMPLES = 7
};

/* A whole net may take long to prepare, and longer on a busy machine. */
static const double PREPARE_S = 240, PASS_BUDGET_S = 20;

struct settings {
	const char *device;
	int batch;
	int dtype;
	int extent; /* 0: all of them */
	int rule;
	double budget_s;
	int threads;
	const char *calibration;
	const char *isolated;
	const char *output;
	int resume, retry_failed;
	int layers;
	int format;
};

static const char *const choice_extent[] = {"all", "fwd", "fwd+bwd", "step", NULL};
static const char *const choice_rule[] = {"sgd", "momentum", "adam", NULL};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device, .offset = AT(device)},
	{.like = &option_batch_measured, .offset = AT(batch)},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.name = "pass",
	 .type = OPTION_WORD,
	 .offset = AT(extent),
	 .argument = "PASS",
	 .help = "fwd, fwd+bwd, step (with the update) or all of them (default all)",
	 .words = choice_extent},
	{.name = "optimizer",
	 .type = OPTION_WORD,
	 .offset = AT(rule),
	 .argument = "RULE",
	 .help = "how a step updates weights: sgd, momentum, adam (default sgd)",
	 .words = choice_rule},
	{.name = "time-budget",
	 .type = OPTION_TIME,
	 .offset = AT(budget_s),
	 .argument = "TIME",
	 .help = "measure each pass for so long at most (default 20s)",
	 .low = 0.1,
	 .high = 3600},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.name = "records",
	 .type = OPTION_TEXT,
	 .offset = AT(isolated),
	 .argument = "FILE",
	 .help = "a profile of the nets: its works, measured alone, are summed beside the pass"},
	{.name = "output",
	 .type = OPTION_TEXT,
	 .offset = AT(output),
	 .argument = "FILE",
	 .help = "where the passes are recorded (default: nowhere)"},
	{.like = &option_resume, .offset = AT(resume)},
	{.like = &option_retry_failed, .offset = AT(retry_failed)},
	{.name = "layers",
	 .type = OPTION_FLAG,
	 .offset = AT(layers),
	 .help = "print every row, in the net and alone, instead of one for each pass"},
	{.like = &option_format, .offset = AT(format)},
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
	struct basis basis;
	struct records records;
	struct paleo_results isolated; /* of --records */
	struct fullpass_view *views;
	int count;
	int failed;
	FILE *notes;
};

static int open_device(struct run *r, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct session_wish wish = {.peaks = 1, .worker.op_timeout_s = PREPARE_S};

	wish.worker.options.threads = s->threads;
	int rc = session_open(s->device, &wish, &r->session, err);
	if (rc)
		return rc;
	session_tell(&r->session, r->notes);
	rc = basis_choose(s->calibration, &r->session.info, 0, 0, &r->basis, err);
	if (!rc)
		fprintf(r->notes, "%s\n", r->basis.title);
	return rc;
}

/* The rows of a net's pass; updates by the rule that was asked for. */
static int list_rows(const struct run *r, const struct paleo_net *net, enum paleo_extent extent,
		     struct paleo_work_list *out, struct paleo_error *err)
{
	int rc = paleo_net_works(net, (enum paleo_dtype)r->settings->dtype,
				 paleo_program_passes(extent), out, err);

	for (int i = 0; !rc && i < out->count; i++) {
		struct paleo_work *w = &out->items[i].work;
		if (w->kind != PALEO_UPDATE)
			continue;
		w->geom.update.rule = r->settings->rule;
		rc = paleo_work_finish(w, err);
	}
	return rc;
}

/* What is known of the rows without the pass. */
static int fill_rows(const struct run *r, const struct paleo_work_list *list,
		     struct fullpass_view *v, struct paleo_error *err)
{
	size_t n = (size_t)list->count + 1;
	struct paleo_error ignored;

	v->pass.rows = calloc(n, sizeof(*v->pass.rows));
	v->predicted_s = malloc(n * sizeof(double));
	if (!v->pass.rows || !v->predicted_s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", list->count);
	v->pass.count = list->count;
	for (int i = 0; i < list->count; i++) {
		const struct paleo_net_work *from = &list->items[i];
		struct paleo_net_row *to = &v->pass.rows[i].row;
		struct paleo_prediction p;
		plan_short_name(from->layer->name, to->layer, sizeof(to->layer));
		snprintf(to->kind, sizeof(to->kind), "%s", from->what);
		to->pass = from->pass;
		to->work = from->work;
		const struct paleo_record *alone =
			paleo_results_find(&r->isolated, &from->work, "cold");
		int known = alone && alone->status == PALEO_RECORD_OK;
		v->pass.rows[i].isolated_s = known ? alone->timing.median_s : NAN;
		int unknown = paleo_predict_work(&r->basis.calibration, &from->work, &p, &ignored);
		v->predicted_s[i] = unknown ? NAN : p.total_s;
	}
	return PALEO_OK;
}

/* Steps to rows: an update is several steps. */
static void sum_steps(const struct paleo_program *p, const struct paleo_pass_times *times,
		      struct paleo_fullpass *f)
{
	for (int i = 0; i < p->step_count; i++) {
		f->rows[p->steps[i].row].insitu_s += times->step_s[i];
		f->rows[p->steps[i].row].change_s += times->change_s[i];
	}
}

static int measure(struct run *r, const struct paleo_program *p, struct paleo_fullpass *f,
		   struct paleo_error *err)
{
	struct paleo_measure_policy policy = r->session.policy;
	struct paleo_whole_result result = {.status = PALEO_RECORD_OK};
	size_t steps = (size_t)p->step_count;
	double *medians = calloc(2 * steps + 1, sizeof(*medians));

	if (!medians)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d steps", p->step_count);
	struct paleo_pass_times times = {.step_s = medians, .change_s = medians + steps};
	policy.budget_s = r->settings->budget_s > 0 ? r->settings->budget_s : PASS_BUDGET_S;
	policy.min_samples = MIN_SAMPLES;
	policy.warmup_s = fmin(0.5, policy.budget_s / 4);
	int rc = paleo_worker_whole(r->session.worker, p, NULL, &policy, &result, &times, err);
	if (!rc) {
		f->status = result.status;
		memcpy(f->reason, result.reason, sizeof(f->reason));
		snprintf(f->how, sizeof(f->how), "%s", result.info.how);
		f->timing = result.timing;
		f->insitu_samples = result.insitu_samples;
		f->layout_changes = result.info.layout_changes;
		f->memory = result.info.memory;
		if (f->status == PALEO_RECORD_OK)
			sum_steps(p, &times, f);
	}
	free(medians);
	return rc;
}

/* The pass that the output file holds already, or NULL. */
static const struct paleo_fullpass *find_old(const struct run *r, const struct paleo_fullpass *f)
{
	const struct paleo_fullpass *old = paleo_results_find_pass(&r->records.old, f);

	if (!old || (r->settings->retry_failed && records_failed(old->status)))
		return NULL;
	return old->status != PALEO_RECORD_OK || old->count == f->count ? old : NULL;
}

/* Takes over what was measured before; what failed has no rows there. */
static void reuse(const struct paleo_fullpass *old, struct paleo_fullpass *f)
{
	struct paleo_fullpass_row *rows = f->rows;
	int count = f->count;

	if (old->status == PALEO_RECORD_OK)
		memcpy(rows, old->rows, (size_t)count * sizeof(*rows));
	*f = *old;
	f->rows = rows;
	f->count = count;
}

static int run_pass(struct run *r, const struct paleo_net *net, enum paleo_extent extent,
		    struct paleo_error *err)
{
	struct fullpass_view *v = &r->views[r->count++];
	struct paleo_work_list list = {0};
	struct paleo_program program = {.step_count = 0};
	struct paleo_fullpass *f = &v->pass;

	snprintf(f->net, sizeof(f->net), "%s", net->name);
	f->batch = net->batch;
	f->dtype = (enum paleo_dtype)r->settings->dtype;
	f->extent = extent;
	f->rule = (enum paleo_update_rule)r->settings->rule;
	int rc = list_rows(r, net, extent, &list, err);
	if (!rc)
		rc = fill_rows(r, &list, v, err);
	if (!rc)
		rc = paleo_program_build(net, &list, extent, f->rule, &program, err);
	const struct paleo_fullpass *old = rc ? NULL : find_old(r, f);
	if (old)
		reuse(old, f);
	if (!rc && !old) {
		f->predicted = paleo_program_memory_of(&program);
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "%s, batch %d, %s...\n", f->net, f->batch,
				paleo_extent_name(extent));
		rc = measure(r, &program, f, err);
		if (!rc && r->records.file)
			rc = records_add_pass(&r->records, f, err);
	}
	const struct paleo_pass_correction *c =
		paleo_calibration_pass(&r->basis.calibration, extent, f->dtype);
	v->correction = c ? c->factor : NAN;
	r->failed += !rc && f->status != PALEO_RECORD_OK;
	if (!rc && f->reason[0])
		fprintf(r->notes, "%s, %s: %s: %s\n", f->net, paleo_extent_name(extent),
			paleo_record_status_name(f->status), f->reason);
	paleo_program_release(&program);
	paleo_work_list_release(&list);
	return rc;
}

static int load_net(const struct run *r, const char *name, struct paleo_net **out,
		    struct paleo_error *err)
{
	const struct settings *s = r->settings;
	int most = strcmp(r->session.backend, "cuda") ? PLAN_CPU_BATCH_MAX : 0;
	char path[FIND_PATH_MAX];
	struct paleo_net *net;

	int rc = find_net(name, path, err);
	if (!rc)
		rc = paleo_net_load(path, s->batch, &net, err);
	if (!rc && !s->batch && most && net->batch > most) {
		paleo_net_free(net);
		rc = paleo_net_load(path, most, &net, err);
	}
	if (!rc)
		*out = net;
	return rc;
}

static int run_net(struct run *r, const char *name, struct paleo_error *err)
{
	int only = r->settings->extent - 1;
	struct paleo_net *net = NULL;

	int rc = load_net(r, name, &net, err);
	for (int e = 0; !rc && e < PALEO_EXTENTS; e++)
		if (only < 0 || only == e)
			rc = run_pass(r, net, (enum paleo_extent)e, err);
	paleo_net_free(net);
	return rc;
}

/* A mistake in what was asked for is told before the device is opened. */
static int check_request(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct plan_settings plan = {
		.batch = s->batch, .dtype = (enum paleo_dtype)s->dtype, .passes = PALEO_PASSES_ALL};

	if ((s->resume || s->retry_failed) && !s->output)
		return paleo_fail(err, PALEO_EINPUT, "--%s goes on with a file: give --output",
				  s->resume ? "resume" : "retry-failed");
	int rc = plan_check(&plan, nets, count, err);
	if (!rc && s->isolated)
		rc = paleo_results_load(s->isolated, &r->isolated, err);
	return rc;
}

static int fullpass(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	enum paleo_table_format format = (enum paleo_table_format)s->format;

	int rc = check_request(r, nets, count, err);
	if (!rc)
		rc = open_device(r, err);
	if (!rc && s->output)
		rc = records_open(s->output, s->resume || s->retry_failed, &r->session, &r->records,
				  err);
	r->views = calloc((size_t)count * PALEO_EXTENTS, sizeof(*r->views));
	if (!rc && !r->views)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d nets", count);
	for (int i = 0; !rc && i < count; i++)
		rc = run_net(r, nets[i], err);
	if (!rc && r->records.file)
		rc = records_end(&r->records, err);
	if (rc)
		return rc;
	return s->layers ? fullpass_print_rows(r->views, r->count, format, stdout, err)
			 : fullpass_print(r->views, r->count, format, stdout, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct run r = {.settings = settings};
	struct paleo_error err = {0};

	if (!count) {
		fprintf(stderr,
			"paleo-fullpass: no net was given, for example vgg16 (see --help)\n");
		return EXIT_MISUSE;
	}
	r.notes = r.settings->format == PALEO_TABLE_TEXT ? stdout : stderr;
	int rc = fullpass(&r, arguments, count, &err);
	for (int i = 0; i < r.count; i++)
		fullpass_view_release(&r.views[i]);
	free(r.views);
	records_close(&r.records);
	paleo_results_release(&r.isolated);
	basis_release(&r.basis);
	session_close(&r.session);
	if (rc)
		return command_fail(&command_fullpass, &err);
	return r.failed ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_fullpass = {
	.name = "fullpass",
	.what = "runs whole nets as one thing, beside the sum of their layers",
	.usage = "NET.json...",
	.about =
		"Runs each net on the device as one thing, its layers connected: forward, forward "
		"and backward, and a training step with the update. Prints the time of the pass "
		"beside the sum of its layers, timed inside of it (in-situ), alone (isolated, from "
		"--records) and predicted; and the memory taken beside what is needed at least.\n"
		"A net is a file, or the bare name of a shipped one (vgg16). The net's input and "
		"the gradient of its output are given: there is no loss, and no data is read.\n"
		"Exit status: 0 good, 1 a pass failed, 2 wrong options or files, 3 the vendor's "
		"libraries are unusable, 4 no such device.",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
