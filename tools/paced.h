/* paced.h - predictions of a plan at the pace that its device had while it was measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PACED_H
#define PALEO_TOOLS_PACED_H

#include <stdio.h>

#include "model/law.h"
#include "tools/plan.h"

/*
 * A calibration predicts for the pace of its own records (docs/cpu.md). Makes each prediction of
 * the plan one for the pace beside the work's own record, or for the middle of all where it has
 * none, and says in *out what that middle is; 0, and nothing changes, where either tells no pace.
 * ENOMEM.
 */
int paced_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_law_rates *out,
		  struct paleo_error *err);

/* One line on what predictions are for; nothing without a pace. */
void paced_print(const struct paleo_law_rates *p, const struct paleo_calibration *c, FILE *out);

#endif
