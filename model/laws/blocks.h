/* blocks.h - the time of convolutions and poolings on a processor: blocks of channels, rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_LAWS_BLOCKS_H
#define PALEO_MODEL_LAWS_BLOCKS_H

#include "model/laws/tile.h"
#include "model/work.h"

/*
 * A processor's library works on blocks of as many channels as a vector has lanes. With cp and kp
 * the channels of a convolution in whole blocks (up to four input channels stay as they are):
 *
 *   time = launch + (compute^v + memory^v)^(1/v) + extra,    v = overlap
 *   memory = (read_bytes + write_bytes + again) / (bandwidth ppp_memory)
 *   again  = reread (n - 1) weights weights/(weights + cache),    in bytes: each further image
 *            reads once more what does not stay in the cache
 *
 * A filter of one pixel, on an image that its stride divides, is a matrix product:
 *
 *   compute = 2 n cp kp p q / (peak ppp_compute)
 *             (1 + half_in/cp) (1 + half_out/kp) (1 + half_pixels/(p q))
 *   extra   = gather (bytes of the pixels that a stride leaves, read and written) / bandwidth
 *
 * All others go row by row:
 *
 *   compute = 2 n cp kp (taps_h) (taps_w) (all_w/taps_w)^edge / (peak ppp_compute thin)
 *             (1 + half_in/cp) (1 + half_out/kp) (1 + half_taps/s) (1 + lone (4/b - 1))
 *             + calls row_ns / threads
 *
 * taps_h counts the pairs of a row of the output and a row of the filter that meet the image, not
 * its padding; taps_w those of columns. all_w counts them all: q s, and w s / stride_w of the
 * gradient of the data, where it is what a filter without padding wastes. b blocks of what is
 * written stay in registers, the largest of 4, 3, 2 and 1 that divides them; calls are rows, times
 * the blocks read, times those written over b. thin is 1 but for up to four input channels.
 * The gradient of the filter adds bias (sweeps over the output's gradient) to extra when there is
 * a bias.
 *
 * Poolings compute output_ns for each output and tap_ns for each pixel of its windows in the
 * image, over all threads, channels in whole blocks; memory and launch as above.
 */
struct paleo_blocks_conv {
	double lanes;
	/* filters of more than a pixel */
	double launch_us, ppp_compute, ppp_memory, overlap;
	double half_in, half_out, half_taps;
	double edge, thin, lone, row_ns, bias, reread;
	/* filters of one pixel */
	double launch_1x1_us, ppp_compute_1x1, ppp_memory_1x1, overlap_1x1;
	double half_in_1x1, half_out_1x1, half_pixels;
	double gather, bias_1x1, reread_1x1;
};

struct paleo_blocks_pool {
	double lanes;
	double launch_us, ppp_memory, overlap;
	double output_ns, tap_ns;
};

/* Both end with a NULL name; the lanes come first. */
extern const struct paleo_parameter paleo_blocks_conv_parameters[];
extern const struct paleo_parameter paleo_blocks_pool_parameters[];

enum {
	PALEO_BLOCKS_CONV = 24,
	PALEO_BLOCKS_POOL = 6
};

struct paleo_blocks_time {
	double compute_s, memory_s, overhead_s; /* overhead: launch and extra */
	double total_s;
};

/* A convolution of one group. d needs peak, bandwidth, cache_bytes and threads (sm_count). */
void paleo_blocks_conv_time(const struct paleo_blocks_conv *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_blocks_time *out);
void paleo_blocks_pool_time(const struct paleo_blocks_pool *p, const struct paleo_tile_device *d,
			    const struct paleo_work *w, struct paleo_blocks_time *out);

/* The parameters that this convolution goes by: bit i for number i of the table. */
unsigned long long paleo_blocks_conv_uses(const struct paleo_work *w);

/* Pairs of an output and a tap that meet the image: of `outputs` windows with `taps` taps each,
 * `dilation` apart, every `stride` pixels from -pad on, over `size` pixels. */
double paleo_blocks_taps(int size, int outputs, int taps, int stride, int pad, int dilation);

#endif
