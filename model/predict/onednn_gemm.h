/* onednn_gemm.h - the time of GEMMs in oneDNN on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ONEDNN_GEMM_H
#define PALEO_MODEL_PREDICT_ONEDNN_GEMM_H

#include "model/op/op.h"
#include "model/predict/kernel_model.h"

/*
 * C (m x n) = A (m x k) B (k x n). The kernel keeps a register tile of a few rows and two vectors
 * of columns, and adds a block of the depth k to it before it stores the tile:
 *
 *   time    = launch + fork + (compute^v + memory^v)^(1/v),    v = overlap
 *   compute = 2 (m + loads ceil(m/tile)) ceil(n/lanes) lanes (k + spill ceil(k/block)) turns
 *             / (peak ppp_compute) + packed bytes pack / bandwidth
 *   memory  = weight bytes crossing / (bandwidth ppp_weights)
 *             + other bytes / (bandwidth ppp_memory)
 *   loads   = load + stride min(k/block, 1) gcd(row, 1024)/1024
 *
 * loads is the time of reading B for one tile, in rows of the tile. Where a row of B is a multiple
 * of a page (1024 elements of 4 bytes) long, its columns map to few sets of a cache, and B comes
 * from beyond it: `row` is n, or m where C is the gradient of weights and m has more powers of two.
 * With 16 lanes weights are in blocks, and stride does not count. crossing is 1 where n is a
 * multiple of the lanes, else 1 + unaligned: vectors of weights then cross cache lines.
 *
 * Tiles have 6 rows, and blocks a depth of 256, or of 96 in gradients of weights. With 8 lanes a
 * GEMM of 1/m + 1/n < 0.0038 and a depth of more than 2 threads copies A and B to panels first:
 * tiles of 4 rows, blocks of 192, no stride. turns is ceil(tiles/threads) threads/tiles.
 *
 * Below the FLOPs that pay for waking up threads one thread computes: no fork, turns is the number
 * of threads. A product with one row is a matrix by a vector; ppp_vector is its ppp_weights.
 */
struct paleo_onednn_gemm {
	double lanes;
	double launch_us, fork_us, overlap;
	double ppp_compute, load, spill, stride, pack;
	double ppp_weights, unaligned, ppp_memory, ppp_vector;
};

extern const struct paleo_parameter paleo_onednn_gemm_parameters[]; /* ends with a NULL name */

enum {
	PALEO_ONEDNN_GEMM = 13
};

/* 1: a GEMM by itself, not a batch of them, of operands as they are computed with. */
int paleo_onednn_gemm_applies(const struct paleo_op *w);

/* d needs peak, bandwidth and threads (sm_count). */
void paleo_onednn_gemm_time(const struct paleo_onednn_gemm *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, struct paleo_parts *out);

#endif
