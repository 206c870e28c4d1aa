/* paleo2017.h - what the original predicts, for `predict --cost-model paleo2017`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PREDICT_PALEO2017_H
#define PALEO_TOOLS_PREDICT_PALEO2017_H

#include "base/table.h"
#include "model/paleo2017/paleo2017.h"

struct predict_2017 {
	const struct paleo_2017_device *device;
	const char *algorithm; /* of convolutions: "gemm", "fft" ... */
	double ppp;            /* fraction of the peaks */
	int batch;             /* 0: the net's own */
	unsigned passes;       /* PALEO_PASSES_... */
	const char *filter;    /* as for plan_settings */
	enum paleo_table_format format;
};

/* Prints the times of the nets' layers in milliseconds, every digit of which is the original's.
 * EINPUT, EUNSUPPORTED. */
int predict_2017_print(const struct predict_2017 *p, const char *const *nets, int count,
		       struct paleo_error *err);

#endif
