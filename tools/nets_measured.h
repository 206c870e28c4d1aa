/* nets_measured.h - reads tables of whole nets that others measured as frameworks ran them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_NETS_MEASURED_H
#define PALEO_TOOLS_NETS_MEASURED_H

#include "model/net/net.h"

/* One time of a net. */
struct net_measured {
	char model[64], device[64]; /* as the table calls them */
	enum paleo_framework framework;
	enum paleo_layout layout;
	enum paleo_dtype dtype;
	int training;
	int separate_attention; /* 1: the release had no kernel for it */
	int batch, image;       /* image 0: not told */
	double step_s;
};

struct nets_measured {
	struct net_measured *items; /* owned: free() */
	int count, room;
};

/* Adds the rows of a table, with the columns of docs/reference/tables.md, to *out. EINPUT with the
 * line and the column; EIO; ENOMEM. */
int nets_measured_read(const char *path, struct nets_measured *out, struct paleo_error *err);

#endif
