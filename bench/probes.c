/* probes.c - probes of machine speed around the samples of an op, and their summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "bench/clock.h"

/* Time between two probes, relative to one probe's. */
#define APART 10

/* Neighbours share probes that are at most as old as the time between samples of one op. */
#define SHARED_S 0.5

int paleo_probes_open(struct paleo_open_device *d, int between, struct paleo_probes *out,
		      struct paleo_error *err)
{
	*out = (struct paleo_probes){.d = d};
	if (!d->b->probe)
		return PALEO_OK;
	size_t room = (size_t)between + PALEO_PROBES_AT_END + PALEO_PROBES_AT_END;
	double *rates = malloc(3 * room * sizeof(*rates));
	if (!rates)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %zu probes", room);
	out->room = (int)room;
	out->flop_per_s = rates;
	out->bytes_per_s = rates + room;
	out->scratch = rates + 2 * room;
	return PALEO_OK;
}

void paleo_probes_close(struct paleo_probes *p)
{
	free(p->flop_per_s);
	*p = (struct paleo_probes){0};
}

static int probe(struct paleo_probes *p, struct paleo_error *err)
{
	struct paleo_rates seen;
	double start_s = paleo_now_s();
	int rc = p->d->b->probe(p->d->s, &seen, err);

	if (rc)
		return rc;
	p->flop_per_s[p->count] = seen.flop_per_s;
	p->bytes_per_s[p->count] = seen.bytes_per_s;
	p->count++;
	double end_s = paleo_now_s();
	p->spent_s += end_s - start_s;
	p->next_s = end_s + APART * (end_s - start_s);
	return PALEO_OK;
}

/* Several, or until one was disturbed: disturbances last longer than a few more probes. */
static int probe_at_end(struct paleo_probes *p, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < PALEO_PROBES_AT_END && p->count < p->room; i++) {
		rc = probe(p, err);
		if (!rc && p->bytes_per_s[p->count - 1] <= 0)
			break;
	}
	return rc;
}

int paleo_probes_before(struct paleo_probes *p, struct paleo_error *err)
{
	const struct paleo_probes_end *last = &p->d->last;

	if (!last->count || paleo_now_s() - last->at_s > SHARED_S)
		return probe_at_end(p, err);
	p->count = last->count;
	memcpy(p->flop_per_s, last->flop_per_s, sizeof(last->flop_per_s));
	memcpy(p->bytes_per_s, last->bytes_per_s, sizeof(last->bytes_per_s));
	return PALEO_OK;
}

int paleo_probes_behind(struct paleo_probes *p, struct paleo_error *err)
{
	struct paleo_probes_end *last = &p->d->last;
	int first = p->count;
	int rc = probe_at_end(p, err);

	last->count = rc ? 0 : p->count - first;
	for (int i = 0; i < last->count; i++) {
		last->flop_per_s[i] = p->flop_per_s[first + i];
		last->bytes_per_s[i] = p->bytes_per_s[first + i];
	}
	last->at_s = paleo_now_s();
	return rc;
}

int paleo_probes_between(struct paleo_probes *p, struct paleo_error *err)
{
	if (!p || p->count >= p->room - PALEO_PROBES_AT_END || paleo_now_s() < p->next_s)
		return PALEO_OK;
	return probe(p, err);
}

/* Median of the non-zero rates, which are moved to the front; 0: there are none. */
static double median_of_known(double *rates, int count, double *scratch)
{
	size_t n = 0;

	for (int i = 0; i < count; i++)
		if (rates[i] > 0)
			rates[n++] = rates[i];
	return n ? paleo_median(rates, n, scratch) : 0;
}

void paleo_probes_summarise(struct paleo_probes *p, struct paleo_timing *out)
{
	out->speed.flop_per_s = median_of_known(p->flop_per_s, p->count, p->scratch);
	out->speed.bytes_per_s = median_of_known(p->bytes_per_s, p->count, p->scratch);
}

int paleo_probes_now(struct paleo_open_device *d, double seconds, struct paleo_rates *out,
		     struct paleo_error *err)
{
	enum {
		PROBES_MAX = 4096
	};
	const double end_s = paleo_now_s() + seconds;
	struct paleo_timing found = {0};
	struct paleo_probes p;
	int rc = paleo_probes_open(d, PROBES_MAX, &p, err);

	while (!rc && p.count < p.room && paleo_now_s() < end_s)
		rc = probe(&p, err);
	if (!rc && p.count)
		paleo_probes_summarise(&p, &found);
	paleo_probes_close(&p);
	*out = found.speed;
	return rc;
}
