/* divided.h - ops divided over equal devices: which are whose, and how far the devices differ. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_DIVIDED_H
#define PALEO_TOOLS_SESSION_DIVIDED_H

#include "tools/session/ranks.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

/* One device of several, or the only one; zero is that. */
struct divided {
	struct ranks *ranks;           /* NULL: there is one device */
	char device[DEVICE_NAME_MAX];  /* as for session_open(); "": as it was asked for */
	int is_other;                  /* 1: not rank 0, which alone prints and writes a file */
	int missing, differing;        /* of rank 0: devices */
	FILE *silence;                 /* of the others: where notes go */
	struct paleo_collected unread; /* of `silence` */
};

/* Joins the other ranks where a launcher started several, or makes a process for each of several
 * listed devices, and finds this one's. In others than rank 0 *notes then leads nowhere. As the
 * transport fails; EINPUT. */
int divided_begin(struct divided *d, const char *devices, FILE **notes, struct paleo_error *err);

/* An open session's name in records, and where its records go. */
enum records_place divided_open(const struct divided *d, struct session *s);

/*
 * Measures the items as runner_run() does, of several devices each its part, by a hash of the ops,
 * and some ops that all of them measure. Rank 0 then waits for the others, and has what all have
 * measured in its items, its records and *out; of an op that several measured that of the median
 * time. It prints how far the devices differ; a record of one that does has a tag. EINPUT where two
 * ranks had one device.
 */
int divided_run(struct divided *d, const struct runner *r, struct runner_item *items, int count,
		struct runner_result *out, FILE *notes, struct paleo_error *err);

/* Says a failure to rank 0, which prints it; 0 in rank 0 itself, and where it cannot be said. */
int divided_tell(struct divided *d, const struct paleo_error *failure);

/* Leaves the others, with this exit code where one has said nothing. */
void divided_end(struct divided *d, int code);

#endif
