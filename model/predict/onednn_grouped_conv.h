/* onednn_grouped_conv.h - the time of convolutions of several groups on a processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ONEDNN_GROUPED_CONV_H
#define PALEO_MODEL_PREDICT_ONEDNN_GROUPED_CONV_H

#include "model/predict/onednn_conv.h"

/*
 * Groups of one channel each, depthwise, go directly, but for the gradient of a filter wider than
 * three pixels; channels in whole blocks of lanes:
 *
 *   time = launch + (compute^v + memory^v)^(1/v),    v = overlap
 *   compute = 2 n c p q r s / (peak ppp_compute),    memory = bytes / (bandwidth ppp_memory)
 *
 * oneDNN does all others but groups of whole blocks one by one, each group of each image by one
 * thread: a matrix of patches, and a product with it. The threads take turns, so that n groups /
 * threads, rounded up, are one after the other:
 *
 *   time = launch + turns (call_us + patch_ns (c/groups) r s p q
 *                          + 2 (c/groups) (k/groups) r s p q threads / (peak ppp_product))
 */
struct paleo_onednn_grouped {
	double lanes, launch_us;
	double ppp_compute, ppp_memory, overlap; /* directly */
	double call_us, patch_ns, ppp_product;   /* one by one */
};

extern const struct paleo_parameter paleo_onednn_grouped_parameters[]; /* ends with a NULL name */

enum {
	PALEO_GROUPS = 8
};

/* 1: such a convolution. Groups of whole blocks of 8 channels are not: neither this law nor that of
 * blocks has them, and they go by the smooth law. */
int paleo_onednn_grouped_apply(const struct paleo_work *w);

void paleo_onednn_grouped_time(const struct paleo_onednn_grouped *p,
			       const struct paleo_tile_device *d, const struct paleo_work *w,
			       struct paleo_parts *out);

/* The parameters that this convolution goes by: bit i for number i of the table. */
unsigned long long paleo_onednn_grouped_uses(const struct paleo_work *w);

#endif
