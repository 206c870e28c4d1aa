/* cubins.h - keeps compiled kernels in the user's cache folder, as compiling takes seconds. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_CUBINS_H
#define PALEO_BENCH_BACKENDS_CUDA_CUBINS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The folder is $PALEO_CACHE_DIR, else $XDG_CACHE_HOME/paleo, else ~/.cache/paleo; where there is
 * none, or PALEO_CACHE_DIR is empty, nothing is kept. A file is found by a hash of all that went
 * into it, and taken only if it is whole. Nothing here fails: without it kernels are compiled.
 */

/* What is kept under this key, owned by the caller: free(); NULL where there is nothing. */
char *paleo_cubins_find(uint64_t key);

/* Keeps `size` bytes under this key; also where several processes do so at once. */
void paleo_cubins_keep(uint64_t key, const char *image, size_t size);

#endif
