/* step_memory.h - whether a net's passes fit into the memory of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_STEP_MEMORY_H
#define PALEO_TOOLS_STEP_MEMORY_H

#include <stdio.h>

#include "model/device/device.h"
#include "model/net/net.h"

/* Prints a line if a training step of a net, or else its forward pass, does not fit into the
 * device's memory; nothing where that is not known, and of a net for inference, of which
 * transformer_print() tells. */
void step_memory_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       enum paleo_update_rule optimizer, int training,
		       const struct paleo_device *device, FILE *out);

#endif
