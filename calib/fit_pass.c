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

static int counts(const struct paleo_fullpass *f, const struct paleo_pass_correction *c,
		  const char *without)
{
	return f->extent == c->extent && f->dtype == c->dtype && f->layout == c->layout &&
	       f->fused == c->fused && isfinite(log_ratio(f)) &&
	       !(without && !strcmp(f->net, without));
}

/* 1 if an earlier point is of the same net. */
static int is_known(const struct paleo_fullpass *passes, int i,
		    const struct paleo_pass_correction *c, const char *without)
{
	for (int k = 0; k < i; k++)
		if (counts(&passes[k], c, without) && !strcmp(passes[k].net, passes[i].net))
			return 1;
	return 0;
}

static int fit_one(const struct paleo_fullpass *passes, int count, const char *without,
		   struct paleo_pass_correction *c)
{
	double sum = 0, squares = 0;
	int n = 0;

	for (int i = 0; i < count; i++) {
		if (!counts(&passes[i], c, without))
			continue;
		double x = log_ratio(&passes[i]);
		sum += x;
		squares += x * x;
		n++;
		c->nets += !is_known(passes, i, c, without);
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

	for (int i = 0; i < PALEO_PASS_CORRECTIONS_MAX; i++) {
		int rest = i / PALEO_DTYPES;
		struct paleo_pass_correction c = {
			.dtype = (enum paleo_dtype)(i % PALEO_DTYPES),
			.extent = (enum paleo_extent)(rest % PALEO_EXTENTS),
			.layout = (enum paleo_layout)(rest / PALEO_EXTENTS % PALEO_LAYOUTS),
			.fused = rest / PALEO_EXTENTS / PALEO_LAYOUTS};
		if (fit_one(passes, count, without, &c))
			out[found++] = c;
	}
	return found;
}
