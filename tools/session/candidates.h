/* candidates.h - what was measured of one work, and which record stands for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_CANDIDATES_H
#define PALEO_TOOLS_SESSION_CANDIDATES_H

#include "model/record/record.h"

/* Records of one work in one mode, by rank. Zero is an empty one. */
struct candidates {
	struct paleo_record *records;
	int count;
};

/* Adds a copy, in place of one of the same rank. ENOMEM. */
int candidates_add(struct candidates *c, const struct paleo_record *record,
		   struct paleo_error *err);
void candidates_release(struct candidates *c);

/* The one of this rank, or NULL. */
const struct paleo_record *candidates_find(const struct candidates *c, int rank);

/* The fastest right one; where none is right the one of the lowest rank; NULL if there is none. */
const struct paleo_record *candidates_best(const struct candidates *c);

/* What the library's own choice costs: its time over the fastest one's, less 1. NaN unless several
 * were measured and that choice has a time. */
double candidates_regret(const struct candidates *c);

/* Reads "heuristic", "best:K" or "all": how many of a library's list are to be measured. EINPUT. */
int candidates_parse(const char *text, int *most, struct paleo_error *err);

#endif
