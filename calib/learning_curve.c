/* learning_curve.c - how the held-out error falls as records are added. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/learning_curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

static const double shares[PALEO_LEARNING_POINTS] = {0.25, 0.5, 1};

/* Medians are as uncertain as they are large, so they count by the inverse of their square, down to
 * this one. */
#define MEDIAN_MIN 1e-4

/* The median error of what was predicted, and how many records that is. */
static double median_error(const struct paleo_results *r, const struct paleo_heldout *held,
			   double *scratch, int *count)
{
	int n = 0;

	for (int i = 0; i < r->count; i++)
		if (!isnan(held[i].predicted_s))
			scratch[n++] =
				fabs(held[i].predicted_s / r->records[i].timing.median_s - 1);
	*count = n;
	if (!n)
		return NAN;
	paleo_sort(scratch, (size_t)n);
	return paleo_quantile_sorted(scratch, (size_t)n, 0.5);
}

void paleo_learning_extrapolate(struct paleo_learning *l)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (int i = 0; i < PALEO_LEARNING_POINTS; i++) {
		double weight = pow(fmax(l->median[i], MEDIAN_MIN), -2);
		double each = 1 / sqrt(l->records[i]);
		w += weight;
		x += weight * each;
		y += weight * l->median[i];
		xx += weight * each * each;
		xy += weight * each * l->median[i];
	}
	l->slope = fmax((w * xy - x * y) / (w * xx - x * x), 0);
	l->floor = (y - l->slope * x) / w;
	if (l->floor < 0) {
		l->floor = 0;
		l->slope = xy / xx;
	}
	l->twice = l->floor + l->slope / sqrt(2.0 * l->records[PALEO_LEARNING_POINTS - 1]);
}

int paleo_learning_curve(const struct paleo_results *r, const struct paleo_fit_options *o,
			 struct paleo_learning *out, struct paleo_error *err)
{
	const size_t room = (size_t)r->count + 1;
	struct paleo_heldout *held = malloc(room * sizeof(*held));
	double *scratch = malloc(room * sizeof(*scratch));
	struct paleo_fit_options part = *o;
	struct paleo_learning l = {.floor = 0};
	int count = 0;
	int rc = held && scratch ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < PALEO_LEARNING_POINTS; i++) {
		part.share = shares[i];
		rc = paleo_fit_heldout(r, &part, 0, held, err);
		if (rc)
			break;
		l.median[i] = median_error(r, held, scratch, &count);
		l.records[i] = (int)ceil(shares[i] * count);
		if (count < PALEO_LEARNING_MIN)
			rc = paleo_fail(err, PALEO_EINPUT,
					"a learning curve needs %d records, there are %d",
					PALEO_LEARNING_MIN, count);
	}
	free(held);
	free(scratch);
	if (rc)
		return rc;
	paleo_learning_extrapolate(&l);
	*out = l;
	return PALEO_OK;
}
