/* ranks.c - a check under mpirun or srun: each rank measures a device, rank 0 has them all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "bench/sweep.h"
#include "bench/transport.h"
#include "tools/check/check.h"

/* An all-reduce between pairs of ranks: its size, and the time for its samples. */
static const double REDUCED_BYTES = 16 << 20, REDUCE_S = 0.1;

enum {
	ROUNDS_MOST = 63
};

/* The records of the ranks in their order; of those that did not answer, that. */
static int take_answers(struct ranks *r, struct checks *all, FILE *lines, struct paleo_error *err)
{
	char name[32];
	int rc = PALEO_OK;

	for (int i = 0; i < r->info.ranks && !rc; i++) {
		struct rank *rank = &r->all[i];
		snprintf(name, sizeof(name), "rank %d", i);
		if (!rank->said || rank->failure[0]) {
			rc = checks_add_missing(all, rank->node[0] ? rank->node : "?",
						rank->node[0] ? rank->device : name,
						rank->said ? rank->failure : ranks_silence(), err);
			continue;
		}
		rc = checks_add_text(all, name, rank->text.text, rank->text.size, 1, err);
		fwrite(rank->text.text, 1, rank->text.size, lines);
	}
	return rc;
}

/* Two ranks on one device measure each other. */
static void refuse_doubles(struct checks *all)
{
	for (int i = 0; i < all->count; i++)
		for (int k = 0; k < all->count; k++) {
			struct checked *c = &all->items[i];
			if (i == k || !c->results.has_condition ||
			    !all->items[k].results.has_condition ||
			    !checked_same_device(c, &all->items[k]))
				continue;
			snprintf(c->missing, sizeof(c->missing),
				 "several ranks measured it at the same time: start one rank per "
				 "device");
		}
}

/* Measures the device of this rank, and says what came of it. */
static int measure_own(struct ranks *r, const struct check_settings *s, struct paleo_error *err)
{
	struct check_file file = {.path = ""};
	struct check_settings own = *s;
	char device[DEVICE_NAME_MAX] = "", *text = NULL;
	size_t size = 0;
	struct paleo_error why;
	int failed = ranks_device(r, s->device, device, &why);

	own.quiet = s->quiet || r->info.rank != 0;
	own.is_silent = r->info.rank != 0;
	int rc = ranks_say_name(r, device, err);
	if (rc)
		return rc;
	if (!failed)
		failed = check_measure_text(&own, device, &file, &text, &size, &why);
	rc = failed ? ranks_say_failure(r, why.text, err) : ranks_say(r, text, size, err);
	free(text);
	return rc;
}

/* Whom a rank meets in a round in which all meet in pairs, of `m` ranks, an even number: those
 * whose sum is the round, but for the last one, who meets who would meet himself. */
static int partner(int rank, int round, int m)
{
	if (rank == m - 1)
		return (int)((long long)round * (m / 2) % (m - 1));
	int other = (round - rank + m - 1) % (m - 1);
	return other == rank ? m - 1 : other;
}

/* The time of an all-reduce in this rank's group. */
static int reduce(struct ranks *r, int ranks, double *out_s, struct paleo_error *err)
{
	const struct paleo_sweep_options o = {.what = PALEO_ALL_REDUCE,
					      .from_bytes = REDUCED_BYTES,
					      .to_bytes = REDUCED_BYTES,
					      .factor = 2,
					      .samples = 5,
					      .budget_s = REDUCE_S};
	struct paleo_sweep_point *points = NULL;
	int count = 0;
	int rc = paleo_sweep(r->transport, r->session, ranks, &o, &points, &count, err);

	if (!rc)
		*out_s = points[0].median_s;
	free(points);
	return rc;
}

/* All-reduces with each other rank in turn, *n of them as bytes a second, then of all together. */
static int reduce_in_turn(struct ranks *r, double *rates, int *n, double *all_s,
			  struct paleo_error *err)
{
	int me = r->info.rank, m = r->info.ranks + r->info.ranks % 2, ranks, rc = PALEO_OK;
	int rounds = m - 1 < ROUNDS_MOST ? m - 1 : ROUNDS_MOST;
	double time_s = NAN;

	for (int round = 0; round < rounds && !rc; round++) {
		int other = partner(me, round, m);
		int has_partner = other < r->info.ranks;
		rc = r->transport->group(r->session, has_partner ? (me < other ? me : other) : -1,
					 &ranks, err);
		if (rc || !has_partner)
			continue;
		rc = reduce(r, ranks, &time_s, err);
		if (!rc)
			rates[(*n)++] = REDUCED_BYTES / time_s;
	}
	if (!rc)
		rc = r->transport->group(r->session, 0, &ranks, err);
	return rc ? rc : reduce(r, ranks, all_s, err);
}

/* What a rank says of them: a ceiling of its device. */
static int say_reduced(struct ranks *r, double *rates, int n, struct paleo_error *err)
{
	struct paleo_ceiling c = {.unit = "B/s", .spread = NAN};
	struct paleo_collected text = {0};
	FILE *lines = paleo_collect(&text);

	if (!lines)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");
	paleo_sort(rates, (size_t)n);
	c.value = paleo_quantile_sorted(rates, (size_t)n, 0.5);
	if (n > 2)
		c.spread = (paleo_quantile_sorted(rates, (size_t)n, 0.75) -
			    paleo_quantile_sorted(rates, (size_t)n, 0.25)) /
			   c.value;
	snprintf(c.name, sizeof(c.name), "all_reduce_of_%d", r->info.ranks);
	snprintf(c.how, sizeof(c.how), "%.0f MB with each of %d others, the median: %.60s",
		 1e-6 * REDUCED_BYTES, n, r->info.what);
	int rc = paleo_ceiling_write(&c, lines, err);
	if (!rc && paleo_collect_close(lines))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");
	if (!rc)
		rc = ranks_say(r, text.text, text.size, err);
	free(text.text);
	return rc;
}

static int reduce_all(struct ranks *r, const struct check_settings *s, struct paleo_error *err)
{
	double *rates = calloc((size_t)r->info.ranks + 1, sizeof(*rates)), all_s = NAN;
	int n = 0;
	int rc = rates ? reduce_in_turn(r, rates, &n, &all_s, err)
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");

	if (!rc)
		rc = say_reduced(r, rates, n, err);
	free(rates);
	if (rc || r->info.rank)
		return rc;
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout,
		    "all-reduce of %.0f MB: %.3f ms: %s\n", 1e-6 * REDUCED_BYTES, 1e3 * all_s,
		    r->info.what);
	return ranks_gather(r, 2, s->budget_s, err);
}

int check_ranks(const struct check_settings *s, const char *transport, struct checks *all,
		FILE *lines, struct ranks **out, int *rank, struct paleo_error *err)
{
	int rc = ranks_join(transport, 0, out, err);
	struct ranks *r = *out;

	if (!r)
		return rc;
	*rank = r->info.rank;
	if (!rc)
		rc = measure_own(r, s, err);
	if (!rc && *rank == 0)
		rc = ranks_gather(r, 1, s->budget_s, err);
	/* where one does not answer the others wait for it, and are ended */
	int is_whole = *rank || ranks_heard(r, 1) == r->info.ranks;
	if (!rc && s->collective >= 0 && is_whole && r->info.ranks > 1)
		rc = reduce_all(r, s, err);
	if (rc || *rank)
		return rc;
	rc = take_answers(r, all, lines, err);
	refuse_doubles(all);
	return rc;
}
