/* fits.h - whether a net fits a device's memory, in a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_FITS_H
#define PALEO_LIBRARY_FITS_H

#include "model/device/device.h"
#include "model/simulate/sim.h"

enum {
	PALEO_FITS_MAX = 256
};

/* Weights and KV cache of a transformer next to the device's memory: 1 if they fit, 0 if not, -1 if
 * the net has no cache or the memory is not known; then the text is empty. */
int paleo_fits_cache(const struct paleo_net *net, enum paleo_dtype dtype,
		     const struct paleo_device *device, char text[PALEO_FITS_MAX]);

/* Memory of a training step, or of a forward pass (training 0), of a net that can be trained: 0 if
 * it does not fit, with the sentence; 1 and an empty text if it does, or nothing is known. */
int paleo_fits_step(const struct paleo_net *net, enum paleo_dtype dtype,
		    enum paleo_update_rule optimizer, int training,
		    const struct paleo_device *device, char text[PALEO_FITS_MAX]);

#endif
