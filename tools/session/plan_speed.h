/* plan_speed.h - predictions of a plan at the speed that was seen beside its works. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PLAN_SPEED_H
#define PALEO_TOOLS_SESSION_PLAN_SPEED_H

#include <stdio.h>

#include "tools/session/plan.h"

/*
 * Predicts each work of the plan again, on the calibration's device at the speed seen beside the
 * work's own record, or in the middle of all where it has none; says in *out what that middle is.
 * What was predicted before stays as before_s. Where no speed is known *out is 0, and nothing
 * changes. ENOMEM.
 */
int plan_speed_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_rates *out,
		       struct paleo_error *err);

/* One line on the speeds seen and the calibration's; nothing where none was. */
void plan_speed_print(const struct paleo_rates *seen, const struct paleo_calibration *c, FILE *out);

#endif
