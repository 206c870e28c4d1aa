/* parameter.h - shared by cost models: parameters, the parts of a time, soft sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_PARAMETER_H
#define PALEO_MODEL_PREDICT_PARAMETER_H

#include <math.h>
#include <stddef.h>
#include <string.h>

/*
 * One double of a cost model's struct of parameters. All are positive and are fitted as
 * logarithms: `prior_sd` is the standard deviation of the prior of the logarithm.
 * A table of them ends with a NULL name.
 */
struct paleo_parameter {
	const char *name;   /* of the field: "ppp_compute" */
	const char *symbol; /* as equations and tables of presets call it: "pc" */
	const char *unit;   /* "us", "1" */
	const char *meaning;
	size_t offset; /* of the double in the cost model's struct */
	double init;   /* start of a fit without a preset */
	double low, high;
	double prior_sd;
};

/* A row of such a table: the field of a struct, its symbol and unit, start, bounds and prior, and
 * its meaning. */
#define PALEO_PARAMETER(type, field, ...)                                                          \
	PALEO_PARAMETER_AT(#field, offsetof(type, field), __VA_ARGS__)
#define PALEO_PARAMETER_AT(called, at, sign, of, start, least, most, sd, about)                    \
	{                                                                                          \
		.name = (called), .symbol = (sign), .unit = (of), .meaning = (about),              \
		.offset = (at), .init = (start), .low = (least), .high = (most), .prior_sd = (sd)  \
	}

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

/* Common to all predictions: the parts of a time, and its intervals. */

/* Seconds of an op and their parts; the total is less than the sum where parts overlap. */
struct paleo_parts {
	double compute_s, memory_s, overhead_s;
	double total_s;
};

/* Interval of a measured time, or of its ratio to the predicted one: low <= low50 <= high50 <=
 * high. NaN without held-out ops. */
struct paleo_interval {
	double low, high;     /* 5 % and 95 % quantile: the 90 % interval */
	double low50, high50; /* 25 % and 75 % quantile: the 50 % interval */
};

#define PALEO_NO_INTERVAL ((struct paleo_interval){NAN, NAN, NAN, NAN})

/* Time of two partly overlapping parts: (a^v + b^v)^(1/v), without powers that under- or overflow:
 * the sum at v = 1, nearly the larger one at a large v. a, b >= 0, not both 0; v >= 1. */
static inline double paleo_soft_sum(double a, double b, double v)
{
	double high = fmax(a, b), low = fmin(a, b);

	return high * pow(1 + pow(low / high, v), 1 / v);
}

#endif
