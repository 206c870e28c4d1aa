/* spent.h - where the wall time of measuring goes, phase by phase. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_SPENT_H
#define PALEO_MODEL_RECORD_SPENT_H

/* Each moment counts in one phase. Times are exchanged rather than added to where one lies inside
 * of another. */
enum paleo_phase {
	PALEO_PHASE_START,    /* the worker, its plug-in, its device */
	PALEO_PHASE_PEAKS,    /* of the device */
	PALEO_PHASE_PREPARE,  /* primitives, memory, a first run, and letting go of all that */
	PALEO_PHASE_FILL,     /* operands, and their copies that keep caches cold */
	PALEO_PHASE_CHECK,    /* against the reference */
	PALEO_PHASE_WARM_UP,  /* and finding how many repeats fill a sample */
	PALEO_PHASE_PROBES,   /* of the device's speed */
	PALEO_PHASE_COUNTED,  /* samples that were kept */
	PALEO_PHASE_REJECTED, /* samples that others disturbed */
	PALEO_PHASE_WRITE,    /* records */
	PALEO_PHASES
};

/* Seconds of the host's clock. */
struct paleo_spent {
	double s[PALEO_PHASES];
};

/* "start", "peaks" ...: as in the `spent` of an "end" line. */
const char *paleo_phase_name(enum paleo_phase phase);

static inline void paleo_spent_add(struct paleo_spent *to, const struct paleo_spent *more)
{
	for (int i = 0; i < PALEO_PHASES; i++)
		to->s[i] += more->s[i];
}

#endif
