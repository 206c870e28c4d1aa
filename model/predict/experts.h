/* experts.h - the time of a mixture of experts in one op on a GPU: weights, tiles, tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_EXPERTS_H
#define PALEO_MODEL_PREDICT_EXPERTS_H

#include "model/predict/kernel_model.h"

/*
 * P pairs of a token and a local expert, on `hit` of L local experts, in tiles of `tile` rows
 * (routing.h). M elements of an expert's two or three matrices.
 *
 *   rows   = hit tile ceil(P/hit/tile)                           or by the law of the routing
 *   c      = 2 rows M / (peak ppp_compute)
 *   m      = (hit M e + P 2 (hidden + inter) e' traffic) / (bandwidth ppp_memory)
 *   t      = launch_us + L expert_ns + tokens hidden e' route/bandwidth + (c^4 + m^4)^(1/4)
 *
 * e and e' are bytes of a weight as it is stored, and of an activation. The peak is that of the
 * units for quantised operands where weights are nvfp4 or w8a8 and the device has such, and fp8's
 * for mxfp4 where it has units for e2m1 (PTX ISA, tcgen05.mma: kinds mxf4nvf4, i8, mxf8f6f4).
 */
struct paleo_experts_params {
	double launch_us;
	double ppp_compute;
	double ppp_memory;
	double route;
	double expert_ns;
	double traffic;
	double tile;
};

#endif
