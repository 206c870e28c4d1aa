/* reference.h - what one output element should be, in double, the naive way. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REFERENCE_H
#define PALEO_BENCH_REFERENCE_H

#include "bench/backend.h"

/*
 * One element of a result of `w` on the inputs of fill.h. *magnitude is the sum of
 * the absolute values of what is added up (at least the largest input's share), by
 * which an error is divided. EUNSUPPORTED for a result that has no single truth.
 */
int paleo_reference_value(const struct paleo_work *w, enum paleo_role role, int copy, double index,
			  double *value, double *magnitude, struct paleo_error *err);

/* The relative error (against magnitude) that a number type may have; larger for long sums only as
 * far as the type's own rounding explains. */
double paleo_reference_tolerance(const struct paleo_work *w);

/* How to check a prepared job: at most `samples` elements of each result, or all if it has fewer.
 */
struct paleo_verification {
	double error; /* largest relative error seen */
	double tolerance;
	int checked;          /* elements */
	enum paleo_role role; /* where the largest error was */
	double index;
	double expected, found;
};

/* Compares a job's results with the reference. The cost is bounded: elements with long sums are
 * sampled more thinly. PALEO_OK also when the error is above tolerance: the caller judges. */
int paleo_verify(const struct paleo_backend *b, struct paleo_job *j, const struct paleo_work *w,
		 int samples, struct paleo_verification *out, struct paleo_error *err);

#endif
