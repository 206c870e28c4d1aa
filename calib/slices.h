/* slices.h - errors of predictions, over all of them and by what they have in common. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_SLICES_H
#define PALEO_CALIB_SLICES_H

#include "calib/validate.h"

/* One measured time beside its prediction. */
struct paleo_judged {
	const struct paleo_work *work;
	double measured_s;
	struct paleo_heldout predicted;
	long key; /* of the slice, while one is made */
};

/* No works: NaN all over. */
struct paleo_errors paleo_errors_none(void);

/* Errors of `count` works; `scratch` has room for so many values. */
struct paleo_errors paleo_errors_of(const struct paleo_judged *p, int count, double *scratch);

/* Errors of PALEO's law on the same works; they have no intervals. */
struct paleo_errors paleo_errors_of_paleo(const struct paleo_judged *p, int count, double *scratch);

/*
 * Errors by kind of work, pass, number type, measured time and batch size, in this
 * order; what has but one of them is left out. *out is owned by the caller: free().
 * The list is sorted in the course of it. ENOMEM.
 */
int paleo_slices_make(struct paleo_judged *list, int count, struct paleo_validated_slice **out,
		      int *slices, struct paleo_error *err);

#endif
