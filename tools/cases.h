/* cases.h - the published cases: what was simulated, how, and what was reported. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CASES_H
#define PALEO_TOOLS_CASES_H

enum {
	CASE_POINTS_MAX = 8,
	CASE_SCHEMES_MAX = 3
};

/* A curve of a case: one configuration on ever more workers, of which the first is one worker that
 * the others are compared to. Lists end with 0 or NULL, or are full. */
struct published_curve {
	const char *of;            /* the case's name */
	const char *net;           /* NULL: one for each number of workers, below */
	const char *device;        /* under the original's name */
	const char *network;       /* likewise */
	double ppp_comp, ppp_comm; /* fractions of peak */
	const char *parallel;      /* "data", "hybrid" */
	int strong;                /* 1: `batch` is that of all workers together, 0: of each */
	int batch;
	const char *schemes[CASE_SCHEMES_MAX]; /* under our names */
	int workers[CASE_POINTS_MAX];
	const char *nets[CASE_POINTS_MAX];
};

/* What was reported of one point: a speed-up over one worker of the same curve. */
struct published_report {
	const char *of, *net, *parallel, *scheme;
	int batch; /* as in the curve */
	int workers;
	double speedup;
	const char *source;
};

/* The cases' names, NULL-ended. */
const char *const *published_cases(void);

/* The table of curves, case by case, and its length. */
const struct published_curve *published_curves(int *count);

/* What was reported of a point of the curve, NULL if no figure of it is known here. */
const struct published_report *published_report(const struct published_curve *c, const char *net,
						const char *scheme, int workers);

#endif
