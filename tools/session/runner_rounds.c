/* runner_rounds.c - what several rounds of measurements come to: rounds, pooled times, counts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "tools/session/runner.h"

/* The noise of an op's repetitions is nearly independent, and samples of one repetition share it:
 * many short ones are worth more than few long ones. So much of their time is samples at least. */
static const double COUNTED_SHARE = 0.3;

/* Notes the latest times of the items as those of the round that has ended. */
void runner_rounds_end(struct runner_rounds *all, struct runner_item *items)
{
	double *times = all->times + (size_t)all->done++ * (size_t)all->items;

	for (int i = 0; i < all->items; i++) {
		times[i] = items[i].last_s > 0 ? items[i].last_s : NAN;
		items[i].last_s = 0;
	}
}

/* Gives every item the time and interval that all repetitions together show. */
int runner_rounds_pool(const struct runner_rounds *all, struct runner_item *items,
		       struct paleo_error *err)
{
	const struct paleo_repetitions **list = calloc((size_t)all->items + 1, sizeof(*list));
	struct paleo_record **out = calloc((size_t)all->items + 1, sizeof(struct paleo_record *));
	struct paleo_shared_error shared = {0, 0};
	int rc = list && out
			 ? paleo_repetitions_shared(all->times, all->items, all->done, &shared, err)
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", all->items);

	for (int i = 0; !rc && i < all->items; i++) {
		list[i] = &items[i].repetitions;
		out[i] = items[i].record;
	}
	if (!rc)
		rc = paleo_repetitions_settle(list, out, all->items, &shared, err);
	free(list);
	free(out);
	return rc;
}

int runner_rounds_fit(double left_s, double overhead_s, int least, int most)
{
	double fit = left_s * (1 - COUNTED_SHARE) / fmax(overhead_s, 1e-3);

	return (int)fmin(fmax(fit, least), most);
}

void runner_count(const struct paleo_record *r, struct runner_result *res)
{
	enum paleo_record_status status = r->status;

	for (int i = 0; i < RUNNER_TAGS; i++)
		res->tagged[i] += paleo_record_has_tag(r->tags, runner_tags[i]);
	if (status == PALEO_RECORD_OK)
		res->measured++;
	else if (status == PALEO_RECORD_DISTURBED)
		res->disturbed++;
	else if (status == PALEO_RECORD_UNSUPPORTED)
		res->unsupported++;
	else
		res->failed++;
}

/* What stands for an op that was gone back to is written behind its first time, also where a clean
 * repetition took the place of a disturbed one; and how far several repetitions agree. */
int runner_settle(const struct runner *r, const struct runner_item *items, int count,
		  struct runner_result *res, struct paleo_error *err)
{
	double *ranges = malloc(((size_t)count + 1) * sizeof(*ranges));
	int rc = PALEO_OK;
	size_t n = 0;

	if (!ranges)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", count);
	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_repetitions *v = &items[i].repetitions;
		if (items[i].is_tried)
			runner_count(items[i].record, res);
		if (v->count > 1)
			ranges[n++] = paleo_repetitions_range(v);
		if (items[i].is_revisited && r->records)
			rc = records_add(r->records, items[i].record, err);
	}
	res->visited = (int)n;
	if (n > 0) {
		paleo_sort(ranges, n);
		res->range = paleo_quantile_sorted(ranges, n, 0.5);
	}
	free(ranges);
	return rc;
}
