/* curves.c - what `simulate` and `explore` have found: speed over workers, fronts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/report/html.h"

enum {
	CURVES_MAX = 64,
	NAME_MAX_BYTES = 160
};

static int same(const struct view_lines *l, int i, int k, const char *key)
{
	return !strcmp(view_text(l->docs[i], key), view_text(l->docs[k], key));
}

/* 1: both rows are of one picture. */
static int in_picture(const struct view_lines *l, int i, int k)
{
	return same(l, i, k, "net") && same(l, i, k, "scaling");
}

/* 1: both rows are of one line. */
static int in_curve(const struct view_lines *l, int i, int k)
{
	return in_picture(l, i, k) && same(l, i, k, "parallel") && same(l, i, k, "scheme");
}

static void name_curve(const struct paleo_json_doc *row, char name[NAME_MAX_BYTES])
{
	const char *scheme = view_text(row, "scheme");

	snprintf(name, NAME_MAX_BYTES, "%.60s%s%.60s", view_text(row, "parallel"),
		 scheme[0] ? ", " : "", scheme);
}

/* The rows of a line one after the other, as the command has printed them: workers ascend. */
static void draw_curve(const struct chart *c, const struct view_lines *l, int first, int series)
{
	char speedup[HTML_NUMBER_MAX];
	int drawn = 0;

	paleo_print(c->out, "<g class='s%d'><path class='curve l%d' d='", series, series);
	for (int i = first; i < l->count; i++) {
		double workers = view_number(l->docs[i], "workers");
		double speed = view_number(l->docs[i], "speedup");
		if (!in_curve(l, first, i) || !(workers > 0) || !(speed > 0))
			continue;
		fputs(drawn++ ? "L" : "M", c->out);
		html_px(c->out, axis_at(&c->x, workers));
		fputs(" ", c->out);
		html_px(c->out, axis_at(&c->y, speed));
	}
	fputs("'/></g>\n", c->out);
	chart_series_begin(c, series);
	for (int i = first; i < l->count; i++) {
		double workers = view_number(l->docs[i], "workers");
		double speed = view_number(l->docs[i], "speedup");
		if (!in_curve(l, first, i) || !(workers > 0) || !(speed > 0))
			continue;
		chart_mark_begin(c, series, workers, speed);
		html_text(c->out, view_text(l->docs[i], "parallel"));
		html_number(speedup, speed, 2);
		paleo_print(c->out, ", %.0f workers: %s times one", workers, speedup);
		chart_mark_end(c);
	}
	chart_series_end(c);
}

/* The first rows of the lines of the picture that begins with row `first`; returns how many. */
static int find_curves(const struct view_lines *l, int first, int starts[CURVES_MAX])
{
	int count = 0;

	for (int i = first; i < l->count; i++) {
		int known = !in_picture(l, first, i);
		for (int k = 0; !known && k < count; k++)
			known = in_curve(l, starts[k], i);
		if (!known && count < CURVES_MAX)
			starts[count++] = i;
	}
	return count;
}

static void steps_picture(struct chart *c, const struct view_lines *l, int first)
{
	int starts[CURVES_MAX], count = find_curves(l, first, starts);
	struct axis_range x = AXIS_NO_RANGE, y = AXIS_NO_RANGE;
	char name[NAME_MAX_BYTES];

	for (int i = first; i < l->count; i++)
		if (in_picture(l, first, i)) {
			axis_extend(&x, view_number(l->docs[i], "workers"));
			axis_extend(&y, view_number(l->docs[i], "speedup"));
		}
	axis_extend(&y, 1);
	c->x = axis_log(x, CHART_LEFT, CHART_RIGHT);
	c->y = axis_log(y, CHART_BOTTOM, CHART_TOP);
	c->x.by_two = c->y.by_two = 1;
	chart_begin(c, CHART_HEIGHT, "Speed-up over workers",
		    "A line for each strategy, on axes of logarithms, beside the straight line of "
		    "the ideal.");
	chart_axes(c, &(struct chart_axis){"workers", ""},
		   &(struct chart_axis){"times as fast as one worker", ""});
	double low = fmax(c->x.low, c->y.low), high = fmin(c->x.high, c->y.high);
	chart_line(c, "same", (double[]){axis_at(&c->x, low), axis_at(&c->y, low)},
		   (double[]){axis_at(&c->x, high), axis_at(&c->y, high)});
	for (int k = 0; k < count; k++)
		draw_curve(c, l, starts[k], k % CHART_SERIES);
	chart_picture_end(c);
	chart_legend_begin(c);
	for (int k = 0; k < count; k++) {
		name_curve(l->docs[starts[k]], name);
		chart_legend_entry(c, CHART_SIGN_LINE, k % CHART_SERIES, name);
	}
	chart_legend_end(c);
	chart_caption_begin(c);
	html_text(c->out, view_text(l->docs[first], "net"));
	const char *scaling = view_text(l->docs[first], "scaling");
	fputs(!strcmp(scaling, "strong") ? ", strong scaling: all workers share the batch."
	      : scaling[0]               ? ", weak scaling: each worker has the batch."
					 : ".",
	      c->out);
	fputs(" The plain line is as fast as can be hoped for.", c->out);
	chart_end(c);
}

int curves_of_steps(struct chart *c, const struct view_lines *steps, struct paleo_error *err)
{
	char *drawn = calloc((size_t)steps->count + 1, 1);

	if (!drawn)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", steps->count);
	for (int i = 0; i < steps->count; i++) {
		/* what has one number of workers alone, as model parallelism, is no curve */
		if (drawn[i] || !view_text(steps->docs[i], "scaling")[0])
			continue;
		for (int k = i; k < steps->count; k++)
			if (in_picture(steps, i, k))
				drawn[k] = 1;
		steps_picture(c, steps, i);
	}
	free(drawn);
	return PALEO_OK;
}

/* The series of each choice: devices, in the order in which they come first; the last stands for
 * the rest. Returns how many there are. */
static int devices_as_series(const struct view_lines *l, int *series)
{
	int devices = 0;

	for (int i = 0; i < l->count; i++) {
		int k = 0;
		while (k < i && !same(l, i, k, "device"))
			k++;
		series[i] = k < i ? series[k] : devices++;
	}
	for (int i = 0; i < l->count; i++)
		series[i] = series[i] < CHART_SERIES ? series[i] : CHART_SERIES - 1;
	return devices;
}

static void put_choice(const struct chart *c, const struct paleo_json_doc *row, int series,
		       const char *key)
{
	char time[HTML_NUMBER_MAX];

	chart_mark_begin(c, series, view_number(row, "epoch_s") / 60, view_number(row, key));
	html_text(c->out, view_text(row, "device"));
	fputs(", ", c->out);
	html_text(c->out, view_text(row, "parallel"));
	html_number(time, view_number(row, "epoch_s") / 60, 2);
	paleo_print(c->out, ", %.0f workers, batch %.0f: %s min an epoch",
		    view_number(row, "workers"), view_number(row, "batch"), time);
	chart_mark_end(c);
}

static void choices_picture(struct chart *c, const struct view_lines *l, const int *series,
			    const char *key)
{
	int last = -1;

	for (int s = 0; s < CHART_SERIES; s++) {
		chart_series_begin(c, s);
		for (int i = 0; i < l->count; i++)
			if (series[i] == s && view_number(l->docs[i], key) > 0)
				put_choice(c, l->docs[i], s, key);
		chart_series_end(c);
	}
	chart_picture_end(c);
	chart_legend_begin(c);
	for (int i = 0; i < l->count; i++)
		if (series[i] > last) {
			last = series[i];
			chart_legend_entry(c, CHART_SIGN_MARK, last,
					   view_text(l->docs[i], "device"));
		}
	chart_legend_end(c);
}

int curves_of_choices(struct chart *c, const struct view_lines *l, struct paleo_error *err)
{
	struct axis_range x = AXIS_NO_RANGE, y = AXIS_NO_RANGE;
	int priced = 0, *series = malloc(((size_t)l->count + 1) * sizeof(*series));

	if (!series)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", l->count);
	int devices = devices_as_series(l, series);
	for (int i = 0; i < l->count; i++)
		priced += view_number(l->docs[i], "cost_usd") > 0;
	const char *key = priced ? "cost_usd" : "memory_bytes";
	for (int i = 0; i < l->count; i++) {
		axis_extend(&x, view_number(l->docs[i], "epoch_s") / 60);
		axis_extend(&y, view_number(l->docs[i], key));
	}
	c->x = axis_log(x, CHART_LEFT, CHART_RIGHT);
	c->y = axis_log(y, CHART_BOTTOM, CHART_TOP);
	chart_begin(c, CHART_HEIGHT, "Choices that none beats",
		    "A point for each choice, on axes of logarithms: less is better on both.");
	chart_axes(c, &(struct chart_axis){"time of an epoch (minutes)", ""},
		   priced ? &(struct chart_axis){"cost of an epoch (USD)", ""}
			  : &(struct chart_axis){"memory of a worker", "B"});
	choices_picture(c, l, series, key);
	chart_caption_begin(c);
	paleo_print(c->out,
		    "%d choices that no other one beats in time and memory%s. Left and below is "
		    "better.",
		    l->count, priced ? ", and in cost" : "");
	if (devices > CHART_SERIES)
		paleo_print(c->out, " The last sign stands for %d devices.",
			    devices - CHART_SERIES + 1);
	chart_end(c);
	free(series);
	return PALEO_OK;
}
