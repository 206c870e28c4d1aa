/* paleo.h - predicts how long neural networks take, layer by layer: all of libpaleo. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_PALEO_H
#define PALEO_PALEO_H

#include "paleo/api.h"
#include "paleo/device.h"
#include "paleo/error.h"
#include "paleo/net.h"
#include "paleo/predict.h"
#include "paleo/predictor.h"
#include "paleo/simulate.h"
#include "paleo/version.h"

#endif
