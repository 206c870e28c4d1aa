/* compare.h - which of two times is the longer, beyond what was measured as noise. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_COMPARE_H
#define PALEO_CALIB_COMPARE_H

#include "base/error.h"
#include "model/record/record.h"

/* A time with its uncertainty, as standard errors of its logarithm. A plain value. */
struct paleo_noisy {
	double seconds;
	double own_se, own_degrees; /* of this work alone; NaN: not known */
	/* What all works of a run share: how fast the machine was. 0: nothing is known of it. */
	double shared_se, shared_degrees;
};

enum paleo_compare_verdict {
	PALEO_SAME,    /* for certain no further apart than what does not matter */
	PALEO_FASTER,  /* the second takes less time, beyond noise */
	PALEO_SLOWER,  /* it takes more */
	PALEO_UNCLEAR, /* the noise is too large to tell */
	PALEO_VERDICTS
};

/* How far two times are apart: second / first - 1, with its 95 % interval. */
struct paleo_change {
	double ratio, low, high; /* low and high NaN: no interval */
	double p;                /* of no change; NaN likewise */
	enum paleo_compare_verdict verdict;
};

/* One work, in `rows` rows of a net. */
struct paleo_compared {
	struct paleo_noisy a, b;
	int rows;
	struct paleo_change change; /* filled */
};

struct paleo_compare_how {
	double same;  /* a change that does not matter, 0.01 for 1 % */
	double level; /* of false alarms among all alarms, 0.05 */
};

/* What a record's interval says; its seconds are the median. */
struct paleo_noisy paleo_noisy_of(const struct paleo_timing *t);

/* What an interval says that holds with this confidence's normal quantile; NaN bounds: nothing. */
struct paleo_noisy paleo_noisy_between(double seconds, double low, double high, double quantile);

/* Works that were measured in the same runs: their noise has a common size, as far as their
 * intervals agree on one. It is put in place of each work's own, which few rounds tell badly. */
int paleo_noisy_pool(struct paleo_noisy *list, size_t n, struct paleo_error *err);

/* From a work's times in several runs: their mean of logarithms. `times[run * n + work]`, all
 * there. ENOMEM. */
int paleo_noisy_of_runs(const double *times, size_t n, size_t runs, struct paleo_noisy *out,
			struct paleo_error *err);

/* Judges every work; false alarms are held at `level` over all of them together. ENOMEM. */
int paleo_compare(struct paleo_compared *list, size_t n, const struct paleo_compare_how *how,
		  struct paleo_error *err);

/* The sums over all rows, and their change; alone in its family. */
struct paleo_compared paleo_compare_sum(const struct paleo_compared *list, size_t n,
					const struct paleo_compare_how *how);

const char *paleo_verdict_name(enum paleo_compare_verdict v); /* "SLOWER" */

#endif
