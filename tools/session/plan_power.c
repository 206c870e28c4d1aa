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
	struct paleo_calibration shipped = {.count = 0};
	const int is_own = c->power.idle > 0,
		  is_gpu = c->device.tdp_w > 0 && !c->device.is_processor;
	int rc = is_own || !is_gpu ? PALEO_OK
				   : paleo_power_shipped(c->device.name, any_gpu, &shipped, err);

	const struct paleo_calibration *by = is_own ? c : &shipped;
	p->power_of[0] = '\0';
	if (!rc && by->power.idle > 0)
		snprintf(p->power_of, sizeof(p->power_of), "%s", by->device.name);
	for (int i = 0; !rc && i < p->op_count; i++) {
		struct plan_op *w = &p->ops[i];
		struct paleo_error ignored;
		if (!w->predicted || !p->power_of[0] ||
		    paleo_power_predict(&by->power, &by->device, &c->device, &w->op,
					w->prediction.parts.total_s, &w->watts, &ignored))
			w->watts = unknown;
		w->watts.by = NULL; /* which is released here */
	}
	paleo_calibration_release(&shipped);
	return rc;
}
