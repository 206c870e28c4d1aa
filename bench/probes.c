/* probes.c - probes of a device's speed beside the samples of a work, and what they come to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/probes.h"

#include <stdlib.h>

#include "base/stats.h"
#include "bench/clock.h"

enum {
	PROBES_AT_END = 5
};

/* Between two probes, over what one takes. */
#define APART 10

int paleo_probes_open(const struct paleo_backend *b, struct paleo_session *s, int between,
		      struct paleo_probes *out, struct paleo_error *err)
{
	*out = (struct paleo_probes){.b = b, .s = s};
	if (!b->probe)
		return PALEO_OK;
	size_t room = (size_t)between + PROBES_AT_END + PROBES_AT_END;
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
	int rc = p->b->probe(p->s, &seen, err);

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

int paleo_probes_at_end(struct paleo_probes *p, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < PROBES_AT_END && p->count < p->room; i++)
		rc = probe(p, err);
	return rc;
}

int paleo_probes_between(struct paleo_probes *p, struct paleo_error *err)
{
	if (!p || p->count >= p->room - PROBES_AT_END || paleo_now_s() < p->next_s)
		return PALEO_OK;
	return probe(p, err);
}

/* Of those that are not 0, which are moved to the front; 0: there is none. */
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
