/* pass_table.h - how well whole passes are predicted from the sums of their rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PASS_TABLE_H
#define PALEO_TOOLS_PASS_TABLE_H

#include <stdio.h>

#include "base/table.h"
#include "model/predict/calibration.h"
#include "model/record/record.h"

/*
 * Prints, for each whole pass that was measured, the error of its rows' sum (measured
 * alone; predicted, where there is a calibration, which may be NULL), without the
 * correction for whole passes and with one fitted to the other nets alone. Nothing
 * where there is no pass.
 */
int pass_table_print(const struct paleo_results *r, const struct paleo_calibration *c,
		     enum paleo_table_format format, FILE *out, struct paleo_error *err);

#endif
