/* in_network.h - what a net's rows take inside of its whole pass, as measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_IN_NETWORK_H
#define PALEO_TOOLS_SESSION_IN_NETWORK_H

#include <stdio.h>

#include "tools/session/plan.h"

/* Fills in the in_network_s of each net of the plan, from the pass that has most of its rows; of
 * equal ones the shortest. Says on `notes` which that is and whether its times are disturbed, or
 * that there is none. ENOMEM. */
int in_network_fill(struct plan *p, const struct paleo_results *passes, FILE *notes,
		    struct paleo_error *err);

#endif
