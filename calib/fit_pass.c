/* fit_pass.c - what whole passes take over the sum of their works, from measured ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_pass.h"

#include <math.h>
#include <string.h>

/* So many nets without an effect stand beside those that were measured. */
static const double prior_nets = 0.5;

/* log(whole / sum) of a pass; NaN where it cannot be told. */
static double log_ratio(const struct paleo_fullpass *f)
{
	if (f->status != PALEO_RECORD_OK || !f->count)
		return NAN;
	return log(f->timing.median_s / paleo_fullpass_isolated_s(f));
}

static int counts(const struct paleo_fullpass *f, enum paleo_extent extent, enum paleo_dtype dtype,
		  const char *without)
{
	return f->extent == extent && f->dtype == dtype && isfinite(log_ratio(f)) &&
	       !(without && !strcmp(f->net, without));
}

/* 1 if an earlier point is of the same net. */
static int is_known(const struct paleo_fullpass *passes, int i, const char *without)
{
	for (int k = 0; k < i; k++)
		if (counts(&passes[k], passes[i].extent, passes[i].dtype, without) &&
		    !strcmp(passes[k].net, passes[i].net))
			return 1;
	return 0;
}

static int fit_one(const struct paleo_fullpass *passes, int count, const char *without,
		   struct paleo_pass_correction *c)
{
	double sum = 0, squares = 0;
	int n = 0;

	for (int i = 0; i < count; i++) {
		if (!counts(&passes[i], c->extent, c->dtype, without))
			continue;
		double x = log_ratio(&passes[i]);
		sum += x;
		squares += x * x;
		n++;
		c->nets += !is_known(passes, i, without);
	}
	if (!n)
		return 0;
	c->factor = exp(sum / (n + prior_nets));
	c->spread = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : NAN;
	return 1;
}

int paleo_fit_passes(const struct paleo_fullpass *passes, int count, const char *without,
		     struct paleo_pass_correction out[PALEO_PASS_CORRECTIONS_MAX])
{
	int found = 0;

	for (int e = 0; e < PALEO_EXTENTS; e++) {
		for (int d = 0; d < PALEO_DTYPES; d++) {
			struct paleo_pass_correction c = {.extent = (enum paleo_extent)e,
							  .dtype = (enum paleo_dtype)d};
			if (fit_one(passes, count, without, &c))
				out[found++] = c;
		}
	}
	return found;
}
