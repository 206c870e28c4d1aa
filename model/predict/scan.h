/* scan.h - the time of scans in chunks, and of causal convolutions, of many tokens on a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_SCAN_H
#define PALEO_MODEL_PREDICT_SCAN_H

#include "model/predict/kernel_model.h"

/*
 * A scan runs in chunks of `chunk` tokens (Dao, Gu 2024, section 6; Yang et al. 2024). Each chunk
 * of each head takes GEMMs, after which chunks pass the state on one by one. With N = batch heads,
 * C chunks of c tokens, keys of n and values of p numbers:
 *
 *   flops  = N C (2 c c (n + p) + 4 c n p), the delta rules 2 c c (2 n + p) + 2 c n p more
 *   bytes  = the op's and N C ((2 n + 4 p) c + 2 n p) numbers of 2 bytes, written and read between
 * the kernels passed = C step_us max(1, N/(SM slots)) t = launch_us + passed + (compute^2 +
 * memory^2)^(1/2)
 *
 * Backward both counts are twice as much.
 */
struct paleo_scan_params {
	double launch_us;
	double ppp_compute;
	double ppp_memory;
	double step_us;
	double slots;
};

/* FLOPs and bytes of a scan in chunks. */
struct paleo_scan_chunks {
	double count; /* of one sequence */
	double heads; /* of all sequences */
	double flops, bytes;
};

/* 1: one token of each sequence, whose state is read, changed and written: stream_state's. */
int paleo_is_state_step(const struct paleo_op *w);

/*
 * A causal convolution has a block for each channel of each sequence, which loops over all its
 * tokens:
 *
 *   t = launch_us + ((batch channels/SM block_us)^2 + (bytes/(bandwidth ppp_memory))^2)^(1/2)
 */
struct paleo_causal_params {
	double launch_us;
	double ppp_memory;
	double block_us;
};

#endif
