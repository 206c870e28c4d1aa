/* comm_log.h - measured times of collective operations: reads logs and JSON of nccl-tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_COMM_LOG_H
#define PALEO_CALIB_COMM_LOG_H

#include <stddef.h>

#include "base/error.h"

/* One measured operation. */
struct paleo_comm_point {
	int ranks;
	double bytes;  /* of the whole vector */
	double time_s; /* out of place */
};

struct paleo_comm_points {
	struct paleo_comm_point *items;
	int count, room;
};

/*
 * Adds the rows of a file to *points: what nccl-tests print, or write with -J
 * (told apart by the first character). Columns are found by their names in the
 * header. `ranks` 0 takes what the file says. Rows of no bytes or no time are left
 * out. EIO; EINPUT with file and line, also when results were wrong; ENOMEM.
 * *points stays valid, with some rows added perhaps.
 */
int paleo_comm_log_read(const char *path, int ranks, struct paleo_comm_points *points,
			struct paleo_error *err);

/* The same from `size` bytes of text with a 0 behind them, which are changed; `name` stands for the
 * file in messages. */
int paleo_comm_log_parse(const char *name, char *text, size_t size, int ranks,
			 struct paleo_comm_points *points, struct paleo_error *err);

/* ENOMEM. */
int paleo_comm_points_add(struct paleo_comm_points *points, const struct paleo_comm_point *p,
			  struct paleo_error *err);
void paleo_comm_points_release(struct paleo_comm_points *points); /* NULL allowed */

#endif
