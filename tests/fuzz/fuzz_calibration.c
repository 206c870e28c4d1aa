/* fuzz_calibration.c - any bytes as a calibration; what is accepted must be able to predict. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/calibration_file.h"
#include "model/predict/predict.h"
#include "tests/fuzz/fuzz.h"

/* An op that every calibration can predict, if its device has the peak. */
static void demand_time(const struct paleo_calibration *c)
{
	struct paleo_prediction p;
	struct paleo_error err;
	struct paleo_op w;

	demand(paleo_op_parse("conv fwd f32 n=1 c=3 h=8 w=8 k=8 r=3 s=3", &w, &err) == 0);
	if (paleo_predict_op(c, &w, &p, &err) == 0)
		demand(isfinite(p.parts.total_s) && p.parts.total_s > 0);
	else
		demand(err.status == PALEO_EUNSUPPORTED);
}

static void demand_same_text(const struct paleo_calibration *c)
{
	struct paleo_calibration again;
	struct paleo_error err;
	char *text = NULL;
	char *second = NULL;

	demand(paleo_calibration_text(c, &text, &err) == 0);
	demand(paleo_calibration_parse("again", text, strlen(text), &again, &err) == 0);
	demand(paleo_calibration_text(&again, &second, &err) == 0);
	demand(strcmp(text, second) == 0);
	free(text);
	free(second);
	paleo_calibration_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_calibration c;
	struct paleo_error err;

	if (paleo_calibration_parse("fuzz", (const char *)data, size, &c, &err) == 0) {
		demand_time(&c);
		demand_same_text(&c);
		paleo_calibration_release(&c);
	} else {
		demand(strncmp(err.text, "fuzz:", 5) == 0);
	}
	return 0;
}
