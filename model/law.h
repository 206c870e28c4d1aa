/* law.h - the law: from a work and a factor to a time, with its derivatives for the fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_LAW_H
#define PALEO_MODEL_LAW_H

#include "model/calibration.h"

/*
 * The law, for one work (after Qi, Sparks, Talwalkar 2017, with their platform
 * percent of peak split in two and a constant added):
 *
 *   compute  = flops / (peak(dtype) * ppp_compute * e)
 *   memory   = (read_bytes + write_bytes) / (bandwidth * ppp_memory)
 *   time     = overhead + (compute^v + memory^v)^(1/v)      v = overlap
 *
 * overlap 1 adds the two, as the paper does; large values take the larger one, as
 * a roofline does.
 *
 * e is 1 but for products of matrices, convolutions among them, which run slower
 * when they are thin:
 *
 *   e = depth/(depth + half_depth) * width/(width + half_width)
 *
 * depth is how many terms one sum has: c/groups*r*s of a forward convolution,
 * k/groups*r*s of BWD_DATA, n*p*q of BWD_FILTER, k of a gemm. width is how many
 * results share an input: k/groups, c/groups, the smaller of k/groups and
 * c/groups*r*s; the smaller of m and n of a gemm.
 */

/* What the law wants to know of a work on a device; a plain value. */
struct paleo_law_terms {
	double compute_s;    /* flops / peak */
	double memory_s;     /* bytes / bandwidth */
	double depth, width; /* sizes of the product; infinite where a work has none */
};

/* EUNSUPPORTED when the device has no peak for the number type, or no bandwidth. */
int paleo_law_terms(const struct paleo_device *d, const struct paleo_work *w,
		    struct paleo_law_terms *out, struct paleo_error *err);

/* How fast a device is at some moment, by short loops. */
struct paleo_law_rates {
	double flop_per_s, bytes_per_s;
	int shares_weights; /* of the usual ones: paleo_law_shares_weights() of who computes */
};

/* 1 if all threads read all weights of a convolution: oneDNN's kernels without AVX-512, by the
 * versions that a backend tells. With AVX-512 each reads its part, mostly. */
int paleo_law_shares_weights(const char *versions);

/*
 * By how much longer a work takes at one pace of the device than at the usual one, where it takes
 * usual_s, start_s of them before it computes. The loops would take l = flops/f0 + bytes/b0 of it,
 * and now F l, F = (flops/f + bytes/b) / l. What the work takes beyond l is arithmetic and caches
 * of its own, and follows the loop of products. It follows the sweep, too, but the other way, and
 * so does the start: where threads share a cluster of cores, the sweep is slower, while what one
 * leaves in a cache or a flag is near to the other. With B = b0/b,
 *
 *   (l F + start_s B^-0.8 + (usual_s - l - start_s) f0/f B^-0.12) / usual_s;
 *
 * F where l is more than usual_s, and no more of a start than is beyond l. Shared weights are no
 * part of a convolution's bytes, as they come to each cluster that has threads; where they are a
 * share s of them, what is beyond l has B^(-0.12 - 0.2 s). Of small differences the loops have some
 * without the work: F, f0/f and B count as exp(x^3 / (x^2 + 0.02^2)), x their logarithms. 1 where a
 * pace is not known.
 */
double paleo_law_pace(const struct paleo_work *w, const struct paleo_law_rates *now,
		      const struct paleo_law_rates *usual, double usual_s, double start_s);

/* The same of a work that took time_s at the pace of that moment: the inverse, without a start. */
double paleo_law_pace_of(const struct paleo_work *w, const struct paleo_law_rates *now,
			 const struct paleo_law_rates *usual, double time_s);

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
