/* pattern.h - a search along the axes for the minimum of a loss that is only smooth in pieces. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_PATTERN_H
#define PALEO_CALIB_PATTERN_H

enum {
	PALEO_PATTERN_PARAMS_MAX = 40
};

/*
 * Coordinate pattern search (after Hooke and Jeeves 1961): each parameter in turn
 * tries a step of its own, first the way that helped last, then the other; a step
 * that helps grows by half, one that does not is halved. It needs no derivatives,
 * which the choice of the fastest candidate would break. The same problem gives the
 * same bits.
 */
struct paleo_pattern_problem {
	int params; /* 1 .. PALEO_PATTERN_PARAMS_MAX */
	double (*loss)(const void *context, const double *z);
	const void *context;
	const double *low, *high; /* low = high fixes a parameter */
	double step;              /* the first step, > 0 */
	double step_min;          /* it ends when no step is longer than this, > 0 */
	int evaluations_max;
};

struct paleo_pattern_result {
	double loss; /* at z */
	int evaluations;
};

/* Moves z from where it stands (put within the bounds first) to a local minimum. Always ends; a
 * loss that is not a number counts as worse than any. */
void paleo_pattern_solve(const struct paleo_pattern_problem *p, double *z,
			 struct paleo_pattern_result *out);

/* 2 (sqrt(1 + u^2) - 1): a square near zero, straight far out (pseudo-Huber). */
double paleo_pseudo_huber(double u);

#endif
