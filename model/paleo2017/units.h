/* units.h - how what a layer counts becomes time in the law of the original Paleo (2017). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PALEO2017_UNITS_H
#define PALEO_MODEL_PALEO2017_UNITS_H

#include <string.h>

#include "model/paleo2017/paleo2017.h"

/* What a pass counts: the bytes that it reads and writes, tensor by tensor, and its FLOPs. */
enum {
	PALEO_2017_FLOPS = 3, /* behind the bytes of 2 or 3 tensors */
	PALEO_2017_COUNTS
};

struct paleo_2017_counts {
	double of[PALEO_2017_COUNTS];
	int tensors; /* 0: it takes no time */
};

/* The counts of a pass, a line over the batch. They are whole numbers below 2^53, so neither the
 * order in which they are multiplied nor this line changes a bit. */
struct paleo_2017_line {
	double none[PALEO_2017_COUNTS], image[PALEO_2017_COUNTS]; /* without an image; of each */
	int tensors;
	int batch_max; /* up to here; 0: to be counted in the original's order */
};

/* What turns counts into times. */
struct paleo_2017_units {
	double tick_ms; /* one period of the clock: nothing is shorter */
	double peak_gflops, mem_gb_per_s;
	double ppp_comp;
};

static inline struct paleo_2017_units paleo_2017_units_of(const struct paleo_2017_device *d,
							  double ppp_comp)
{
	return (struct paleo_2017_units){
		.tick_ms = 1 / d->clock_mhz / 1000,
		.peak_gflops = d->peak_gflops,
		.mem_gb_per_s = d->mem_gb_per_s,
		.ppp_comp = ppp_comp,
	};
}

double paleo_2017_comp_ms(const struct paleo_2017_units *u, double flops);
double paleo_2017_comm_ms(const struct paleo_2017_units *u, double bytes);
/* Over a link of so many GB/s. */
double paleo_2017_link_ms(const struct paleo_2017_units *u, double bytes, double gb_per_s,
			  double ppp_comm);

/* Two counts side by side. */
typedef double paleo_2017_pair __attribute__((vector_size(2 * sizeof(double))));

static inline paleo_2017_pair paleo_2017_pair_at(const double *of)
{
	paleo_2017_pair p;

	memcpy(&p, of, sizeof(p));
	return p;
}

static inline double paleo_2017_at_least(double ms, double tick_ms)
{
	return ms > tick_ms ? ms : tick_ms;
}

/* Times of four counts; the bits are those of the functions above, one after the other. */
static inline struct paleo_2017_time paleo_2017_times_of(const struct paleo_2017_units *u,
							 paleo_2017_pair first,
							 paleo_2017_pair last, int tensors)
{
	const double gb = 1073741824.0;
	struct paleo_2017_time t = {0};

	if (!tensors)
		return t;
	first = first * (1 / gb) / u->mem_gb_per_s *
		1000; /* a power of two: the product is exact */
	paleo_2017_pair peaks = {u->mem_gb_per_s, u->peak_gflops}, units = {gb, 1e9};
	paleo_2017_pair flops = last;
	last = last / units / peaks * 1000;
	if (u->ppp_comp != 1) {
		first /= u->ppp_comp;
		last /= u->ppp_comp;
	}
	t.comm_ms = paleo_2017_at_least(first[0], u->tick_ms) +
		    paleo_2017_at_least(first[1], u->tick_ms);
	if (tensors > 2)
		t.comm_ms += paleo_2017_at_least(last[0], u->tick_ms);
	if (flops[1] != 0)
		t.comp_ms = paleo_2017_at_least(last[1], u->tick_ms);
	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

static inline struct paleo_2017_time
paleo_2017_line_time(const struct paleo_2017_units *u, const struct paleo_2017_line *line, double n)
{
	return paleo_2017_times_of(
		u, paleo_2017_pair_at(line->none) + paleo_2017_pair_at(line->image) * n,
		paleo_2017_pair_at(line->none + 2) + paleo_2017_pair_at(line->image + 2) * n,
		line->tensors);
}

static inline struct paleo_2017_time paleo_2017_counted(const struct paleo_2017_units *u,
							const struct paleo_2017_counts *c)
{
	return paleo_2017_times_of(u, paleo_2017_pair_at(c->of), paleo_2017_pair_at(c->of + 2),
				   c->tensors);
}

#endif
