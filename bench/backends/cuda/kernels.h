/* kernels.h - our own kernels: their text and machine code, and steps of jobs that run them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_KERNELS_H
#define PALEO_BENCH_BACKENDS_CUDA_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/backends/cuda/job.h"
#include "model/op/op.h"

/* The text of all kernels, made from kernels/ when the plug-in is built. Ends with a NUL. */
extern const char paleo_kernel_source[];

/*
 * The machine code of all kernels for elements of this type (f32, f16 or bf16) and this compute
 * capability (90 for 9.0), if it was made when the plug-in was built (PALEO_CUDA_ARCHS); else NULL.
 * The version is that of the NVRTC that made it.
 */
const char *paleo_kernel_image(enum paleo_dtype dtype, int compute_capability);
void paleo_kernel_images_version(int version[2]);

/*
 * Adds a step that runs kernel `name` of kernels/ on `blocks` blocks. The frame's
 * pointers are filled in for each copy, and where the parts of a copy lie. EUNSUPPORTED for more
 * blocks than a grid has. The functions below choose the blocks and call this one.
 */
int paleo_kernel_add(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
		     double blocks, const struct paleo_frame *f, struct paleo_error *err);

/* Elements of a pack. */
int paleo_kernel_pack(const struct paleo_job *j);

/* For kernels that go through `count` elements in packs, in any number. */
int paleo_kernel_add_packs(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			   double count, const struct paleo_frame *f, struct paleo_error *err);

/* For kernels that find a pixel's place by its number, which must be below 2^32: EUNSUPPORTED. */
int paleo_kernel_add_pixels(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			    double count, const struct paleo_frame *f, struct paleo_error *err);

/*
 * The sums over a channel, `what` is "bias", "stats" or "grad": two steps, and the
 * workspace for them. Sets f->splits.
 */
int paleo_kernel_add_sums(struct paleo_job *j, enum paleo_job_phase phase, const char *what,
			  struct paleo_frame *f, struct paleo_error *err);

/*
 * Compiles all kernels of kernels/ for elements of this type and a device of this compute
 * capability (90 for 9.0). *image is owned: free(). It is machine code, or, for a device newer than
 * NVRTC, PTX for the newest that it knows, ending with a NUL. Its length goes to *size, which may
 * be NULL. Kernels compiled before are read from the cache, below. ELIBRARY with the compiler's
 * first complaint.
 */
int paleo_nvrtc_compile(enum paleo_dtype dtype, int compute_capability, char **image, size_t *size,
			struct paleo_error *err);

/* 1 if NVRTC makes machine code for this compute capability. */
int paleo_nvrtc_knows(int compute_capability);

/*
 * The folder is $PALEO_CACHE_DIR, else $XDG_CACHE_HOME/paleo, else ~/.cache/paleo; where there is
 * none, or PALEO_CACHE_DIR is empty, nothing is cached. A file is found by a hash of all its
 * inputs, and used only if complete. Folder and file must be ours or root's, and writable for no
 * one else. Nothing here fails: without the cache kernels are compiled.
 */

/* The cubin stored under this key, and its length; owned by the caller: free(). NULL if there is
 * none. */
char *paleo_cubins_find(uint64_t key, size_t *length);

/* Keeps `size` bytes under this key; also where several processes do so at once. */
void paleo_cubins_keep(uint64_t key, const char *image, size_t size);

#endif
