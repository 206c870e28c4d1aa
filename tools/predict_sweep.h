/* predict_sweep.h - predictions for several batches, types, layouts and devices: a row for each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PREDICT_SWEEP_H
#define PALEO_TOOLS_PREDICT_SWEEP_H

#include "base/table.h"
#include "tools/session/plan.h"

/* NULL if memory ran out. */
struct paleo_table *predict_sweep_table(void);

/* Adds a row for each net of the plan: the sums of its passes. `seq` 0: not given. ENOMEM. */
int predict_sweep_add(struct paleo_table *t, const struct plan *p, const char *device, int seq,
		      struct paleo_error *err);

#endif
