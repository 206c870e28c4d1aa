/* profile.c - the command `profile`: measures every layer of nets, predicted beside measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/candidates.h"
#include "tools/choice.h"
#include "tools/device_list.h"
#include "tools/find.h"
#include "tools/options.h"
#include "tools/records.h"
#include "tools/report.h"
#include "tools/runner.h"

struct settings {
	const char *device;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int passes;
	int mode;
	const char *algo;
	double workspace_limit_bytes;
	double budget_s, timeout_s;
	int reverse, threads;
	const char *calibration;
	double ppp_compute, ppp_memory;
	const char *output;
	int resume;
	int format;
	const char *filter;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device,
	 .offset = AT(device),
	 .help = "GPU number N, several GPUs in turn (0,1), the CPU, or GPU 0 if one is usable and "
		 "otherwise the CPU (default auto)"},
	{.like = &option_batch_measured, .offset = AT(batch)},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_pass, .offset = AT(passes)},
	{.like = &option_mode, .offset = AT(mode)},
	{.name = "algo",
	 .type = OPTION_TEXT,
	 .offset = AT(algo),
	 .argument = "heuristic|best:K|all",
	 .help = "measure the library's own choice, the first K of its list, or all of it, and "
		 "take the fastest that is right (default heuristic)"},
	{.like = &option_workspace_limit, .offset = AT(workspace_limit_bytes)},
	{.name = "time-budget",
	 .type = OPTION_TIME,
	 .offset = AT(budget_s),
	 .argument = "TIME",
	 .help = "measure for so long at most (default 60s on a CPU, 20s on a GPU)",
	 .low = 0.1,
	 .high = 86400},
	{.name = "op-timeout",
	 .type = OPTION_TIME,
	 .offset = AT(timeout_s),
	 .argument = "TIME",
	 .help = "a work may take so long beside its share of the budget (default 30s to 60s)",
	 .low = 0.001,
	 .high = 3600},
	{.name = "reverse",
	 .type = OPTION_FLAG,
	 .offset = AT(reverse),
	 .help = "measure the shortest works first, to see what the order does"},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.like = &option_ppp_compute, .offset = AT(ppp_compute)},
	{.like = &option_ppp_memory, .offset = AT(ppp_memory)},
	{.name = "output",
	 .type = OPTION_TEXT,
	 .offset = AT(output),
	 .argument = "FILE",
	 .help = "where the records go (default paleo-results/DEVICE/NET-bBATCH-TYPE.jsonl, "
		 "with -nhwc or -fused behind TYPE); "
		 "earlier records there are replaced"},
	{.like = &option_resume, .offset = AT(resume)},
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_filter, .offset = AT(filter)},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
	s->algo = "heuristic";
}

/* Everything one run holds. */
struct profile {
	const struct settings *settings;
	const char *device;
	int is_of_several; /* 1: other devices are profiled, too */
	struct session session;
	struct basis basis;
	struct plan plan;
	struct records records;
	int most;    /* algorithms of each work */
	FILE *notes; /* what is not the table: stdout for text, stderr otherwise */
};

/* A work that hangs should not cost a short run a minute; but on a busy machine the first of a kind
 * may be prepared for many seconds. */
static double op_timeout_s(double budget_s)
{
	return budget_s > 0 ? fmin(fmax(budget_s, 30), 60) : 60;
}

static int open_device(struct profile *p, struct paleo_error *err)
{
	struct paleo_worker_config config = {.need_ceilings = 1};
	const struct settings *s = p->settings;
	char title[1024];

	config.options.mode = (enum paleo_cache_mode)s->mode;
	config.options.threads = s->threads;
	config.options.workspace_limit_bytes = s->workspace_limit_bytes;
	config.op_timeout_s = s->timeout_s > 0 ? s->timeout_s : op_timeout_s(s->budget_s);
	int rc = session_open(p->device, &config, &p->session, err);
	if (rc)
		return rc;
	session_title(&p->session, title, sizeof(title));
	fprintf(p->notes, "%s\n", title);
	if (p->session.why_not_gpu[0])
		fprintf(p->notes, "no GPU: %s\n", p->session.why_not_gpu);
	if (p->session.peaks[0])
		fprintf(p->notes, "%s\n", p->session.peaks);
	rc = basis_choose(s->calibration, &p->session.info, s->ppp_compute, s->ppp_memory,
			  &p->basis, err);
	if (!rc)
		fprintf(p->notes, "%s\n", p->basis.title);
	return rc;
}

static struct plan_settings settings_of_plan(const struct settings *s, int batch_max)
{
	return (struct plan_settings){
		.batch = s->batch,
		.batch_max = batch_max,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse,
		.passes = choice_pass_bits[s->passes],
		.filter = s->filter,
		.reverse = s->reverse,
	};
}

/* A mistake in what was asked for is told before the device is opened. */
static int check_request(const struct settings *s, const char *const *nets, int count, int *most,
			 struct paleo_error *err)
{
	struct plan_settings ps = settings_of_plan(s, 0);
	struct basis b = {0};
	int rc = candidates_parse(s->algo, most, err);

	if (!rc && s->calibration)
		rc = basis_choose(s->calibration, NULL, s->ppp_compute, s->ppp_memory, &b, err);
	basis_release(&b);
	return rc ? rc : plan_check(&ps, nets, count, err);
}

static int make_plan(struct profile *p, const char *const *nets, int count, struct paleo_error *err)
{
	int batch_max = strcmp(p->session.backend, "cuda") ? PLAN_CPU_BATCH_MAX : 0;
	struct plan_settings ps = settings_of_plan(p->settings, batch_max);

	return plan_make(&ps, &p->basis.calibration, nets, count, &p->plan, err);
}

/* The default output: one file per net; several nets share one named after the first. */
static int choose_output(const struct profile *p, char path[FIND_PATH_MAX], struct paleo_error *err)
{
	const struct plan_net *first = &p->plan.nets[0];
	int n;

	if (p->settings->output)
		n = snprintf(path, FIND_PATH_MAX, "%s", p->settings->output);
	else
		n = snprintf(path, FIND_PATH_MAX, "paleo-results/%s%s%s/%s%s-b%d-%s%s%s.jsonl",
			     p->session.info.device.name, p->is_of_several ? "-" : "",
			     p->is_of_several ? p->device : "", first->net->name,
			     p->plan.net_count > 1 ? "-and-more" : "", first->net->batch,
			     paleo_dtype_name(p->plan.dtype),
			     p->plan.layout == PALEO_NHWC ? "-nhwc" : "",
			     p->settings->fuse ? "-fused" : "");
	if (n < 0 || n >= FIND_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the output's path is too long");
	return PALEO_OK;
}

static int open_records(struct profile *p, struct paleo_error *err)
{
	char path[FIND_PATH_MAX];
	int reused;

	int rc = choose_output(p, path, err);
	if (!rc)
		rc = records_open(path, p->settings->resume, &p->session, &p->records, err);
	if (rc || !p->records.old.count)
		return rc;
	rc = plan_reuse(&p->plan, &p->records.old, choice_mode[p->settings->mode], p->most, &reused,
			err);
	if (rc)
		return rc;
	fprintf(p->notes, "resumed: %d of %d works were measured before\n", reused,
		p->plan.work_count);
	return PALEO_OK;
}

/* The works that are not measured yet, in the plan's order. *out is owned by the caller. */
static int list_items(struct profile *p, struct runner_item **out, int *count,
		      struct paleo_error *err)
{
	struct runner_item *items = malloc(((size_t)p->plan.work_count + 1) * sizeof(*items));
	int n = 0;

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works",
				  p->plan.work_count);
	for (int i = 0; i < p->plan.work_count; i++) {
		struct plan_work *w = &p->plan.works[p->plan.order[i]];
		if (w->measured)
			continue;
		items[n++] = (struct runner_item){
			.work = w->work,
			.expected_s = w->predicted ? w->prediction.total_s : 0,
			.record = &w->record,
			.done = &w->measured,
			.candidates = &w->candidates,
		};
	}
	*out = items;
	*count = n;
	return PALEO_OK;
}

static int measure(struct profile *p, struct runner_result *result, struct paleo_error *err)
{
	struct runner_item *items;
	int count;
	struct runner r = {
		.session = &p->session,
		.records = &p->records,
		.budget_s = p->settings->budget_s,
		.most = p->most,
		.divide = 1,
		.policy = p->session.policy,
	};

	if (r.budget_s == 0)
		r.budget_s = strcmp(p->session.backend, "cuda") ? 60 : 20;
	int rc = list_items(p, &items, &count, err);
	if (rc)
		return rc;
	rc = runner_run(&r, items, count, result, err);
	free(items);
	/* a filtered net is not the net: its rows would pass for all of it */
	int nets = p->settings->filter ? 0 : p->plan.net_count;
	for (int i = 0; !rc && i < nets; i++) {
		struct paleo_net_rows rows;
		rc = plan_net_rows(&p->plan, &p->plan.nets[i], &rows, err);
		if (rc)
			break;
		rc = records_add_net(&p->records, &rows, err);
		free(rows.rows);
	}
	if (!rc && !result->skipped)
		rc = records_end(&p->records, err);
	return rc;
}

static void print_ending(const struct profile *p, const struct runner_result *r)
{
	FILE *out = p->notes;

	fprintf(out, "\n%d works measured in %.1f s, %d unsupported, %d failed", r->measured,
		r->elapsed_s, r->unsupported, r->failed);
	if (r->skipped)
		fprintf(out, ", %d left %s", r->skipped,
			r->interrupted ? "when it was interrupted" : "when the time budget ended");
	if (p->most > 1)
		fprintf(out, "\n%d algorithms were tried for them, %d gave no time", r->tried,
			r->lost);
	if (r->unlisted)
		fprintf(out, "\nof %d works the library could not list its algorithms: %s",
			r->unlisted, r->why_unlisted);
	fputc('\n', out);
	runner_print_tags(r, out);
	fprintf(out, "records: %s\n", p->records.path);
	if (r->skipped)
		fprintf(out, "to go on: the same command with --resume%s\n",
			r->interrupted ? "" : " or a larger --time-budget");
	if (p->basis.calibration.records == 0)
		fprintf(out, "to calibrate: paleo-calibrate --device %s\n", p->device);
}

static int exit_code(const struct runner_result *r)
{
	if (r->interrupted)
		return EXIT_INTERRUPTED;
	if (r->failed)
		return EXIT_ROWS;
	return r->skipped ? EXIT_BUDGET : EXIT_GOOD;
}

static int profile(struct profile *p, const char *const *nets, int count, int *code,
		   struct paleo_error *err)
{
	struct runner_result result;

	int rc = open_device(p, err);
	if (!rc)
		rc = make_plan(p, nets, count, err);
	if (!rc)
		rc = open_records(p, err);
	if (!rc)
		rc = measure(p, &result, err);
	if (rc)
		return rc;
	struct report_settings rs = {
		.plan = &p->plan,
		.calibration = &p->basis.calibration,
		.device = &p->session.info.device,
		.format = (enum paleo_table_format)p->settings->format,
	};
	rc = report_print(&rs, stdout, err);
	if (!rc)
		print_ending(p, &result);
	*code = exit_code(&result);
	return rc;
}

/* What is told before any device is opened. */
static int check_all(const struct settings *s, const char *const *nets, int count, int *most,
		     struct device_list *devices, struct paleo_error *err)
{
	int rc = device_list_parse(s->device, devices, err);

	for (int i = 0; !rc && i < devices->count; i++)
		rc = session_check(devices->names[i], err);
	if (!rc && devices->count > 1 && s->output)
		return paleo_fail(err, PALEO_EINPUT,
				  "--output names one file for %d devices; without it, each has "
				  "its own folder in paleo-results/",
				  devices->count);
	if (!rc && devices->count > 1 && s->format == PALEO_TABLE_CSV)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format csv has one header, for one device; take jsonl or "
				  "text for %d devices",
				  devices->count);
	return rc ? rc : check_request(s, nets, count, most, err);
}

/* Returns the exit code. */
static int profile_device(struct profile *p, const char *const *nets, int count)
{
	struct paleo_error err = {0};
	int code = EXIT_GOOD, rc = profile(p, nets, count, &code, &err);
	records_close(&p->records);
	plan_release(&p->plan);
	basis_release(&p->basis);
	session_close(&p->session);
	return rc ? command_fail(&command_profile, &err) : code;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct device_list devices;
	struct paleo_error err = {0};
	int code = EXIT_GOOD, most = 1;

	if (!count) {
		fprintf(stderr,
			"paleo-profile: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	if (check_all(s, arguments, count, &most, &devices, &err))
		return command_fail(&command_profile, &err);
	/* In turn: side by side they would share the host, its links and its power. */
	for (int i = 0; i < devices.count && code != EXIT_INTERRUPTED; i++) {
		struct profile p = {
			.settings = s,
			.device = devices.names[i],
			.is_of_several = devices.count > 1,
			.most = most,
			.notes = s->format == PALEO_TABLE_TEXT ? stdout : stderr,
		};
		if (p.is_of_several)
			fprintf(p.notes, "%sdevice %s\n", i ? "\n" : "", p.device);
		int one = profile_device(&p, arguments, count);
		if (one == EXIT_INTERRUPTED || !code)
			code = one;
	}
	return code;
}

const struct command command_profile = {
	.name = "profile",
	.what = "measures every layer of nets and prints predicted beside measured",
	.usage = "NET.json...",
	.about =
		"Runs every layer of the nets on the device, forward, backward and update, each "
		"different work once, and prints for each row the predicted and the measured time, "
		"the error, the speed reached and what bounds it.\n"
		"--algo best:K also measures what else the library offers for each work: the net "
		"is "
		"then as fast as its fastest algorithms, and the regret is what the library's own "
		"choices cost.\n"
		"A net is a file, or the bare name of a shipped one (vgg16). Measuring happens in "
		"a "
		"worker process; an interrupted run goes on with --resume.\n"
		"--device 0,1 profiles each GPU in turn, with a worker and a folder "
		"(paleo-results/DEVICE-N/) of its own; each has the whole time budget.\n"
		"Exit status: 0 good, 1 some rows failed, 2 wrong options or files, 3 the vendor's "
		"libraries are unusable, 4 no such device, 5 the time budget ended early, 130 "
		"interrupted.",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
