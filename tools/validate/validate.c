/* validate.c - the command `validate`: the error on ops and nets that a fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/table.h"
#include "base/text.h"
#include "calib/fit.h"
#include "library/source.h"
#include "model/predict/calibration.h"
#include "model/predict/calibration_file.h"
#include "model/predict/predict.h"
#include "model/record/graph_record.h"
#include "model/record/record.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/cli/view.h"
#include "tools/print/print.h"
#include "tools/session/measured.h"
#include "tools/session/progress.h"
#include "tools/validate/layers.h"
#include "tools/validate/study.h"
#include "tools/validate/trace.h"
#include "tools/validate/validation_print.h"

#define COLUMNS(X)                                                                                 \
	FULLPASS_COLUMNS(X, "whole net")                                                           \
	X(PALEO_COLUMN_TIME("full_s", "full"), .number = full)                                     \
	X(PALEO_COLUMN_PERCENT("measured_sum_error", "meas sum %"),                                \
	  .number = plain_error(&alone, full))                                                     \
	X(PALEO_COLUMN_PERCENT("measured_sum_corrected_error", "corrected %"),                     \
	  .number = corrected_error(from, &alone, full))                                           \
	X(PALEO_COLUMN_PERCENT("predicted_sum_error", "pred sum %"),                               \
	  .number = plain_error(&predicted, full))                                                 \
	X(PALEO_COLUMN_PERCENT("predicted_sum_corrected_error", "corrected %"),                    \
	  .number = corrected_error(from, &predicted, full))                                       \
	X(PALEO_COLUMN_RATIO("factor", "factor"), .number = from ? from->factor : NAN)             \
	X(PALEO_COLUMN_RATIO("update_factor", "updates'"),                                         \
	  .number = from && from->update_factor > 0 ? from->update_factor : NAN)                   \
	X(PALEO_COLUMN_WHOLE("nets", "of nets"), .number = from ? (double)from->nets : NAN)        \
	X(PALEO_COLUMN_PERCENT("predicted_whole_error", "by its own factor %"),                    \
	  .number = corrected_error(own, &predicted, full))

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* A sum over the rows of a pass: forward and backward, and updates. NaN where one is not known. */
struct parts {
	double layers_s, updates_s;
};

static struct parts predict(const struct paleo_calibration *c, const struct paleo_graph_record *f)
{
	struct parts sum = {.layers_s = c ? 0 : NAN};

	for (int i = 0; c && i < f->count; i++) {
		const struct paleo_net_row *row = &f->rows[i].row;
		struct paleo_prediction p;
		struct paleo_error ignored;
		int rc = paleo_predict_op(c, &row->op, &p, &ignored);
		*(row->pass == PALEO_PASS_UPDATE ? &sum.updates_s : &sum.layers_s) +=
			rc ? NAN : p.parts.total_s;
	}
	return sum;
}

/* Error of a sum as it is, and of one that is corrected; NaN without a correction. */
static double plain_error(const struct parts *p, double full_s)
{
	return (p->layers_s + p->updates_s) / full_s - 1;
}

static double corrected_error(const struct paleo_pass_correction *c, const struct parts *p,
			      double full_s)
{
	return c ? paleo_pass_time(c, p->layers_s, p->updates_s) / full_s - 1 : NAN;
}

static int add(const struct paleo_results *r, const struct paleo_calibration *c,
	       const struct paleo_graph_record *f, struct paleo_table *t, struct paleo_error *err)
{
	const struct paleo_pass_correction like = {
		.extent = f->extent, .dtype = f->dtype, .layout = f->layout, .fused = f->fused};
	struct paleo_calibration others = {.backend = ""};
	double full = f->timing.median_s, updates = paleo_graph_record_updates_s(f);
	const struct parts alone = {paleo_graph_record_isolated_s(f) - updates, updates};
	const struct parts predicted = predict(c, f);
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	others.pass_count = paleo_fit_passes(r->passes, r->pass_count, f->net, others.passes);
	const struct paleo_pass_correction *from = paleo_calibration_pass(&others, &like);
	const struct paleo_pass_correction *own = c ? paleo_calibration_pass(c, &like) : NULL;
	paleo_graph_record_title(f->extent, f->layout, f->fused, title);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

/*
 * Prints, for each whole pass that was measured, the error of its rows' sum (measured
 * alone; predicted, where there is a calibration, which may be NULL), without the
 * correction for whole passes and with one fitted to the other nets alone. Nothing
 * where there is no pass.
 */
static int pass_table_print(const struct paleo_results *r, const struct paleo_calibration *c,
			    enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t;
	int rc = PALEO_OK, some = 0;

	for (int i = 0; i < r->pass_count; i++)
		some |= r->passes[i].status == PALEO_RECORD_OK;
	if (!some && r->pass_count && !r->count)
		return paleo_fail(err, PALEO_EINPUT, "no full pass has a time");
	if (!some)
		return PALEO_OK;
	t = PALEO_TABLE_OF(columns);
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < r->pass_count; i++)
		if (r->passes[i].status == PALEO_RECORD_OK)
			rc = add(r, c, &r->passes[i], t, err);
	if (!rc && !paleo_table_is_data(format))
		fputs("\nFull passes, corrected by the other networks' factor (leave one "
		      "network out):\n",
		      out);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}

struct settings {
	const char *calibration, *device, *devices;
	int cost_model, stack, dtype, groups, draws, optimizer;
	int operand_sets, rows, mode, format;
	struct view view;
};

enum {
	DEFAULT_ROWS = 1000
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE_BUT(calibration, AT(calibration),
		 "validate this calibration (default: fit anew with each part held out)"),
	LIKE_BUT(mode, AT(mode), "cache state of the records to use: {words} (default cold)"),
	LIKE(device_of_tables, AT(device)),
	LIKE(device_file, AT(devices)),
	LIKE_BUT(cost_model_of_ops, AT(cost_model),
		 "of tables: auto cross-validates the cost models of each kind of op; "
		 "calibrated fits all kinds as paleo-calibrate does; presets judges what "
		 "paleo-predict answers without measurements; presets-excluding-self the "
		 "same by presets of other GPUs; without tables, presets prints their "
		 "transfer error (default auto)"),
	LIKE_MORE(stack, AT(stack), "; with --cost-model presets"),
	LIKE_BUT(dtype, AT(dtype),
		 "of tables: rows of this dtype only: {words} (default: each); with "
		 "a profile's network: its dtype (default: its own)"),
	LIKE(hold_out, AT(groups)),
	LIKE(rows, AT(rows)),
	LIKE(draws, AT(draws)),
	LIKE(operand_sets, AT(operand_sets)),
	LIKE_BUT(optimizer, AT(optimizer),
		 "of whole networks in training: optimizer step: {words} (default sgd)"),
	LIKE(format, AT(format)),
	LIKE_BUT(top, AT(view.top),
		 "show the first N lines of each table (default: 10 if there are more than 30)"),
	LIKE(sort_lines, AT(view.sort)),
	LIKE(all, AT(view.all)),
	LIKE_BUT(quiet, AT(view.quiet),
		 "print only the verdict, and no progress line on a terminal"),
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->view.sort = VIEW_NET;
	s->dtype = PALEO_DTYPES;
	s->rows = DEFAULT_ROWS;
	s->draws = s->operand_sets = 1;
}

/* The narrowest dtype: a source for fp8 has bf16, too. */
static enum paleo_dtype dtype_of(const struct paleo_results *r)
{
	enum paleo_dtype dtype = r->records[0].op.dtype;

	for (int i = 1; i < r->count; i++)
		if (paleo_dtype_wide(r->records[i].op.dtype) != r->records[i].op.dtype)
			dtype = r->records[i].op.dtype;
	return dtype;
}

/* Validates what `predict` answers for the tables' device, of which nothing was measured here. */
static int judge_presets(const struct settings *s, const struct paleo_results *r,
			 struct paleo_validation *out, struct paleo_error *err)
{
	const struct paleo_source_wish wish = {.cost_model = PALEO_COST_MODEL_PRESETS,
					       .dtype = dtype_of(r),
					       .stack = (enum paleo_stack)s->stack,
					       .device = r->meta.device.name,
					       .devices = s->devices};
	struct paleo_source source;

	PALEO_TRY(paleo_choose_source(&wish, &source, err));
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout, "validated: %s\n",
		    source.title);
	int rc = paleo_validate_calibration(&source.calibration, r, out, err);
	paleo_source_release(&source);
	return rc;
}

/* What predicts for the device of a trace: the calibration given, its own, or presets. */
static int judge_trace(const struct settings *s, const struct paleo_results *r,
		       struct paleo_error *err)
{
	const struct paleo_device_info who = {.device = r->meta.device, .threads = r->meta.threads};
	const struct paleo_source_wish wish = {
		.cost_model = s->calibration ? PALEO_COST_MODEL_AUTO
					     : (enum paleo_cost_model)s->cost_model,
		.dtype = dtype_of(r),
		.stack = (enum paleo_stack)s->stack,
		.who = &who,
		.devices = s->devices,
		.calibration = s->calibration};
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
	struct paleo_source source;
	int rc = paleo_choose_source(&wish, &source, err);

	if (rc)
		return rc;
	paleo_print(notes, "predicted: %s\n", source.title);
	rc = trace_print(r, &source.calibration, &s->view, (enum paleo_table_format)s->format,
			 stdout, err);
	paleo_source_release(&source);
	return rc;
}

static int judge(const struct settings *s, const struct paleo_results *r, int tables,
		 struct paleo_validation *out, struct paleo_error *err)
{
	struct progress progress;
	const struct paleo_fit_options how = {.mode = tables ? "hot" : choice_mode[s->mode],
					      .operand_sets = s->operand_sets,
					      .rows_max = s->rows,
					      .progress = progress_listener(&progress)};
	struct paleo_calibration c;

	if (s->cost_model == PALEO_COST_MODEL_PRESETS)
		return judge_presets(s, r, out, err);
	progress_open(&progress, s->view.quiet);
	if (!s->calibration) {
		progress_begin(&progress, "cross-validating: parts of the ops, then each network");
		int failed = paleo_validate(r, &how, out, err);
		progress_clear(&progress);
		return failed;
	}
	PALEO_TRY(paleo_calibration_load(s->calibration, &c, err));
	int rc = paleo_validate_calibration(&c, r, out, err);
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
	PALEO_TRY(paleo_calibration_load(s->calibration, &c, err));
	int rc = !strcmp(c.device.name, r->meta.device.name)
			 ? pass_table_print(r, &c, format, stdout, err)
			 : paleo_fail(err, PALEO_EINPUT,
				      "the calibration is of '%s', the passes are of '%s'",
				      c.device.name, r->meta.device.name);
	paleo_calibration_release(&c);
	return rc;
}

/* Whole passes are judged by themselves where there is nothing else. */
static int validate_passes(const struct settings *s, const struct paleo_results *r,
			   struct paleo_error *err)
{
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout,
		    "%d full pass%s of %s, no ops: %s\n", r->pass_count,
		    r->pass_count == 1 ? "" : "es", r->meta.device.title, r->meta.versions);
	return print_passes(s, r, err);
}

static int validate_ops(const struct settings *s, const struct paleo_results *r, int tables,
			struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
	struct paleo_validation v = {0};

	int rc = judge(s, r, tables, &v, err);
	if (!rc) {
		paleo_print(notes, "%d record%s of %s: %s\n", r->count, r->count == 1 ? "" : "s",
			    r->meta.device.title, r->meta.versions);
		if (s->cost_model != PALEO_COST_MODEL_PRESETS)
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

static int validate(const struct settings *s, const char *const *files, int count, int tables,
		    struct paleo_error *err)
{
	struct paleo_results results = {0};

	const struct tables_settings ts = {
		.device = s->device,
		.devices = s->devices,
		.dtype = s->dtype < PALEO_DTYPES ? paleo_dtype_name((enum paleo_dtype)s->dtype)
						 : NULL,
		.notes = stderr};
	int rc = tables ? tables_read(&ts, files, count, &results, err)
			: merge_results(files, count, &results, err);
	if (!rc && tables && results.net_count)
		rc = judge_trace(s, &results, err);
	else if (!rc)
		rc = !results.count && results.pass_count ? validate_passes(s, &results, err)
							  : validate_ops(s, &results, tables, err);
	paleo_results_release(&results);
	return rc;
}

/* Published tables without a calibration: cost models are cross-validated on them. */
static int study(const struct settings *s, const char *const *tables, int count)
{
	const struct study_settings of = {
		.device = s->device,
		.devices = s->devices,
		.dtype = s->dtype,
		.groups = s->groups,
		.rows = s->cost_model == PALEO_COST_MODEL_EXCLUDING_SELF ? 0 : s->rows,
		.draws = s->draws,
		.operand_sets = s->operand_sets,
		.format = (enum paleo_table_format)s->format,
		.quiet = s->view.quiet};

	return study_tables(&of, tables, count);
}

/* Tables of whole networks, then the folder of the networks. */
static int study_folder(const struct settings *s, const char *const *arguments, int count,
			struct paleo_error *err)
{
	const struct study_nets_settings of = {.nets = arguments[count - 1],
					       .device = s->device,
					       .devices = s->devices,
					       .dtype = s->dtype,
					       .optimizer = s->optimizer,
					       .format = (enum paleo_table_format)s->format,
					       .quiet = s->view.quiet};

	if (count == 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: the folder of networks follows tables of them",
				  arguments[0]);
	if (s->groups || s->rows != DEFAULT_ROWS || s->draws != 1 || s->operand_sets != 1)
		return paleo_fail(
			err, PALEO_EINPUT,
			"tables of whole networks take no --hold-out, --rows, --draws and "
			"--operand-sets");
	return study_nets(&of, arguments, count - 1, err);
}

static int is_folder(const char *path)
{
	struct stat found;

	return !stat(path, &found) && S_ISDIR(found.st_mode);
}

/* Tables alone are studied, and not by a calibration. */
static int is_studied(const struct settings *s, int given)
{
	return given == TABLES_ALONE && !s->calibration &&
	       s->cost_model != PALEO_COST_MODEL_CALIBRATED &&
	       s->cost_model != PALEO_COST_MODEL_PRESETS;
}

/* Layers of a network beside those of an engine that was made of it. */
static int judge_layers(const struct settings *s, const char *const *files, int count,
			struct paleo_error *err)
{
	const struct engine_wish wish = {.given = files,
					 .count = count,
					 .dtype = s->dtype < PALEO_DTYPES ? 1 + s->dtype : 0,
					 .device = s->device,
					 .devices = s->devices,
					 .calibration = s->calibration,
					 .cost_model = (enum paleo_cost_model)s->cost_model,
					 .stack = (enum paleo_stack)s->stack};

	return layers_print(&wish, &s->view, (enum paleo_table_format)s->format, stdout, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct paleo_error err = {0};
	int rc, printed = 0;

	if (!count && s->cost_model != PALEO_COST_MODEL_PRESETS)
		return command_misuse(&command_validate, "no records or tables were given, for "
							 "example paleo-results/DEVICE/*.jsonl");
	const int engine = engine_given(arguments, count);
	if (engine && engine < count)
		return command_misuse(
			&command_validate,
			"a profile of layers and its network are judged by themselves");
	if (engine)
		return judge_layers(s, arguments, count, &err)
			       ? command_fail(&command_validate, &err)
			       : EXIT_GOOD;
	const int given = count && !is_folder(arguments[count - 1])
				  ? tables_given(arguments, count, &err)
				  : 0;
	if (given < 0)
		return command_fail(&command_validate, &err);
	if (count && s->cost_model == PALEO_COST_MODEL_DATASHEET && given != TABLES_TRACES)
		return command_misuse(&command_validate,
				      "tables take --cost-model auto, calibrated, presets or "
				      "presets-excluding-self");
	if (given == TABLES_TRACES &&
	    trace_print_names(arguments, count, &s->view, (enum paleo_table_format)s->format,
			      stdout, &printed, &err))
		return command_fail(&command_validate, &err);
	if (printed)
		return EXIT_GOOD;
	if (!count)
		rc = study_presets((enum paleo_table_format)s->format, &err);
	else if (is_folder(arguments[count - 1]))
		rc = study_folder(s, arguments, count, &err);
	else if (is_studied(s, given))
		return study(s, arguments, count);
	else
		rc = validate(s, arguments, count, given, &err);
	return rc ? command_fail(&command_validate, &err) : EXIT_GOOD;
}

const struct command command_validate = {
	.name = "validate",
	.what = "cross-validate a calibration, or cost models on published tables",
	.usage = "RECORDS.jsonl[.gz]... | TABLE.csv[.gz]... [FOLDER] | TRACE... | PROFILE NET "
		 "[LAYERS]",
	.about = "Records are cross-validated: a part is held out of the fit and predicted, by "
		 "shape (in all passes), then by network (all its ops). PALEO % is the "
		 "original's cost model, fitted to the same rows with one percentage of peak per "
		 "class, pass and dtype. With --calibration, that calibration is validated, and "
		 "the records it was fitted to are counted; errors on those prove nothing.\n"
		 "On published timing tables, one GPU each (columns: docs/reference/tables.md), "
		 "the cost models of each kind of op and pass, and PALEO's, are cross-validated. "
		 "All batch sizes of a layer are held out together. 'corrected' adjusts the "
		 "first cost model by its error on similar rows, where that helps on the fitted "
		 "rows. Intervals come from a nested hold-out within each fit. Rows above the "
		 "device's peak or bandwidth are refused; stderr has their number and the "
		 "reason.\n"
		 "Of tables of whole networks timed in a framework, with the FOLDER of network "
		 "files (MODEL-IMAGE.json or MODEL.json), each is predicted as the sum of its "
		 "ops times a factor fitted to other networks of the same mode, phase and "
		 "layout. Networks with the same title are held out together. Data formats "
		 "print every row.\n"
		 "A trace of torch.profiler (record_shapes=True) is printed op by op, measured "
		 "next to predicted; Nsight Systems' JSON lines or trtexec's profile as time by "
		 "name. With the NET that a trtexec PROFILE is of, and LAYERS (trtexec "
		 "--exportLayerInfo), it is printed layer by layer, next to predictions.\n"
		 "Errors are |predicted / measured - 1| in percent: median, mean, 90th "
		 "percentile; signed: geometric mean (bias) and the error of the sum; then the "
		 "coverage of the 90 % and 50 % intervals, and the width of the 90 % interval. "
		 "For an op in several files, the last file counts. --format csv has more "
		 "columns.\n"
		 "Exit status: 0 success, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-validate paleo-results/cpu-amd-epyc/*.jsonl\n"
		    "paleo-validate --calibration l4.json times.csv\n"
		    "paleo-validate --rows 20 --draws 5 times.csv.gz\n"
		    "paleo-validate --optimizer momentum whole-nets.csv my-nets\n"
		    "paleo-validate --cost-model presets\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
