/* framework.h - what frameworks take beyond the works they run: a fitted factor, and the host. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_FRAMEWORK_H
#define PALEO_MODEL_PREDICT_FRAMEWORK_H

#include "model/net/net.h"

/* Measured whole nets over the sum of their predicted works: the middle, and where 90 % lie. */
struct paleo_framework_factor {
	enum paleo_framework framework;
	int training;
	enum paleo_layout layout;
	int nets;
	double factor, low, high;
	const char *source;
};

/* NULL: none was fitted. */
const struct paleo_framework_factor *
paleo_framework_factor_find(enum paleo_framework framework, int training, enum paleo_layout layout);

/* The words of --framework, NULL behind the last. */
extern const char *const paleo_framework_names[];

/* A pass takes its kernels' time, or the host's to start them, whichever is longer. */
double paleo_framework_pass_s(double kernels_s, int kernels, double dispatch_s);

#endif
