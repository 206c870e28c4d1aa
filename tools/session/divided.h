/* divided.h - ops divided over equal devices: which are whose, and how far the devices differ. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_DIVIDED_H
#define PALEO_TOOLS_SESSION_DIVIDED_H

#include "tools/cli/options.h"
#include "tools/session/ranks.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

/* One device of several, or the only one; zero is that. */
struct divided {
	struct ranks *ranks;          /* NULL: there is one device */
	char device[DEVICE_NAME_MAX]; /* as for session_open(); "": as it was asked for */
	int is_other;                 /* 1: not rank 0, which alone prints and writes a file */
	int missing, differing;       /* of rank 0: devices */
	FILE *silence;                /* of the others: where notes go */
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

/* What rank 0 should exit with, where nothing else went wrong: EXIT_ROWS where a device is missing,
 * EXIT_SLOWER where one differs. */
int divided_exit_code(const struct divided *d, int code);

/* Leaves the others. A failure (NULL: none) is printed by rank 0, and said to it by others. Returns
 * the exit code of this process. */
int divided_end(struct divided *d, const struct command *command, int code,
		const struct paleo_error *failure);

#endif
