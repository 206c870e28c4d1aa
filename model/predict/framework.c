/* framework.c - what frameworks take beyond the works they run: a fitted factor, and the host. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/framework.h"

#include <math.h>
#include <stddef.h>

const char *const paleo_framework_names[] = {"none", "eager", "compiled", NULL};

/* From results/studies/frameworks.sh TIMM.csv text (docs/method/answers.md). */
static const struct paleo_framework_factor factors[] = {
	{PALEO_FRAMEWORK_EAGER, 0, PALEO_NCHW, 34, 0.681, 0.602, 0.804,
	 "timm, RTX 3090 and 4090, f16"},
	{PALEO_FRAMEWORK_EAGER, 0, PALEO_NHWC, 34, 0.782, 0.690, 1.024,
	 "timm, RTX 3090 and 4090, f16"},
	{PALEO_FRAMEWORK_EAGER, 1, PALEO_NCHW, 33, 0.883, 0.716, 1.360, "timm, RTX 3090, f16"},
	{PALEO_FRAMEWORK_EAGER, 1, PALEO_NHWC, 33, 0.882, 0.735, 1.464, "timm, RTX 3090, f16"},
	{PALEO_FRAMEWORK_COMPILED, 0, PALEO_NCHW, 34, 0.750, 0.664, 1.076, "timm, RTX 4090, f16"},
};

const struct paleo_framework_factor *
paleo_framework_factor_find(enum paleo_framework framework, int training, enum paleo_layout layout)
{
	const struct paleo_framework_factor *near = NULL;

	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		const struct paleo_framework_factor *f = &factors[i];
		if (f->framework != framework || f->training != training)
			continue;
		if (f->layout == layout)
			return f;
		near = f;
	}
	return near;
}

double paleo_framework_pass_s(double kernels_s, int kernels, double dispatch_s)
{
	return fmax(kernels_s, kernels * dispatch_s);
}
