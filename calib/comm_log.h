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
 * Adds the rows of a file to *points, as times of an all-reduce: output of nccl-tests, also as
 * mpirun --tag-output and srun -l print it, or its -J file (distinguished by the first character).
 * The program is all_reduce_perf, or all_gather_perf or reduce_scatter_perf, whose rings go round
 * once, so that their times count double, as those of alltoall_perf and sendrecv_perf do: by its
 * name in the file, else by busbw over algbw.
 * Columns are found by their names in the header. `ranks` 0 takes the file's. Rows without bytes
 * or time are skipped. EIO; EINPUT with file and line, also when results were
 * wrong; ENOMEM. *points stays valid, possibly with some rows added.
 */
int paleo_comm_log_read(const char *path, int ranks, struct paleo_comm_points *points,
			struct paleo_error *err);

/* The same from `size` bytes of text followed by a 0, which are modified; `name` is the file's name
 * in messages. */
int paleo_comm_log_parse(const char *name, char *text, size_t size, int ranks,
			 struct paleo_comm_points *points, struct paleo_error *err);

/* ENOMEM. */
int paleo_comm_points_add(struct paleo_comm_points *points, const struct paleo_comm_point *p,
			  struct paleo_error *err);
void paleo_comm_points_release(struct paleo_comm_points *points); /* NULL allowed */

#endif
