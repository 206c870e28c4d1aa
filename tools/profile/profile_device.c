/* profile_device.c - the profile of one device: opens it, measures what the nets need, reports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "library/find.h"
#include "library/source.h"
#include "tools/cli/choice.h"
#include "tools/print/print.h"
#include "tools/profile/profile.h"
#include "tools/session/divided.h"
#include "tools/session/measured.h"
#include "tools/session/plan.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

enum {
	WORD_MAX = 32,  /* of an option's word in a file's name */
	ROUNDS_MOST = 8 /* without --rounds, where time allows */
};

/* Share of the predicted time that a profile should have measured. */
#define MEASURED_ENOUGH 0.5

/* The profile of one device. */
struct profile {
	const struct profile_settings *settings;
	const struct profile_nets *nets;
	const char *device;
	struct divided divided;
	int is_of_several; /* 1: other devices are profiled, too */
	struct session session;
	struct paleo_source source;
	struct plan plan;
	struct records records;
	struct trace *trace;         /* NULL: not asked for */
	struct samples *samples;     /* likewise */
	struct paleo_results passes; /* of --passes */
	int most;                    /* algorithms of each op */
	FILE *notes;                 /* what is not the table: stdout for text, stderr otherwise */
};

/* An op that hangs should not cost a short run a minute; but on a busy machine the first of a kind
 * may be prepared for many seconds. */
static double op_timeout_s(double budget_s)
{
	return budget_s > 0 ? fmin(fmax(budget_s, 30), 60) : 60;
}

/* Parameter sources of all dtypes; `who` may be NULL where a calibration is given. */
static struct paleo_source_wish wish_of(const struct profile_settings *s,
					const struct paleo_device_info *who)
{
	return (struct paleo_source_wish){.dtype = PALEO_DTYPES,
					  .who = who,
					  .calibration = s->calibration,
					  .ppp_compute = s->ppp_compute,
					  .ppp_memory = s->ppp_memory};
}

/* What the device's peaks or its calibration predict by, and a line about it. */
static int open_source(struct profile *p, struct paleo_error *err)
{
	const struct profile_settings *s = p->settings;
	const char *first = choice_mode[s->modes.items[0]];
	const char *regime = paleo_regime_name((enum paleo_regime)s->sustained);
	const struct paleo_calibration *c = &p->source.calibration;

	const struct paleo_source_wish wish = wish_of(s, &p->session.info);

	PALEO_TRY(paleo_choose_source(&wish, &p->source, err));
	paleo_print(p->notes, "%s\n", p->source.title);
	if (c->records && strcmp(c->mode, first) != 0)
		paleo_print(p->notes, "it predicts %s times, printed next to %s ones\n", c->mode,
			    first);
	const char *fitted = c->regime[0] ? c->regime : paleo_regime_name(PALEO_BURST);
	if (c->records && strcmp(fitted, regime) != 0)
		paleo_print(p->notes, "it predicts %s times, printed next to %s ones\n", fitted,
			    regime);
	return PALEO_OK;
}

/* Other peaks predict other times. */
static int predict_again(struct profile *p, struct paleo_error *err)
{
	paleo_print(p->notes, "\n%s\n", p->session.peaks);
	paleo_source_release(&p->source);
	int rc = open_source(p, err);
	return rc ? rc : plan_predict(&p->plan, &p->source.calibration, NULL, err);
}

static struct plan_settings settings_of_plan(const struct profile_settings *s, int batch_max)
{
	struct plan_settings ps = {
		.batch = s->batch,
		.batch_max = batch_max,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse,
		.separate_attention = s->separate_attention,
		.passes = choice_pass_bits[s->passes],
		.filter = s->filter,
		.modes.count = s->modes.count,
	};

	for (int m = 0; m < s->modes.count; m++)
		ps.modes.items[m] = (enum paleo_cache_mode)s->modes.items[m];
	return ps;
}

static int open_device(struct profile *p, struct paleo_error *err)
{
	const struct profile_settings *s = p->settings;
	struct session_wish wish = {.regime = (enum paleo_regime)s->sustained,
				    .energy = s->energy,
				    .quiet = s->view.quiet || p->divided.is_other};
	struct plan_settings ps = settings_of_plan(s, 0);

	wish.worker.options.threads = s->threads;
	wish.worker.options.own_norms = s->no_cudnn_norm;
	wish.worker.options.workspace_limit_bytes = s->workspace_limit_bytes;
	wish.worker.op_timeout_s = op_timeout_s(s->budget_s);
	wish.worker.op_limit_s = s->timeout_s;
	PALEO_TRY(plan_check(&ps, p->nets->names, p->nets->count, &wish.peaks, err));
	PALEO_TRY(session_open(p->device, &wish, &p->session, err));
	session_tell(&p->session, p->notes);
	return open_source(p, err);
}

int profile_check(const struct profile_settings *s, const struct profile_nets *nets,
		  struct paleo_error *err)
{
	struct plan_settings ps = settings_of_plan(s, 0);
	struct paleo_results passes = {.count = 0};
	const struct paleo_source_wish wish = wish_of(s, NULL);
	struct paleo_source b = {0};
	int most, rc = candidates_parse(s->algo, &most, err);

	if (!rc && most > 1 && s->rounds > 1)
		rc = paleo_fail(
			err, PALEO_EINPUT,
			"--rounds %d: several algorithms (--algorithm %.20s) are measured once "
			"each; leave one of the two out",
			s->rounds, s->algo);
	if (!rc && s->calibration)
		rc = paleo_choose_source(&wish, &b, err);
	paleo_source_release(&b);
	if (!rc)
		rc = merge_results(s->passes_from.items, s->passes_from.count, &passes, err);
	paleo_results_release(&passes);
	return rc ? rc : plan_check(&ps, nets->names, nets->count, NULL, err);
}

static int make_plan(struct profile *p, struct paleo_error *err)
{
	struct plan_settings ps = settings_of_plan(p->settings, p->session.backend->batch_max);

	return plan_make(&ps, &p->source.calibration, p->nets->names, p->nets->count, &p->plan,
			 err);
}

/* The times inside of whole nets, if they were measured on this device. */
static int add_in_network(struct profile *p, struct paleo_error *err)
{
	const struct option_list *files = &p->settings->passes_from;
	const char *here = p->session.info.device.name;

	if (!files->count)
		return PALEO_OK;
	int rc = merge_results(files->items, files->count, &p->passes, err);
	if (!rc && strcmp(p->passes.meta.device.name, here) != 0)
		rc = paleo_fail(err, PALEO_EINPUT, "--passes: '%s' holds passes of %s, not of %s",
				files->items[0], p->passes.meta.device.name, here);
	return rc ? rc : in_network_fill(&p->plan, &p->passes, p->notes, err);
}

/* Adds a word to a file's name: as it is, if files' names have nothing but such characters,
 * otherwise with '_' in place of the others and a hash that makes it unique. */
static void add_word(char *name, size_t size, const char *option, const char *word)
{
	uint64_t hash = 0;
	size_t at = strlen(name);
	int is_plain = strlen(word) < WORD_MAX;

	snprintf(name + at, size - at, "-%s%.*s", option, WORD_MAX, word);
	for (char *c = name + at + 1; *c; c++) {
		if (isalnum((unsigned char)*c) || *c == '-' || *c == '_')
			continue;
		*c = '_';
		is_plain = 0;
	}
	for (const char *c = word; *c; c++)
		hash = paleo_hash(hash ^ (unsigned char)*c);
	at = strlen(name);
	if (!is_plain)
		snprintf(name + at, size - at, "-%08x", (unsigned)(hash & 0xffffffff));
}

/* What distinguishes runs of a net besides its batch and dtype: one of them is not the other's
 * place. */
static void name_options(const struct profile *p, char *name, size_t size)
{
	const struct profile_settings *s = p->settings;
	char number[16];

	snprintf(name, size, "%s%s%s", p->plan.layout == PALEO_NHWC ? "-nhwc" : "",
		 s->fuse ? "-fused" : "", s->separate_attention ? "-separate" : "");
	if (choice_pass_bits[s->passes] != PALEO_PASSES_ALL)
		add_word(name, size, "", choice_pass[s->passes]);
	if (s->seq) {
		snprintf(number, sizeof(number), "%d", s->seq);
		add_word(name, size, "s", number);
	}
	if (s->threads) {
		snprintf(number, sizeof(number), "%d", s->threads);
		add_word(name, size, "t", number);
	}
	if (s->filter)
		add_word(name, size, "only-", s->filter);
	if (s->sustained)
		add_word(name, size, "", paleo_regime_name(PALEO_SUSTAINED));
}

/* The default output: one file per net; several nets share one named after the first. */
static int choose_output(const struct profile *p, char path[PALEO_PATH_MAX],
			 struct paleo_error *err)
{
	const struct plan_net *first = &p->plan.nets[0];
	char options[128];
	int n;

	name_options(p, options, sizeof(options));

	if (p->settings->output)
		n = snprintf(path, PALEO_PATH_MAX, "%s", p->settings->output);
	else
		n = snprintf(path, PALEO_PATH_MAX, "paleo-results/%s%s%s/%s%s-b%d-%s%s.jsonl",
			     p->session.info.device.name, p->is_of_several ? "-" : "",
			     p->is_of_several ? p->device : "", first->net->name,
			     p->plan.net_count > 1 ? "-and-more" : "", first->net->batch,
			     paleo_dtype_name(p->plan.dtype), options);
	if (n < 0 || n >= PALEO_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the output's path is too long");
	return PALEO_OK;
}

static int open_records(struct profile *p, struct paleo_error *err)
{
	const struct profile_settings *s = p->settings;
	int several = p->plan.modes.count > 1;
	const struct records_wish wish = {.place = divided_open(&p->divided, &p->session),
					  .resume = s->resume || s->retry_failed,
					  .force = s->force,
					  .notes = p->notes};
	struct plan_reused reused;
	char path[PALEO_PATH_MAX];

	PALEO_TRY(choose_output(p, path, err));
	PALEO_TRY(records_open(path, &wish, &p->session, &p->records, err));
	if (!p->records.old.count)
		return PALEO_OK;
	PALEO_TRY(plan_reuse(&p->plan, &p->records.old, p->most, s->retry_failed, &reused, err));
	paleo_print(p->notes, "resumed: %d of %d %s measured before", reused.times,
		    p->plan.op_count * p->plan.modes.count, several ? "times" : "ops");
	if (reused.failed)
		paleo_print(p->notes, ", %d of them failed (--retry-failed measures them again)",
			    reused.failed);
	fputc('\n', p->notes);
	return PALEO_OK;
}

/* What is not measured yet, in the plan's order; the modes of an op follow one another, so that
 * they see the device in one state. *out is owned by the caller. */
static int list_items(struct profile *p, struct runner_item **out, int *count,
		      struct paleo_error *err)
{
	size_t room = (size_t)p->plan.op_count * (size_t)p->plan.modes.count + 1;
	struct runner_item *items = malloc(room * sizeof(*items));
	int n = 0;

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", p->plan.op_count);
	for (int i = 0; i < p->plan.op_count; i++) {
		const struct plan_op *w = &p->plan.ops[p->plan.order[i]];
		for (int m = 0; m < p->plan.modes.count; m++) {
			struct plan_time *t = &w->times[m];
			if (t->measured)
				continue;
			items[n++] = (struct runner_item){
				.op = w->op,
				.mode = p->plan.modes.items[m],
				.expected_s = w->predicted ? w->prediction.parts.total_s : 0,
				.record = &t->record,
				.done = &t->measured,
				.candidates = &t->candidates,
			};
		}
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
		.samples = p->samples,
		.budget_s = p->settings->budget_s,
		.most = p->most,
		.rounds = p->settings->rounds,
		.divide = 1,
		.show_items = 1,
		.may_mend = 1,
		.policy = p->session.policy,
	};

	PALEO_TRY(list_items(p, &items, &count, err));
	if (!r.rounds) {
		r.rounds = r.policy.sustain_s > 0 ? 1 : p->session.backend->rounds;
		r.rounds_most = ROUNDS_MOST;
	}
	if (r.budget_s == 0)
		r.budget_s = p->session.backend->budget_s * p->plan.modes.count +
			     runner_sustain_s(&r, count);
	/* the peaks are part of the budget, and leave half of it at least */
	r.budget_s = fmax(r.budget_s - p->session.spent.s[PALEO_PHASE_PEAKS], r.budget_s / 2);
	int rc = divided_run(&p->divided, &r, items, count, result, p->notes, err);
	free(items);
	if (p->divided.is_other)
		return rc;
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
	if (!rc)
		rc = records_finish(&p->records, !result->skipped, err);
	return rc;
}

static void print_ending(const struct profile *p, const struct runner_result *r,
			 const struct paleo_rates *seen)
{
	int several = p->plan.modes.count > 1;
	FILE *out = p->notes;

	paleo_print(out, "\n%d %s measured in %.1f s", r->measured, several ? "times" : "ops",
		    r->elapsed_s);
	if (several)
		paleo_print(out, " (%d ops in %d modes)", p->plan.op_count, p->plan.modes.count);
	paleo_print(out, ", %d unsupported, %d failed", r->unsupported, r->failed);
	runner_print_disturbed(r, out);
	if (r->skipped)
		paleo_print(out, ", %d left %s", r->skipped,
			    r->interrupted       ? "when it was interrupted"
			    : p->divided.missing ? "to devices that are missing"
						 : "when the time budget ended");
	if (p->most > 1)
		paleo_print(out, "\n%d algorithms tried, %d without a time", r->tried, r->lost);
	if (r->unlisted)
		paleo_print(out, "\nThe library listed no algorithms for %d ops: %s", r->unlisted,
			    r->why_unlisted);
	fputc('\n', out);
	runner_print_tags(r, out);
	plan_speed_print(seen, &p->source.calibration, out);
	paleo_print(out, "records: %s\n", p->records.path);
	double share = plan_measured_share(&p->plan);
	if (share < MEASURED_ENOUGH)
		paleo_print(out,
			    "Only %.0f %% of the predicted time was measured undisturbed: totals "
			    "and shares use disturbed times and predictions\n",
			    100 * share);
	if (r->skipped)
		paleo_print(out, "To continue: --resume%s\n",
			    r->interrupted ? "" : " or a larger --time-budget");
	else if (r->disturbed)
		fputs("To measure disturbed ops: --resume, on a quieter machine\n", out);
	if (p->source.calibration.records == 0)
		paleo_print(out, "To calibrate: paleo-calibrate --device %s\n", p->device);
}

/* What failed in an earlier run, and was kept, counts as well. What the budget left is no fault as
 * long as its prediction stands in. */
static int exit_code(const struct profile *p, const struct runner_result *r)
{
	if (r->interrupted)
		return EXIT_INTERRUPTED;
	if (plan_failed(&p->plan) || p->divided.missing)
		return EXIT_ROWS;
	if (plan_untold(&p->plan))
		return EXIT_BUDGET;
	return plan_measured_share(&p->plan) < MEASURED_ENOUGH ? EXIT_UNMEASURED
	       : p->divided.differing                          ? EXIT_SLOWER
							       : EXIT_GOOD;
}

static int profile(struct profile *p, int *code, struct paleo_error *err)
{
	struct runner_result result;
	struct paleo_rates seen;

	int rc = candidates_parse(p->settings->algo, &p->most, err);
	if (!rc)
		rc = divided_begin(&p->divided, p->device, &p->notes, err);
	if (!rc && p->divided.device[0])
		p->device = p->divided.device;
	if (!rc && p->settings->trace && !p->divided.is_other)
		rc = trace_open(p->settings->trace, p->settings->force, &p->trace, err);
	if (!rc && p->settings->samples)
		rc = samples_open(p->settings->samples, p->settings->resume, p->settings->force,
				  &p->samples, err);
	if (!rc)
		rc = open_device(p, err);
	if (!rc)
		rc = make_plan(p, err);
	if (!rc)
		rc = add_in_network(p, err);
	if (!rc)
		rc = open_records(p, err);
	if (!rc)
		rc = measure(p, &result, err);
	if (p->divided.is_other)
		return rc;
	if (!rc && result.mended)
		rc = predict_again(p, err);
	if (!rc)
		rc = plan_speed_predict(&p->plan, &p->source.calibration, &seen, err);
	if (!rc)
		rc = plan_predict_power(&p->plan, &p->source.calibration,
					paleo_table_is_data(p->settings->format), err);
	if (rc)
		return rc;
	struct report_settings rs = {
		.plan = &p->plan,
		.calibration = &p->source.calibration,
		.device = &p->session.info.device,
		.format = (enum paleo_table_format)p->settings->format,
		.view = p->settings->view,
	};
	rc = report_print(&rs, stdout, err);
	if (!rc && p->settings->sweep)
		rc = sweep_add(p->settings->sweep, &p->plan, p->session.info.device.name,
			       p->settings->seq, err);
	if (!rc && p->trace) {
		trace_plan(p->trace, &p->plan, p->session.info.device.title);
		rc = trace_save(p->trace, err);
	}
	if (!rc)
		print_ending(p, &result, &seen);
	if (!rc && p->settings->verbose)
		spent_print(&p->session, &p->records, p->notes);
	*code = exit_code(p, &result);
	return rc;
}

int profile_device(const struct profile_settings *s, const char *device, int is_of_several,
		   const struct profile_nets *nets)
{
	struct profile p = {
		.settings = s,
		.nets = nets,
		.device = device,
		.is_of_several = is_of_several,
		.notes = paleo_table_is_data(s->format) ? stderr : stdout,
	};
	struct paleo_error err = {0};
	int code = EXIT_GOOD;

	int rc = profile(&p, &code, &err);
	trace_close(p.trace);
	samples_close(p.samples);
	records_close(&p.records);
	plan_release(&p.plan);
	paleo_results_release(&p.passes);
	paleo_source_release(&p.source);
	session_close(&p.session);
	if (rc && !divided_tell(&p.divided, &err))
		code = command_fail(&command_profile, &err);
	divided_end(&p.divided, code);
	return code;
}
