/* onednn_conv.h - the time of convolutions and poolings in oneDNN on a processor. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ONEDNN_CONV_H
#define PALEO_MODEL_PREDICT_ONEDNN_CONV_H

#include "model/predict/kernel_model.h"
#include "model/work/work.h"

/*
 * A processor's library multiplies vectors of as many channels as they have lanes: pixels by
 * weights, some blocks of channels of some pixels at once, whose sums stay in registers. The law
 * counts such multiply-adds as oneDNN would do them (onednn_conv_count.h):
 *
 *   time    = launch + extra + (compute^v + memory^v)^(1/v),    v = overlap
 *   compute = 2 lanes (adds + fetch fetched) / (peak ppp_compute) + calls row_ns / threads
 *   memory  = (read_bytes + write_bytes - W) / (bandwidth ppp_memory)
 *             + W (1 + again W/(W + cache_share cache)) / (bandwidth ppp_weights),
 *
 * W the bytes of the weights.
 *
 * adds      for pixels and blocks whose sums stay in registers, the larger of all multiply-adds,
 *           with `accumulator_spill` more for each sum that is loaded and stored, and `chains`
 * times those of one sum: each waits for the one before it fetched   vectors of weights from beyond
 * the first cache: once for each image, and for each row as far as they are beyond l1_kb calls
 * rows, times the blocks read, times those written over those in registers again     forward (not
 * the products of 16 lanes), and backward to the data by rows, for each image but the first,
 * threads at the same time; backward to the filter by rows, or with 16 lanes, twice for each image
 * but the first (read and written) extra     a bias costs the gradient of the filter `bias` sweeps
 * over the output's gradient; the pixels that a stride leaves of an image are gathered before a
 * product: `gather` times their bytes, read and written; both at the bandwidth
 *
 * A filter of one pixel, on an image that its stride divides, is a matrix product, and with 16
 * lanes also one as large as its image, of more than 27 taps on several images; products have
 * parameters of their own (_1x1) in place of some. All others go row by row. Of the columns of a
 * row's taps that lie in the padding, `edge` are computed: all^edge * inside^(1 - edge).
 *
 * Poolings compute output_ns for each output and tap_ns for each pixel of its windows in the
 * image, over all threads, channels in whole blocks; those of maxima, and of averages
 * forward, times 1 + wide min(c/256, 1)^2, as blocks of channels are worked on beside one another;
 * and row_ns for each row of a block's outputs. Memory is all bytes, and launch as above.
 */
struct paleo_onednn_conv {
	double lanes;
	double launch_us, ppp_weights, overlap, chains, fetch, cache_share, bias;
	/* filters of more than a pixel */
	double ppp_compute, ppp_memory, accumulator_spill, l1_kb, edge, row_ns;
	/* filters of one pixel */
	double ppp_compute_1x1, ppp_memory_1x1, accumulator_spill_1x1, gather;
};

struct paleo_onednn_pool {
	double lanes;
	double launch_us, ppp_memory, overlap;
	double output_ns, tap_ns, row_ns, wide;
};

/* Both end with a NULL name; the lanes come first. */
extern const struct paleo_parameter paleo_onednn_conv_parameters[];
extern const struct paleo_parameter paleo_onednn_pool_parameters[];

enum {
	PALEO_ONEDNN_CONV = 18,
	PALEO_ONEDNN_POOL = 8
};

/*
 * 1: a convolution that goes by blocks. What does not: groups, and a filter of one pixel whose
 * stride does not divide its image; forward, a padding on the left beyond 3, and a filter wider
 * than 7 with a stride and padding; backward to the data, a filter wider than 3 with a stride along
 * the rows on fewer than 8 channels, and a stride with a dilation; backward to the filter, one
 * higher than its image, one of 14 columns or more, and a dilation.
 */
int paleo_onednn_conv_applies(const struct paleo_work *w);

/* Such a convolution. d needs peak, bandwidth, cache_bytes and threads (sm_count). */
void paleo_onednn_conv_time(const struct paleo_onednn_conv *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_parts *out);
void paleo_onednn_pool_time(const struct paleo_onednn_pool *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_parts *out);

/* The parameters that this convolution goes by: bit i for number i of the table. */
unsigned long long paleo_onednn_conv_uses(const struct paleo_work *w);

#endif
