/* validate.c - the command `validate`: the error on works and nets that a fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/validate.h"

#include <math.h>
#include <stdio.h>

#include "calib/calibration_file.h"
#include "tools/choice.h"
#include "tools/merge.h"
#include "tools/options.h"
#include "tools/validation_print.h"

struct settings {
	const char *calibration;
	int mode;
	int format;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.name = "calibration",
	 .type = OPTION_TEXT,
	 .offset = AT(calibration),
	 .argument = "FILE",
	 .help = "judge this calibration on the records (default: fit anew with each part held "
		 "out)"},
	{.name = "mode",
	 .type = OPTION_WORD,
	 .offset = AT(mode),
	 .argument = "MODE",
	 .help = "cache state of the records to use: cold or hot (default cold)",
	 .words = choice_mode},
	{.name = "format",
	 .type = OPTION_WORD,
	 .offset = AT(format),
	 .argument = "F",
	 .help = "text, csv or jsonl (default text)",
	 .words = choice_format},
	{0},
};

static int judge(const struct settings *s, const struct paleo_results *r,
		 struct paleo_validation *out, struct paleo_error *err)
{
	const struct paleo_fit_options how = {.mode = choice_mode[s->mode]};
	struct paleo_calibration c;

	if (!s->calibration)
		return paleo_validate(r, &how, out, err);
	int rc = paleo_calibration_load(s->calibration, &c, err);
	if (rc)
		return rc;
	rc = paleo_validate_calibration(&c, r, out, err);
	paleo_calibration_release(&c);
	return rc;
}

static int validate(const struct settings *s, const char *const *files, int count,
		    struct paleo_error *err)
{
	FILE *notes = s->format == PALEO_TABLE_TEXT ? stdout : stderr;
	struct paleo_results results = {0};
	struct paleo_validation v = {0};

	int rc = merge_results(files, count, &results, err);
	if (!rc)
		rc = judge(s, &results, &v, err);
	if (!rc) {
		fprintf(notes, "%d records of %s: %s\n", results.count, results.meta.device.title,
			results.meta.versions);
		validation_note(&v, s->calibration, notes);
		rc = validation_print(&v, (enum paleo_table_format)s->format, stdout, err);
	}
	paleo_validation_release(&v);
	paleo_results_release(&results);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		fprintf(stderr, "paleo-validate: no records were given, for example "
				"results/DEVICE/*.jsonl (see --help)\n");
		return EXIT_MISUSE;
	}
	return validate(settings, arguments, count, &err) ? command_fail(&command_validate, &err)
							  : EXIT_GOOD;
}

const struct command command_validate = {
	.name = "validate",
	.what = "prints the error of predictions on works and nets that a fit has not seen",
	.usage = "RECORDS.jsonl...",
	.about = "Without --calibration it fits again and again, each time without a part of the "
		 "records, and predicts that part: works by shape (a shape is held out in all its "
		 "passes), and each net with all of its works held out.\n"
		 "With --calibration it judges that calibration, and says how many of the records "
		 "it was fitted to: those prove nothing.\n"
		 "Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.options = options,
	.settings_size = sizeof(struct settings),
	.run = run,
};
