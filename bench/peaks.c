/* peaks.c - peaks of a CPU, by undisturbed tries; names of peaks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peaks.h"

#include <math.h>
#include <stdio.h>

enum {
	QUIET_LOOPS = 5, /* undisturbed tries that a peak takes at least */
	QUIET_SWEEPS = 3
};

/* Shorter than any try. The clocks of a thread are read around those of all. */
static const double WALL_MIN_S = 1e-6, SHARE_MIN = 0.97, SHARE_MAX = 1.2;

/* All threads together reach at least this share of so many times a single thread's peak: less
 * where more cores run at a lower clock, but half where two threads share a core. */
#define TOGETHER 0.6

/* GEMMs in a cache over the f32 peak: these can be a little faster by their clock alone. */
#define PRODUCTS_OVER 1.05
#define PRODUCTS_UNDER 0.5

/* Tolerance of comparisons between peaks, for the noise of both. */
#define NOISE 1.25

/* Between the streams of one memory; and below its cache. */
#define STREAMS_APART 10
#define BELOW_CACHE 100

static int is_fault(const struct paleo_try *t)
{
	return !(t->wall_s > WALL_MIN_S && t->share < SHARE_MAX && t->amount > 0);
}

int paleo_try_is_quiet(const struct paleo_try *t)
{
	return !is_fault(t) && t->share > SHARE_MIN;
}

void paleo_peak_take(struct paleo_peak *p, const struct paleo_try *t)
{
	p->tries++;
	if (is_fault(t))
		return;
	p->seen = fmax(p->seen, t->amount / t->wall_s);
	if (!paleo_try_is_quiet(t))
		return;
	p->quiet++;
	p->per_s = fmax(p->per_s, t->amount / t->wall_s);
}

double paleo_peaks_most(const struct paleo_peaks *p, double flops)
{
	return p->threads * p->clock_hz * flops;
}

static void doubt_products(const struct paleo_peaks *p, char why[PALEO_DOUBT_MAX])
{
	double f32 = p->f32.per_s, each = f32 / p->threads;

	if (p->alone.quiet >= QUIET_LOOPS && each < TOGETHER * p->alone.per_s)
		snprintf(why, PALEO_DOUBT_MAX,
			 "%d threads reach %.0f GFLOP/s, and one alone %.0f: they share cores",
			 p->threads, 1e-9 * f32, 1e-9 * p->alone.per_s);
	else if (p->products_per_s > PRODUCTS_OVER * f32)
		snprintf(why, PALEO_DOUBT_MAX,
			 "GEMMs reach %.0f GFLOP/s, more than the %.0f of multiply-adds alone",
			 1e-9 * p->products_per_s, 1e-9 * f32);
	else if (p->products_per_s > 0 && p->products_per_s < PRODUCTS_UNDER * f32)
		snprintf(why, PALEO_DOUBT_MAX,
			 "GEMMs reach %.0f GFLOP/s, less than half the %.0f of multiply-adds",
			 1e-9 * p->products_per_s, 1e-9 * f32);
}

static void doubt_bf16(const struct paleo_peaks *p, char why[PALEO_DOUBT_MAX])
{
	double ratio = p->bf16.per_s / p->f32.per_s, most = p->bf16_flops / p->f32_flops;

	if (ratio < 1 / NOISE || ratio > NOISE * most)
		snprintf(why, PALEO_DOUBT_MAX,
			 "bf16 is %.2f times as fast as f32, expected 1 to %.0f", ratio, most);
}

static void doubt_arithmetic(const struct paleo_peaks *p, char why[PALEO_DOUBT_MAX])
{
	const struct {
		const char *name;
		const struct paleo_peak *peak;
		double flops;
	} types[] = {{"f32", &p->f32, p->f32_flops}, {"bf16", &p->bf16, p->bf16_flops}};

	for (int i = 0; i < 2 && !why[0]; i++) {
		double most = paleo_peaks_most(p, types[i].flops);
		if (types[i].flops == 0)
			continue;
		if (types[i].peak->quiet < QUIET_LOOPS)
			snprintf(why, PALEO_DOUBT_MAX, "%d of %d tries in %s were undisturbed",
				 types[i].peak->quiet, types[i].peak->tries, types[i].name);
		else if (types[i].peak->per_s > most)
			snprintf(why, PALEO_DOUBT_MAX,
				 "%.3g FLOP/s in %s are more than the %.3g that %d threads can do",
				 types[i].peak->per_s, types[i].name, most, p->threads);
	}
	if (!why[0])
		doubt_products(p, why);
	if (!why[0] && p->bf16_flops > 0)
		doubt_bf16(p, why);
}

/* Compares one memory stream with that of the cache. */
static void doubt_stream(const struct paleo_peaks *p, int what, char why[PALEO_DOUBT_MAX])
{
	static const char *const names[PALEO_STREAMS] = {"reading", "writing", "copying", "adding"};
	double memory = p->memory[what].per_s, cache = p->cache[what].per_s;

	if (p->memory[what].quiet < QUIET_SWEEPS)
		snprintf(why, PALEO_DOUBT_MAX, "%d of %d tries of %s were undisturbed",
			 p->memory[what].quiet, p->memory[what].tries, names[what]);
	else if (p->cache[what].quiet < QUIET_SWEEPS)
		return;
	else if (memory > NOISE * cache || memory < cache / BELOW_CACHE)
		snprintf(why, PALEO_DOUBT_MAX,
			 "%s reaches %.3g GB/s in memory and %.3g in the last cache", names[what],
			 1e-9 * memory, 1e-9 * cache);
}

static void doubt_memory(const struct paleo_peaks *p, char why[PALEO_DOUBT_MAX])
{
	double least = INFINITY, most = 0;
	double read = p->memory[PALEO_STREAM_READ].per_s,
	       write = p->memory[PALEO_STREAM_WRITE].per_s;
	double copy = p->memory[PALEO_STREAM_COPY].per_s;

	for (int i = 0; i < PALEO_STREAMS && !why[0]; i++) {
		doubt_stream(p, i, why);
		least = fmin(least, p->memory[i].per_s);
		most = fmax(most, p->memory[i].per_s);
	}
	if (why[0])
		return;
	if (most > STREAMS_APART * least)
		snprintf(why, PALEO_DOUBT_MAX, "memory streams reach %.3g to %.3g GB/s",
			 1e-9 * least, 1e-9 * most);
	else if (copy > NOISE * 2 * fmin(read, write))
		snprintf(why, PALEO_DOUBT_MAX,
			 "copying reaches %.3g GB/s, reading alone %.3g, writing %.3g", 1e-9 * copy,
			 1e-9 * read, 1e-9 * write);
}

void paleo_peaks_doubt(const struct paleo_peaks *p, struct paleo_doubts *out)
{
	*out = (struct paleo_doubts){.arithmetic = ""};
	doubt_arithmetic(p, out->arithmetic);
	doubt_memory(p, out->memory);
}

void paleo_peaks_names(unsigned wanted, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int t = 0; t <= PALEO_DTYPES && used < size; t++)
		if (wanted >> t & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 t < PALEO_DTYPES
							 ? paleo_dtype_name((enum paleo_dtype)t)
							 : "memory");
}
