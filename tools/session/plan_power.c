/* plan_power.c - predicts the power that a GPU draws in the ops of a plan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "library/source.h"
#include "tools/session/plan.h"

static const struct paleo_watts unknown = {NAN, NAN, NAN, NULL};

int plan_predict_power(struct plan *p, const struct paleo_calibration *c, int any_gpu,
		       struct paleo_error *err)
{
	const struct paleo_calibration *by = NULL;
	struct paleo_calibration shipped;
	int rc = paleo_choose_power(c, any_gpu, &shipped, &by, err);

	snprintf(p->power_of, sizeof(p->power_of), "%s", by ? by->device.name : "");
	for (int i = 0; !rc && i < p->op_count; i++) {
		struct plan_op *w = &p->ops[i];
		struct paleo_error ignored;
		if (!w->predicted || !by ||
		    paleo_power_predict(&by->power, &by->device, &c->device, &w->op,
					w->prediction.parts.total_s, &w->watts, &ignored))
			w->watts = unknown;
		w->watts.by = NULL; /* which is released here */
	}
	paleo_calibration_release(&shipped);
	return rc;
}
