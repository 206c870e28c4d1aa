/* bandwidth.h - how many bytes move in a second: through the memory, the L2 cache, to the host. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_BANDWIDTH_H
#define PALEO_BENCH_BACKENDS_CUDA_BANDWIDTH_H

#include "bench/backends/cuda/session.h"

enum paleo_sweep {
	PALEO_SWEEP_COPY,  /* cudaMemcpyAsync, read and write counted */
	PALEO_SWEEP_READ,  /* kernel read_all */
	PALEO_SWEEP_WRITE, /* cudaMemsetAsync */
	PALEO_SWEEPS
};

const char *paleo_sweep_name(enum paleo_sweep what); /* "copy" ... */

/* Two buffers on the device; zero before. */
struct paleo_buffers {
	void *a, *b;
	size_t bytes; /* of each */
};

/* Takes two buffers of at most `most` bytes each, and less than a quarter of what is free. ENOMEM.
 */
int paleo_buffers_take(struct paleo_session *s, struct paleo_buffers *out, double most,
		       struct paleo_error *err);
void paleo_buffers_give_back(struct paleo_buffers *x);

/* Bytes a second, `n` times, each of at least 5 ms. */
int paleo_sweep_samples(struct paleo_session *s, const struct paleo_buffers *x,
			enum paleo_sweep what, double *samples, int n, struct paleo_error *err);

/* The same of reading the first `bytes` of a buffer again and again in one kernel. */
int paleo_reread_samples(struct paleo_session *s, const struct paleo_buffers *x, size_t bytes,
			 double *samples, int n, struct paleo_error *err);

/* Adds what limits the start of works and the transfers to and from the host. */
int paleo_launch_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			  struct paleo_error *err);
int paleo_transfer_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err);

/* The time of the events around what `enqueue` puts into the stream, `times` times. */
typedef int paleo_enqueue(struct paleo_session *s, void *what, struct paleo_error *err);
int paleo_time_events(struct paleo_session *s, paleo_enqueue *enqueue, void *what, int times,
		      double *elapsed_s, struct paleo_error *err);

#endif
