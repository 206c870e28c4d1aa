/* limits.c - the most requests that a split serves within limits of times to tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/serving/serving.h"

enum {
	MOST = 1 << 20 /* requests that are thought of */
};

static int keeps(const struct paleo_serving_limits *limits, const struct paleo_serving_result *r)
{
	return r->fits && (limits->ttft_s <= 0 || r->ttft.s <= limits->ttft_s) &&
	       (limits->tpot_s <= 0 || r->tpot.s <= limits->tpot_s);
}

/* Tries so many requests for each part; where they keep the limits, they are the best so far. */
static int try(const struct paleo_served *s, const struct paleo_serving_limits *limits,
	       int requests, struct paleo_serving_load *best, struct paleo_serving_result *out,
	       int *kept, struct paleo_error *err)
{
	struct paleo_serving_load load = *best;
	struct paleo_serving_result r;

	load.concurrency = requests * s->serving->split.dp;
	int rc = paleo_serve(s, &load, &r, err);
	if (rc)
		return rc;
	*kept = keeps(limits, &r);
	if (*kept || requests == 1) {
		*best = load;
		*out = r;
	}
	return PALEO_OK;
}

int paleo_serve_most(const struct paleo_served *s, const struct paleo_serving_limits *limits,
		     struct paleo_serving_load *load, struct paleo_serving_result *out, int *kept,
		     struct paleo_error *err)
{
	int low = 0, high = 1, good = 0;
	int rc = try(s, limits, high, load, out, &good, err);

	while (!rc && good && high < MOST) {
		low = high;
		high *= 2;
		rc = try(s, limits, high, load, out, &good, err);
	}
	while (!rc && low && high - low > 1) {
		int middle = low + (high - low) / 2;
		rc = try(s, limits, middle, load, out, &good, err);
		*(good ? &low : &high) = middle;
	}
	if (!rc)
		*kept = low > 0;
	return rc;
}
