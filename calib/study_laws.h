/* study_laws.h - the laws that a study judges, each fitted to rows of measured works. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_LAWS_H
#define PALEO_CALIB_STUDY_LAWS_H

#include "calib/fit_conv.h"
#include "calib/fit_tile.h"
#include "calib/holdout.h"
#include "model/predict/kernel_models.h"
#include "model/record/measured.h"

/* Works of one kind, pass and number type on one device, and the law last fitted to some. */
struct paleo_subject {
	const struct paleo_measured_row **rows;
	int count;
	const struct paleo_device *described;
	struct paleo_tile_device device;
	const char *gpu; /* whose presets have seen these rows */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	int operand_sets_max;
	struct paleo_fitted_kernel model;
};

/* For paleo_holdout(), with a struct paleo_subject for context (not filled in); NULL: none. */
const struct paleo_holdout_law *paleo_subject_law(enum paleo_work_kind kind, enum paleo_pass pass);

#endif
