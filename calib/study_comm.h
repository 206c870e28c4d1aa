/* study_comm.h - how well a link's law predicts other people's collective operations. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_COMM_H
#define PALEO_CALIB_STUDY_COMM_H

#include "calib/study.h"

/* Operations of one name, way and number of ranks, sizes held out; or all rows of one name, each
 * held out of its own series. */
struct paleo_comm_study {
	struct paleo_measured_collective of; /* the first of them; of all: its ranks are 0 */
	struct paleo_study_errors best;      /* paleo_fit_comm_best() of the fitted rows */
	struct paleo_study_errors curve;     /* one latency, one rate and how they overlap */
	struct paleo_study_errors line;      /* one latency and one rate */
	struct paleo_study_errors paleo;     /* a rate alone, as PALEO has it */
	int rows, fitted;
};

enum {
	PALEO_COMM_STUDY_ROWS = 200 /* the most that a fit takes: it compares all ranges */
};

/*
 * One study for each such series in a table, in the table's order, and after them one of each
 * operation of which there are several; all rows of one size are held out together. Series that
 * paleo_holdout_deal() finds too short are left out, in *left_out. *out is an array of *count,
 * owned by the caller: free(). ENOMEM; EINPUT.
 */
int paleo_study_collectives(const struct paleo_measured *m, const struct paleo_study_options *o,
			    struct paleo_comm_study **out, int *count, int *left_out,
			    struct paleo_error *err);

#endif
