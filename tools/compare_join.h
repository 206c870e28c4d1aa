/* compare_join.h - the rows that two sides of a comparison have in common. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_JOIN_H
#define PALEO_TOOLS_COMPARE_JOIN_H

#include "tools/compare_side.h"

/* A row of both, by its place in each side, and the pair of works whose times it has. */
struct compare_pair {
	int a, b, item;
};

/* A zero struct is empty. */
struct compare_joined {
	struct compare_pair *pairs; /* in the order of the first side's rows */
	int pair_count;
	struct paleo_compared *items; /* one for each different pair of works */
	int item_count;
	int only_a, only_b; /* rows of one side alone, or without a time in the other */
	const char *by;     /* what made rows the same: a constant, for people */
};

/* Rows are the same by net, batch, number type, layer, kind and pass; where no row is, by all but
 * batch and type; else by their works. EINPUT where nothing is common; ENOMEM. */
int compare_join(const struct compare_side *a, const struct compare_side *b,
		 struct compare_joined *out, struct paleo_error *err);
void compare_joined_release(struct compare_joined *j);

/* The pairs from *at on that are of one net, as copies of their items with their number of rows;
 * *at is moved behind them. *out is owned by the caller. ENOMEM. */
int compare_joined_net(const struct compare_joined *j, const struct compare_side *a, int *at,
		       struct paleo_compared **out, int *count, struct paleo_error *err);

#endif
