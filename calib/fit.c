/* fit.c - from measured ops to the factors of a calibration, judged on held-out rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_parts.h"
#include "calib/fit_rows.h"
#include "calib/intervals.h"
#include "model/device/backends.h"
#include "model/predict/trees.h"

enum {
	CHOICE_MIN = 20, /* fewer held-out rows do not take a group's own model away */
	FEW = 8,         /* fewer rows lean on those of other passes */
};

/* Options for fitting a set of rows. */
struct how {
	const struct paleo_device *device;
	int folds;         /* 0: paleo_intervals_parts(); 1: none is held out */
	int kernel_models; /* 1: kernel models where they apply */
	int host;          /* 1: those of CPUs; 0: of GPUs, and corrections */
	int operand_sets;  /* struct paleo_fitted_kernel */
	int rows_max;      /* of a group; 0: all that were collected */
	double share;      /* of the rows that are not held out; 0: all */
	struct paleo_progress progress;
};

/* Some rows of one kind, and a group among them. */
struct group {
	const struct paleo_fit_row *kind; /* all rows of the kind */
	int kind_count;
	const struct paleo_fit_row *of_class; /* of all passes */
	int class_count;
	const struct paleo_fit_row *rows; /* the group's own */
	int count;
};

/* The kernel model of the first row that has one. */
static const struct paleo_kernel_model *form_of(const struct group *g, int host)
{
	const struct paleo_kernel_model *kernel = NULL;

	for (int i = 0; i < g->count && !kernel; i++)
		kernel = paleo_kernel_model_for(g->rows[i].op, host);
	return kernel;
}

/* Copies the rows that the model is fitted to: of the group, or of its pass. */
static int rows_for(const struct paleo_kernel_model *kernel, const struct group *g,
		    struct paleo_fit_row *out)
{
	const struct paleo_fit_row *from = kernel->across ? g->kind : g->rows;
	int count = kernel->across ? g->kind_count : g->count, n = 0;

	for (int i = 0; i < count; i++)
		if (from[i].op->pass == g->rows[0].op->pass && kernel->applies(from[i].op))
			out[n++] = from[i];
	return n;
}

/* *out is NULL without one, or if the device lacks data: the smooth cost model is kept. */
static int own_form(const struct group *g, const struct how *how, struct paleo_fitted_kernel **out,
		    struct paleo_error *err)
{
	const struct paleo_kernel_model *kernel = form_of(g, how->host);
	struct paleo_fit_row *rows = NULL;
	struct paleo_fitted_kernel *m = NULL;
	int rc;

	*out = NULL;
	if (!kernel)
		return PALEO_OK;
	rows = malloc((size_t)g->kind_count * sizeof(*rows));
	m = malloc(sizeof(*m));
	rc = rows && m ? paleo_fit_form(kernel, how->device, rows, rows_for(kernel, g, rows),
					how->operand_sets, m, err)
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", g->kind_count);
	free(rows);
	if (rc)
		free(m);
	else
		*out = m;
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

/* A GEMM does all of its operations, so it is not faster than a measured peak. Without this bound,
 * some fits compensate memory time added to compute (overlap 1) by 1.5 times the peak. */
static double compute_max(const struct paleo_fit_row *rows, const struct how *how)
{
	return how->device->measured && rows[0].op->kind == PALEO_GEMM ? 1 : 2;
}

/* Fits a group with few rows near its class, and that near its kind. */
static int fit_few(const struct group *g, const struct paleo_class_model *kind, double most,
		   struct paleo_class_model *out, struct paleo_error *err)
{
	struct paleo_class_model near;
	int rc = paleo_fit_group(g->of_class, g->class_count, PALEO_FIT_CLASS, most, kind, &near,
				 err);

	return rc ? rc : paleo_fit_group(g->rows, g->count, PALEO_FIT_FEW, most, &near, out, err);
}

/* Fits the factor of one group to its own rows, shrunk to that of its kind or class. */
static int fit_one(const struct group *g, const struct paleo_class_model *kind,
		   const struct how *how, struct paleo_class_model *out, struct paleo_error *err)
{
	const struct paleo_op *w = g->rows[0].op;
	double most = compute_max(g->rows, how);
	int rc = g->count < FEW ? fit_few(g, kind, most, out, err)
				: paleo_fit_group(g->rows, g->count, PALEO_FIT_GROUP, most, kind,
						  out, err);

	if (!rc)
		rc = paleo_fit_rows_ppp(g->rows, g->count, &out->ppp, err);
	out->model = NULL;
	if (!rc && how->kernel_models)
		rc = own_form(g, how, &out->model, err);
	snprintf(out->class_name, sizeof(out->class_name), "%s", paleo_op_class(w));
	out->pass = w->pass;
	out->dtype = w->dtype;
	return rc;
}

/* The rows of one kind: their common values first, then each group near these. */
static int fit_kind(const struct paleo_fit_row *rows, int count, const struct how *how,
		    struct paleo_calibration *c, struct paleo_error *err)
{
	const struct paleo_class_model guess = paleo_fit_first_guess();
	struct paleo_class_model kind;
	int rc = paleo_fit_group(rows, count, PALEO_FIT_KIND, compute_max(rows, how), &guess, &kind,
				 err);

	for (int first = 0, start = 0, end = 0, n; !rc && first < count; first += n) {
		if (first == end) {
			start = first;
			end += paleo_fit_rows_class(rows + first, count - first);
		}
		n = paleo_fit_rows_group(rows + first, count - first);
		const struct group g = {rows, count, rows + start, end - start, rows + first, n};
		rc = fit_one(&g, &kind, how, &c->models[c->count++], err);
	}
	return rc;
}

/* One factor for each group, at most `count`, owned by the caller. Without held-out errors. */
static int fit_factors(const struct paleo_fit_row *rows, int count, const struct how *how,
		       struct paleo_calibration *c, struct paleo_error *err)
{
	c->models = calloc((size_t)count, sizeof(*c->models));
	c->count = 0;
	if (!c->models)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int first = 0; first < count;) {
		int size = paleo_fit_rows_kind(rows + first, count - first);
		PALEO_TRY(fit_kind(rows + first, size, how, c, err));
		first += size;
	}
	return PALEO_OK;
}

/* No corrections for CPUs: they gained nothing (docs/method/cpu-cost-model.md). */
static int add_corrections(const struct paleo_fit_row *rows, int count, const struct how *how,
			   struct paleo_calibration *c, struct paleo_error *err)
{
	return how->host ? PALEO_OK : paleo_fit_corrections(rows, count, c, err);
}

/* Rows before they are predicted. */
static void fill_held(const struct paleo_fit_row *rows, int count, struct paleo_heldout_row *held)
{
	for (int first = 0, n; first < count; first += n) {
		n = paleo_fit_rows_group(rows + first, count - first);
		for (int i = first; i < first + n; i++) {
			held[i] = (struct paleo_heldout_row){.predicted_s = NAN,
							     .ratio = NAN,
							     .shape = rows[i].shape,
							     .group = first,
							     .part = rows[i].fold};
			paleo_op_place(rows[i].op, held[i].at);
		}
	}
}

/* Copies the rows that are not of this fold. */
static int leave_out(const struct paleo_fit_row *rows, int count, int fold,
		     struct paleo_fit_row *out)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		if (rows[i].fold != fold)
			out[n++] = rows[i];
	return n;
}

/* Predicts the rows of a fold by a calibration that was fitted to the others. */
static int predict_part(const struct paleo_fit_row *rows, int count, int fold,
			const struct paleo_calibration *c, struct paleo_heldout_row *held,
			struct paleo_error *err)
{
	struct paleo_prediction p;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		if (rows[i].fold != fold)
			continue;
		rc = paleo_predict_op(c, rows[i].op, &p, err);
		held[i].predicted_s = rc ? NAN : p.parts.total_s;
		held[i].ratio = rc ? NAN : exp(rows[i].log_s) / p.parts.total_s;
	}
	return rc;
}

/* Leaves the smooth cost model of each factor alone. */
static void drop_forms(struct paleo_calibration *c)
{
	for (int i = 0; i < c->count; i++) {
		free(c->models[i].model);
		c->models[i].model = NULL;
		paleo_trees_release(&c->models[i].correction);
	}
}

/* Predictor of a fold's rows: with its correction or without. */
enum by {
	KERNEL,
	KERNEL_ALONE,
	SMOOTH,
	SMOOTH_ALONE,
	WAYS
};

/* Rows, which of their folds is held out, and those that are left. */
struct folded {
	const struct paleo_fit_row *rows;
	int count, fold;
	const struct paleo_fit_row *rest;
	int left;
};

/* Predicts rows of a fold by the cost models of a calibration, without and with the correction
 * fitted to the rest. */
static int predict_both(const struct folded *f, const struct how *how, struct paleo_calibration *c,
			struct paleo_heldout_row *with, struct paleo_heldout_row *alone,
			struct paleo_error *err)
{
	PALEO_TRY(predict_part(f->rows, f->count, f->fold, c, alone, err));

	PALEO_TRY(add_corrections(f->rest, f->left, how, c, err));
	return predict_part(f->rows, f->count, f->fold, c, with, err);
}

/* Predicts each row by a fit without its fold, NaN where there is none: with the kernel models, and
 * by the smooth cost model. held[] are the rows once for each. */
static int hold_out(const struct paleo_fit_row *rows, int count, const struct how *how,
		    struct paleo_heldout_row *const held[WAYS], struct paleo_error *err)
{
	struct paleo_fit_row *rest = malloc((size_t)count * sizeof(*rest));
	int rc = rest ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int way = 0; way < WAYS; way++)
		fill_held(rows, count, held[way]);
	for (int fold = 0; !rc && fold < how->folds; fold++) {
		struct paleo_calibration c = {.device = *how->device};
		int n = leave_out(rows, count, fold, rest);
		if (n == 0 || n == count)
			continue;
		paleo_progress_report(&how->progress, fold, how->folds);
		const struct folded f = {rows, count, fold, rest, n};
		rc = fit_factors(rest, n, how, &c, err);
		if (!rc)
			rc = predict_both(&f, how, &c, held[KERNEL], held[KERNEL_ALONE], err);
		if (how->kernel_models)
			drop_forms(&c);
		if (!rc && how->kernel_models)
			rc = predict_both(&f, how, &c, held[SMOOTH], held[SMOOTH_ALONE], err);
		paleo_calibration_release(&c);
	}
	free(rest);
	return rc;
}

/* Per group, the kernel model or the smooth cost model, whichever had the smaller held-out error
 * without correction, as a correction does not extrapolate. held[KERNEL] becomes that one's. With
 * few rows the kernel model is kept, as its presets are better than a fit. */
static void choose_forms(const struct paleo_fit_row *rows, int count,
			 struct paleo_heldout_row *const held[WAYS], struct paleo_class_model *f)
{
	for (int first = 0; first < count; f++) {
		int size = paleo_fit_rows_group(rows + first, count - first), n;
		double with = paleo_intervals_error(held[KERNEL_ALONE] + first, size, &n);
		double without = paleo_intervals_error(held[SMOOTH_ALONE] + first, size, &n);
		if (f->model && n >= CHOICE_MIN && without < with) {
			free(f->model);
			f->model = NULL;
		}
		if (!f->model)
			memcpy(held[KERNEL] + first, held[SMOOTH] + first,
			       (size_t)size * sizeof(*held[KERNEL]));
		first += size;
	}
}

/* Fills in the held-out errors of factors, and keeps the better model of each. Deals the rows. */
static int hold_out_forms(struct paleo_fit_row *rows, int count, const struct how *how,
			  struct paleo_class_model *factors, struct paleo_error *err)
{
	struct paleo_heldout_row *all = malloc(WAYS * (size_t)count * sizeof(*all));
	struct paleo_heldout_row *held[WAYS];
	struct how parts = *how;

	if (!all)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int way = 0; way < WAYS; way++)
		held[way] = all + (size_t)way * (size_t)count;
	if (!parts.folds)
		parts.folds = paleo_intervals_parts(count);
	int rc = paleo_fit_rows_deal(rows, count, parts.folds, err);
	if (!rc)
		rc = hold_out(rows, count, &parts, held, err);
	if (!rc && how->kernel_models)
		choose_forms(rows, count, held, factors);
	if (!rc && how->kernel_models && !how->host)
		rc = paleo_fit_spreads(rows, count, held[KERNEL], how->device, factors, err);
	if (!rc)
		rc = paleo_fit_judge(rows, count, held[KERNEL], factors, err);
	free(all);
	return rc;
}

/* Factors with their held-out errors; folds 1 leaves those NaN. */
static int fit_judged(struct paleo_fit_row *rows, int count, const struct how *how,
		      struct paleo_calibration *c, struct paleo_error *err)
{
	int rc = fit_factors(rows, count, how, c, err);

	if (!rc && how->folds != 1)
		rc = hold_out_forms(rows, count, how, c->models, err);
	return rc ? rc : add_corrections(rows, count, how, c, err);
}

static int list_seen(const struct paleo_fit_rows *rows, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	c->seen = malloc((size_t)rows->count * sizeof(*c->seen));
	if (!c->seen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < rows->count; i++)
		c->seen[i] = paleo_op_hash(rows->rows[i].op);
	qsort(c->seen, (size_t)rows->count, sizeof(*c->seen), paleo_compare_hashes);
	c->seen_count = rows->count;
	return PALEO_OK;
}

static void describe(const struct paleo_results *r, const struct paleo_fit_options *o,
		     const struct paleo_fit_rows *rows, struct paleo_calibration *c)
{
	c->device = r->meta.device;
	c->threads = r->meta.threads;
	c->records = rows->count;
	c->timed_by = r->meta.timed_by;
	c->speed = rows->speed;
	c->speed_sd = rows->speed_sd;
	memcpy(c->backend, r->meta.backend, sizeof(c->backend));
	memcpy(c->versions, r->meta.versions, sizeof(c->versions));
	if (r->count)
		snprintf(c->regime, sizeof(c->regime), "%s", r->records[0].regime);
	snprintf(c->mode, sizeof(c->mode), "%s", o->mode ? o->mode : "cold");
	snprintf(c->created_utc, sizeof(c->created_utc), "%s",
		 o->created_utc ? o->created_utc : "");
}

int paleo_fit_has_kernel_models(const struct paleo_results *r)
{
	return paleo_backend_find(r->meta.backend)->hardware == PALEO_GPU;
}

static struct how how_to_fit(const struct paleo_results *r, const struct paleo_fit_options *o,
			     int folds)
{
	int hot = o->mode && !strcmp(o->mode, "hot");
	enum paleo_hardware hardware = paleo_backend_find(r->meta.backend)->hardware;

	return (struct how){
		.device = &r->meta.device,
		.folds = folds,
		.kernel_models = hardware != PALEO_NO_HARDWARE,
		.host = hardware == PALEO_HOST,
		.rows_max = o->rows_max,
		.share = o->share,
		.operand_sets = hot ? (o->operand_sets > 0 ? o->operand_sets : 1) : 0,
	};
}

int paleo_fit(const struct paleo_results *r, const struct paleo_fit_options *o,
	      struct paleo_calibration *out, struct paleo_fit_report *report,
	      struct paleo_error *err)
{
	struct paleo_calibration c = {.count = 0};
	struct paleo_fit_rows rows = {.count = 0};

	PALEO_TRY(paleo_fit_rows_collect(r, o, &rows, report, err));
	struct how how = how_to_fit(r, o, o->folds);
	how.progress = o->progress;
	describe(r, o, &rows, &c);
	int rc = fit_judged(rows.rows, rows.count, &how, &c, err);
	if (!rc)
		rc = paleo_fit_judge_others(rows.rows, rows.count, &c, err);
	if (!rc)
		rc = list_seen(&rows, &c, err);
	paleo_fit_rows_release(&rows);
	if (rc)
		paleo_calibration_release(&c);
	else
		*out = c;
	return rc;
}

struct paleo_heldout paleo_heldout_of(const struct paleo_device *d, const struct paleo_op *w,
				      const struct paleo_prediction *p)
{
	struct paleo_cost_model_terms t = {0};
	struct paleo_error ignored; /* the op was predicted: the device has the required data */
	int rc = paleo_cost_model_terms(d, w, &t, &ignored);
	double speed = paleo_speed_of(&d->speed, w);

	return (struct paleo_heldout){
		.predicted_s = p->parts.total_s,
		.interval = p->interval,
		.before_s = p->parts.total_s * speed,
		.paleo_s = rc ? NAN : (t.compute_s + t.memory_s) / (speed * p->factor->ppp),
	};
}

/* Predicts the rows of one fold by a fit to `rest`, the others. */
static int predict_fold(const struct paleo_fit_rows *rows, int fold, const struct how *how,
			struct paleo_fit_row *rest, struct paleo_calibration *c,
			struct paleo_heldout *out, struct paleo_error *err)
{
	struct paleo_prediction p;
	int n = leave_out(rows->rows, rows->count, fold, rest);
	struct paleo_device device = c->device;

	if (n == 0 || n == rows->count)
		return PALEO_OK;
	if (how->share > 0)
		PALEO_TRY(paleo_fit_rows_share(rest, &n, how->share, err));
	if (how->rows_max)
		PALEO_TRY(paleo_fit_rows_thin(rest, &n, how->rows_max, err));
	PALEO_TRY(fit_judged(rest, n, how, c, err));
	for (int i = 0; i < rows->count; i++) {
		const struct paleo_fit_row *row = &rows->rows[i];
		if (row->fold != fold)
			continue;
		device.speed = row->speed;
		PALEO_TRY(paleo_predict_on(c, &device, row->op, &p, err));
		out[row->record] = paleo_heldout_of(&device, row->op, &p);
	}
	return PALEO_OK;
}

int paleo_fit_heldout(const struct paleo_results *r, const struct paleo_fit_options *o,
		      int intervals, struct paleo_heldout *out, struct paleo_error *err)
{
	struct paleo_fit_rows rows = {.count = 0};
	int rc = paleo_fit_rows_collect(r, o, &rows, NULL, err);

	if (rc)
		return rc;
	struct paleo_fit_row *rest = malloc((size_t)rows.count * sizeof(*rest));
	if (!rest) {
		paleo_fit_rows_release(&rows);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	const struct how how = how_to_fit(r, o, intervals ? o->folds : 1);
	for (int i = 0; i < r->count; i++)
		out[i] = PALEO_HELDOUT_NONE;
	for (int fold = 0; !rc && fold < rows.folds; fold++) {
		struct paleo_calibration c = {.device = r->meta.device};
		paleo_progress_report(&o->progress, fold, rows.folds);
		rc = predict_fold(&rows, fold, &how, rest, &c, out, err);
		paleo_calibration_release(&c);
	}
	free(rest);
	paleo_fit_rows_release(&rows);
	return rc;
}
