/* compare_side.h - one side of a comparison: what was measured, or predicted, of which works. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_SIDE_H
#define PALEO_TOOLS_COMPARE_SIDE_H

#include "calib/compare.h"

struct compare_work {
	char *key;
	struct paleo_noisy time;
};

/* A row of a net, or, with no net, a work by itself. Texts are owned; NULL: not known. */
struct compare_row {
	char *net, *dtype, *layer, *kind, *pass;
	int batch;
	int work; /* its place among the works */
};

/* A zero struct is empty. */
struct compare_side {
	struct compare_work *works; /* different ones, by rising key */
	int work_count, work_room;
	struct compare_row *rows;
	int row_count, row_room;
	struct paleo_record_meta meta; /* of the last run; all empty for tables */
	int runs;
	int is_table, is_predicted;
};

/* Reads the runs of a side: `files` has one name, or several with commas between. `mode` is that of
 * the records to use. A work of several runs has the mean of its logarithms; one that a run lacks
 * has no time. EINPUT where a file is neither records nor a table of rows, or has no time in it; as
 * paleo_results_load(). */
int compare_side_load(const char *files, const char *mode, struct compare_side *out,
		      struct paleo_error *err);
void compare_side_release(struct compare_side *s);

/* The place of the work of this key; -1: there is none. */
int compare_side_find(const struct compare_side *s, const char *key);

#endif
