/* bars.h - time as bars: by kind, by layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_BARS_H
#define PALEO_TOOLS_REPORT_BARS_H

#include "tools/report/chart.h"
#include "tools/report/groups.h"

/* One bar for each kind of work, and where it was measured one for what was predicted. ENOMEM. */
int bars_by_kind(struct chart *c, const struct view_net *n, struct paleo_error *err);

/* All layers in their order as one profile, then bars of the longest. ENOMEM. */
int bars_by_layer(struct chart *c, const struct view_net *n, struct paleo_error *err);

/* The kinds of two runs of one net, bar beside bar. ENOMEM. */
int bars_of_two(struct chart *c, const struct view_net *a, const struct view_net *b,
		struct paleo_error *err);

#endif
