/* fullpass.c - the command `fullpass`: runs whole nets, next to the sum of their layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "library/source.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/fullpass/fullpass_print.h"
#include "tools/session/measured.h"
#include "tools/session/plan.h"
#include "tools/session/progress.h"
#include "tools/session/runner.h"

/* A whole net may take long to prepare, and longer on a busy machine. */
static const double PREPARE_S = 240, PASS_BUDGET_S = 20;

struct settings {
	const char *device;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int separate_attention;
	int extent; /* 0: all of them */
	int rule;
	double budget_s;
	int sustained; /* enum paleo_regime */
	int threads, no_cudnn_norm;
	const char *calibration;
	struct option_list isolated;
	const char *output;
	int resume, retry_failed, force;
	int layers, quiet;
	int format;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE(device, AT(device)),
	LIKE_BUT(batch, AT(batch), "batch size (default: the network file's; on a CPU at most 4)"),
	LIKE(dtype, AT(dtype)),
	LIKE(layout, AT(layout)),
	LIKE(fuse, AT(fuse)),
	LIKE(separate_attention, AT(separate_attention)),
	LIKE(extent, AT(extent)),
	LIKE(optimizer, AT(rule)),
	LIKE_BUT(time_budget, AT(budget_s), "time for each pass (default 20s)"),
	LIKE(sustained, AT(sustained)),
	LIKE(no_cudnn_norm, AT(no_cudnn_norm)),
	LIKE(threads, AT(threads)),
	LIKE(calibration, AT(calibration)),
	LIKE_BUT(
		from, AT(isolated),
		"profile of the networks: sum their ops, measured in isolation, next to each pass"),
	LIKE_MORE(output, AT(output), " for the measured passes (default: none)"),
	LIKE(resume, AT(resume)),
	LIKE(retry_failed, AT(retry_failed)),
	LIKE(force, AT(force)),
	LIKE_BUT(all, AT(layers),
		 "show all rows: every op in-network and in isolation, not the passes"),
	LIKE(format, AT(format)),
	LIKE(quiet, AT(quiet)),
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
	s->dtype = CHOICE_DTYPE_OWN;
}

/* Everything one run holds. */
struct run {
	const struct settings *settings;
	struct session session;
	struct paleo_source source;
	struct records records;
	struct paleo_results isolated; /* of --from */
	unsigned dtypes;               /* of the nets' ops, a bit each */
	struct fullpass_view *views;
	int count, wanted; /* passes so far, and all */
	int failed;
	int interrupted;
	FILE *notes;
};

static int open_device(struct run *r, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct session_wish wish = {.peaks = r->dtypes,
				    .worker.op_timeout_s = PREPARE_S,
				    .regime = (enum paleo_regime)s->sustained,
				    .quiet = s->quiet};
	const struct paleo_source_wish source = {
		.dtype = PALEO_DTYPES, .who = &r->session.info, .calibration = s->calibration};

	wish.worker.options.threads = s->threads;
	wish.worker.options.own_norms = s->no_cudnn_norm;
	PALEO_TRY(session_open(s->device, &wish, &r->session, err));
	session_tell(&r->session, r->notes);
	PALEO_TRY(paleo_choose_source(&source, &r->source, err));
	paleo_print(r->notes, "%s\n", r->source.title);
	return PALEO_OK;
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
		int unknown = paleo_predict_op(of, &f->rows[i].row.op, &p, &ignored);
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
		.separate_attention = s->separate_attention,
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

	for (int e = 0; e < PALEO_EXTENTS; e++)
		if (is_wanted(r->settings, e))
			PALEO_TRY(passes_check(&ps, name, (enum paleo_extent)e, err));
	return PALEO_OK;
}

/* A mistake in what was asked for is reported before the device is opened. */
static int check_request(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	const struct settings *s = r->settings;
	struct plan_settings plan = {
		.batch = s->batch,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse,
		.separate_attention = s->separate_attention,
		.passes = s->extent ? paleo_graph_passes((enum paleo_extent)(s->extent - 1))
				    : PALEO_PASSES_ALL,
	};

	if ((s->resume || s->retry_failed) && !s->output)
		return paleo_fail(err, PALEO_EINPUT, "--%s needs --output",
				  s->resume ? "resume" : "retry-failed");
	int rc = plan_check(&plan, nets, count, &r->dtypes, err);
	for (int i = 0; !rc && i < count; i++)
		rc = check_passes(r, nets[i], err);
	if (!rc && s->isolated.count)
		rc = merge_results(s->isolated.items, s->isolated.count, &r->isolated, err);
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
	struct settings s = *(const struct settings *)settings;
	struct run r = {.settings = &s};
	struct paleo_error err = {0};

	if (!count)
		return command_misuse(&command_fullpass, "no network was given, for example vgg16");
	r.notes = paleo_table_is_data(s.format) ? stderr : stdout;
	int rc = choice_own_dtype(arguments, count, s.batch, &s.dtype, NULL, &err);
	if (!rc)
		rc = fullpass(&r, arguments, count, &err);
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
			    s.output ? "; --resume continues" : "");
		return EXIT_INTERRUPTED;
	}
	return r.failed ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_fullpass = {
	.name = "fullpass",
	.what = "time full passes and compare them with the sum of their ops",
	.usage = "NET...",
	.about = "Runs each network with its layers connected: the forward pass, forward and "
		 "backward, and a training step with the optimizer. Prints the time of each pass "
		 "and the sums of its ops: measured within the pass (in-network), in isolation "
		 "(from --from), and predicted; and the memory used, with its lower bound.\n"
		 "NET is a file, or the name of a shipped network (vgg16). The input and the "
		 "gradient of the output are given: there is no loss and no data loading.\n"
		 "Exit status: 0 success, 1 a pass failed, 2 wrong options or files, 3 unusable "
		 "vendor libraries, 4 no such device, 130 interrupted.",
	.examples = "paleo-fullpass --batch 4 resnet50\n"
		    "paleo-fullpass --layout nhwc --fuse --pass fwd resnet50\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
