/* host_kernel.h - the time of batch norms and of our own loops on a CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_HOST_KERNEL_H
#define PALEO_MODEL_PREDICT_HOST_KERNEL_H

#include "model/op/op.h"
#include "model/predict/kernel_model.h"

/*
 * A batch normalisation of n images of c channels reads them two or three times, one block of
 * channels at a time; after the first time they are in a cache:
 *
 *   time    = launch + compute + memory
 *   compute = (rows row_ns + elements element_ns (1 + wide min(c/256, 1)) slower) / threads
 *   rows    = n ceil(c/lanes)
 *   memory  = bytes miss / (bandwidth ppp_memory)
 *   miss    = 1 / (1 + (cache_share cache/bytes)^2)
 *
 * slower is 1 where the channels fill blocks of as many as a vector has lanes, 1 + half where they
 * fill blocks of half as many, 1 + quarter of a quarter, and 1 + odd otherwise: the library has
 * separate code for these.
 */
struct paleo_host_norm {
	double lanes;
	double launch_us, row_ns, element_ns, wide;
	double half, quarter, odd;
	double ppp_memory, cache_share;
};

/*
 * The program's own loops (docs/reference/measure-cpu.md: updates, copies, dropout, some
 * gradients) are run by one thread below 32768 elements, and by all from there on:
 *
 *   time = start + parts part_ns + bytes / (bandwidth ppp_alone)
 *   time = start + fork + parts part_ns / threads + bytes / (bandwidth ppp_memory)
 *
 * A copy moves parts of rows: rows times parts of them, each at its own address, which caches do
 * not prefetch. Other loops have none.
 */
struct paleo_host_loop {
	double start_us, ppp_alone;
	double fork_us, ppp_memory;
	double part_ns;
};

/* Both end with a NULL name; those of norms begin with the lanes. */
extern const struct paleo_parameter paleo_host_norm_parameters[];
extern const struct paleo_parameter paleo_host_loop_parameters[];

enum {
	PALEO_SWEEP_NORM = 10,
	PALEO_SWEEP_LOOP = 5,
	PALEO_SWEEP_SERIAL = 32768 /* elements from which on there are threads */
};

/* Ops for which the cost models hold; others cannot be priced. */
int paleo_host_is_norm(const struct paleo_op *w);
int paleo_host_is_loop(const struct paleo_op *w);

/* d needs the bandwidth and threads (sm_count); of norms also cache_bytes. */
void paleo_host_norm_time(const struct paleo_host_norm *p, const struct paleo_tile_device *d,
			  const struct paleo_op *w, struct paleo_parts *out);
void paleo_host_loop_time(const struct paleo_host_loop *p, const struct paleo_tile_device *d,
			  const struct paleo_op *w, struct paleo_parts *out);

#endif
