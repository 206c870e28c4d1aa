/* onednn_conv.h - the time of convolutions and poolings in oneDNN on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ONEDNN_CONV_H
#define PALEO_MODEL_PREDICT_ONEDNN_CONV_H

#include "model/op/op.h"
#include "model/predict/kernel_model.h"

/*
 * A CPU's library multiplies vectors of as many channels as they have lanes: pixels by weights, for
 * a tile of pixels and channel blocks whose sums stay in registers. The cost model counts such
 * multiply-adds as oneDNN would do them (onednn_conv_count.c):
 *
 *   time    = launch + extra + (compute^v + memory^v)^(1/v),    v = overlap
 *   compute = 2 lanes (adds + fetch fetched) / (peak ppp_compute) + calls row_ns / threads
 *   memory  = (read_bytes + write_bytes - W) / (bandwidth ppp_memory)
 *             + W (1 + again W/(W + cache_share cache)) / (bandwidth ppp_weights),
 *
 * W the bytes of the weights.
 *
 * - adds: for pixels and blocks whose sums stay in registers, the larger of all multiply-adds, with
 *   `accumulator_spill` more for each sum that is loaded and stored, and `chains` times those of
 *   one sum, each of which waits for the one before it.
 * - fetched: vectors of weights from beyond the first cache, once for each image, and for each row
 *   as far as they are beyond l1_kb.
 * - calls: rows, times the blocks read, times the blocks written over those in registers.
 * - again: forward (not the GEMMs of 16 lanes), and in the data gradient by rows, each image but
 *   the first, `threads` at the same time; in the filter gradient by rows, or with 16 lanes, each
 *   image but the first, twice (read and written).
 * - extra: a bias costs the filter gradient `bias` passes over the output's gradient; the pixels
 *   that a stride leaves of an image are gathered before a GEMM, `gather` times their bytes, read
 *   and written; both at the bandwidth.
 *
 * A filter of one pixel, on an image that its stride divides, is a GEMM, and with 16
 * lanes also one as large as its image, of more than 27 taps on several images; GEMMs have separate
 * parameters (_1x1) for some. All others go row by row. Of the columns of a row's taps in the
 * padding, `edge` are computed: all^edge * inside^(1 - edge).
 *
 * Poolings compute output_ns for each output and tap_ns for each pixel of its windows in the
 * image, over all threads, channels in whole blocks; those of maxima, and of averages
 * forward, times 1 + wide min(c/256, 1)^2, as blocks of channels are processed in parallel;
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
 * 1: a convolution computed by blocks. Excluded are groups without whole blocks of 8 channels, and
 * a filter of one pixel whose stride does not divide its image; forward, a padding on the left
 * beyond 3, and a filter wider than 7 with a stride and padding; backward to the data, a filter
 * wider than 3 with a stride along the rows on fewer than 8 channels, and a stride with a dilation;
 * backward to the filter, one higher than its image, one of 14 columns or more, and a dilation.
 */
int paleo_onednn_conv_applies(const struct paleo_op *w);

/* Such a convolution. d needs peak, bandwidth, cache_bytes and threads (sm_count). */
void paleo_onednn_conv_time(const struct paleo_onednn_conv *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out);
void paleo_onednn_pool_time(const struct paleo_onednn_pool *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out);

/*
 * Convolutions of several groups. Groups of one channel each, depthwise, go directly, but for the
 * gradient of a filter wider than three pixels; channels in whole blocks of lanes:
 *
 *   time = launch + (compute^v + memory^v)^(1/v),    v = overlap
 *   compute = 2 n c p q r s / (peak ppp_compute),    memory = bytes / (bandwidth ppp_memory)
 *
 * oneDNN does all others but groups of whole blocks one by one, each group of each image by one
 * thread: a matrix of patches, and a GEMM with it. The threads take turns, so that n groups /
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

void paleo_onednn_grouped_time(const struct paleo_onednn_grouped *p,
			       const struct paleo_tile_device *d, const struct paleo_op *w,
			       struct paleo_parts *out);

/* The parameters that apply to this convolution: bit i for number i of the table. */
unsigned long long paleo_onednn_grouped_uses(const struct paleo_op *w);

/* Vector operations of oneDNN's kernels for a convolution. */

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

/* Register tile of a row's sums: so many neighbouring pixels of so many blocks. The forward kernel
 * has four output blocks, and processes the remainder separately, with 16 lanes the largest number
 * up to five that divides all; backward, as many blocks as divide all and fill most registers. */
struct paleo_onednn_tile {
	int pixels, blocks;
};
struct paleo_onednn_tile paleo_onednn_tile_of(const struct paleo_op *w, int lanes);

/* 1: a GEMM, 0: row by row. */
int paleo_onednn_is_product(const struct paleo_conv_geom *g, int lanes);

/* Counts of all groups, of an op whose channels are those of one group. */
void paleo_onednn_count_product(const struct paleo_onednn_conv *p, double threads,
				const struct paleo_op *w, struct paleo_onednn_count *out);
void paleo_onednn_count_rows(const struct paleo_onednn_conv *p, double threads,
			     const struct paleo_op *w, struct paleo_onednn_count *out);

#endif
