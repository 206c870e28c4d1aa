/* transformer.h - what a transformer holds: weights, those a token uses, its cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TRANSFORMER_H
#define PALEO_TOOLS_TRANSFORMER_H

#include <stdio.h>

#include "model/device/device.h"
#include "model/net/net.h"

/* Prints lines about a net that has a cache, experts or a note, and whether it fits into the device
 * (NULL: none is asked about); nothing about others. */
void transformer_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       const struct paleo_device *device, FILE *out);

#endif
