/* trust.h - whether errors on works held out of a fit are small enough to rely on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_TRUST_H
#define PALEO_CALIB_TRUST_H

enum paleo_trust {
	PALEO_TRUST_GOOD,
	PALEO_TRUST_ROUGH, /* right in size, wrong in detail */
	PALEO_TRUST_NOT,
	PALEO_TRUST_UNTOLD, /* too few works were held out to say */
	PALEO_TRUSTS
};

/* The rules of docs/guide/validate.md: shares, and a number of works. */
#define PALEO_TRUST_GOOD_MEDIAN 0.10
#define PALEO_TRUST_GOOD_P90 0.30
#define PALEO_TRUST_ROUGH_MEDIAN 0.25
#define PALEO_TRUST_WORKS 10

/* By the median and the 90th percentile of |predicted / measured - 1| of so many works; NaN: none.
 */
enum paleo_trust paleo_trust_of(double median, double p90, int works);

#endif
