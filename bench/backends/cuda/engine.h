/* engine.h - what cuDNN tells of an engine: its number, how it is set, its notes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_ENGINE_H
#define PALEO_BENCH_BACKENDS_CUDA_ENGINE_H

#include <cudnn.h>
#include <stddef.h>

#include "bench/backend.h"

/* An engine in one configuration, before it is planned. A plain value. */
struct paleo_engine {
	int number;      /* -1 if cuDNN does not tell */
	int is_fallback; /* from the list of last resorts */
	unsigned notes;  /* bits: 1 << CUDNN_NUMERICAL_NOTE_... */
	unsigned habits; /* bits: 1 << CUDNN_BEHAVIOR_NOTE_... */
	char knobs[sizeof(((struct paleo_algorithm *)0)->knobs)]; /* "tile_size=30 stages=3" */
};

struct paleo_engine paleo_engine_read(cudnnBackendDescriptor_t config, int is_fallback);

/* 1 if it computes with less than the work's number type: it rounds its inputs to a smaller one,
 * which no framework allows either; or, where they may not be used, it runs on tensor cores. */
int paleo_engine_is_rough(const struct paleo_engine *e, int may_use_tensor_cores);

/* Its name in records: "eng62 tc", see paleo_plan_choose(). */
void paleo_engine_name(const struct paleo_engine *e, char *out, size_t size);

/* Everything about it, in words; *out has no workspace yet. */
void paleo_engine_tell(const struct paleo_engine *e, struct paleo_algorithm *out);

#endif
