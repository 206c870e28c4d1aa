/* reference.h - what one output element should be, in double, the naive way. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_REFERENCE_H
#define PALEO_BENCH_REFERENCE_H

#include "bench/backend.h"

/*
 * One element of a result of `w` on the inputs of fill.h. *magnitude, by which an
 * error is divided, is the size that a sum of such terms with random signs has:
 * the root of the sum of the squares of what is added up, or |value| if that is
 * larger. It does not shrink where terms happen to cancel, and does not grow with
 * the number of terms faster than results do, so that products of too few digits
 * show however long the sum. Results of exp, tanh and erf count as at least 1.
 *
 * Where values are equal, a maximum is the first of them, row by row. The parts of
 * a copy are counted in their own columns (paleo_copy_part()). EUNSUPPORTED for a
 * role that is no result, or has no single truth: the MASK of a max pooling.
 */
int paleo_reference_value(const struct paleo_work *w, enum paleo_role role, int copy, double index,
			  double *value, double *magnitude, struct paleo_error *err);

/* How many terms make one element of a result, about: what the reference costs. */
double paleo_reference_terms(const struct paleo_work *w, enum paleo_role role);

/*
 * The relative error (against magnitude) that a number type may have:
 *   f32    1e-5, of a convolution 1e-4: Winograd's transforms lose a digit
 *   tf32   3 * 2^-10 in conv and gemm: two factors cut to 10 bits, half again for spread
 *   f16    2 * 2^-11 more: one rounding of the result, one of an intermediate
 *   bf16   2 * 2^-8 more
 *   fp8    2 * 2^-8 more, its result is bf16; and 2^-10, as tensor cores add up products of
 *          fp8 in fewer bits than f32 has
 * and in each 2^-23 * sqrt(terms): n roundings of a sum that is added up in f32.
 * tf32 where f32 was asked for errs by about 4e-4, and so is seen.
 */
double paleo_reference_tolerance(const struct paleo_work *w);

/* How to check a prepared job: at most `samples` elements of each result, or all if it has fewer.
 */
struct paleo_verification {
	double error; /* largest relative error seen */
	double tolerance;
	int checked;          /* elements; 0: none, and the rest of this means nothing */
	enum paleo_role role; /* where the largest error was */
	int copy;
	double index;
	double expected, found;
};

/*
 * Compares a job's results with the reference: the first, the last and randomly
 * chosen elements of each, always the same ones. The cost is bounded to about 1e7
 * terms a result: long sums are sampled more thinly, but 4 elements at least.
 * PALEO_OK also when the error is above tolerance or NaN (a NaN was found): the
 * caller judges by !(error <= tolerance). EBACKEND if no result could be checked.
 */
int paleo_verify(const struct paleo_backend *b, struct paleo_job *j, const struct paleo_work *w,
		 int samples, struct paleo_verification *out, struct paleo_error *err);

#endif
