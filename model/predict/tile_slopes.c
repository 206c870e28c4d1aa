/* tile_slopes.c - how the time of a product on a GPU follows each parameter of its law. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/tile.h"

/* A share of a sum of two: how much of the sum follows what gave the first. */
static double share(double a, double b)
{
	return a / (a + b);
}

/* Of Tc. *slope is as in paleo_tile_slopes(), here of log Tc. */
static void compute_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			   const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
			   double *slope)
{
	double tm, tn, y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));

	paleo_tile_size(of->tile, &tm, &tn);
	double w = ceil(g->m / tm) * ceil(g->n / tn) * g->batch / d->sm_count * of->split;
	double w1 = fmax(w, 1), last = p->wave * (fmax(ceil(w), 1) - w1);
	double resident = fmin(tm * tn * w1, 32768), full = 32768;
	double steps = ceil(g->k / of->split) + p->prologue_k, y2 = y * y;
	double intensity = tm * tn / (tm + tn), rows = 1.5 * y2 / (1 + y2);
	double s = (w1 + last) * 2 * tm * tn * steps * (1 + p->half_intensity / intensity) *
		   (1 + rows) * (1 + p->half_accumulators / resident) * d->sm_count /
		   (d->flop_per_s * p->ppp_compute * (1 + p->half_accumulators / full));
	double late = share(s, p->droop_us * 1e-6), droop = p->droop * late / (1 + p->droop * late);
	double follows = 1 + droop * (1 - late); /* Tc the time without a droop */
	double far = follows * 2 * rows / (1 + y2) / (1 + rows);

	slope[PALEO_TILE_COMPUTE] = -follows;
	slope[PALEO_TILE_PROLOGUE] = follows * p->prologue_k / steps;
	slope[PALEO_TILE_ACCUMULATORS] = follows * (share(p->half_accumulators, resident) -
						    share(p->half_accumulators, full));
	slope[PALEO_TILE_DROOP] = droop;
	slope[PALEO_TILE_DROOP_US] = -droop * (1 - late);
	slope[PALEO_TILE_TLB] = -far;
	slope[PALEO_TILE_ROWS] = -far * share(p->tlb_rows, g->m);
	slope[PALEO_TILE_INTENSITY] = follows * share(p->half_intensity, intensity);
	slope[PALEO_TILE_WAVE] = follows * share(last, w1);
}

/* Of log Tm to cache_share: 4 log x is what miss/(1 - miss) goes by. */
static double share_slope(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			  const struct paleo_tile_product *g, const struct paleo_tile_choice *of)
{
	double miss = paleo_tile_miss(p, d, g->foot_bytes), missed = g->bytes * miss;
	double parts = of->split > 1 ? 8 * of->split * g->batch * g->m * g->n : 0;

	return missed > 0 ? -4 * (1 - miss) * share(missed, parts) : 0;
}

/* 0 log 0 is 0 here: what takes no time. */
static double times_log(double a, double x)
{
	return a > 0 ? a * log(x) : 0;
}

void paleo_tile_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
		       double slope[PALEO_TILE_QUANTISED])
{
	double q = p->sharpness, o = p->overlap;
	double most = fmax(of->compute_s, fmax(of->memory_s, of->cache_s));
	double c = of->compute_s / most, m = of->memory_s / most, l = of->cache_s / most;
	double cq = exp(q * log(c)), mq = exp(q * log(m)), lq = exp(q * log(l));
	double sum = cq + mq + lq;
	double quantise_s = paleo_tile_quantise_s(p, d, g), launch_s = p->launch_us * 1e-6;
	double work_s = of->kernel_s + quantise_s, split_s = of->split > 1 ? p->split_us * 1e-6 : 0;
	double longer = fmax(launch_s, work_s), x = fmin(launch_s, work_s) / longer;
	double xo = exp(o * log(x));
	/* Log t goes by the work's, and that by the soft maximum's. */
	double of_work = (work_s > launch_s ? 1 : xo) / (1 + xo);
	double of_max = of_work * (of->kernel_s - split_s) / work_s;

	for (int i = 0; i < PALEO_TILE_QUANTISED; i++)
		slope[i] = 0;
	compute_slopes(p, d, g, of, slope);
	for (int i = 0; i < PALEO_TILE_PARAMETERS; i++)
		slope[i] *= of_max * cq / sum;
	slope[PALEO_TILE_LAUNCH] = 1 - of_work;
	slope[PALEO_TILE_MEMORY] = -of_max * mq / sum;
	slope[PALEO_TILE_SHARE] = of_max * mq / sum * share_slope(p, d, g, of);
	slope[PALEO_TILE_CACHE] = -of_max * lq / sum;
	slope[PALEO_TILE_SPLIT] = of_work * split_s / work_s;
	slope[PALEO_TILE_SHARPNESS] =
		of_max *
		((times_log(cq, c) + times_log(mq, m) + times_log(lq, l)) / sum - log(sum) / q);
	slope[PALEO_TILE_OVERLAP] = times_log(xo, x) / (1 + xo) - log1p(xo) / o;
	slope[PALEO_TILE_QUANTISE] = -of_work * quantise_s / work_s;
}
