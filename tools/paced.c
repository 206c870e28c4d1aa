/* paced.c - predictions of a plan at the pace that its device had while it was measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/paced.h"

#include "base/text.h"
#include "calib/fit.h"

/* The record that a prediction is held against; NULL: there is none. */
static const struct paleo_record *record_of(const void *of, int i)
{
	const struct plan *p = of;
	const struct plan_time *t = p->works[i].times;

	return p->modes.count && t->measured ? &t->record : NULL;
}

int paced_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_law_rates *out,
		  struct paleo_error *err)
{
	const struct paleo_law_rates usual = paleo_fit_usual_pace(c);
	int rc = paleo_fit_pace_middle(record_of, p, p->work_count, out, err);

	if (rc)
		return rc;
	if (!(usual.flop_per_s > 0 && usual.bytes_per_s > 0))
		*out = (struct paleo_law_rates){0, 0, 0};
	if (!(out->flop_per_s > 0))
		return PALEO_OK;
	for (int i = 0; i < p->work_count; i++) {
		struct plan_work *w = &p->works[i];
		const struct paleo_record *r = record_of(p, i);
		struct paleo_prediction *of = &w->prediction;
		double factor = r && paleo_fit_has_pace(r)
					? paleo_fit_pace(r, c, of)
					: paleo_law_pace(&w->work, out, &usual, of->total_s,
							 of->overhead_s);
		paleo_prediction_scale(of, factor);
	}
	return PALEO_OK;
}

void paced_print(const struct paleo_law_rates *p, const struct paleo_calibration *c, FILE *out)
{
	if (p->flop_per_s > 0)
		paleo_print(
			out,
			"predictions are for the pace seen during this run, %.0f GFLOP/s and %.1f "
			"GB/s in "
			"the middle; the calibration's was %.0f and %.1f (paleo-predict goes by "
			"that)\n",
			1e-9 * p->flop_per_s, 1e-9 * p->bytes_per_s, 1e-9 * c->pace_flop_per_s,
			1e-9 * c->pace_bytes_per_s);
}
