/* law.h - the law: from a work and a factor to a time, with its derivatives for the fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_LAW_H
#define PALEO_MODEL_LAW_H

#include "model/predict.h"

/* What the law wants to know of a work on a device; a plain value. predict.h has the equations. */
struct paleo_law_terms {
	double compute_s;    /* flops / peak */
	double memory_s;     /* bytes / bandwidth */
	double depth, width; /* sizes of the product; infinite where a work has none */
};

/* EUNSUPPORTED when the device has no peak for the number type, or no bandwidth. */
int paleo_law_terms(const struct paleo_device *d, const struct paleo_work *w,
		    struct paleo_law_terms *out, struct paleo_error *err);

/*
 * By how much longer a work takes at one pace of the device than at another:
 * (flops/f + bytes/b) over (flops/f0 + bytes/b0), but for small differences, which the loops that
 * tell the pace have without the work: exp(x^3 / (x^2 + 0.15^2)), x the logarithm of that. 1 where
 * a pace is not known.
 */
double paleo_law_pace(const struct paleo_work *w, double flop_per_s, double bytes_per_s,
		      double flop0_per_s, double bytes0_per_s);

/* The factors that a fit moves, all positive, as numbers of struct paleo_factor. */
enum paleo_law_parameter {
	PALEO_LAW_COMPUTE,  /* ppp_compute */
	PALEO_LAW_MEMORY,   /* ppp_memory */
	PALEO_LAW_OVERHEAD, /* overhead_s */
	PALEO_LAW_DEPTH,    /* half_depth */
	PALEO_LAW_WIDTH,    /* half_width */
	PALEO_LAW_PARAMETERS = PALEO_FACTOR_PARAMETERS
};

/* The parts of a predicted time. */
struct paleo_law_time {
	double compute_s, memory_s, overhead_s, total_s;
	/* d log(total) / d log(parameter): by what share of it the time follows each factor. */
	double slope[PALEO_LAW_PARAMETERS];
};

void paleo_law_time(const struct paleo_law_terms *t, const struct paleo_factor *f,
		    struct paleo_law_time *out);

/* The time of a work by the factor's own form (model/laws/forms.h) if it has one and that can price
 * the work, whose `slope` is then left alone, otherwise by the law above; with the factor's
 * correction near measured works. EUNSUPPORTED as paleo_law_terms(). */
int paleo_factor_time(const struct paleo_device *d, const struct paleo_factor *f,
		      const struct paleo_work *w, struct paleo_law_time *out,
		      struct paleo_error *err);

#endif
