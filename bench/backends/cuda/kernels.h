/* kernels.h - our own kernels: compiled when first used, and added to jobs as steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_KERNELS_H
#define PALEO_BENCH_BACKENDS_CUDA_KERNELS_H

#include "bench/backends/cuda/job.h"

/* The text of all kernels, made from kernels/ when the plug-in is built. Ends with a NUL. */
extern const char paleo_kernel_source[];

/*
 * Adds a step that runs kernel `name` of kernels/ on `blocks` blocks. The frame's
 * pointers are filled in for each copy, and where the parts of a copy lie. EUNSUPPORTED for more
 * blocks than a grid has. The functions below choose the blocks and call this one.
 */
int paleo_kernel_add(struct paleo_job *j, enum paleo_phase phase, const char *name, double blocks,
		     const struct paleo_frame *f, struct paleo_error *err);

/* Elements of a pack. */
int paleo_kernel_pack(const struct paleo_job *j);

/* For kernels that go through `count` elements in packs, in any number. */
int paleo_kernel_add_packs(struct paleo_job *j, enum paleo_phase phase, const char *name,
			   double count, const struct paleo_frame *f, struct paleo_error *err);

/* For kernels that find a pixel's place by its number, which must be below 2^32: EUNSUPPORTED. */
int paleo_kernel_add_pixels(struct paleo_job *j, enum paleo_phase phase, const char *name,
			    double count, const struct paleo_frame *f, struct paleo_error *err);

/*
 * The sums over a channel, `what` is "bias", "stats" or "grad": two steps, and the
 * workspace for them. Sets f->splits.
 */
int paleo_kernel_add_sums(struct paleo_job *j, enum paleo_phase phase, const char *what,
			  struct paleo_frame *f, struct paleo_error *err);

#endif
