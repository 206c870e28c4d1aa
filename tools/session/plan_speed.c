/* plan_speed.c - predictions of a plan at the speed that was seen beside its works. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/plan_speed.h"

#include "base/text.h"
#include "calib/fit.h"

/* The record that a prediction is held against; NULL: there is none. */
static const struct paleo_record *record_of(const void *of, int i)
{
	const struct plan *p = of;
	const struct plan_time *t = p->works[i].times;

	return p->modes.count && t->measured ? &t->record : NULL;
}

int plan_speed_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_rates *out,
		       struct paleo_error *err)
{
	int rc = paleo_fit_rates(record_of, p, p->work_count, out, err);

	if (rc)
		return rc;
	const struct paleo_speed middle = paleo_speed_over(out, &c->speed);
	if (!(middle.products > 0)) {
		*out = (struct paleo_rates){0, 0};
		return PALEO_OK;
	}
	p->is_at_speed = 1;
	for (int i = 0; !rc && i < p->work_count; i++) {
		struct plan_work *w = &p->works[i];
		const struct paleo_record *r = record_of(p, i);
		struct paleo_device d = c->device;
		if (r)
			d = paleo_fit_device_at(c, r);
		if (!(d.speed.products > 0))
			d.speed.products = middle.products;
		if (!(d.speed.memory > 0)) /* all its probes were disturbed */
			d.speed.memory = middle.memory;
		if (w->predicted)
			rc = paleo_predict_on(c, &d, &w->work, &w->prediction, err);
	}
	return rc;
}

void plan_speed_print(const struct paleo_rates *seen, const struct paleo_calibration *c, FILE *out)
{
	if (seen->flop_per_s > 0)
		paleo_print(
			out,
			"predictions are for the speed seen beside each work, %.0f GFLOP/s and "
			"%.1f GB/s in the middle; those before measuring, as paleo-predict makes "
			"them, for the calibration's, %.0f and %.1f\n",
			1e-9 * seen->flop_per_s, 1e-9 * seen->bytes_per_s,
			1e-9 * c->speed.flop_per_s, 1e-9 * c->speed.bytes_per_s);
}
