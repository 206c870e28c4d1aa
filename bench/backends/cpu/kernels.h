/* kernels.h - what oneDNN does not have, as loops of our own. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_KERNELS_H
#define PALEO_BENCH_BACKENDS_CPU_KERNELS_H

#include <stddef.h>

#include "model/work/work.h"

/* `data` are the operands' buffers in operand.h's order, copies in theirs. */
struct paleo_cpu_kernel {
	const char *name; /* "paleo:dropout" */
	void (*run)(const struct paleo_work *w, void *const *data, void *scratch);
	/* Bytes of scratch memory that `threads` threads need; NULL: none. */
	size_t (*scratch)(const struct paleo_work *w, int threads);
};

/* The kernels of each kind, or NULL where the work is not theirs. */
const struct paleo_cpu_kernel *paleo_cpu_kernel_eltwise(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_update(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_copy(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_rms(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_reduce(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_attention(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_embedding(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_rope(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_moe(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_causal_conv(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_scan(const struct paleo_work *w);
const struct paleo_cpu_kernel *paleo_cpu_kernel_cross_entropy(const struct paleo_work *w);

#endif
