/* study.c - the command `study`: the laws' errors on tables of times that others measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/table.h"
#include "base/text.h"
#include "calib/study_comm.h"
#include "model/device/catalog.h"
#include "tools/choice.h"
#include "tools/option_rows.h"
#include "tools/session/progress.h"
#include "tools/study_nets.h"
#include "tools/study_presets.h"
#include "tools/tables.h"

enum {
	EVERY_TYPE = PALEO_DTYPES /* no --dtype is given */
};

struct settings {
	const char *device, *devices, *nets;
	int optimizer;
	int dtype, groups, folds, rows, draws, operand_sets, presets, format, quiet;
};

static const char *const choice_groups[] = {"layers", "channels", "images", "rows", NULL};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	TEXT("device", AT(device), "NAME",
	     "the device that was measured (default: what the table calls it)"),
	{.like = &option_devices, .offset = AT(devices)},
	{.like = &option_dtype,
	 .offset = AT(dtype),
	 .help = "study the rows of this number type alone: {words} (default: "
		 "every type in turn)"},
	WORD("hold-out", AT(groups), "G", choice_groups,
	     "what is held out together: layers (the default); rows, each one alone; or of "
	     "convolutions, channels (both between the same powers of two) or images (of one "
	     "size)"),
	WHOLE("rows", AT(rows), "N", 0, 1e6,
	      "fit to so many rows at most (default 1000); 0: predict by other GPUs' presets"),
	WHOLE("draws", AT(draws), "N", 1, 1000,
	      "draw the rows to fit N times (default 1), of works alone: errors are those of "
	      "all draws, and of the worst one"),
	WHOLE("folds", AT(folds), "N", 2, 100,
	      "parts that are held out in turn (default 5); with as many as groups or more each "
	      "group is held out alone"),
	{.like = &option_operand_sets,
	 .offset = AT(operand_sets),
	 .help = "the timing took turns with up to N copies of the weights, just enough to fill "
		 "the cache (default 1)"},
	TEXT("nets", AT(nets), "FOLDER",
	     "the tables are of whole nets, whose files lie there as MODEL-IMAGE.json, or "
	     "MODEL.json where no image is told"),
	{.like = &option_optimizer,
	 .offset = AT(optimizer),
	 .help = "of --nets, in training: {words} (default sgd)"},
	FLAG("presets", AT(presets),
	     "no tables: how much the shipped presets err on one another's devices, which is "
	     "how wide intervals are where the device itself was not measured"),
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_quiet, .offset = AT(quiet)},
	{0},
};

enum {
	DEVICE,
	WORK,
	DTYPE,
	LAW,
	ROWS,
	FITTED,
	MEDIAN,
	MEAN,
	P90,
	BIAS,
	SUM,
	COVERAGE,
	COVERAGE50,
	WIDTH,
	WORST,
	TABLE,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[WORK] = PALEO_COLUMN_TEXT("work", "work"),
	[DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[LAW] = PALEO_COLUMN_TEXT("law", "law"),
	[ROWS] = PALEO_COLUMN_WHOLE("rows", "rows"),
	[FITTED] = PALEO_COLUMN_WHOLE("fitted", "fitted"),
	[MEDIAN] = PALEO_COLUMN_PERCENT("median", "median %"),
	[MEAN] = PALEO_COLUMN_PERCENT("mean", "mean %"),
	[P90] = PALEO_COLUMN_PERCENT("p90", "p90 %"),
	[BIAS] = PALEO_COLUMN_PERCENT("bias", "bias %"),
	[SUM] = PALEO_COLUMN_PERCENT("sum", "sum %"),
	[COVERAGE] = PALEO_COLUMN_PERCENT("coverage", "in 90 % interval"),
	[COVERAGE50] = PALEO_COLUMN_PERCENT("coverage50", "in 50 %"),
	[WIDTH] = PALEO_COLUMN_PERCENT("width", "width %"),
	[WORST] = PALEO_COLUMN_PERCENT("worst", "worst draw %"),
	[TABLE] = PALEO_COLUMN_TEXT("table", "table"),
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->dtype = EVERY_TYPE;
	s->rows = 1000;
	s->draws = 1;
	s->folds = 5;
	s->operand_sets = 1;
}

static int add_row(struct paleo_table *t, const struct paleo_cell *shared, const char *law,
		   const struct paleo_study_errors *e, struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS];

	memcpy(cells, shared, sizeof(cells));
	cells[LAW].text = law;
	cells[MEDIAN].number = e->errors.median;
	cells[MEAN].number = e->errors.mean;
	cells[P90].number = e->errors.p90;
	cells[BIAS].number = e->errors.bias;
	cells[SUM].number = e->errors.sum;
	cells[COVERAGE].number = e->errors.coverage;
	cells[COVERAGE50].number = e->errors.coverage50;
	cells[WIDTH].number = e->errors.width;
	cells[WORST].number = e->worst;
	return paleo_table_add(t, cells, err);
}

static int is_wanted(const struct paleo_work *w, int dtype)
{
	return dtype == EVERY_TYPE || (int)w->dtype == dtype;
}

static void tell_rows(const char *path, int count, const char *why)
{
	paleo_print(stderr, "%s: %d row%s left out: %s\n", path, count, count == 1 ? "" : "s", why);
}

/* What of a table no study is of: rows of other number types, and works without a law. */
static void tell_left_out(const struct paleo_measured *m, int dtype, const char *path)
{
	int others = 0, lawless = 0;

	for (int i = 0; i < m->count; i++) {
		const struct paleo_work *w = &m->rows[i].work;
		if (!is_wanted(w, dtype))
			others++;
		else if (!paleo_study_has(w->kind, w->pass))
			lawless++;
	}
	if (others)
		tell_rows(path, others, "of other number types");
	if (lawless)
		tell_rows(path, lawless, "there is no law for such works");
}

/* One kind and pass of a table. */
static int study_works(const struct paleo_measured *m, const struct paleo_device *d,
		       const struct paleo_study_options *o, const char *path, struct progress *p,
		       struct paleo_table *t, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct paleo_study study;
	char work[32], what[PROGRESS_WHAT_MAX];

	snprintf(work, sizeof(work), o->pass == PALEO_FWD ? "%s" : "%s %s",
		 o->class_name ? o->class_name : paleo_work_kind_name(o->kind),
		 paleo_pass_name(o->pass));
	snprintf(what, sizeof(what), "%s %s, held out in turn: %s", work,
		 paleo_dtype_name(o->dtype), name);
	progress_begin(p, what);
	int rc = paleo_study_works(m, d, o, &study, err);
	progress_clear(p);
	if (rc)
		return rc;
	const struct paleo_cell shared[COLUMNS] = {
		[DEVICE] = {.text = d->name},
		[WORK] = {.text = work},
		[DTYPE] = {.text = paleo_dtype_name(o->dtype)},
		[ROWS] = {.number = study.rows},
		[FITTED] = {.number = study.counts.fitted},
		[TABLE] = {.text = name},
	};
	rc = add_row(t, shared, "tiles", &study.law, err);
	if (!rc && study.counts.corrected)
		rc = add_row(t, shared, "corrected", &study.corrected, err);
	if (!rc)
		rc = add_row(t, shared, "paleo", &study.paleo, err);
	paleo_study_release(&study);
	return rc;
}

/* Element-wise functions are studied one by one, as they are called by a fixed cost of their own,
 * and so are attention, scans and causal convolutions of one token and of many, by kernels of their
 * own; the rest by kind. */
static int has_classes(const struct paleo_work *w)
{
	return w->kind == PALEO_ELTWISE || w->kind == PALEO_ATTENTION || w->kind == PALEO_SCAN ||
	       w->kind == PALEO_CAUSAL_CONV;
}

static const char *class_of(const struct paleo_work *w)
{
	return has_classes(w) ? paleo_work_class(w) : paleo_work_kind_name(w->kind);
}

/* The first row of its class, pass and number type, if that is to be studied. */
static int is_first(const struct paleo_measured *m, int row, int dtype)
{
	const struct paleo_work *w = &m->rows[row].work;

	if (!is_wanted(w, dtype) || !paleo_study_has(w->kind, w->pass))
		return 0;
	for (int i = row - 1; i >= 0; i--) {
		const struct paleo_work *v = &m->rows[i].work;
		if (v->dtype == w->dtype && v->pass == w->pass && !strcmp(class_of(v), class_of(w)))
			return 0;
	}
	return 1;
}

/* Every kind of collective operation of a table. *studied grows by how many there are. */
static int study_collectives(const struct paleo_measured *m, const struct paleo_device *d,
			     const struct paleo_study_options *o, const char *path,
			     struct paleo_table *t, int *studied, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	struct paleo_comm_study *studies = NULL;
	int count = 0, left_out = 0;

	int rc = paleo_study_collectives(m, o, &studies, &count, &left_out, err);
	if (left_out)
		tell_rows(path, left_out, "too few collective operations of a kind");
	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_comm_study *s = &studies[i];
		char work[32];
		if (s->of.ranks)
			snprintf(work, sizeof(work), "%s %d", s->of.op, s->of.ranks);
		else
			snprintf(work, sizeof(work), "%s, all", s->of.op);
		const struct paleo_cell shared[COLUMNS] = {
			[DEVICE] = {.text = d->name},
			[WORK] = {.text = work},
			[DTYPE] = {.text = s->of.how},
			[ROWS] = {.number = s->rows},
			[FITTED] = {.number = s->fitted},
			[TABLE] = {.text = slash ? slash + 1 : path},
		};
		rc = add_row(t, shared, "best form", &s->best, err);
		if (!rc)
			rc = add_row(t, shared, "curve", &s->curve, err);
		if (!rc)
			rc = add_row(t, shared, "alpha-beta", &s->line, err);
		if (!rc)
			rc = add_row(t, shared, "paleo", &s->paleo, err);
	}
	*studied += count;
	free(studies);
	return rc;
}

/* Every kind and pass of a table for which there is a law. */
static int study_table(const struct settings *s, const struct paleo_catalog *c, const char *path,
		       struct paleo_table *t, struct paleo_error *err)
{
	struct paleo_study_options o = {.groups = (enum paleo_study_groups)s->groups,
					.folds = s->folds,
					.rows_max = s->rows,
					.draws = s->draws,
					.operand_sets_max = s->operand_sets};
	const struct paleo_device *d;
	struct paleo_measured m = {0};
	struct progress progress;
	int studied = 0;

	progress_open(&progress, s->quiet);
	o.told = progress_told(&progress);
	int rc = paleo_measured_read(path, &m, err);
	if (rc) /* its sentence begins with the path */
		return rc;
	rc = paleo_catalog_find_measured(c, s->device, m.gpu, &d, err);
	if (!rc) {
		paleo_measured_check(&m, d);
		tables_tell_refused(&m, path, stderr);
		tell_left_out(&m, s->dtype, path);
	}
	for (int i = 0; !rc && i < m.count; i++) {
		const struct paleo_work *w = &m.rows[i].work;
		if (!is_first(&m, i, s->dtype))
			continue;
		o.dtype = w->dtype;
		o.kind = w->kind;
		o.pass = w->pass;
		o.class_name = has_classes(w) ? class_of(w) : NULL;
		rc = study_works(&m, d, &o, path, &progress, t, err);
		studied += !rc;
		/* Too few of them, or a type that the device lacks: others may do. */
		if (rc == PALEO_EINPUT || rc == PALEO_EUNSUPPORTED) {
			paleo_print(stderr, "%s: left out: %s\n", path, err->text);
			rc = PALEO_OK;
		}
	}
	if (!rc && m.collective_count)
		rc = study_collectives(&m, d, &o, path, t, &studied, err);
	if (!rc && !studied)
		rc = paleo_fail(err, PALEO_EINPUT, "has no rows that can be studied");
	if (rc)
		paleo_error_prefix(err, "%s", path);
	paleo_measured_release(&m);
	return rc;
}

static int has_other_options(const struct settings *s)
{
	struct settings usual = {0};

	defaults(&usual);
	return s->groups != usual.groups || s->rows != usual.rows || s->draws != usual.draws ||
	       s->folds != usual.folds || s->operand_sets != usual.operand_sets;
}

static int study_whole_nets(const struct settings *s, const char *const *tables, int count)
{
	const struct study_nets_settings of = {
		.nets = s->nets,
		.device = s->device,
		.devices = s->devices,
		.dtype = s->dtype,
		.optimizer = s->optimizer,
		.format = (enum paleo_table_format)s->format,
		.quiet = s->quiet,
	};
	struct paleo_error err = {0};
	int rc =
		has_other_options(s)
			? paleo_fail(&err, PALEO_EINPUT,
				     "--nets goes without --hold-out, --rows, --draws, --folds and "
				     "--operand-sets")
			: study_nets(&of, tables, count, &err);

	return rc ? command_fail(&command_study, &err) : EXIT_GOOD;
}

static int study_knowledge(const struct settings *s, int count)
{
	struct paleo_error err = {0};
	int rc = count || s->nets || s->device || has_other_options(s)
			 ? paleo_fail(&err, PALEO_EINPUT,
				      "--presets goes without tables, and with --format alone")
			 : study_presets((enum paleo_table_format)s->format, &err);

	return rc ? command_fail(&command_study, &err) : EXIT_GOOD;
}

static int study_tables(const struct settings *s, const char *const *arguments, int count)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	struct paleo_error err = {0};
	struct paleo_catalog c = {0};
	int rc, code = EXIT_GOOD, studied = 0;

	rc = t ? paleo_catalog_make(s->devices, &c, &err)
	       : paleo_fail(&err, PALEO_ENOMEM, "out of memory for a table");
	/* A table that cannot be studied does not take the others' rows away. */
	for (int i = 0; !rc && i < count; i++)
		if (study_table(s, &c, arguments[i], t, &err))
			code = command_fail(&command_study, &err);
		else
			studied++;
	if (!rc && studied)
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, &err);
	paleo_catalog_release(&c);
	paleo_table_free(t);
	return rc ? command_fail(&command_study, &err) : code;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;

	if (s->presets)
		return study_knowledge(s, count);
	if (!count) {
		paleo_print(stderr, "paleo-study: no tables were given (see --help)\n");
		return EXIT_MISUSE;
	}
	return s->nets ? study_whole_nets(s, arguments, count) : study_tables(s, arguments, count);
}

const struct command command_study = {
	.name = "study",
	.what = "prints how well laws predict times that others measured, held out of the fit",
	.usage = "TABLE.csv[.gz]...",
	.about =
		"Reads tables of measured times, one GPU each (the columns are listed in "
		"docs/reference/tables.md), and fits two laws to each kind of work and pass: the "
		"law "
		"of tiles "
		"or of its kind, and PALEO's with one percentage of the peak. Where the fitted "
		"rows themselves say that it helps, a third line has the first law corrected by "
		"what "
		"it errs by at rows near. All rows of a layer, whatever the batch, are held out of "
		"the fit together, and predicted by it: the columns are the median, mean and 90 % "
		"quantile of |predicted / measured - 1|, the bias (geometric mean), and the error "
		"of "
		"the sum of all times; then the share of measured times within the 90 and the 50 % "
		"interval of their predictions, and the mean width of the 90 % one as a share of "
		"the predicted time. Intervals come from rows held out once more, within each fit. "
		"Presets of the same chip take no part.\n"
		"Rows that the device cannot have, above its peak or bandwidth, are refused; their "
		"number and the reason go to stderr.\n"
		"With --nets tables are of whole nets as a framework ran them. The works of "
		"'paleo predict --framework' are summed; a net is predicted by them and the "
		"factor of the other nets of the same mode, phase and layout. Nets with one "
		"title are held out together. Data formats give every row.\n"
		"Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-study times.csv.gz\n"
		    "paleo-study --rows 20 --draws 5 times.csv.gz\n"
		    "paleo-study --presets\n"
		    "paleo-study --nets my-nets --optimizer momentum whole-nets.csv\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
