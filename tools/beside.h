/* beside.h - what stands beside a row's time: its other modes, and the whole net. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_BESIDE_H
#define PALEO_TOOLS_BESIDE_H

#include <stdio.h>

#include "tools/session/plan.h"

/* The first ones are enum paleo_cache_mode. */
enum beside {
	BESIDE_COLD = PALEO_COLD,
	BESIDE_HOT = PALEO_HOT,
	BESIDE_WEIGHTS_COLD = PALEO_WEIGHTS_COLD,
	BESIDE_ENQUEUE = PALEO_ENQUEUE,
	BESIDE_IN_NETWORK = PALEO_CACHE_MODES, /* inside of the whole net */
	BESIDE_COUNT
};

const char *beside_name(enum beside what); /* "hot", "in-network" */

/* The time of a row, in seconds; NaN: there is none. */
double beside_s(const struct plan *p, const struct plan_net *n, int row, enum beside what);

/* Prints a line: what these times of the rows of `passes` come to, each as a share of the first
 * mode's times of the same rows. Nothing where there is only the first mode. */
void beside_print_sum(const struct plan *p, const struct plan_net *n, const char *title,
		      unsigned passes, FILE *out);

/* Says how many rows take the host longer to launch than they run; nothing where none does, or it
 * was not measured. */
void beside_print_launches(const struct plan *p, const struct plan_net *n, FILE *out);

#endif
