/* candidates.c - what was measured of one work, and which record stands for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int candidates_add(struct candidates *c, const struct paleo_record *record, struct paleo_error *err)
{
	int at = 0;

	while (at < c->count && c->records[at].rank < record->rank)
		at++;
	if (at == c->count || c->records[at].rank != record->rank) {
		struct paleo_record *more =
			realloc(c->records, ((size_t)c->count + 1) * sizeof(*more));
		if (!more)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for a record");
		c->records = more;
		memmove(&more[at + 1], &more[at], (size_t)(c->count - at) * sizeof(*more));
		c->count++;
	}
	c->records[at] = *record;
	return PALEO_OK;
}

void candidates_release(struct candidates *c)
{
	free(c->records);
	*c = (struct candidates){0};
}

const struct paleo_record *candidates_find(const struct candidates *c, int rank)
{
	for (int i = 0; i < c->count; i++)
		if (c->records[i].rank == rank)
			return &c->records[i];
	return NULL;
}

const struct paleo_record *candidates_best(const struct candidates *c)
{
	const struct paleo_record *best = NULL;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_record *r = &c->records[i];
		if (r->status == PALEO_RECORD_OK &&
		    (!best || r->timing.median_s < best->timing.median_s))
			best = r;
	}
	return best || !c->count ? best : &c->records[0];
}

double candidates_regret(const struct candidates *c)
{
	const struct paleo_record *first = candidates_find(c, 0), *best = candidates_best(c);

	if (c->count < 2 || !first || first->status != PALEO_RECORD_OK)
		return NAN;
	return first->timing.median_s / best->timing.median_s - 1;
}

int candidates_parse(const char *text, int *most, struct paleo_error *err)
{
	static const char best[] = "best:";
	char *end;

	if (!strcmp(text, "heuristic")) {
		*most = 1;
		return PALEO_OK;
	}
	if (!strcmp(text, "all")) {
		*most = PALEO_ALGORITHMS_MAX;
		return PALEO_OK;
	}
	if (!strncmp(text, best, sizeof(best) - 1)) {
		const char *number = text + sizeof(best) - 1;
		long k = strtol(number, &end, 10);
		if (*number >= '0' && *number <= '9' && !*end && k >= 1 &&
		    k <= PALEO_ALGORITHMS_MAX) {
			*most = (int)k;
			return PALEO_OK;
		}
	}
	return paleo_fail(
		err, PALEO_EINPUT,
		"--algo is '%.60s', expected heuristic, best:K with K from 1 to %d, or all", text,
		PALEO_ALGORITHMS_MAX);
}
