/* speed.c - which of a device's two speeds a work follows: one table by kind of work. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/speed.h"

/* What moves less is done in about 10 us, most of which is the start of a parallel loop: that
 * follows neither probe. */
#define STREAM_BYTES 1e6

/* Each probe speaks for works of its own sort: the one of multiply-adds in caches for products, the
 * one of memory for works that stream. Windows, normalisations and exponentials are neither.
 * docs/method/cpu-law.md has the trials. */
enum follows {
	NEITHER,
	PRODUCTS,
	MEMORY /* from STREAM_BYTES on */
};

static const enum follows follows[PALEO_WORK_KINDS] = {
	[PALEO_CONV] = PRODUCTS,   [PALEO_GEMM] = PRODUCTS,  [PALEO_POOL] = NEITHER,
	[PALEO_ELTWISE] = MEMORY,  [PALEO_NORM] = NEITHER,   [PALEO_LRN] = NEITHER,
	[PALEO_SOFTMAX] = NEITHER, [PALEO_COPY] = MEMORY,    [PALEO_UPSAMPLE] = NEITHER,
	[PALEO_UPDATE] = MEMORY,   [PALEO_REDUCE] = NEITHER,
};

struct paleo_speed paleo_speed_over(const struct paleo_rates *now, const struct paleo_rates *usual)
{
	if (!(now->flop_per_s > 0 && now->bytes_per_s > 0 && usual->flop_per_s > 0 &&
	      usual->bytes_per_s > 0))
		return (struct paleo_speed){0, 0};
	return (struct paleo_speed){now->flop_per_s / usual->flop_per_s,
				    now->bytes_per_s / usual->bytes_per_s};
}

double paleo_speed_of(const struct paleo_speed *s, const struct paleo_work *w)
{
	double of = 0;

	if (follows[w->kind] == PRODUCTS)
		of = s->products;
	else if (follows[w->kind] == MEMORY && w->read_bytes + w->write_bytes >= STREAM_BYTES)
		of = s->memory;
	return of > 0 ? of : 1;
}
