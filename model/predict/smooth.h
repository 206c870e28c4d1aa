/* smooth.h - the law: from a work and a factor to a time, with its derivatives for the fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_SMOOTH_H
#define PALEO_MODEL_PREDICT_SMOOTH_H

#include "model/predict/calibration.h"

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

/* The factors that a fit moves, all positive, as numbers of struct paleo_class_model. */
enum paleo_law_parameter {
	PALEO_LAW_COMPUTE,  /* ppp_compute */
	PALEO_LAW_MEMORY,   /* ppp_memory */
	PALEO_LAW_OVERHEAD, /* overhead_s */
	PALEO_LAW_DEPTH,    /* half_depth */
	PALEO_LAW_WIDTH,    /* half_width */
	PALEO_LAW_PARAMETERS = PALEO_CLASS_MODEL_PARAMETERS
};

/* The parts of a predicted time. */
struct paleo_law_time {
	struct paleo_parts parts;
	/* d log(total) / d log(parameter): by what share of it the time follows each factor. */
	double slope[PALEO_LAW_PARAMETERS];
};

void paleo_law_time(const struct paleo_law_terms *t, const struct paleo_class_model *f,
		    struct paleo_law_time *out);

/* The time of a work by the class's own kernel model (model/predict/kernel_models.h) where it has
 * one that can price the work, otherwise by the law above. EUNSUPPORTED as paleo_law_terms(). */
int paleo_class_model_law(const struct paleo_device *d, const struct paleo_class_model *f,
			  const struct paleo_work *w, struct paleo_parts *out,
			  struct paleo_error *err);

/* The same with the class's correction, and of the device at its speed (model/device/speed.h); both
 * scale all parts. */
int paleo_class_model_time(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_work *w, struct paleo_parts *out,
			   struct paleo_error *err);

#endif
