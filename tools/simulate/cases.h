/* cases.h - `simulate --case`: published training steps, and their tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SIMULATE_CASES_H
#define PALEO_TOOLS_SIMULATE_CASES_H

#include "base/table.h"
#include "tools/cli/options.h"

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

/* The published figure of one point: a speedup over one worker of the same curve. */
struct published_report {
	const char *of, *net, *parallel, *scheme;
	int batch; /* as in the curve */
	int workers;
	double speedup;
	const char *source;
};

/* The table of curves, case by case, and its length. */
const struct published_curve *published_curves(int *count);

/* The published figure of a point of the curve; NULL if none is known here. */
const struct published_report *published_report(const struct published_curve *c, const char *net,
						const char *scheme, int workers);

/* 1 if the name is one of published steps of transformers, which have a table of their own. */
int training_has(const char *of);

/* The table, with a row for each figure of a name. NULL if memory ran out; EINPUT, ENOMEM. */
struct paleo_table *training_table(void);
int training_add(struct paleo_table *t, const char *of, struct paleo_error *err);

/* The same of the steps of results/cases/training.csv, all of them. */
struct paleo_table *steps_table(void);
int steps_add(struct paleo_table *t, struct paleo_error *err);

/* Prints the table of cases of choice_case: the command. EINPUT where they have different tables;
 * EUNSUPPORTED, EIO, ENOMEM. */
int cases_print(const struct option_words *wanted, enum paleo_table_format format,
		struct paleo_error *err);

#endif
