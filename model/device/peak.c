/* peak.c - the peak of a device that a work can reach. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/device.h"
#include "model/work/work.h"

double paleo_device_cores_peak(const struct paleo_device *d, enum paleo_cores cores)
{
	return cores == PALEO_CORES_FP4    ? d->fp4_flop_per_s
	       : cores == PALEO_CORES_INT8 ? d->int8_flop_per_s
					   : 0;
}

double paleo_device_peak(const struct paleo_device *d, const struct paleo_work *w)
{
	double peak = paleo_device_cores_peak(d, paleo_work_cores(w));

	return peak > 0 ? peak : d->flop_per_s[w->dtype];
}
