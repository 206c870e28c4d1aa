/* algorithms.h - the algorithms of a net's convolutions, on their way from the library to rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_ALGORITHMS_H
#define PALEO_TOOLS_ALGORITHMS_H

#include <stdio.h>

#include "base/table.h"
#include "bench/worker.h"
#include "model/net/net.h"

/* One convolution, in one pass, as often as it stands in the net. */
struct choice {
	const struct paleo_net_work *first; /* the first row with this work */
	int layers;                         /* rows with it */
	struct paleo_worker_answer answer;
};

/* What was asked and what came of it. */
struct choices {
	const char *device;                   /* its short name */
	const struct paleo_device_info *info; /* who it is, and which library answered */
	const struct paleo_net *net;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fuse; /* activations within the works before them */
	double workspace_limit_bytes;
	struct choice *items;
	int count;
};

/* A table that takes the rows of many nets, for text and CSV. NULL if memory ran out. */
struct paleo_table *algorithms_table(void);
int algorithms_add(struct paleo_table *t, const struct choices *c, struct paleo_error *err);

/* Prints them as JSON lines: who was asked, then one line per work. EIO, ENOMEM. */
int algorithms_print_json(const struct choices *c, FILE *out, struct paleo_error *err);

#endif
