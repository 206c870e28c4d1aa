/* axis.h - from a number to a place in a chart, and the ticks between. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_AXIS_H
#define PALEO_TOOLS_REPORT_AXIS_H

#include <math.h>

enum {
	AXIS_TICKS_MAX = 40
};

/* A plain value. `from` is the place of `low` in pixels, `to` that of `high`. */
struct axis {
	double low, high, from, to;
	int is_log;
	int by_two; /* 1: ticks are powers of two, as numbers of workers are */
};

/* The range of many numbers; begins as AXIS_NO_RANGE. What is not finite does not count. */
struct axis_range {
	double low, high;
};
#define AXIS_NO_RANGE ((struct axis_range){INFINITY, -INFINITY})
void axis_extend(struct axis_range *r, double value);

/* With room around the numbers, for positive ones. An empty range becomes 1 to 10. */
struct axis axis_log(struct axis_range r, double from, double to);

/* From 0 to a round number. */
struct axis axis_linear(double high, double from, double to);

double axis_at(const struct axis *a, double value);

/* Round numbers on it, ascending, with at least `gap` pixels between; returns how many. */
int axis_ticks(const struct axis *a, double gap, double ticks[AXIS_TICKS_MAX]);

#endif
