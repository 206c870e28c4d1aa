/* correlated.h - parameters that records cannot tell from one another. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_CORRELATED_H
#define PALEO_CALIB_CORRELATED_H

/* Errors that go together by more than this are of one group. */
#define PALEO_CORRELATED 0.95

/*
 * Groups n parameters by the correlation of their errors, |c_ij| / sqrt(c_ii c_jj): those above
 * PALEO_CORRELATED, and whatever they are joined to by others, share a number, 1 and on
 * in the order of their first members; all else gets 0. `covariance` has rows of `stride`
 * numbers. What left_out[] flags is in no group; NULL: nothing is.
 */
void paleo_correlated_groups(const double *covariance, int stride, int n,
			     const unsigned char *left_out, unsigned char *group);

#endif
