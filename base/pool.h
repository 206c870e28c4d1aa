/* pool.h - noise of repeated measurements of many items, estimated from all of them together. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_POOL_H
#define PALEO_BASE_POOL_H

#include <stddef.h>

#include "base/error.h"

enum {
	PALEO_POOL_GROUPS = 3
};

/* One measurement of an item. */
struct paleo_visit {
	size_t item;
	double log_value; /* such as a time */
	double log_rate;  /* of the machine next to it; NaN: not known */
};

/* An item with its visits. */
struct paleo_pooled {
	int group;  /* in: items of a group are alike in noise, and follow the same rate */
	int visits; /* out, as all below */
	/* Mean of the logarithms at the group's mean rate, robust to single outliers (Huber);
	 * NaN without a visit. */
	double log_value;
	/* Its standard error and degrees of freedom: the variance between the item's own visits,
	 * raised towards that of its group (Smyth 2004). NaN: too few visits in all. */
	double se, degrees;
};

/* Relation of an item's value to the rate. */
struct paleo_pool_group {
	double slope;    /* value ~ rate^-slope, 0 to 1, by the visits themselves; 0: no rates */
	double slope_se; /* its standard error */
	double log_rate; /* mean over the visits; NaN: no rates */
	double rate_sd;  /* standard deviation of log_rate over the visits; 0: no rates */
};

/*
 * Fills all but `group` of the items. The slope of a group is the regression of the visits on their
 * rates within items, with a prior of 0.5 +- 0.5: a probe that adds more noise than it explains has
 * a slope near 0. ENOMEM.
 */
int paleo_pool(const struct paleo_visit *visits, size_t n, struct paleo_pooled *items, size_t count,
	       struct paleo_pool_group groups[PALEO_POOL_GROUPS], struct paleo_error *err);

#endif
