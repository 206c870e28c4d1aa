/* fit_residual.c - keeps what a law errs by near measured shapes, where it is shown to help. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_residual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/pattern.h"

#define SCALE 0.1 /* as in the fits of the laws */
#define KEEP_BELOW 0.98

int paleo_fit_residual(const struct paleo_residual_point *points, int count,
		       struct paleo_residual *out, struct paleo_residual_gain *gain,
		       struct paleo_error *err)
{
	struct paleo_residual r = {.count = count};
	struct paleo_residual_gain g = {0};
	double loss_without = 0, loss_with = 0;

	if (gain)
		*gain = g;
	*out = (struct paleo_residual){0};
	if (count < PALEO_RESIDUAL_ROWS)
		return PALEO_OK;
	r.points = malloc((size_t)count * sizeof(*r.points));
	if (!r.points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d residuals", count);
	memcpy(r.points, points, (size_t)count * sizeof(*r.points));
	int rc = paleo_residual_sort(&r, err);
	if (rc) {
		paleo_residual_release(&r);
		return rc;
	}
	for (int i = 0; i < count; i++) {
		const struct paleo_residual_point *p = &r.points[i];
		double left = p->log_ratio - paleo_residual_log(&r, p->at, p->group);
		loss_without += paleo_pseudo_huber(p->log_ratio / SCALE);
		loss_with += paleo_pseudo_huber(left / SCALE);
		g.without += fabs(p->log_ratio) / count;
		g.with += fabs(left) / count;
	}
	/* With one group alone nothing is corrected, so nothing is gained. */
	g.kept = loss_with < KEEP_BELOW * loss_without;
	if (g.kept)
		*out = r;
	else
		paleo_residual_release(&r);
	if (gain)
		*gain = g;
	return PALEO_OK;
}
