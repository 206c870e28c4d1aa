/* minimum.h - minima: bounded robust least squares (Levenberg-Marquardt), and a pattern search. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_MINIMUM_H
#define PALEO_CALIB_MINIMUM_H

enum {
	PALEO_LM_PARAMS_MAX = 24
};

/*
 * Finds z within [low, high] that makes small
 *
 *   sum of weight_i * rho(r_i(z) / scale) + sum of ((z_j - prior_j) / prior_sd_j)^2
 *
 * with rho(u) = 2 (sqrt(1 + u^2) - 1): a square near zero, straight far out, so
 * that a few wild residuals do not decide. The search is Levenberg (1944) and
 * Marquardt (1963) on re-weighted residuals; a parameter at a bound that pulls
 * outwards is held there.
 */
struct paleo_lm_problem {
	int params;    /* 1 .. PALEO_LM_PARAMS_MAX */
	int residuals; /* >= 0 */
	/* Residual i at z; fills slope[params] with its derivatives and *weight. Finite within the
	 * bounds. Called for 0 .. residuals - 1 in this order with each z, so values that depend on
	 * z alone may be kept from 0 on. */
	double (*residual)(const void *context, int i, const double *z, double *slope,
			   double *weight);
	const void *context;
	double scale;             /* > 0 */
	const double *low, *high; /* low = high fixes a parameter */
	const double *prior;      /* NULL: no prior */
	const double *prior_sd;   /* > 0 */
	double step_max;  /* > 0; no parameter moves further in one step: far away it may be flat */
	double tolerance; /* it ends when a step gains no larger share of the loss; 0: 1e-10 */
	int iterations_max;
};

struct paleo_lm_result {
	double loss;      /* with the priors' share */
	double data_loss; /* without it */
	double pulls; /* sum of weight * u^2 / (1 + u^2), u = residual / scale: effective weight at
			 z */
	int iterations;
	/* Sum of weight * slope slope^T at the end, without priors: the information of the
	 * residuals. */
	double information[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX];
};

/* Moves z from its current value (put within the bounds first) to a local minimum. Always ends. */
void paleo_lm_solve(const struct paleo_lm_problem *p, double *z, struct paleo_lm_result *out);

/* Replaces the leading n x n part of a symmetric matrix by its inverse; -1 when it has none. */
int paleo_lm_invert(double a[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX], int n);

/* A search along the axes for the minimum of a loss that is only smooth in pieces. */

enum {
	PALEO_PATTERN_PARAMS_MAX = 40
};

/*
 * Coordinate pattern search (after Hooke and Jeeves 1961): each parameter in turn tries its own
 * step, first the way that helped last, then the other; a step that helps grows by half, one that
 * does not is halved. It needs no derivatives, which the choice of the fastest candidate would
 * break. The same problem gives the same bits.
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

/* Moves z from its current value (put within the bounds first) to a local minimum. Always ends; a
 * loss that is not a number counts as worse than any. */
void paleo_pattern_solve(const struct paleo_pattern_problem *p, double *z,
			 struct paleo_pattern_result *out);

/* 2 (sqrt(1 + u^2) - 1): a square near zero, straight far out (pseudo-Huber). */
double paleo_pseudo_huber(double u);

#endif
