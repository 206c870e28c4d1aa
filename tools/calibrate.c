/* calibrate.c - the command `calibrate`: fits the factors to a measured design, or to records. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "calib/calibration_file.h"
#include "calib/fit.h"
#include "calib/fit_pass.h"
#include "calib/learning_curve.h"
#include "library/find.h"
#include "tools/choice.h"
#include "tools/factors.h"
#include "tools/option_rows.h"
#include "tools/session/designed.h"
#include "tools/session/folders.h"
#include "tools/session/merge.h"
#include "tools/session/progress.h"
#include "tools/tables.h"
#include "tools/verdict.h"

struct settings {
	const char *device, *devices;
	struct option_list from;
	struct option_list passes;
	struct option_list nets;
	struct option_list graph_nets; /* nets whose passes are measured */
	int batch;
	double budget_s;
	int dtype;
	int layout;
	int mode;
	int threads;
	int seed;
	int operand_sets, quiet;
	const char *output;
	const char *records;
	int resume, retry_failed, force;
	int verbose;
	int format;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device,
	 .offset = AT(device),
	 .more = "; with tables, the name of the device they were measured on"},
	{.like = &option_devices,
	 .offset = AT(devices),
	 .help = "a JSON file that describes more devices, for tables"},
	EACH("from", AT(from), "FILE",
	     "fit these records (.jsonl), or tables of other people's measurements (.csv), "
	     "plain or packed by gzip (.gz), instead of measuring; may be given several times"),
	EACH("passes", AT(passes), "FILE",
	     "correct whole nets by these measured passes (paleo-fullpass --records --output); "
	     "may be given several times"),
	{.like = &option_operand_sets, .offset = AT(operand_sets)},
	TIME("time-budget", AT(budget_s), "TIME", 1, 86400, "measure for so long (default 60s)"),
	EACH("for", AT(nets), "NET",
	     "measure the works of this net, too, in turn with the drawn ones; may be given "
	     "several times"),
	EACH("full-pass", AT(graph_nets), "NET",
	     "measure the works of this net as with --for, then its whole passes in a quarter "
	     "of the time, and correct whole nets by them; may be given several times"),
	{.like = &option_batch,
	 .offset = AT(batch),
	 .help = "with --for: batch size (default: the net's own; on a CPU at most 4)"},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_mode, .offset = AT(mode)},
	{.like = &option_threads, .offset = AT(threads)},
	WHOLE("seed", AT(seed), "N", 1, 1e9, "another number draws other shapes (default 1)"),
	TEXT("output", AT(output), "FILE",
	     "the calibration (default paleo-results/DEVICE/calibration.json)"),
	TEXT("records", AT(records), "FILE",
	     "where what is measured goes (default paleo-results/DEVICE/design-TYPE.jsonl, "
	     "with the layout and --threads behind TYPE)"),
	{.like = &option_resume,
	 .offset = AT(resume),
	 .help = "keep what the records file holds already and measure the rest"},
	{.like = &option_retry_failed, .offset = AT(retry_failed)},
	{.like = &option_force, .offset = AT(force)},
	FLAG("verbose", AT(verbose),
	     "print each factor, and the parameters behind it, instead of a row for each kind "
	     "of work; and where the wall time of measuring went"),
	{.like = &option_format,
	 .offset = AT(format),
	 .help = "of the factors printed: text, csv, jsonl or md (default text)"},
	{.like = &option_quiet, .offset = AT(quiet)},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
	s->budget_s = 60;
	s->seed = 1;
}

/* Everything one run holds. */
struct calibrate {
	const struct settings *settings;
	FILE *notes; /* what is not the table */
	int tables;  /* 1: other people's tables are fitted */
	struct paleo_results results;
	struct paleo_save *save; /* of the calibration; NULL: not begun yet */
	int interrupted;
	struct progress progress; /* of fitting */
};

/* Makes sure that the calibration can be written. */
static int begin_output(struct calibrate *c, const char *path, struct paleo_error *err)
{
	int rc = make_folders(path, err);

	return rc ? rc
		  : paleo_save_begin(path, &paleo_calibration_kind, c->settings->force, &c->save,
				     err);
}

static int read_records(struct calibrate *c, struct paleo_error *err)
{
	const struct settings *s = c->settings;
	const struct tables_settings ts = {
		.device = strcmp(s->device, "auto") != 0 ? s->device : NULL,
		.devices = s->devices,
		.notes = c->notes,
	};

	int rc = tables_given(s->from.items, s->from.count, err);
	if (rc < 0)
		return rc;
	c->tables = rc;
	rc = c->tables ? tables_read(&ts, s->from.items, s->from.count, &c->results, err)
		       : merge_results(s->from.items, s->from.count, &c->results, err);
	if (!rc)
		paleo_print(c->notes, "%d record%s of %s: %s\n", c->results.count,
			    c->results.count == 1 ? "" : "s", c->results.meta.device.title,
			    c->results.meta.versions);
	return rc;
}

static int measure_records(struct calibrate *c, struct paleo_error *err)
{
	const struct settings *s = c->settings;
	const char *nets[2 * OPTION_LIST_MAX];
	int count = 0;

	for (int i = 0; i < s->nets.count; i++)
		nets[count++] = s->nets.items[i];
	for (int i = 0; i < s->graph_nets.count; i++)
		nets[count++] = s->graph_nets.items[i];
	const struct designed_settings ds = {
		.nets = nets,
		.net_count = count,
		.graph_nets = s->graph_nets.items,
		.graph_net_count = s->graph_nets.count,
		.batch = s->batch,
		.device = s->device,
		.budget_s = s->budget_s,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.mode = (enum paleo_cache_mode)s->mode,
		.threads = s->threads,
		.seed = (uint64_t)s->seed,
		.records = s->records,
		.verbose = s->verbose,
		.resume = s->resume,
		.retry_failed = s->retry_failed,
		.force = s->force,
		.quiet = s->quiet,
		.notes = c->notes,
	};

	int rc = designed_check(&ds, err);
	return rc ? rc : designed_measure(&ds, &c->results, &c->interrupted, err);
}

static void print_report(const struct calibrate *c, const struct paleo_fit_report *r)
{
	paleo_print(c->notes, "fitted to %d record%s", r->used, r->used == 1 ? "" : "s");
	if (r->not_ok)
		paleo_print(c->notes, ", %d without a usable time left out", r->not_ok);
	if (r->mode)
		paleo_print(c->notes, ", %d in another cache state", r->mode);
	if (r->disturbed)
		paleo_print(c->notes, ", %d disturbed", r->disturbed);
	if (r->surplus)
		paleo_print(c->notes, ", %d beyond %d of their kind", r->surplus,
			    PALEO_FIT_ROWS_MAX);
	if (r->no_peak)
		paleo_print(c->notes, ", %d of a number type without a known peak", r->no_peak);
	fputc('\n', c->notes);
}

/* What more time would bring, by the calibration's own records. */
static int print_learning(struct calibrate *c, const struct paleo_fit_options *how, int records,
			  struct paleo_error *err)
{
	struct paleo_learning l;

	if (records < PALEO_LEARNING_MIN) {
		paleo_print(stdout,
			    "\nless than %d records do not say what more time would bring\n",
			    PALEO_LEARNING_MIN);
		return PALEO_OK;
	}
	progress_begin(&c->progress, "what more time would bring");
	int rc = paleo_learning_curve(&c->results, how, &l, err);
	progress_clear(&c->progress);
	if (rc)
		return rc;
	paleo_print(stdout,
		    "\nmedian held-out error: %.1f %% when fitted to %d records, %.1f %% to %d, "
		    "%.1f %% to %d\n",
		    100 * l.median[0], l.records[0], 100 * l.median[1], l.records[1],
		    100 * l.median[2], l.records[2]);
	if (l.slope > 0)
		paleo_print(stdout,
			    "twice the time would bring about %.1f %% (as floor + slope / "
			    "sqrt(records))\n",
			    100 * l.twice);
	else
		paleo_print(stdout, "more time would not lower it: what is left is the law's "
				    "error, or noise\n");
	return PALEO_OK;
}

/* The passes of --passes beside those of the records, whose rows then belong to *out. */
static int gather_passes(struct calibrate *c, const struct paleo_calibration *to,
			 struct paleo_results *out, struct paleo_error *err)
{
	const struct option_list *files = &c->settings->passes;
	int rc = files->count ? merge_results(files->items, files->count, out, err) : PALEO_OK;

	if (!rc && files->count && strcmp(out->meta.device.name, to->device.name) != 0)
		rc = paleo_fail(err, PALEO_EINPUT, "--passes: '%s' holds passes of %s, not of %s",
				files->items[0], out->meta.device.name, to->device.name);
	for (int i = 0; !rc && i < c->results.pass_count; i++) {
		rc = paleo_results_add_pass(out, &c->results.passes[i], err);
		if (!rc)
			c->results.passes[i].rows = NULL;
	}
	return rc;
}

/* Corrections of whole passes: they are to sums of works measured alone, cold. */
static int add_passes(struct calibrate *c, const char *mode, struct paleo_calibration *to,
		      struct paleo_error *err)
{
	const struct option_list *files = &c->settings->passes;
	struct paleo_results r = {.count = 0};
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	if (strcmp(mode, "cold") != 0) {
		if (files->count)
			return paleo_fail(err, PALEO_EINPUT,
					  "--passes corrects sums of cold times, and these are %s",
					  mode);
		if (c->results.pass_count)
			paleo_print(c->notes,
				    "no correction of whole nets: the %d pass%s with --mode cold\n",
				    c->results.pass_count,
				    c->results.pass_count == 1 ? " goes" : "es go");
		return PALEO_OK;
	}
	int rc = gather_passes(c, to, &r, err);
	if (!rc)
		to->pass_count = paleo_fit_passes(r.passes, r.pass_count, NULL, to->passes);
	if (!rc && !to->pass_count && files->count)
		rc = paleo_fail(
			err, PALEO_EINPUT,
			"--passes: no whole pass in '%s' whose rows were all measured alone; "
			"measure with paleo-fullpass --records PROFILE --output FILE",
			files->items[0]);
	else if (!rc && !to->pass_count && r.pass_count)
		paleo_print(
			c->notes,
			"no correction of whole nets: no pass has all of its rows measured alone, "
			"too\n");
	for (int i = 0; !rc && i < to->pass_count; i++) {
		const struct paleo_pass_correction *p = &to->passes[i];
		paleo_graph_record_title(p->extent, p->layout, p->fused, title);
		paleo_print(c->notes, "a whole pass, %s %s: %.3f of its rows' sum", title,
			    paleo_dtype_name(p->dtype), p->factor);
		if (p->update_factor > 0)
			paleo_print(c->notes, ", %.3f of its updates'", p->update_factor);
		paleo_print(c->notes, " (%d net%s)\n", p->nets, p->nets == 1 ? "" : "s");
	}
	paleo_results_release(&r);
	return rc;
}

static int fit(struct calibrate *c, struct paleo_error *err)
{
	char now[32] = "", usual[PALEO_PATH_MAX];
	const char *path = c->settings->output;
	time_t t = time(NULL);
	struct tm utc;
	struct paleo_fit_options how = {.mode = c->tables ? "hot" : choice_mode[c->settings->mode],
					.created_utc = now,
					.operand_sets = c->settings->operand_sets};
	struct paleo_fit_report report;
	struct paleo_calibration calibration;

	how.told = progress_told(&c->progress);
	if (gmtime_r(&t, &utc))
		strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &utc);
	progress_begin(&c->progress, "fitting, each part held out in turn");
	int rc = paleo_fit(&c->results, &how, &calibration, &report, err);
	progress_clear(&c->progress);
	if (rc)
		return rc;
	print_report(c, &report);
	rc = add_passes(c, how.mode, &calibration, err);
	if (rc) {
		paleo_calibration_release(&calibration);
		return rc;
	}
	snprintf(usual, sizeof(usual), "paleo-results/%s/calibration.json",
		 calibration.device.name);
	if (!path)
		path = usual;
	const enum paleo_table_format format = (enum paleo_table_format)c->settings->format;
	rc = !paleo_table_is_data(format) && !c->settings->verbose
		     ? factors_print_brief(&calibration, format, stdout, err)
		     : factors_print(&calibration, format, stdout, err);
	if (!rc && !c->settings->from.count && !paleo_table_is_data(format))
		rc = print_learning(c, &how, report.used, err);
	if (!rc)
		rc = verdict_of_calibration(&calibration, c->notes, err);
	if (!rc && !c->save)
		rc = begin_output(c, path, err);
	if (!rc)
		rc = paleo_calibration_save(&calibration, c->save, err);
	if (!rc)
		paleo_print(c->notes, "\ncalibration: %s\nto judge it: paleo-validate %s\n", path,
			    c->settings->from.count == 1 ? c->settings->from.items[0]
			    : c->tables                  ? "TABLE.csv..."
							 : "RECORDS.jsonl...");
	paleo_calibration_release(&calibration);
	return rc;
}

/* Says which options contradict each other. */
static int goes_together(const struct settings *s)
{
	const char *why = NULL;

	if (s->from.count && (s->nets.count || s->graph_nets.count))
		why = s->nets.count ? "--for says what to measure, but with --from nothing is "
				      "measured; leave one of them out"
				    : "--full-pass says what to measure, but with --from nothing "
				      "is measured; leave one of them out";
	else if (s->graph_nets.count && s->mode != PALEO_COLD)
		why = "--full-pass wants --mode cold: a pass is compared with its works measured "
		      "alone, cold";
	else if (s->passes.count && s->mode != PALEO_COLD)
		why = "--passes wants --mode cold: a pass is compared with its works measured "
		      "alone, cold";
	else if (s->batch && !s->nets.count && !s->graph_nets.count)
		why = "--batch is that of the nets to measure; name them with --for NET";
	if (why)
		paleo_print(stderr, "paleo-calibrate: %s\n", why);
	return !why;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct calibrate c = {.settings = settings};
	struct paleo_error err = {0};

	if (count) {
		paleo_print(stderr,
			    "paleo-calibrate: '%s' is not expected; records are read with --from "
			    "FILE\n",
			    arguments[0]);
		return EXIT_MISUSE;
	}
	if (!goes_together(c.settings))
		return EXIT_MISUSE;
	c.notes = paleo_table_is_data(c.settings->format) ? stderr : stdout;
	progress_open(&c.progress, c.settings->quiet);
	/* told now rather than after a minute of measuring */
	int rc = c.settings->output ? begin_output(&c, c.settings->output, &err) : PALEO_OK;
	if (!rc)
		rc = c.settings->from.count ? read_records(&c, &err) : measure_records(&c, &err);
	if (!rc && !c.interrupted)
		rc = fit(&c, &err);
	paleo_save_end(c.save);
	paleo_results_release(&c.results);
	if (rc)
		return command_fail(&command_calibrate, &err);
	if (c.interrupted)
		paleo_print(stderr,
			    "paleo-calibrate: interrupted; the same command with --resume goes "
			    "on\n");
	return c.interrupted ? EXIT_INTERRUPTED : EXIT_GOOD;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.what = "measures a designed set of works and fits the factors of the model",
	.usage = "",
	.about =
		"Measures works of many shapes on the device within a time budget and fits, per "
		"kind of work, pass and number type, the platform percent of peak of compute and "
		"of "
		"memory, and the overhead. Or fits records that were measured before, or tables of "
		"others (--from). On a GPU, products, convolutions and what moves data may have "
		"kernel models of their own (docs/reference/law.md).\n"
		"Printed is a row for each kind of work: PPP is PALEO's one percentage of the "
		"peak, as a fraction, for compute and memory together; the held-out error is that "
		"on works which the fit had not seen, its median that of the factors' medians, "
		"each as often as it has records. --verbose and --format csv print each factor "
		"with its standard error, '-' where the records cannot tell it. What whole nets "
		"err by is for paleo-validate to say.\n"
		"Exit status: 0 good, 1 a net's pass cannot be run or out of memory, 2 wrong "
		"options or files, 3 the vendor's "
		"libraries are unusable, 4 no such device, 130 interrupted.",
	.examples = "paleo-calibrate --time-budget 60s\n"
		    "paleo-calibrate --from times.csv --device l4 --output l4.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
