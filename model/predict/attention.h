/* attention.h - the time of attention in one kernel on a GPU: of many queries, or of one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ATTENTION_H
#define PALEO_MODEL_PREDICT_ATTENTION_H

#include "model/predict/kernel_model.h"

/*
 * For many queries: a block has 128 queries of one head (Dao 2023), and goes
 * through the keys that they see in tiles of 128. With n blocks of `tiles` each on average, of
 * which the longest has `longest`, on SM multiprocessors:
 *
 *   w    = n/SM
 *   tile = 128 128 flops (1 + thin 256/(qk + v)) / (peak/SM ppp_compute)
 *          flops: 2 qk + 2 v forward, 6 qk + 4 v backward
 *   mean = tiles tile + block_us
 *   t    = launch_us + max(w mean, longest tile + block_us) + (w > 1: wave (ceil(w) - w) mean)
 *          + bytes/(bandwidth ppp_memory)      positions and the cache are written before
 */
struct paleo_prefill_params {
	double launch_us;
	double ppp_compute;
	double ppp_memory;
	double thin;
	double block_us;
	double wave;
};

enum {
	PALEO_PREFILL_SIDE = 128
};

struct paleo_prefill_blocks {
	double count;          /* blocks */
	double tiles, longest; /* of one on average, and at most */
};

struct paleo_prefill_blocks paleo_prefill_blocks_of(const struct paleo_op *w);

/*
 * For one query: a block has the queries that share a head of keys, up to
 * shared_most of them; where there is one alone or more, a block has one query and starts in
 * single_us instead of block_us. The keys, with a window as without, are parted among several
 * blocks until SM slots are taken, but not into less than split_keys. With n = batch kv_heads
 * blocks before that, or batch heads:
 *
 *   S = min(SM slots/n, keys/split_keys), at least 1
 *   w = n S/(SM slots), at least 1;  w += wave (ceil(w) - w)
 *   a = w (bytes of seen/S keys and values / (bandwidth/SM block_rate) + block_us)
 *   x = bytes/(cache_share L2),  miss = x^4/(1 + x^4)
 *   m = bytes/(bandwidth ppp_memory) / (1 + cache_gain (1 - miss))
 *   c = flops/(peak ppp_compute)
 *   t = launch_us + (a^4 + m^4 + c^4)^(1/4)
 */
struct paleo_decode_params {
	double launch_us;
	double ppp_compute;
	double ppp_memory;
	double cache_share;
	double cache_gain;
	double slots;
	double split_keys;
	double block_rate;
	double block_us;
	double single_us;
	double shared_most;
	double wave;
};

struct paleo_decode_blocks {
	double heads;   /* n */
	double splits;  /* S */
	double waves;   /* n S/(SM slots), at least 1 */
	double start_s; /* of a block */
};

struct paleo_decode_blocks paleo_decode_blocks_of(const struct paleo_decode_params *p,
						  const struct paleo_tile_device *d,
						  const struct paleo_op *w);

#endif
