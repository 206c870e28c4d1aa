/* ranks.h - processes that share a task: each has a device, and says its text to rank 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_RANKS_H
#define PALEO_TOOLS_SESSION_RANKS_H

#include <stdio.h>

#include "base/grow.h"
#include "bench/transport.h"
#include "tools/session/progress.h"
#include "tools/session/session.h"

/* What rank 0 knows of a rank. */
struct rank {
	char node[128]; /* "": it has never been heard */
	char device[128];
	char failure[PALEO_ERROR_MAX]; /* "": it has none */
	struct paleo_collected text;   /* all that it has said but its name */
	FILE *lines;                   /* to it; NULL: nothing */
	int said;                      /* so many texts */
	int is_ready;                  /* 1: it has come to ranks_meet() */
	int is_gone;                   /* 1: it will say no more */
};

struct ranks {
	const struct paleo_transport *transport;
	struct paleo_transport_session *session;
	struct paleo_transport_info info;
	struct rank *all; /* of rank 0 */
	struct stop old;
};

/* The transport whose launcher started this process as one of several ranks, or NULL. */
const char *ranks_launcher(void);

/* A transport that makes this process rank 0 of so many; the others are its children. */
extern const struct paleo_transport ranks_processes;

/* Joins the ranks of a launcher; of none (NULL) so many processes that are made now. *out is owned,
 * also after a failure: ranks_end(). */
int ranks_join(const char *launcher, int processes, struct ranks **out, struct paleo_error *err);

/* The device of this rank: a list is divided by the ranks of a node; auto and all are its GPUs.
 * ENODEVICE for more ranks than devices. */
int ranks_device(const struct ranks *r, const char *devices, char device[DEVICE_NAME_MAX],
		 struct paleo_error *err);

/* Says this rank's node and device, a text, or why there is none: the first to be said. */
int ranks_say_name(struct ranks *r, const char *device, struct paleo_error *err);
int ranks_say(struct ranks *r, const char *text, size_t size, struct paleo_error *err);
int ranks_say_failure(struct ranks *r, const char *why, struct paleo_error *err);

/* Rank 0 goes on when the others have come here, or will not, as ranks_gather() has it; these go on
 * at once. */
int ranks_meet(struct ranks *r, double budget_s, struct paleo_error *err);

/* In rank 0: waits until every rank has said `texts`, or is later than a task of `budget_s` may be,
 * or a signal comes. */
int ranks_gather(struct ranks *r, int texts, double budget_s, struct paleo_error *err);

/* In rank 0: how many ranks have said so much (0: have come to ranks_meet()), or will say no more.
 */
int ranks_heard(const struct ranks *r, int texts);

/* What became of a rank that has said nothing. */
const char *ranks_silence(void);

/* Leaves the ranks; where one has said nothing all are ended, with this exit code, and it does not
 * return. NULL allowed. */
void ranks_end(struct ranks *r, int code);

#endif
