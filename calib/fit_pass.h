/* fit_pass.h - what whole passes take over the sum of their works, from measured ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_FIT_PASS_H
#define PALEO_CALIB_FIT_PASS_H

#include "model/predict/calibration.h"
#include "model/record/graph_record.h"

/*
 * For each extent, number type, layout and fusion: the factor is exp(sum of log(whole / sum) / (n +
 * k)), k being 1/2: so many nets more on which there is no effect, for one net says little of
 * others. Counted are passes whose rows have all been measured alone; the sum is of these. A net at
 * two batches is two points, and one net in `nets`.
 *
 * A step has two factors, one for its forward and backward works and one for its
 * updates, that make small the sum of log(whole / (f layers + g updates))^2, with
 * half a net that says for f what forward and backward without updates take, and next
 * to nothing said of g.
 *
 * `without` names a net that is left out; NULL: none. Returns how many corrections
 * there are, at most PALEO_PASS_CORRECTIONS_MAX.
 */
int paleo_fit_passes(const struct paleo_graph_record *passes, int count, const char *without,
		     struct paleo_pass_correction out[PALEO_PASS_CORRECTIONS_MAX]);

#endif
