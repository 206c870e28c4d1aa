/* reference.h - expected value of one output element, in double, computed naively. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REFERENCE_H
#define PALEO_BENCH_REFERENCE_H

#include "bench/backend.h"

/*
 * One element of a result of `w` on the inputs of fill.h. *magnitude, the divisor of an error, is
 * the expected size of a sum of such terms with random signs: the root of the sum of the squares of
 * the terms, or |value| if that is larger. It does not shrink where terms happen to cancel, and
 * does not grow with the number of terms faster than results do, so that a loss of precision in the
 * factors is detected however long the sum. Results of exp, tanh and erf count as at least 1.
 *
 * Where values are equal, a maximum is the first of them, row by row. The parts of a copy are
 * counted in their own columns (paleo_copy_part()). EUNSUPPORTED for a role that is not a result,
 * or has no unique value: the MASK of a max pooling.
 */
int paleo_reference_value(const struct paleo_op *w, enum paleo_role role, int copy, double index,
			  double *value, double *magnitude, struct paleo_error *err);

/* About how many terms make one element of a result: the cost of the reference. */
double paleo_reference_terms(const struct paleo_op *w, enum paleo_role role);

/*
 * The relative error (against magnitude) that a dtype may have:
 *   f32    1e-5, of a convolution 1e-4: Winograd's transforms lose a digit
 *   tf32   3 * 2^-10 in conv and gemm: two factors cut to 10 bits, half again for spread
 *   f16    2 * 2^-11 more: one rounding of the result, one of an intermediate
 *   bf16   2 * 2^-8 more
 *   fp8    2 * 2^-8 more, its result is bf16; and as tensor cores accumulate fp8 in fewer bits than
 * f32 has, 2^-17 * terms + 2^-13 * sqrt(terms), or with scales of blocks 2^-10 and in each 2^-23 *
 * sqrt(terms): n roundings of a sum that is added up in f32. tf32 where f32 was requested errs by
 * about 4e-4, and so is detected.
 */
double paleo_reference_tolerance(const struct paleo_op *w);

/* Outcome of a check. */
struct paleo_verification {
	double error; /* largest relative error seen */
	double tolerance;
	int checked;          /* elements */
	enum paleo_role role; /* where the largest error was */
	int copy;
	double index;
	double expected, found;
};

/* Elements of an op's results and their expected values, computed once, as that is expensive. */
struct paleo_checks;

/*
 * Chooses at most `samples` elements of each result, or all if it has fewer: the first, the last
 * and random ones, always the same. The cost is bounded to about 1e7 terms a result: long sums are
 * sampled more thinly, but 4 elements at least. End with paleo_checks_free().
 */
int paleo_checks_make(const struct paleo_op *w, int samples, struct paleo_checks **out,
		      struct paleo_error *err);
void paleo_checks_free(struct paleo_checks *c); /* NULL allowed */

/*
 * Compares them with a job's results. PALEO_OK also when the error is above tolerance or NaN (a NaN
 * was found): the caller judges by !(error <= tolerance). EBACKEND if no result could be checked.
 */
int paleo_checks_compare(const struct paleo_checks *c, const struct paleo_backend *b,
			 struct paleo_job *j, struct paleo_verification *out,
			 struct paleo_error *err);

/* 1 if more runs leave the same results. 0 for an op that changes an operand in place, such as an
 * optimiser's step: after many runs its results are those of as many steps, without a reference. */
int paleo_checks_hold_again(const struct paleo_checks *c);

#endif
