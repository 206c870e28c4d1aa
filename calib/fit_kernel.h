/* fit_kernel.h - fits a kernel model to the rows of one group, and says what is known. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_KERNEL_H
#define PALEO_CALIB_FIT_KERNEL_H

#include "calib/fit_rows.h"
#include "model/predict/kernel_models.h"

/*
 * Fits the parameters and sets of a kernel model to `count` >= 1 rows of one class, pass and number
 * type, measured in a loop with so many sets of the weights (struct paleo_fitted_kernel). Presets
 * of other GPUs are where the search starts, those of the device itself take no part. Each
 * parameter's standard error comes from the slopes at the end: the records' share and the prior's;
 * NaN where the prior tells as much as the records, at a bound, and where it was held. The same
 * rows give the same bits. EUNSUPPORTED when the device lacks a number that the law needs; ENOMEM.
 */
int paleo_fit_form(const struct paleo_kernel_model *kernel, const struct paleo_device *device,
		   const struct paleo_fit_row *rows, int count, int operand_sets,
		   struct paleo_fitted_kernel *out, struct paleo_error *err);

#endif
