/* paces.c - looks at a device's pace beside the samples of a work, and what they come to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/paces.h"

#include <stdlib.h>

#include "base/stats.h"
#include "bench/clock.h"

enum {
	LOOKS_AT_END = 5
};

/* Between two looks, over what one takes. */
#define APART 10

int paleo_paces_open(const struct paleo_backend *b, struct paleo_session *s, int between,
		     struct paleo_paces *out, struct paleo_error *err)
{
	*out = (struct paleo_paces){.b = b, .s = s};
	if (!b->pace)
		return PALEO_OK;
	size_t room = (size_t)between + LOOKS_AT_END + LOOKS_AT_END;
	double *looks = malloc(3 * room * sizeof(*looks));
	if (!looks)
		return paleo_fail(err, PALEO_ENOMEM, "no memory to look at the pace %zu times",
				  room);
	out->room = (int)room;
	out->flop_per_s = looks;
	out->bytes_per_s = looks + room;
	out->scratch = looks + 2 * room;
	return PALEO_OK;
}

void paleo_paces_close(struct paleo_paces *p)
{
	free(p->flop_per_s);
	*p = (struct paleo_paces){0};
}

static int look(struct paleo_paces *p, struct paleo_error *err)
{
	struct paleo_pace pace;
	double start_s = paleo_now_s();
	int rc = p->b->pace(p->s, &pace, err);

	if (rc)
		return rc;
	p->flop_per_s[p->count] = pace.flop_per_s;
	p->bytes_per_s[p->count] = pace.bytes_per_s;
	p->count++;
	double end_s = paleo_now_s();
	p->next_s = end_s + APART * (end_s - start_s);
	return PALEO_OK;
}

int paleo_paces_look_at_end(struct paleo_paces *p, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < LOOKS_AT_END && p->count < p->room; i++)
		rc = look(p, err);
	return rc;
}

int paleo_paces_look_between(struct paleo_paces *p, struct paleo_error *err)
{
	if (!p || p->count >= p->room - LOOKS_AT_END || paleo_now_s() < p->next_s)
		return PALEO_OK;
	return look(p, err);
}

void paleo_paces_summarise(struct paleo_paces *p, struct paleo_timing *out)
{
	size_t n = (size_t)p->count;

	out->pace_flop_per_s = n ? paleo_median(p->flop_per_s, n, p->scratch) : 0;
	out->pace_bytes_per_s = n ? paleo_median(p->bytes_per_s, n, p->scratch) : 0;
}
