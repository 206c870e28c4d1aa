/* compare.h - compares two times, given their measurement noise. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_COMPARE_H
#define PALEO_CALIB_COMPARE_H

#include "base/error.h"
#include "model/record/record.h"

/* A time with its uncertainty, as standard errors of its logarithm. A plain value. */
struct paleo_noisy {
	double seconds;
	double own_se, own_degrees; /* of this op alone; NaN: not known */
	/* Error common to all ops of a run: machine speed. 0: not known. */
	double shared_se, shared_degrees;
	int is_pooled;        /* 1: own_se is by the spread of many ops already */
	double prior_degrees; /* then: those of own_degrees that come from the other ops */
	double rate;          /* of the probe of machine speed that the op follows; 0: not known */
	double rate_sd;       /* of its logarithm within the run; 0: not known */
	double slope, slope_se; /* the time goes as rate^-slope, as far as is known */
	double moved;           /* logarithm of the rates' ratio beyond what both runs saw, by
				   paleo_noisy_level */
	int kin; /* of one run: ops of equal number vary alike between runs; 0: not known */
	double run_se, run_degrees; /* error of one run as another may differ, by paleo_compare */
};

enum paleo_compare_verdict {
	PALEO_SAME,    /* equivalent: the interval is within the margin */
	PALEO_FASTER,  /* the second takes less time, beyond noise */
	PALEO_SLOWER,  /* it takes more */
	PALEO_UNCLEAR, /* inconclusive: the interval is too wide */
	PALEO_VERDICTS
};

/* Relative change: second / first - 1, with its 95 % interval. */
struct paleo_change {
	double ratio, low, high; /* low and high NaN: no interval */
	double p;                /* of no change; NaN likewise */
	enum paleo_compare_verdict verdict;
};

/* One op, in `rows` rows of a net. */
struct paleo_compared {
	struct paleo_noisy a, b;
	int rows;
	struct paleo_change change; /* filled */
};

struct paleo_compare_how {
	double same;  /* a change that does not matter, 0.01 for 1 % */
	double level; /* of false alarms among all alarms, 0.05 */
	int in_turn;  /* 1: both sides were measured op by op in turn, so that no runs differ */
};

/* Noise of an op's measured time from its interval; its seconds are the median. */
struct paleo_noisy paleo_noisy_of(const struct paleo_op *op, const struct paleo_timing *t);

/* Brings both times of an op to the mean of the speeds that the machine had in the two runs, where
 * both know theirs and how the op follows it, as far as the speed varied within the runs. The error
 * of the correction is common to all ops. */
void paleo_noisy_level(struct paleo_noisy *a, struct paleo_noisy *b);

/* Standard deviation implied by a confidence interval; NaN bounds: unknown. */
struct paleo_noisy paleo_noisy_between(double seconds, double low, double high, double quantile);

/* Pools ops measured in the same runs: their noise has a common size, as far as their intervals
 * agree on one. It replaces each op's own, which is poorly estimated from few rounds. */
int paleo_noisy_pool(struct paleo_noisy *list, size_t n, struct paleo_error *err);

/* From an op's times in several runs: their mean of logarithms. `times[run * n + op]`, all
 * there. ENOMEM. */
int paleo_noisy_of_runs(const double *times, size_t n, size_t runs, struct paleo_noisy *out,
			struct paleo_error *err);

/* Judges every op; false alarms are held at `level` over all of them together. Of single runs, the
 * variance between runs of a kin is the spread of its changes, by their median absolute deviation
 * from their median, beyond the noise within the runs: a change of few ops or of all is none of it.
 * Where the memory speed differs more between the runs than within them, as when a virtual
 * machine's cores have moved, times that do not follow the compute speed may differ by as much.
 * ENOMEM. */
int paleo_compare(struct paleo_compared *list, size_t n, const struct paleo_compare_how *how,
		  struct paleo_error *err);

/* The sums over all rows, and their change; alone in its family. */
struct paleo_compared paleo_compare_sum(const struct paleo_compared *list, size_t n,
					const struct paleo_compare_how *how);

const char *paleo_verdict_name(enum paleo_compare_verdict v); /* "SLOWER" */

#endif
