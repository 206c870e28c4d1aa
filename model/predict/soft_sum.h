/* soft_sum.h - how long two things take that partly hide each other. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_SOFT_SUM_H
#define PALEO_MODEL_PREDICT_SOFT_SUM_H

#include <math.h>

/* (a^v + b^v)^(1/v), without powers that under- or overflow: the sum at v = 1, nearly the larger
 * one at a large v. a, b >= 0, not both 0; v >= 1. */
static inline double paleo_soft_sum(double a, double b, double v)
{
	double high = fmax(a, b), low = fmin(a, b);

	return high * pow(1 + pow(low / high, v), 1 / v);
}

#endif
