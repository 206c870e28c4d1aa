/* points.c - rows as points: rooflines, predicted against measured, one run against another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "tools/report/html.h"

/* A row in a chart of two numbers. */
struct point {
	const struct view_row *row;
	double x, y;
	int series;
};

/* "conv1 conv fwd: 1.23 ms", of which `numbers` is the end. */
static void put_point(const struct chart *c, const struct point *p, const char *numbers)
{
	chart_mark_begin(c, p->series, p->x, p->y);
	html_text(c->out, p->row->layer);
	fputs(" ", c->out);
	html_text(c->out, p->row->kind);
	paleo_print(c->out, " %s: %s", paleo_pass_name(p->row->pass), numbers);
	chart_mark_end(c);
}

typedef void tell_point(const struct point *p, char *text, size_t size);

/* All points, series by series; `tell` says what stands behind the name of each. */
static void put_points(const struct chart *c, const struct point *points, int count,
		       tell_point *tell)
{
	char text[2 * HTML_NUMBER_MAX];

	for (int s = 0; s < CHART_SERIES; s++) {
		chart_series_begin(c, s);
		for (int i = 0; i < count; i++) {
			if (points[i].series != s)
				continue;
			tell(&points[i], text, sizeof(text));
			put_point(c, &points[i], text);
		}
		chart_series_end(c);
	}
}

static void kinds_legend(const struct chart *c, const struct groups *kinds)
{
	chart_legend_begin(c);
	for (int s = 0; s < kinds->count; s++)
		chart_legend_entry(c, CHART_SIGN_MARK, s, kinds->items[s].name);
	chart_legend_end(c);
}

static double bytes_of(const struct paleo_work *w)
{
	return w->read_bytes + w->write_bytes;
}

static void tell_speed(const struct point *p, char *text, size_t size)
{
	char speed[HTML_NUMBER_MAX];

	html_si(speed, p->y, "FLOP/s");
	snprintf(text, size, "%s", speed);
}

/* The device's limit at so many FLOPs a byte. */
static double roof(const struct paleo_device *d, enum paleo_dtype dtype, double intensity)
{
	double limit = INFINITY;

	if (d->flop_per_s[dtype] > 0)
		limit = d->flop_per_s[dtype];
	if (d->mem_bytes_per_s > 0)
		limit = fmin(limit, d->mem_bytes_per_s * intensity);
	return limit;
}

/* The limits as a line with a corner, as far as they are known. */
static void draw_roof(const struct chart *c, const struct paleo_device *d, enum paleo_dtype dtype)
{
	double corner = d->flop_per_s[dtype] / d->mem_bytes_per_s, low = c->x.low;

	if (!(d->flop_per_s[dtype] > 0) || !(d->mem_bytes_per_s > 0))
		return;
	double start = fmax(low, c->y.low / d->mem_bytes_per_s); /* not below the chart */
	double turn = fmin(fmax(corner, low), c->x.high);
	if (turn > start)
		chart_line(c, "roof",
			   (double[]){axis_at(&c->x, start), axis_at(&c->y, roof(d, dtype, start))},
			   (double[]){axis_at(&c->x, turn), axis_at(&c->y, roof(d, dtype, turn))});
	if (c->x.high > turn)
		chart_line(c, "roof",
			   (double[]){axis_at(&c->x, turn), axis_at(&c->y, roof(d, dtype, turn))},
			   (double[]){axis_at(&c->x, c->x.high),
				      axis_at(&c->y, roof(d, dtype, c->x.high))});
}

/* What the limits are, in the caption: there it covers no point. */
static void tell_roof(const struct chart *c, const struct paleo_device *d, enum paleo_dtype dtype)
{
	char flops[HTML_NUMBER_MAX], bytes[HTML_NUMBER_MAX];

	if (!(d->flop_per_s[dtype] > 0) || !(d->mem_bytes_per_s > 0)) {
		paleo_print(c->out, " The device's peak in %s is not known, so no limit is drawn.",
			    paleo_dtype_name(dtype));
		return;
	}
	html_si(flops, d->flop_per_s[dtype], "FLOP/s");
	html_si(bytes, d->mem_bytes_per_s, "B/s");
	paleo_print(c->out, " The line is the limit of the device: %s and %s, ", flops, bytes);
	fputs(d->measured ? "as measured." : "by its datasheet.", c->out);
	fputs(" Rows whose data stay in a cache can lie above it.", c->out);
}

/* The points of a roofline; returns how many, and in *without how many rows have no operations or
 * no time. */
static int collect(const struct view_net *n, const struct groups *kinds, enum paleo_dtype dtype,
		   struct point *points, int *without)
{
	int count = 0;

	*without = 0;
	for (int i = 0; i < n->count; i++) {
		const struct view_row *r = &n->rows[i];
		double seconds = view_time(n, r);
		if (r->work->dtype != dtype)
			continue;
		if (!(seconds > 0) || !(r->work->flops > 0) || !(bytes_of(r->work) > 0)) {
			++*without;
			continue;
		}
		points[count++] = (struct point){r, r->work->flops / bytes_of(r->work),
						 r->work->flops / seconds, kinds->of[i]};
	}
	return count;
}

static void roofline(struct chart *c, const struct view_run *run, const struct view_net *n,
		     const struct groups *kinds, enum paleo_dtype dtype, struct point *points)
{
	struct axis_range x = AXIS_NO_RANGE, y = AXIS_NO_RANGE;
	const struct paleo_device *d = &run->device;
	int without, count = collect(n, kinds, dtype, points, &without);

	if (!count)
		return;
	for (int i = 0; i < count; i++) {
		axis_extend(&x, points[i].x);
		axis_extend(&y, points[i].y);
	}
	if (d->flop_per_s[dtype] > 0) {
		axis_extend(&y, d->flop_per_s[dtype]);
		if (d->mem_bytes_per_s > 0)
			axis_extend(&x, d->flop_per_s[dtype] / d->mem_bytes_per_s);
	}
	c->x = axis_log(x, CHART_LEFT, CHART_RIGHT);
	c->y = axis_log(y, CHART_BOTTOM, CHART_TOP);
	chart_begin(c, CHART_HEIGHT, "Roofline",
		    "A point for each row: operations for each byte, and operations a second. The "
		    "line is the limit of the device.");
	chart_axes(c, &(struct chart_axis){"operations for each byte (FLOP/B)", ""},
		   &(struct chart_axis){
			   n->measured ? "reached (FLOP/s)" : "predicted to reach (FLOP/s)", ""});
	draw_roof(c, d, dtype);
	put_points(c, points, count, tell_speed);
	chart_picture_end(c);
	kinds_legend(c, kinds);
	chart_caption_begin(c);
	paleo_print(c->out, "Roofline in %s: %d rows%s.", paleo_dtype_name(dtype), count,
		    n->measured ? ", as measured" : ", as predicted");
	tell_roof(c, d, dtype);
	if (without)
		paleo_print(c->out, " %d row%s without operations, or without a time, %s no point.",
			    without, without == 1 ? "" : "s", without == 1 ? "has" : "have");
	chart_end(c);
}

int points_rooflines(struct chart *c, const struct view_run *run, const struct view_net *n,
		     struct paleo_error *err)
{
	struct groups kinds;
	struct point *points = malloc(((size_t)n->count + 1) * sizeof(*points));

	if (!points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", n->count);
	int rc = groups_by_kind(n, CHART_SERIES, &kinds, err);
	if (rc) {
		free(points);
		return rc;
	}
	for (int dtype = 0; dtype < PALEO_DTYPES; dtype++)
		roofline(c, run, n, &kinds, (enum paleo_dtype)dtype, points);
	groups_release(&kinds);
	free(points);
	return PALEO_OK;
}

/* Both axes alike, so that the diagonal is where both are the same. */
static void square(struct chart *c, struct axis_range both)
{
	c->x = axis_log(both, CHART_LEFT, CHART_RIGHT);
	c->y = axis_log(both, CHART_BOTTOM, CHART_TOP);
}

/* Where y is `factor` times x. */
static void draw_diagonal(const struct chart *c, const char *class_name, double factor)
{
	double low = fmax(c->x.low, c->y.low / factor), high = fmin(c->x.high, c->y.high / factor);

	chart_line(c, class_name, (double[]){axis_at(&c->x, low), axis_at(&c->y, factor * low)},
		   (double[]){axis_at(&c->x, high), axis_at(&c->y, factor * high)});
}

/* A bar between two values of one axis, cut at the frame. */
static void put_interval(const struct chart *c, const struct point *p, int upright,
			 const double ends[2])
{
	const struct axis *a = upright ? &c->y : &c->x;
	double low = axis_at(a, fmax(ends[0], a->low)), high = axis_at(a, fmin(ends[1], a->high));

	if (!(ends[0] <= ends[1]) || !isfinite(ends[1]))
		return;
	fputs("M", c->out);
	html_px(c->out, upright ? axis_at(&c->x, p->x) : low);
	fputs(" ", c->out);
	html_px(c->out, upright ? low : axis_at(&c->y, p->y));
	fputs(upright ? "V" : "H", c->out);
	html_px(c->out, high);
}

static void put_intervals(const struct chart *c, const struct point *points, int count)
{
	fputs("<path class='interval' d='M0 0", c->out);
	for (int i = 0; i < count; i++) {
		const struct view_row *r = points[i].row;
		const double predicted[2] = {r->prediction.interval.low,
					     r->prediction.interval.high};
		const double measured[2] = {r->low_s, r->high_s};
		put_interval(c, &points[i], 1, predicted);
		put_interval(c, &points[i], 0, measured);
	}
	fputs("'/>\n", c->out);
}

static void tell_error(const struct point *p, char *text, size_t size)
{
	char predicted[HTML_NUMBER_MAX], measured[HTML_NUMBER_MAX];

	html_si(predicted, p->y, "s");
	html_si(measured, p->x, "s");
	snprintf(text, size, "predicted %.40s, measured %.40s", predicted, measured);
}

/* The median error in words: of what was predicted before measuring, or at the speed seen. */
static void tell_median(FILE *out, const struct point *points, int count, int at_speed,
			double *errors)
{
	size_t found = 0;

	for (int i = 0; i < count; i++) {
		const struct view_row *r = points[i].row;
		double predicted = at_speed ? r->at_speed_s : view_predicted(r);
		if (!isnan(predicted))
			errors[found++] = fabs(predicted / r->measured_s - 1);
	}
	if (!found)
		return;
	paleo_sort(errors, found);
	paleo_print(out,
		    at_speed ? "; at the speed seen beside each work %.1f %%"
			     : " Median error before measuring %.1f %%",
		    100 * paleo_quantile_sorted(errors, found, 0.5));
}

static void errors_caption(const struct chart *c, const struct point *points, int count,
			   double *errors)
{
	int within = 0, intervals = 0, fitted = 0;

	for (int i = 0; i < count; i++) {
		const struct view_row *r = points[i].row;
		fitted += r->was_fitted;
		if (isnan(r->prediction.interval.low))
			continue;
		intervals++;
		within += r->measured_s >= r->prediction.interval.low &&
			  r->measured_s <= r->prediction.interval.high;
	}
	chart_caption_begin(c);
	paleo_print(
		c->out,
		"Predicted against measured: %d rows. On the line both are the same; the dashed "
		"lines are 25 %% off.",
		count);
	tell_median(c->out, points, count, 0, errors);
	tell_median(c->out, points, count, 1, errors);
	fputs(".", c->out);
	if (intervals)
		paleo_print(c->out,
			    " The thin bars are the 90 %% intervals of predictions, and the 95 %% "
			    "intervals of medians: %d of %d measured times lie within the former.",
			    within, intervals);
	if (fitted)
		paleo_print(c->out,
			    " The calibration was fitted to the works of %d of these rows, whose "
			    "errors prove nothing.",
			    fitted);
	chart_end(c);
}

int points_errors(struct chart *c, const struct view_net *n, struct paleo_error *err)
{
	struct axis_range both = AXIS_NO_RANGE;
	struct groups kinds;
	int count = 0;
	struct point *points = malloc(((size_t)n->count + 1) * sizeof(*points));
	double *errors = malloc(((size_t)n->count + 1) * sizeof(*errors));
	int rc = points && errors
			 ? groups_by_kind(n, CHART_SERIES, &kinds, err)
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", n->count);

	if (rc)
		goto out;
	for (int i = 0; i < n->count; i++) {
		const struct view_row *r = &n->rows[i];
		if (!(r->measured_s > 0) || !(view_predicted(r) > 0))
			continue;
		points[count++] = (struct point){r, r->measured_s, view_predicted(r), kinds.of[i]};
		axis_extend(&both, r->measured_s);
		axis_extend(&both, view_predicted(r));
	}
	if (count) {
		square(c, both);
		chart_begin(c, CHART_HEIGHT, "Predicted against measured",
			    "A point for each row, on axes of logarithms. On the diagonal both "
			    "times are the same.");
		chart_axes(c, &(struct chart_axis){"measured", "s"},
			   &(struct chart_axis){"predicted, before measuring", "s"});
		draw_diagonal(c, "same", 1);
		draw_diagonal(c, "off", 1.25);
		draw_diagonal(c, "off", 1 / 1.25);
		put_intervals(c, points, count);
		put_points(c, points, count, tell_error);
		chart_picture_end(c);
		kinds_legend(c, &kinds);
		errors_caption(c, points, count, errors);
	}
	groups_release(&kinds);
out:
	free(points);
	free(errors);
	return rc;
}

static int is_same_row(const struct view_row *x, const struct view_row *y)
{
	return x->pass == y->pass && !strcmp(x->layer, y->layer) && !strcmp(x->kind, y->kind);
}

/* Rows of both nets come in the same order: the search begins behind the last one found. */
int pairs_make(const struct view_net *a, const struct view_net *b, struct pair **out, int *count,
	       struct paleo_error *err)
{
	struct pair *pairs = malloc(((size_t)a->count + 1) * sizeof(*pairs));
	int from = 0, found = 0;

	if (!pairs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", a->count);
	for (int i = 0; i < a->count; i++)
		for (int k = 0; k < b->count; k++) {
			int at = (from + k) % b->count;
			if (!is_same_row(&a->rows[i], &b->rows[at]))
				continue;
			struct pair p = {&a->rows[i], &b->rows[at], view_time(a, &a->rows[i]),
					 view_time(b, &b->rows[at])};
			if (p.a_s > 0 && p.b_s > 0)
				pairs[found++] = p;
			from = at + 1;
			break;
		}
	*out = pairs;
	*count = found;
	return PALEO_OK;
}

static void tell_two(const struct point *p, char *text, size_t size)
{
	char a[HTML_NUMBER_MAX], b[HTML_NUMBER_MAX];

	html_si(a, p->x, "s");
	html_si(b, p->y, "s");
	snprintf(text, size, "A %.40s, B %.40s", a, b);
}

int points_of_two(struct chart *c, const struct view_net *a, const struct pair *pairs, int count,
		  struct paleo_error *err)
{
	struct axis_range both = AXIS_NO_RANGE;
	struct groups kinds;
	struct point *points = malloc(((size_t)count + 1) * sizeof(*points));

	if (!points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", count);
	int rc = groups_by_kind(a, CHART_SERIES, &kinds, err);
	if (rc) {
		free(points);
		return rc;
	}
	for (int i = 0; i < count; i++) {
		points[i] = (struct point){pairs[i].a, pairs[i].a_s, pairs[i].b_s,
					   kinds.of[pairs[i].a - a->rows]};
		axis_extend(&both, pairs[i].a_s);
		axis_extend(&both, pairs[i].b_s);
	}
	square(c, both);
	chart_begin(c, CHART_HEIGHT, "One run against the other",
		    "A point for each row, on axes of logarithms. On the diagonal both times are "
		    "the same; below it run B is faster.");
	chart_axes(c, &(struct chart_axis){"time in run A", "s"},
		   &(struct chart_axis){"time in run B", "s"});
	draw_diagonal(c, "same", 1);
	put_points(c, points, count, tell_two);
	chart_picture_end(c);
	kinds_legend(c, &kinds);
	chart_caption_begin(c);
	paleo_print(c->out,
		    "Run A against run B: %d rows. On the line both are the same; below it B is "
		    "faster.",
		    count);
	chart_end(c);
	groups_release(&kinds);
	free(points);
	return PALEO_OK;
}
