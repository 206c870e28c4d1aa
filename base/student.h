/* student.h - Student's t for any degrees of freedom, and what variances of few values share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_STUDENT_H
#define PALEO_BASE_STUDENT_H

#include <stddef.h>

/* How likely it is that |T| is `t` >= 0 or more, of `degrees` > 0; infinite degrees: normal. */
double paleo_student_p(double t, double degrees);

/* The t that |T| stays below in 95 % of cases. */
double paleo_student_t95(double degrees);

/* What many variances come from, each of so many degrees of freedom: a middle one, `variance`, and
 * how much it says beside their own data, as `degrees`; 0 where nothing can be said. */
struct paleo_variance_prior {
	double variance, degrees;
};

/* By the method of Smyth (2004): the logarithms' spread beyond what chance alone gives them, and
 * one standard error more, so that works are taken for less alike rather than for more. Variances
 * that are 0 do not count; three others are needed. */
struct paleo_variance_prior paleo_variance_prior_fit(const double *variances, const double *degrees,
						     size_t n);

/* 1 for those of `n` p-values that may be called true with at most `level` false ones among all so
 * called, in the mean (Benjamini and Hochberg 1995). `order` has room for n. */
void paleo_false_discoveries(const double *p, size_t n, double level, size_t *order, int *called);

#endif
