/* onednn_conv_count.h - what oneDNN's kernels do for a convolution, counted in vectors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ONEDNN_CONV_COUNT_H
#define PALEO_MODEL_PREDICT_ONEDNN_CONV_COUNT_H

#include "model/predict/onednn_conv.h"

struct paleo_onednn_count {
	double adds; /* multiply-adds of vectors, and the time of waiting in those; of the slowest
			thread, times the threads */
	double fetched; /* vectors of weights from beyond the first cache */
	double calls;   /* of the kernel, where each is of one row */
	double again;   /* how often all weights are moved once more */
};

/* Pairs of an output and a tap that meet the image: of `outputs` windows with `taps` taps each,
 * `dilation` apart, every `stride` pixels from -pad on, over `size` pixels. */
double paleo_onednn_taps(int size, int outputs, int taps, int stride, int pad, int dilation);

/* What of a row's sums stays in registers: so many neighbouring pixels of so many blocks. The
 * forward kernel has four blocks of what is written, and takes what then remains of them by itself,
 * with 16 lanes the largest number up to five that divides all; backward, as many blocks as divide
 * all and fill most registers. */
struct paleo_onednn_tile {
	int pixels, blocks;
};
struct paleo_onednn_tile paleo_onednn_tile_of(const struct paleo_work *w, int lanes);

/* 1: a product of matrices, 0: row by row. */
int paleo_onednn_is_product(const struct paleo_conv_geom *g, int lanes);

void paleo_onednn_count_product(const struct paleo_onednn_conv *p, double threads,
				const struct paleo_work *w, struct paleo_onednn_count *out);
void paleo_onednn_count_rows(const struct paleo_onednn_conv *p, double threads,
			     const struct paleo_work *w, struct paleo_onednn_count *out);

#endif
