/* algorithms.h - the algorithms of a net's convolutions, on their way from the library to rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_ALGORITHMS_ALGORITHMS_H
#define PALEO_TOOLS_ALGORITHMS_ALGORITHMS_H

#include <stdio.h>

#include "base/table.h"
#include "bench/worker.h"
#include "model/net/net.h"
#include "tools/print/print.h"

/* One convolution, in one pass, as often as it stands in the net. */
struct choice {
	const struct paleo_net_op *first; /* the first row with this op */
	int layers;                       /* rows with it */
	struct paleo_worker_answer answer;
};

/* What was asked and what came of it. */
struct choices {
	const char *device;                   /* its short name */
	const struct paleo_device_info *info; /* who it is, and which library answered */
	const struct paleo_net *net;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fuse; /* activations within the ops before them */
	double workspace_limit_bytes;
	struct choice *items;
	int count;
};

/* A table that takes the rows of many nets, for text and CSV. NULL if memory ran out. */
struct paleo_table *algorithms_table(void);
int algorithms_add(struct paleo_table *t, const struct choices *c, struct paleo_error *err);

/* Prints them as JSON lines: who was asked, then one line per op. EIO, ENOMEM. */
int algorithms_print_json(const struct choices *c, FILE *out, struct paleo_error *err);

/* As the options say it; algorithms.c has it. */
struct algorithms_settings;

struct algorithms_asked {
	const struct paleo_backend_entry *backend;
	int lost; /* ops without an answer, other than unsupported ones */
};

/* Asks this machine's library, or the one in the folder of the settings if `variable` is not NULL:
 * that of the worker's environment which names it. Prints JSON lines into `answers`. As
 * session_open() and paleo_worker_open(). */
int algorithms_ask(const struct algorithms_settings *s, const char *variable,
		   const char *const *nets, int count, FILE *answers, struct algorithms_asked *out,
		   struct paleo_error *err);

/* Asks both, each in a separate process, and prints the differences; *lost counts their lost ops.
 * EINPUT where `folder` has no library of the device; else as above. */
int algorithms_against(const struct algorithms_settings *s, const char *folder,
		       const struct answers_view *view, const char *const *nets, int count,
		       int *lost, struct paleo_error *err);

#endif
