/* presets.c - kernel models of few rows keep the parameters of the shipped presets. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "calib/fit.h"
#include "calib/validate.h"
#include "library/source.h"
#include "tools/calibrate/calibrate.h"

int lean_on_presets(const struct paleo_results *results, const char *mode,
		    struct paleo_calibration *calibration, FILE *notes, struct paleo_error *err)
{
	int replaced = 0;

	for (int t = 0; t < PALEO_DTYPES; t++) {
		struct paleo_knowledge of = {.device = &calibration->device,
					     .dtype = (enum paleo_dtype)t};
		struct paleo_calibration prior = {.count = 0};
		int has = 0;
		for (int i = 0; i < calibration->count; i++)
			has |= calibration->models[i].model &&
			       calibration->models[i].dtype == of.dtype &&
			       calibration->models[i].records <= PALEO_FEW_ROWS;
		if (!has)
			continue;
		int rc = paleo_known_make(&of, &prior, err);
		if (!rc)
			rc = paleo_few_shot_lean(results, mode, of.dtype, &prior, calibration, err);
		paleo_calibration_release(&prior);
		if (rc < 0 && rc != PALEO_EUNSUPPORTED)
			return rc;
		replaced += rc > 0 ? rc : 0;
	}
	if (replaced)
		paleo_print(notes,
			    "%d kernel model%s of at most %d rows: the presets' parameters stay, "
			    "as the "
			    "fit is not clearly better on rows held out\n",
			    replaced, replaced == 1 ? "" : "s", PALEO_FEW_ROWS);
	return PALEO_OK;
}
