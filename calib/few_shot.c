/* few_shot.c - how well a GPU is predicted from few measurements of it, or none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/few_shot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calib/fit_rows.h"
#include "calib/holdout.h"
#include "calib/presets.h"
#include "calib/slices.h"

static const int few_rows[] = {0, 5, 20, 100};

enum {
	FEW = sizeof(few_rows) / sizeof(few_rows[0])
};

/* Predicts what is in `held` of one number type by presets of other GPUs; nothing where they want
 * to know more of the device. */
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
		const struct paleo_work *w = &r->records[i].work;
		if (w->dtype != dtype || isnan(held[i].predicted_s))
			continue;
		rc = paleo_predict_work(&c, w, &p, err);
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
	int rc = PALEO_OK;

	for (int i = 0; i < r->count; i++) {
		out[i] = PALEO_HELDOUT_NONE;
		if (!isnan(held[i].predicted_s))
			has[r->records[i].work.dtype] = 1;
	}
	for (int t = 0; !rc && t < PALEO_DTYPES; t++)
		if (has[t])
			rc = predict_type(r, o, (enum paleo_dtype)t, held, out, err);
	return rc;
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
				&r->records[i].work, r->records[i].timing.median_s, held[i], 0};
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
