/* fit_pass.c - corrections of full passes relative to the sum of their ops, from measured ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit.h"
#include "calib/minimum.h"

/* Weight of the prior, in nets without an effect. */
static const double prior_nets = 0.5;

/* Weight of the prior on the updates' factor: compared with a net that is 3 % off, it is within a
 * factor of e (0.03^2). */
static const double prior_updates = 0.001;

/* log(whole / sum) of a pass; NaN where it is not known. */
static double log_ratio(const struct paleo_graph_record *f)
{
	if (f->status != PALEO_RECORD_OK || !f->count)
		return NAN;
	return log(f->timing.median_s / paleo_graph_record_isolated_s(f));
}

static int counts(const struct paleo_graph_record *f, const struct paleo_pass_correction *c,
		  const char *without)
{
	return f->extent == c->extent && f->dtype == c->dtype && f->layout == c->layout &&
	       f->fused == c->fused && isfinite(log_ratio(f)) &&
	       !(without && !strcmp(f->net, without));
}

/* 1 if an earlier point is of the same net. */
static int is_known(const struct paleo_graph_record *passes, int i,
		    const struct paleo_pass_correction *c, const char *without)
{
	for (int k = 0; k < i; k++)
		if (counts(&passes[k], c, without) && !strcmp(passes[k].net, passes[i].net))
			return 1;
	return 0;
}

/* A step's passes, for the search of its two factors. */
struct steps {
	const struct paleo_graph_record *passes;
	int count;
	const struct paleo_pass_correction *like;
	const char *without;
	double layers_factor; /* of forward and backward without update; 1 where there is none */
};

/* log(f layers + g updates) - log(whole) at z = log f, log g; nothing for other passes. */
static double residual(const void *context, int i, const double *z, double *slope, double *weight)
{
	const struct steps *s = context;
	const struct paleo_graph_record *f = &s->passes[i];

	slope[0] = slope[1] = 0;
	*weight = 0;
	if (!counts(f, s->like, s->without))
		return 0;
	double updates = exp(z[1]) * paleo_graph_record_updates_s(f);
	double layers =
		exp(z[0]) * (paleo_graph_record_isolated_s(f) - paleo_graph_record_updates_s(f));
	slope[0] = layers / (layers + updates);
	slope[1] = updates / (layers + updates);
	*weight = 1;
	return log((layers + updates) / f->timing.median_s);
}

/* Residuals are small relative to the scale, so that it is least squares as the mean of logs is. */
static void fit_step(const struct steps *s, struct paleo_pass_correction *c)
{
	static const double low[2] = {-4, -4}, high[2] = {4, 4};
	const double prior[2] = {log(s->layers_factor), 0};
	const double sd[2] = {1 / sqrt(prior_nets), 1 / sqrt(prior_updates)};
	const struct paleo_lm_problem problem = {
		.params = 2,
		.residuals = s->count,
		.residual = residual,
		.context = s,
		.scale = 1,
		.low = low,
		.high = high,
		.prior = prior,
		.prior_sd = sd,
		.step_max = 1,
		.iterations_max = 100,
	};
	struct paleo_lm_result result;
	double z[2] = {prior[0], prior[1]};

	paleo_lm_solve(&problem, z, &result);
	c->factor = exp(z[0]);
	c->update_factor = exp(z[1]);
}

/* Standard deviation of the residual logs. */
static double spread_of(const struct steps *s, const struct paleo_pass_correction *c)
{
	double sum = 0, squares = 0;
	int n = 0;

	for (int i = 0; i < s->count; i++) {
		const struct paleo_graph_record *f = &s->passes[i];
		if (!counts(f, c, s->without))
			continue;
		double updates = paleo_graph_record_updates_s(f);
		double x = log(
			f->timing.median_s /
			paleo_pass_time(c, paleo_graph_record_isolated_s(f) - updates, updates));
		sum += x;
		squares += x * x;
		n++;
	}
	return n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : NAN;
}

static int fit_one(const struct steps *s, struct paleo_pass_correction *c)
{
	double sum = 0;
	int n = 0;

	for (int i = 0; i < s->count; i++) {
		if (!counts(&s->passes[i], c, s->without))
			continue;
		sum += log_ratio(&s->passes[i]);
		n++;
		c->nets += !is_known(s->passes, i, c, s->without);
	}
	if (!n)
		return 0;
	c->factor = exp(sum / (n + prior_nets));
	if (c->extent == PALEO_EXTENT_STEP)
		fit_step(s, c);
	c->spread = spread_of(s, c);
	return 1;
}

/* Factor of the same layers without updates, if it is among those found. */
static double factor_of_layers(const struct paleo_pass_correction *found, int count,
			       const struct paleo_pass_correction *c)
{
	for (int i = 0; i < count; i++)
		if (found[i].extent == PALEO_EXTENT_BOTH && found[i].dtype == c->dtype &&
		    found[i].layout == c->layout && found[i].fused == c->fused)
			return found[i].factor;
	return 1;
}

int paleo_fit_passes(const struct paleo_graph_record *passes, int count, const char *without,
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
		const struct steps s = {.passes = passes,
					.count = count,
					.like = &c,
					.without = without,
					.layers_factor = factor_of_layers(out, found, &c)};
		if (fit_one(&s, &c))
			out[found++] = c;
	}
	return found;
}
