/* sweep.h - sums of nets for several batches, types, layouts and devices: a row for each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SWEEP_H
#define PALEO_TOOLS_SWEEP_H

#include "base/table.h"
#include "tools/session/plan.h"

/* Owned by the caller. NULL if memory ran out. */
struct paleo_table *sweep_table(void);

/* Adds a row for each net of the plan: the sums of its passes, also as measured, where all of it
 * was. `seq` 0: not given. ENOMEM. */
int sweep_add(struct paleo_table *t, const struct plan *p, const char *device, int seq,
	      struct paleo_error *err);

#endif
