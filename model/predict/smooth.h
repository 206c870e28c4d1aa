/* smooth.h - the cost model: from an op and a factor to a time, with derivatives for the fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_SMOOTH_H
#define PALEO_MODEL_PREDICT_SMOOTH_H

#include "model/predict/calibration.h"

/*
 * The cost model, for one op (after Qi, Sparks, Talwalkar 2017, with their platform
 * percent of peak split in two and a constant added):
 *
 *   compute  = flops / (peak(dtype) * ppp_compute * e)
 *   memory   = (read_bytes + write_bytes) / (bandwidth * ppp_memory)
 *   time     = overhead + (compute^v + memory^v)^(1/v)      v = overlap
 *
 * overlap 1 adds the two, as the paper does; large values take the larger one, as
 * a roofline does.
 *
 * e is 1 except for GEMMs and convolutions, which run slower when they are thin:
 *
 *   e = depth/(depth + half_depth) * width/(width + half_width)
 *
 * depth is the number of terms of one sum: c/groups*r*s of a forward convolution,
 * k/groups*r*s of BWD_DATA, n*p*q of BWD_FILTER, k of a gemm. width is the number of results that
 * share an input: k/groups, c/groups, the smaller of k/groups and c/groups*r*s; the smaller of m
 * and n of a gemm.
 */

/* Inputs of the cost model for an op on a device; a plain value. */
struct paleo_cost_model_terms {
	double compute_s;    /* flops / peak */
	double memory_s;     /* bytes / bandwidth */
	double depth, width; /* sizes of the GEMM; infinite where an op has none */
};

/* EUNSUPPORTED when the device has no peak for the dtype, or no bandwidth. */
int paleo_cost_model_terms(const struct paleo_device *d, const struct paleo_op *w,
			   struct paleo_cost_model_terms *out, struct paleo_error *err);

/* The factors that a fit moves, all positive, as numbers of struct paleo_class_model. */
enum paleo_cost_model_parameter {
	PALEO_PARAMETER_COMPUTE,  /* ppp_compute */
	PALEO_PARAMETER_MEMORY,   /* ppp_memory */
	PALEO_PARAMETER_OVERHEAD, /* overhead_s */
	PALEO_PARAMETER_DEPTH,    /* half_depth */
	PALEO_PARAMETER_WIDTH,    /* half_width */
	PALEO_PARAMETERS = PALEO_CLASS_MODEL_PARAMETERS
};

/* The parts of a predicted time. */
struct paleo_cost_model_time {
	struct paleo_parts parts;
	/* d log(total) / d log(parameter), for each parameter. */
	double slope[PALEO_PARAMETERS];
};

void paleo_cost_model_time(const struct paleo_cost_model_terms *t,
			   const struct paleo_class_model *f, struct paleo_cost_model_time *out);

/* The time of an op by the class's own kernel model (model/predict/kernel_model.h) where it has
 * one that can price the op, otherwise by the cost model above. EUNSUPPORTED as
 * paleo_cost_model_terms(). */
int paleo_class_cost_model(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_op *w, struct paleo_parts *out,
			   struct paleo_error *err);

/* The same with the class's correction, and of the device at its speed (model/device/device.h);
 * both scale all parts. The interval is of the class at an op like this. */
int paleo_class_model_price(const struct paleo_device *d, const struct paleo_class_model *f,
			    const struct paleo_op *w, struct paleo_parts *out,
			    struct paleo_interval *interval, struct paleo_error *err);
/* The time alone. */
int paleo_class_model_time(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_op *w, struct paleo_parts *out,
			   struct paleo_error *err);

#endif
