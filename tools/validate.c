/* validate.c - the command `validate`: the error on works and nets that a fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "calib/calibration_file.h"
#include "tools/choice.h"
#include "tools/option_rows.h"
#include "tools/pass_table.h"
#include "tools/session/merge.h"
#include "tools/session/progress.h"
#include "tools/tables.h"
#include "tools/validation_print.h"
#include "tools/view.h"

struct settings {
	const char *calibration;
	const char *device, *devices;
	int operand_sets, rows;
	int mode;
	int format;
	struct view view;
};

static const char *const sorts[] = {"rows", "error", "name", NULL}; /* as enum view_sort */

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	TEXT("calibration", AT(calibration), "FILE",
	     "judge this calibration on the records (default: fit anew with each part held "
	     "out)"),
	{.like = &option_mode,
	 .offset = AT(mode),
	 .help = "of the records to use: cold, hot, weights-cold or enqueue (default cold)"},
	TEXT("device", AT(device), "NAME",
	     "with tables, the device they were measured on (default: what they call it)"),
	{.like = &option_devices,
	 .offset = AT(devices),
	 .help = "a JSON file that describes more devices, for tables"},
	{.like = &option_operand_sets, .offset = AT(operand_sets)},
	WHOLE("rows", AT(rows), "N", 1, PALEO_FIT_ROWS_MAX,
	      "fit to N rows of each class, pass and type at most, as if the device were new "
	      "(default 1000)"),
	{.like = &option_format, .offset = AT(format)},
	{.like = &view_option_top,
	 .offset = AT(view.top),
	 .help = "show N lines of each table (default: 10 where there are more than 30)"},
	WORD("sort", AT(view.sort), "BY", sorts,
	     "lines by how many rows they stand for, by error or by name (default: as the fit "
	     "has them; by rows where not all are shown)"),
	{.like = &view_option_all, .offset = AT(view.all)},
	{.like = &view_option_quiet,
	 .offset = AT(view.quiet),
	 .help = "the verdict alone, and no line of progress on a terminal"},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->view.sort = VIEW_NET;
}

static int judge(const struct settings *s, const struct paleo_results *r, int tables,
		 struct paleo_validation *out, struct paleo_error *err)
{
	struct progress progress;
	const struct paleo_fit_options how = {.mode = tables ? "hot" : choice_mode[s->mode],
					      .operand_sets = s->operand_sets,
					      .rows_max = s->rows,
					      .told = progress_told(&progress)};
	struct paleo_calibration c;

	progress_open(&progress, s->view.quiet);
	if (!s->calibration) {
		progress_begin(&progress, "held out in turn: parts of the works, then each net");
		int failed = paleo_validate(r, &how, out, err);
		progress_clear(&progress);
		return failed;
	}
	int rc = paleo_calibration_load(s->calibration, &c, err);
	if (rc)
		return rc;
	rc = paleo_validate_calibration(&c, r, out, err);
	paleo_calibration_release(&c);
	return rc;
}

static int print_passes(const struct settings *s, const struct paleo_results *r,
			struct paleo_error *err)
{
	struct paleo_calibration c;

	enum paleo_table_format format = (enum paleo_table_format)s->format;

	if (!s->calibration)
		return pass_table_print(r, NULL, format, stdout, err);
	int rc = paleo_calibration_load(s->calibration, &c, err);
	if (rc)
		return rc;
	rc = !strcmp(c.device.name, r->meta.device.name)
		     ? pass_table_print(r, &c, format, stdout, err)
		     : paleo_fail(err, PALEO_EINPUT,
				  "the calibration is of '%s', the passes of '%s'", c.device.name,
				  r->meta.device.name);
	paleo_calibration_release(&c);
	return rc;
}

/* Whole passes are judged by themselves where there is nothing else. */
static int validate_passes(const struct settings *s, const struct paleo_results *r,
			   struct paleo_error *err)
{
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout,
		    "%d whole pass%s of %s, and no works beside them: %s\n", r->pass_count,
		    r->pass_count == 1 ? "" : "es", r->meta.device.title, r->meta.versions);
	return print_passes(s, r, err);
}

static int validate_works(const struct settings *s, const struct paleo_results *r, int tables,
			  struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
	struct paleo_validation v = {0};

	int rc = judge(s, r, tables, &v, err);
	if (!rc) {
		paleo_print(notes, "%d record%s of %s: %s\n", r->count, r->count == 1 ? "" : "s",
			    r->meta.device.title, r->meta.versions);
		validation_note(&v, s->calibration, notes);
		rc = validation_print(&v, &s->view, (enum paleo_table_format)s->format, stdout,
				      err);
	}
	/* another table: not in the middle of what a program reads */
	if (!rc && !paleo_table_is_data(s->format) && !s->view.quiet)
		rc = print_passes(s, r, err);
	paleo_validation_release(&v);
	return rc;
}

static int validate(const struct settings *s, const char *const *files, int count,
		    struct paleo_error *err)
{
	struct paleo_results results = {0};

	const struct tables_settings ts = {
		.device = s->device, .devices = s->devices, .notes = stderr};
	int tables = tables_given(files, count, err);
	int rc = tables < 0 ? tables
		 : tables   ? tables_read(&ts, files, count, &results, err)
			    : merge_results(files, count, &results, err);
	if (!rc)
		rc = !results.count && results.pass_count
			     ? validate_passes(s, &results, err)
			     : validate_works(s, &results, tables, err);
	paleo_results_release(&results);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(stderr, "paleo-validate: no records were given, for example "
				    "paleo-results/DEVICE/*.jsonl (see --help)\n");
		return EXIT_MISUSE;
	}
	return validate(settings, arguments, count, &err) ? command_fail(&command_validate, &err)
							  : EXIT_GOOD;
}

const struct command command_validate = {
	.name = "validate",
	.what = "prints the error of predictions on works and nets that a fit has not seen",
	.usage = "RECORDS.jsonl[.gz]... | TABLE.csv[.gz]...",
	.about = "Without --calibration it fits again and again, each time without a part of the "
		 "records, and predicts that part: works by shape (a shape is held out in all its "
		 "passes), and each net with all of its works held out. Beside it stands PALEO's "
		 "law with one percentage of the peak for each class, pass and type, fitted to the "
		 "same rows (PALEO %). Tables of other people's measurements do as well as "
		 "records.\n"
		 "With --calibration it judges that calibration, and says how many of the records "
		 "it was fitted to: those prove nothing.\n"
		 "Errors are |predicted / measured - 1| in per cent: their median, mean and 90th "
		 "percentile, and with their signs the geometric mean (bias) and that of the sum; "
		 "then the share of measured times within the 90 and the 50 % interval, the width "
		 "of the former, and the median of PALEO's law. A work that several files have "
		 "counts once, as the last one has it; a net is held against the times of its own "
		 "file. --format csv has more columns, with the ends of the intervals.\n"
		 "Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-validate paleo-results/cpu-amd-epyc/*.jsonl\n"
		    "paleo-validate --calibration l4.json times.csv\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
