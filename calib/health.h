/* health.h - whether a device is slower than its kind, its siblings or its own past. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_HEALTH_H
#define PALEO_CALIB_HEALTH_H

#include "base/error.h"

/* One part of a device: an op, a bandwidth. A plain value. */
struct paleo_health_value {
	double log_s; /* logarithm of a time, or of 1 / a rate: more is slower; NaN: not measured */
	double se;    /* of measuring it; 0: not known */
};

struct paleo_health_how {
	double level;  /* of false alarms, over all parts of a device: 0.01 */
	double margin; /* what is less slower does not count: 0.03 for 3 % */
};

/* How a part compares with that of others. A plain value. */
struct paleo_health_finding {
	double slower; /* 0.05: it takes 5 % longer than the median of the others; NaN: no others */
	double p;      /* of so much or more by chance; NaN likewise */
	int is_slow;
};

/*
 * Compares a device with `count` others of its kind, or with its own earlier runs: `own` has
 * `parts` values, `others` as many for each of the others, one after another. out[part] is the
 * finding of a part, out[parts] that of the median part, which shows a device that is slow at
 * everything; each of the two families has half the level.
 *
 * A part's reference is the median of the others, its spread their median absolute deviation with
 * the correction for few values of Croux and Rousseeuw (1992), averaged with a prior: equal GPUs of
 * large clusters differ by 1.5 % (the range of 8 % of Sinha et al., SC'22), which counts as 8
 * degrees of freedom. It is at least the error of measuring, and the spread of the device's own
 * parts, and gives a Student's t.
 * ENOMEM.
 */
int paleo_health_compare(const struct paleo_health_value *own,
			 const struct paleo_health_value *others, int count, int parts,
			 const struct paleo_health_how *how, struct paleo_health_finding *out,
			 struct paleo_error *err);

enum {
	PALEO_HEALTH_FACTOR_MIN = 6 /* parts: fewer give no 95 % interval of their median */
};

/* How a device's times compare with those of the others. A plain value. */
struct paleo_health_factor {
	double factor; /* its time over theirs, in the median part; NaN: too few parts, or others */
	double low, high; /* 95 % interval of that median, by the parts' order statistics */
	double limit;     /* equal devices have a factor up to this, and down to its inverse */
	int parts;        /* that it and another one have */
	int differs;      /* 1: the factor is beyond the limit */
};

/*
 * Compares a device with others of its kind, faster or slower, by arguments as above. The limit is
 * that of so many false alarms: the spread between devices is judged as above, and is at least the
 * half interval's. ENOMEM.
 */
int paleo_health_factor(const struct paleo_health_value *own,
			const struct paleo_health_value *others, int count, int parts,
			const struct paleo_health_how *how, struct paleo_health_factor *out,
			struct paleo_error *err);

/* An op's measured time beside what its kind takes. A plain value. */
struct paleo_health_of_kind {
	double measured_s, predicted_s, high90_s; /* the upper end of the 90 % interval */
};

enum {
	PALEO_HEALTH_KIND_MIN = 5 /* ops; fewer do not show a device's kind */
};

/*
 * Compares ops with the predictions for the device's kind: slow if half of them are above the
 * 99.5 % point of their own error, which by Markov's inequality is a false alarm in at most 1 % of
 * devices however the errors of ops go together. The finding is NaN for fewer than
 * PALEO_HEALTH_KIND_MIN. ENOMEM.
 */
int paleo_health_kind(const struct paleo_health_of_kind *ops, int count, double margin,
		      struct paleo_health_finding *out, struct paleo_error *err);

#endif
