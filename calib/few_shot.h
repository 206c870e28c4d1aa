/* few_shot.h - how well a GPU is predicted from few measurements of it, or none. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FEW_SHOT_H
#define PALEO_CALIB_FEW_SHOT_H

#include "calib/validate.h"

/*
 * For 0, 5, 20 and 100 measurements of each class, pass and number type: how records are predicted
 * by a fit to no more, which has not seen their shape. Presets of the GPU itself, and of cards with
 * its chip, take no part. With 0 the prediction is that of presets alone, without an interval, and
 * PALEO's is at its authors' half of the peak. `held` are predictions by all records: those that
 * are not NaN are judged. Numbers that no group exceeds are left out, and all are where the law of
 * tiles does not apply (paleo_fit_has_kernel_models()). *out, of *count, is owned by the caller:
 * free(). ENOMEM; what paleo_fit_heldout() returns.
 */
int paleo_few_shot_judge(const struct paleo_results *r, const struct paleo_fit_options *o,
			 const struct paleo_heldout *held, struct paleo_validated_slice **out,
			 int *count, struct paleo_error *err);

#endif
