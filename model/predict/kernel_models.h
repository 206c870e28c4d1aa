/* kernel_models.h - declares every kernel model, and what several of them share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_KERNEL_MODELS_H
#define PALEO_MODEL_PREDICT_KERNEL_MODELS_H

#include "model/predict/kernel_model.h"

#define KERNEL(name) extern const struct paleo_kernel_model paleo_kernel_##name;
#include "model/predict/kernel_models.def"
#undef KERNEL

/* Blocks of channels in oneDNN's layouts: 8 for SSE and AVX2, 16 for AVX-512; then a 0. */
extern const double paleo_onednn_lanes[];

/* Every work goes by all parameters. */
unsigned long long paleo_kernel_uses_all(const struct paleo_work *w);

#endif
