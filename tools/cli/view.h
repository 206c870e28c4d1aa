/* view.h - which rows of a long table a reader wants to see, and in which order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CLI_VIEW_H
#define PALEO_TOOLS_CLI_VIEW_H

#include "tools/cli/options.h"

enum {
	VIEW_TOP = 10,  /* rows that are shown of many */
	VIEW_MANY = 30, /* so many are shown without being asked for */
};

enum view_sort {
	VIEW_TIME,
	VIEW_ERROR,
	VIEW_NAME,
	VIEW_NET, /* as the net has them; not a word: what happens without one */
};

/* The type of a field of settings; all zero but `sort`, which is VIEW_NET: nothing was asked. */
struct view {
	int top; /* 0: not given */
	int sort;
	int all, quiet;
};

/* The options of a struct view at `at` of a command's settings. */
#define VIEW_OPTION_ROWS(at)                                                                       \
	LIKE(top, (at) + offsetof(struct view, top)),                                              \
		LIKE(sort, (at) + offsetof(struct view, sort)),                                    \
		LIKE(all, (at) + offsetof(struct view, all)),                                      \
		LIKE_BUT(quiet, (at) + offsetof(struct view, quiet), VIEW_QUIET)
#define VIEW_QUIET "print only totals, and no progress line on a terminal"

/* The rows of a view. */
struct view_row {
	const char *name;
	double time_s, error; /* NaN: not known */
	int at;               /* its place in the net */
	int more;             /* rows that it stands for besides itself */
};

/* 1 if not all of so many rows are to be shown. */
int view_is_cut(const struct view *v, int is_data, int count);

/* Puts the rows in the order that is wanted and returns how many of them are to be shown.
 * `is_data`: programs get all rows but where they ask for fewer. */
int view_choose(const struct view *v, int is_data, struct view_row *rows, int count);

#endif
