/* trust.c - whether errors on works held out of a fit are small enough to rely on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/trust.h"

#include <math.h>

enum paleo_trust paleo_trust_of(double median, double p90, int works)
{
	if (works < PALEO_TRUST_WORKS || isnan(median))
		return PALEO_TRUST_UNTOLD;
	if (median <= PALEO_TRUST_GOOD_MEDIAN && p90 <= PALEO_TRUST_GOOD_P90)
		return PALEO_TRUST_GOOD;
	return median <= PALEO_TRUST_ROUGH_MEDIAN ? PALEO_TRUST_ROUGH : PALEO_TRUST_NOT;
}
