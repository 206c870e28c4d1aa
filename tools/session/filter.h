/* filter.h - the layers that --filter keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_FILTER_H
#define PALEO_TOOLS_SESSION_FILTER_H

#include <regex.h>

#include "base/error.h"

struct filter {
	int on; /* 0: every layer is kept */
	regex_t re;
};

/* `pattern` is an extended regular expression, or NULL. EINPUT. filter_close() frees. */
int filter_open(const char *pattern, struct filter *out, struct paleo_error *err);
void filter_close(struct filter *f);

/* *keeps: 1 or 0. ENOMEM, as the search itself wants memory. */
int filter_keeps(const struct filter *f, const char *layer, int *keeps, struct paleo_error *err);

#endif
