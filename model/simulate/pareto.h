/* pareto.h - the best of many points where several goals count: those that none beats. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_PARETO_H
#define PALEO_MODEL_SIMULATE_PARETO_H

#include "base/error.h"

enum {
	PALEO_GOALS = 3
};

struct paleo_pareto_point {
	double goals[PALEO_GOALS]; /* less is better; not NaN; 0 in all points: does not count */
	long long id;              /* of two points with the same goals the lower one stays */
};

/*
 * The points so far that no other one beats (Pareto 1906): p beats q if no goal of p
 * is greater, and one is less, or all are equal and its id is lower. Which points
 * stay does not depend on the order they came in; the order they stand in does.
 * Starts as all zero.
 */
struct paleo_pareto {
	struct paleo_pareto_point *points; /* owned */
	int count, capacity;
};

/* Adds a point if none beats it, and drops those it beats. ENOMEM. */
int paleo_pareto_add(struct paleo_pareto *front, const struct paleo_pareto_point *p,
		     struct paleo_error *err);

/* Orders the points by their first goal, then the second, the third, the id. */
void paleo_pareto_sort(struct paleo_pareto *front);
void paleo_pareto_release(struct paleo_pareto *front); /* NULL allowed */

#endif
