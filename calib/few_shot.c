/* few_shot.c - how well a GPU is predicted from few measurements of it, or none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_rows.h"
#include "calib/holdout.h"
#include "calib/validate.h"
#include "model/source/presets.h"

static const int few_rows[] = {0, 5, 20, PALEO_FEW_ROWS};

enum {
	FEW = sizeof(few_rows) / sizeof(few_rows[0])
};

/* Predicts the entries of `held` of one dtype by presets of other GPUs; none where these need more
 * data of the device. */
static int predict_type(const struct paleo_results *r, const struct paleo_fit_options *o,
			enum paleo_dtype dtype, const struct paleo_heldout *held,
			struct paleo_heldout *out, struct paleo_error *err)
{
	struct paleo_calibration c = {.count = 0};
	struct paleo_prediction p;
	const struct paleo_presets_for of = {.device = &r->meta.device,
					     .dtype = dtype,
					     .operand_sets = o->operand_sets,
					     .except_self = 1};
	int rc = paleo_calibration_presets(&of, &c, err);

	for (int i = 0; !rc && i < c.count; i++)
		c.models[i].ppp = PALEO_HOLDOUT_PPP;
	for (int i = 0; !rc && i < r->count; i++) {
		const struct paleo_op *w = &r->records[i].op;
		if (w->dtype != dtype || isnan(held[i].predicted_s))
			continue;
		rc = paleo_predict_op(&c, w, &p, err);
		if (!rc)
			out[i] = paleo_heldout_of(&c.device, w, &p);
	}
	paleo_calibration_release(&c);
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

static int predict_by_presets(const struct paleo_results *r, const struct paleo_fit_options *o,
			      const struct paleo_heldout *held, struct paleo_heldout *out,
			      struct paleo_error *err)
{
	int has[PALEO_DTYPES] = {0};

	for (int i = 0; i < r->count; i++) {
		out[i] = PALEO_HELDOUT_NONE;
		if (!isnan(held[i].predicted_s))
			has[r->records[i].op.dtype] = 1;
	}
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (has[t])
			PALEO_TRY(predict_type(r, o, (enum paleo_dtype)t, held, out, err));
	return PALEO_OK;
}

static int judge_one(const struct paleo_results *r, const struct paleo_heldout *held, int few,
		     struct paleo_validated_slice *out, struct paleo_error *err)
{
	size_t room = (size_t)r->count + 1;
	struct paleo_judged *list = malloc(room * sizeof(*list));
	double *scratch = malloc(room * sizeof(*scratch));
	int n = 0, rc = PALEO_OK;

	if (!list || !scratch)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && i < r->count; i++)
		if (!isnan(held[i].predicted_s))
			list[n++] = (struct paleo_judged){
				&r->records[i].op, r->records[i].timing.median_s, held[i], 0};
	if (!rc) {
		*out = (struct paleo_validated_slice){.by = "measurements"};
		snprintf(out->name, sizeof(out->name), "%d", few);
		out->errors = paleo_errors_of(list, n, scratch);
		out->paleo = paleo_errors_of_paleo(list, n, scratch);
	}
	free(list);
	free(scratch);
	return rc;
}

/* The rows of the largest group. */
static int largest_group(const struct paleo_results *r, const struct paleo_fit_options *o,
			 int *most, struct paleo_error *err)
{
	struct paleo_fit_rows rows = {.count = 0};
	int rc = paleo_fit_rows_collect(r, o, &rows, NULL, err);

	*most = 0;
	for (int first = 0; !rc && first < rows.count;) {
		int n = paleo_fit_rows_group(rows.rows + first, rows.count - first);
		*most = n > *most ? n : *most;
		first += n;
	}
	paleo_fit_rows_release(&rows);
	return rc;
}

int paleo_few_shot_judge(const struct paleo_results *r, const struct paleo_fit_options *o,
			 const struct paleo_heldout *held, struct paleo_validated_slice **out,
			 int *count, struct paleo_error *err)
{
	struct paleo_fit_options few = *o;
	int n = 0, most = 0;

	*out = NULL;
	*count = 0;
	if (!paleo_fit_has_kernel_models(r))
		return PALEO_OK;
	struct paleo_validated_slice *all = calloc(FEW, sizeof(*all));
	struct paleo_heldout *by_few = malloc(((size_t)r->count + 1) * sizeof(*by_few));
	int rc = all && by_few ? largest_group(r, o, &most, err)
			       : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (o->rows_max > 0 && o->rows_max < most)
		most = o->rows_max;
	for (int i = 0; !rc && i < FEW && few_rows[i] < most; i++) {
		few.rows_max = few_rows[i];
		rc = few_rows[i] ? paleo_fit_heldout(r, &few, 1, by_few, err)
				 : predict_by_presets(r, o, held, by_few, err);
		if (!rc)
			rc = judge_one(r, by_few, few_rows[i], &all[n], err);
		n += !rc && all[n].errors.count > 0;
	}
	free(by_few);
	if (rc) {
		free(all);
		return rc;
	}
	*out = all;
	*count = n;
	return PALEO_OK;
}

static int is_of(const struct paleo_class_model *f, const struct paleo_op *w)
{
	return f->pass == w->pass && f->dtype == w->dtype &&
	       !strcmp(f->class_name, paleo_op_class(w));
}

/* Records of the factor as `prior` predicts them; *factor is the one that it uses. Returns their
 * number, 0 if it lacks the class. */
static int judge_prior(const struct paleo_results *r, const char *mode,
		       const struct paleo_calibration *prior, const struct paleo_class_model *f,
		       struct paleo_judged *list, int *factor)
{
	struct paleo_error ignored;
	int n = 0;

	for (int i = 0; i < r->count; i++) {
		const struct paleo_result *one = &r->records[i];
		struct paleo_prediction p;
		if (!is_of(f, &one->op) || one->status != PALEO_RECORD_OK ||
		    strcmp(one->mode, mode) != 0)
			continue;
		if (paleo_predict_op(prior, &one->op, &p, &ignored) || !p.exact || !p.factor->model)
			return 0;
		*factor = (int)(p.factor - prior->models);
		list[n++] = (struct paleo_judged){
			.op = &one->op,
			.measured_s = one->timing.median_s,
			.predicted = paleo_heldout_of(&prior->device, &one->op, &p)};
	}
	return n;
}

/* The other's kernel model, corrections and intervals. */
static void take(struct paleo_class_model *f, struct paleo_class_model *prior,
		 const struct paleo_errors *errors)
{
	*f->model = *prior->model;
	paleo_trees_release(&f->correction);
	f->correction = prior->correction;
	prior->correction = (struct paleo_trees){0};
	paleo_trees_release(&f->spread);
	f->spread = prior->spread;
	prior->spread = (struct paleo_trees){0};
	f->heldout_median = errors->median;
	f->heldout_mean = errors->mean;
	f->heldout_p90 = errors->p90;
	f->ratio_low = prior->ratio_low;
	f->ratio_high = prior->ratio_high;
	memcpy(f->bands, prior->bands, sizeof(f->bands));
	f->band_count = prior->band_count;
	f->correlation = prior->correlation;
	f->kind_correlation = prior->kind_correlation;
}

int paleo_few_shot_lean(const struct paleo_results *r, const char *mode, enum paleo_dtype dtype,
			struct paleo_calibration *prior, struct paleo_calibration *c,
			struct paleo_error *err)
{
	size_t room = (size_t)r->count + 1;
	struct paleo_judged *list = malloc(room * sizeof(*list));
	double *scratch = malloc(room * sizeof(*scratch));
	int replaced = list && scratch ? 0 : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; replaced >= 0 && i < c->count; i++) {
		struct paleo_class_model *f = &c->models[i];
		int other = 0;
		if (!f->model || f->dtype != dtype || f->records > PALEO_FEW_ROWS ||
		    isnan(f->heldout_mean))
			continue;
		int n = judge_prior(r, mode, prior, f, list, &other);
		struct paleo_errors errors = paleo_errors_of(list, n, scratch);
		/* a standard error of held-out errors, whose spread is about as large as they are
		 */
		if (!n || !(errors.mean < f->heldout_mean * (1 + 1 / sqrt(n))))
			continue;
		take(f, &prior->models[other], &errors);
		replaced++;
	}
	free(list);
	free(scratch);
	return replaced;
}
