/* vector.h - the time of a depthwise convolution on a GPU: vector units, or memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_VECTOR_H
#define PALEO_MODEL_PREDICT_VECTOR_H

#include "model/predict/kernel_model.h"

/*
 * Where each channel is a group of its own there is no product of matrices, and no work for tensor
 * cores: in any number type each output is summed by the units that compute f32.
 *
 *   time = launch + max(flops / (vector peak ppp_compute), bytes / (bandwidth ppp_memory))
 *
 * Both gradients have the same formula, and fractions of their own. So have gradients of groups for
 * which there is no kernel on tensor cores (paleo_conv_is_direct()).
 */
struct paleo_vector_params {
	double launch_us;
	double ppp_compute; /* of the f32 peak */
	double ppp_memory;
};

extern const struct paleo_parameter paleo_vector_parameters[]; /* ends with a NULL name */

enum {
	PALEO_VECTOR_PARAMETERS = 3
};

/* Seconds of computing and of moving data, without the launch; the longer one counts. */
double paleo_vector_compute_s(const struct paleo_vector_params *p,
			      const struct paleo_tile_device *d, double flops);
double paleo_vector_memory_s(const struct paleo_vector_params *p, const struct paleo_tile_device *d,
			     double bytes);

#endif
