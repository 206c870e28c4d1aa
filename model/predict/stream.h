/* stream.h - the time of a memory-bound op on a GPU: two levels of memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_STREAM_H
#define PALEO_MODEL_PREDICT_STREAM_H

#include "model/predict/kernel_model.h"

/*
 * Element-wise ops, with `bytes` read and written and miss as in tile.h:
 *
 *   td = bytes (miss/(ppp_memory bandwidth) + (1 - miss)/(ppp_cache 64 SM clock))
 *   t  = (launch^q + td^q)^(1/q),  q = overlap: the launch overlaps in part
 *
 * Ops on rows (softmax, layer normalisation) multiply td by
 *
 *   (1 + long_extra y/(1 + y)) / (cols/(cols + half_cols) rows/(rows + half_rows SM)),
 *   y = (cols/long_cols)^4     another kernel takes over for long rows
 */
struct paleo_stream_params {
	double launch_us;   /* t0 */
	double ppp_memory;  /* pm */
	double cache_share; /* cl2 */
	double ppp_cache;   /* pl2 */
	double overlap;     /* q */
	double half_cols;   /* ch: only for row-wise ops, like the fields below */
	double half_rows;   /* cr: per multiprocessor */
	double long_cols;   /* cx */
	double long_extra;  /* ex */
};

/* The first five are for elementwise ops, all nine for row-wise ops; ends with a NULL name. */
extern const struct paleo_parameter paleo_stream_parameters[];

enum {
	PALEO_STREAM_FLAT = 5,
	PALEO_STREAM_ROWS = 9
};

/* Time in seconds, > 0. rows = 0: not an op on rows. d->flop_per_s is not used. */
double paleo_stream_s(const struct paleo_stream_params *p, const struct paleo_tile_device *d,
		      double bytes, double rows, double cols);

#endif
