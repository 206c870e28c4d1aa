/* groups.h - the rows of a net put together: by kind, by layer, by pass. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_GROUPS_H
#define PALEO_TOOLS_REPORT_GROUPS_H

#include "tools/report/view.h"

/* The parts of a training step. */
enum step_part {
	STEP_FORWARD,
	STEP_BACKWARD,
	STEP_UPDATE,
	STEP_PARTS
};
extern const char *const step_part_names[STEP_PARTS];
enum step_part step_part_of(enum paleo_pass pass);

/* Rows that go together. */
struct group {
	const char *name; /* borrowed from the rows */
	int rows;
	double time_s[STEP_PARTS];      /* that count: view_time() */
	double predicted_s[STEP_PARTS]; /* of the same rows */
};

struct groups {
	struct group *items; /* owned */
	int *of;             /* of each row, which; owned */
	int count;
};

double group_time(const struct group *g);
double group_predicted(const struct group *g);

/* By layer, in the order of the forward pass. ENOMEM. Release with groups_release(). */
int groups_by_layer(const struct view_net *n, struct groups *out, struct paleo_error *err);

/* By kind, the longest first; of more than `most` the last stands for all others, as "other". */
int groups_by_kind(const struct view_net *n, int most, struct groups *out, struct paleo_error *err);
void groups_release(struct groups *g);

/* Orders groups, the longest first; `of` is not valid any more. */
void groups_sort(struct groups *g);

#endif
