/* paced.c - predictions of a plan at the pace that its device had while it was measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/paced.h"

#include <stdlib.h>

#include "base/stats.h"
#include "calib/fit.h"
#include "model/law.h"

/* The record that a prediction is held against; NULL: there is none with a pace. */
static const struct paleo_record *record_of(const struct plan *p, const struct plan_work *w)
{
	const struct plan_time *t = w->times;

	if (!p->modes.count || !t->measured || t->record.status != PALEO_RECORD_OK ||
	    !(t->record.timing.pace_flop_per_s > 0 && t->record.timing.pace_bytes_per_s > 0))
		return NULL;
	return &t->record;
}

static int find_middle(const struct plan *p, struct paced *out, struct paleo_error *err)
{
	size_t room = (size_t)p->work_count + 1, n = 0;
	double *flops = malloc(2 * room * sizeof(*flops));

	*out = (struct paced){0, 0};
	if (!flops)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", p->work_count);
	double *bytes = flops + room;
	for (int i = 0; i < p->work_count; i++) {
		const struct paleo_record *r = record_of(p, &p->works[i]);
		if (!r)
			continue;
		flops[n] = r->timing.pace_flop_per_s;
		bytes[n++] = r->timing.pace_bytes_per_s;
	}
	if (n > 0) {
		paleo_sort(flops, n);
		paleo_sort(bytes, n);
		out->flop_per_s = paleo_quantile_sorted(flops, n, 0.5);
		out->bytes_per_s = paleo_quantile_sorted(bytes, n, 0.5);
	}
	free(flops);
	return PALEO_OK;
}

int paced_predict(struct plan *p, const struct paleo_calibration *c, struct paced *out,
		  struct paleo_error *err)
{
	int rc = find_middle(p, out, err);

	if (rc)
		return rc;
	if (!(c->pace_flop_per_s > 0 && c->pace_bytes_per_s > 0))
		*out = (struct paced){0, 0};
	if (!(out->flop_per_s > 0))
		return PALEO_OK;
	for (int i = 0; i < p->work_count; i++) {
		struct plan_work *w = &p->works[i];
		const struct paleo_record *r = record_of(p, w);
		const struct paleo_law_rates middle = {out->flop_per_s, out->bytes_per_s};
		const struct paleo_law_rates usual = {c->pace_flop_per_s, c->pace_bytes_per_s};
		double usual_s = w->prediction.total_s;
		double factor = r ? paleo_fit_pace(r, c, usual_s)
				  : paleo_law_pace(&w->work, &middle, &usual, usual_s);
		paleo_prediction_scale(&w->prediction, factor);
	}
	return PALEO_OK;
}

void paced_print(const struct paced *p, const struct paleo_calibration *c, FILE *out)
{
	if (p->flop_per_s > 0)
		fprintf(out,
			"predictions are for the pace seen during this run, %.0f GFLOP/s and %.1f "
			"GB/s in "
			"the middle; the calibration's was %.0f and %.1f (paleo-predict goes by "
			"that)\n",
			1e-9 * p->flop_per_s, 1e-9 * p->bytes_per_s, 1e-9 * c->pace_flop_per_s,
			1e-9 * c->pace_bytes_per_s);
}
