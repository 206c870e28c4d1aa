/* chart.h - the frame of a picture in a page: title, axes, marks, legend. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_CHART_H
#define PALEO_TOOLS_REPORT_CHART_H

#include <stdio.h>

#include "tools/report/axis.h"

enum {
	CHART_WIDTH = 720,
	CHART_HEIGHT = 420,
	CHART_LEFT = 78,
	CHART_RIGHT = 704,
	CHART_TOP = 14,
	CHART_BOTTOM = 364,
	CHART_SERIES = 6 /* colours, each with a shape, a pattern of lines and one of areas */
};

/* What the words of an axis are. */
struct chart_axis {
	const char *title;
	const char *unit; /* with a prefix as it fits: "s"; "": a plain number; NULL: no ticks */
};

struct chart {
	FILE *out;
	int number; /* of the picture in its page, from 1 */
	struct axis x, y;
};

/* Begins a figure; what is drawn follows, then chart_caption(), then chart_end(). The title and the
 * description are read to those who do not see it. They are ours: no text of files. */
void chart_begin(struct chart *c, int height, const char *title, const char *description);

/* Lines and numbers of both axes. */
void chart_axes(const struct chart *c, const struct chart_axis *x, const struct chart_axis *y);

/* Marks of a series: a group; within it marks, each with a text between begin and end that is shown
 * to who points at it. */
void chart_series_begin(const struct chart *c, int series);
void chart_mark_begin(const struct chart *c, int series, double x, double y);
void chart_mark_end(const struct chart *c);
void chart_series_end(const struct chart *c);

/* A line from one point to the other, of a class of page.css. */
void chart_line(const struct chart *c, const char *class_name, const double from[2],
		const double to[2]);

/* Ends the picture; the legend and the caption's text may follow. */
void chart_picture_end(const struct chart *c);

/* The legend: chart_legend_begin(), for each entry the sign and its words, chart_legend_end(). */
enum chart_sign {
	CHART_SIGN_MARK, /* of a series of marks */
	CHART_SIGN_AREA, /* of a series of bars */
	CHART_SIGN_LINE  /* of a curve */
};
void chart_legend_begin(const struct chart *c);
void chart_legend_entry(const struct chart *c, enum chart_sign sign, int series, const char *words);
void chart_legend_end(const struct chart *c);

/* The caption: what is printed between begin and end. */
void chart_caption_begin(const struct chart *c);
void chart_end(const struct chart *c);

/* The signs that all pictures of a page refer to; once, before the first. */
void chart_signs(FILE *out);

#endif
