/* kinds.h - declares the constant of every layer kind in kinds.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_KINDS_H
#define PALEO_MODEL_NET_LAYERS_KINDS_H

#include "model/net/layer.h"

#define KIND(name) extern const struct paleo_layer_kind paleo_kind_##name;
#include "model/net/layers/kinds.def"
#undef KIND

#endif
