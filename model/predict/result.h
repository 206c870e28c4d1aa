/* result.h - what every prediction is made of: the parts of a time, and its intervals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_RESULT_H
#define PALEO_MODEL_PREDICT_RESULT_H

#include <math.h>

/* Seconds that a work takes, and what makes them up: less than the sum where they overlap. */
struct paleo_parts {
	double compute_s, memory_s, overhead_s;
	double total_s;
};

/* Where a measured time, or its ratio to the predicted one, lies: low <= low50 <= high50 <= high.
 * NaN where held-out works do not tell. */
struct paleo_interval {
	double low, high;     /* 5 % and 95 % quantile: the 90 % interval */
	double low50, high50; /* 25 % and 75 % quantile: the 50 % interval */
};

#define PALEO_NO_INTERVAL ((struct paleo_interval){NAN, NAN, NAN, NAN})

/* An interval of ratios, around a predicted time in seconds. */
static inline struct paleo_interval paleo_interval_around(struct paleo_interval ratio,
							  double time_s)
{
	return (struct paleo_interval){time_s * ratio.low, time_s * ratio.high,
				       time_s * ratio.low50, time_s * ratio.high50};
}

#endif
