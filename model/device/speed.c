/* speed.c - which of a device's two speeds a work follows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/speed.h"

#include "model/work/kind.h"

/* What moves less is done in about 10 us, most of which is the start of a parallel loop: that
 * follows neither probe. Each probe speaks for works of its own sort: the one of multiply-adds in
 * caches for products, the one of memory for works that stream. Windows, normalisations and
 * exponentials are neither. docs/method/cpu-law.md has the trials. */
#define STREAM_BYTES 1e6

static double ratio(double now, double usual)
{
	return now > 0 && usual > 0 ? now / usual : 0;
}

struct paleo_speed paleo_speed_over(const struct paleo_rates *now, const struct paleo_rates *usual)
{
	return (struct paleo_speed){ratio(now->flop_per_s, usual->flop_per_s),
				    ratio(now->bytes_per_s, usual->bytes_per_s)};
}

double paleo_speed_of(const struct paleo_speed *s, const struct paleo_work *w)
{
	enum paleo_follows follows = paleo_kind_of_work(w->kind)->follows;
	double of = 0;

	if (follows == PALEO_FOLLOWS_PRODUCTS)
		of = s->products;
	else if (follows == PALEO_FOLLOWS_MEMORY && w->read_bytes + w->write_bytes >= STREAM_BYTES)
		of = s->memory;
	return of > 0 ? of : 1;
}
