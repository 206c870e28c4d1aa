/* parameter.h - what a fitted parameter of a law is: name, unit, meaning, bounds, prior. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_PARAMETER_H
#define PALEO_MODEL_PREDICT_PARAMETER_H

#include <math.h>
#include <stddef.h>
#include <string.h>

/*
 * One double of a law's struct of parameters. All are positive and are fitted as
 * logarithms: `prior_sd` is the standard deviation of the prior of the logarithm.
 * A table of them ends with a NULL name.
 */
struct paleo_parameter {
	const char *name;   /* of the field: "ppp_compute" */
	const char *symbol; /* as equations and tables of presets call it: "pc" */
	const char *unit;   /* "us", "1" */
	const char *meaning;
	size_t offset; /* of the double in the law's struct */
	double init;   /* where a fit starts that has no preset */
	double low, high;
	double prior_sd;
};

static inline double paleo_parameter_get(const struct paleo_parameter *p, const void *params)
{
	double value;

	memcpy(&value, (const char *)params + p->offset, sizeof(value));
	return value;
}

static inline void paleo_parameter_set(const struct paleo_parameter *p, void *params, double value)
{
	memcpy((char *)params + p->offset, &value, sizeof(value));
}

/* By its logarithm. That of a bound may come back as a number just beyond the bound. */
static inline void paleo_parameter_set_log(const struct paleo_parameter *p, void *params, double z)
{
	double value = exp(z);

	value = value < p->low ? p->low : value > p->high ? p->high : value;
	paleo_parameter_set(p, params, value);
}

#endif
