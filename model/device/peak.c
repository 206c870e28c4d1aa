/* peak.c - the peak of a device that a work can reach. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/device.h"
#include "model/work/work.h"

double paleo_device_peak(const struct paleo_device *d, const struct paleo_work *w)
{
	return paleo_work_is_fp4(w) && d->fp4_flop_per_s > 0 ? d->fp4_flop_per_s
							     : d->flop_per_s[w->dtype];
}
