/* totals.c - what a net's rows come to: sums per pass, errors, what the library's choices cost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/totals.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"
#include "tools/beside.h"
#include "tools/causes.h"
#include "tools/framework_print.h"
#include "tools/words.h"

enum {
	NAME_MAX_BYTES = 64
};

/* A sum over the rows of some passes. Rows without a measurement are in `predicted_all_s` alone, so
 * that predicted and measured are of the same rows. */
struct total {
	double predicted_s, measured_s, predicted_all_s, flops;
	double before_s; /* as predicted before measuring, for the calibration's speed */
	struct paleo_interval interval; /* of what is predicted; NaN where a row has none */
	double half_s; /* of the interval of what is measured; NaN where a row has none */
	int rows, measured, predicted, told; /* told: measured or predicted */
	const char *unit;                    /* in which people see the net's times */
	double per_s;                        /* of it in a second */
};

/* The sums that are printed. */
static const struct {
	const char *title;
	unsigned passes;
	int rate; /* 1: images or tokens per second mean something */
} sums[] = {
	{"forward", PALEO_PASSES_FWD, 1},
	{"backward", PALEO_PASSES_BWD, 0},
	{"forward + backward", PALEO_PASSES_FWD | PALEO_PASSES_BWD, 1},
	{"update", 1u << PALEO_PASS_UPDATE, 0},
	{"training step", PALEO_PASSES_ALL, 1},
};

static const struct plan_work *work_of(const struct report_settings *s, const struct plan_net *n,
				       int row)
{
	return &s->plan->works[n->work_of[row]];
}

/* The time of a work in the first mode; NaN: there is none. */
static double time_of(const struct report_settings *s, const struct plan_work *w)
{
	const struct plan_time *t = w->times;

	if (!s->plan->modes.count || !t->measured || t->record.status != PALEO_RECORD_OK)
		return NAN;
	return t->record.timing.median_s;
}

/* The interval of the sum of predictions: of all rows, or of those with a time. */
static int add_interval(const struct report_settings *s, const struct plan_net *n, unsigned passes,
			struct total *t, struct paleo_error *err)
{
	size_t works = (size_t)s->plan->work_count;
	double *times = calloc(works + 1, sizeof(*times)); /* that each work runs */
	struct paleo_prediction *list = malloc((works + 1) * sizeof(*list));
	struct paleo_prediction_sum sum = {.interval = PALEO_NO_INTERVAL};
	int all = !t->measured, count = 0;
	int rc = times && list
			 ? PALEO_OK
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu works", works);

	for (int i = 0; !rc && i < n->rows.count; i++)
		if (passes & 1u << n->rows.items[i].pass)
			times[n->work_of[i]]++;
	for (int i = 0; !rc && i < s->plan->work_count; i++) {
		const struct plan_work *w = &s->plan->works[i];
		if (times[i] > 0 && w->predicted && (all || !isnan(time_of(s, w)))) {
			times[count] = times[i];
			list[count++] = w->prediction;
		}
	}
	if (count)
		rc = paleo_prediction_add_up_times(list, times, count, &sum, err);
	t->interval = sum.interval;
	free(list);
	free(times);
	return rc;
}

/* Half the interval of a row's time without what it shares with all rows; NaN where it has none. */
static double half_of(const struct plan_work *w)
{
	const struct paleo_timing *t = &w->times->record.timing;
	double half_s = (t->ci_high_s - t->ci_low_s) / 2, shared_s = t->shared_half * t->median_s;

	if (!paleo_timing_has_interval(t))
		return NAN;
	return sqrt(fmax(half_s * half_s - shared_s * shared_s, 0));
}

/* The interval of the measured sum. A work's rows have one time, so its half counts as often as the
 * work. Different works were timed apart, so their halves add up as squares do; but what the speed
 * of the machine did in a round, it did to all: that adds up as it is. */
static int add_half(const struct report_settings *s, const struct plan_net *n, unsigned passes,
		    struct total *t, struct paleo_error *err)
{
	double *halves = calloc((size_t)s->plan->work_count + 1, sizeof(*halves)), shared_s = 0;

	if (!halves)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works",
				  s->plan->work_count);
	t->half_s = 0;
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = work_of(s, n, i);
		if (!(passes & 1u << n->rows.items[i].pass) || isnan(time_of(s, w)))
			continue;
		halves[n->work_of[i]] += half_of(w);
		shared_s += w->times->record.timing.shared_half * time_of(s, w);
	}
	for (int i = 0; i < s->plan->work_count; i++)
		t->half_s = hypot(t->half_s, halves[i]);
	t->half_s = hypot(t->half_s, shared_s);
	free(halves);
	return PALEO_OK;
}

static struct total sum_rows(const struct report_settings *s, const struct plan_net *n,
			     unsigned passes)
{
	struct total t = {0};
	double net_s[2] = {0, 0}; /* predicted and measured, of all passes */

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = work_of(s, n, i);
		net_s[0] += w->predicted ? w->prediction.parts.total_s : 0;
		net_s[1] += isnan(time_of(s, w)) ? 0 : time_of(s, w);
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		t.rows++;
		t.flops += w->work.flops;
		t.predicted += w->predicted != 0;
		if (w->predicted)
			t.predicted_all_s += w->prediction.parts.total_s;
		t.told += w->predicted || !isnan(time_of(s, w));
		if (isnan(time_of(s, w)))
			continue;
		t.measured++;
		t.measured_s += time_of(s, w);
		if (w->predicted)
			t.predicted_s += w->prediction.parts.total_s;
		if (w->predicted)
			t.before_s += w->before_s;
	}
	t.unit = paleo_unit_name(PALEO_UNIT_TIME, fmax(net_s[0], net_s[1]), &t.per_s);
	return t;
}

/* The same with its intervals. */
static int sum_with_intervals(const struct report_settings *s, const struct plan_net *n,
			      unsigned passes, struct total *t, struct paleo_error *err)
{
	*t = sum_rows(s, n, passes);
	int rc = add_interval(s, n, passes, t, err);
	return rc || !t->measured ? rc : add_half(s, n, passes, t, err);
}

/* Which passes the rows have, as bits. */
static unsigned passes_there(const struct plan_net *n)
{
	unsigned there = 0;

	for (int i = 0; i < n->rows.count; i++)
		there |= 1u << n->rows.items[i].pass;
	return there;
}

/* A time in a field `width` wide, in the unit of the net's times. */
static void print_time(int width, double seconds, const struct total *t, FILE *out)
{
	paleo_print(out, "%*.*f %s", width, paleo_decimals(t->per_s * seconds, 3, 3),
		    t->per_s * seconds, t->unit);
}

/* Which rows a sum is of, where not of all: "(5 of 16 rows; with the others as predicted 63.210 ms,
 * of which 19 % are measured)". */
static void print_counted(const struct total *t, int counted, FILE *out)
{
	double whole_s = t->measured_s + t->predicted_all_s - t->predicted_s;

	paleo_print(out, "  (%d of %d rows", counted, t->rows);
	if (t->measured && t->told == t->rows)
		paleo_print(out,
			    "; with the others as predicted %.*f %s, of which %.0f %% are measured",
			    paleo_decimals(t->per_s * whole_s, 3, 3), t->per_s * whole_s, t->unit,
			    100 * t->measured_s / whole_s);
	fputc(')', out);
}

static void print_rates(double items_per_s, const char *items, double flop_per_s, FILE *out)
{
	double scale;
	const char *unit = paleo_unit_name(PALEO_UNIT_FLOP_PER_S, flop_per_s, &scale);

	paleo_print(out, "  %8.1f %s/s  %7.3f %s", items_per_s, items, scale * flop_per_s, unit);
}

/* `rate` 1 also prints images, or tokens, and FLOPs per second, where every row has a time. */
static void print_sum(const struct report_settings *s, const char *title, const struct total *t,
		      int rate, const struct paleo_net *net, FILE *out)
{
	const char *unit;
	double items = paleo_net_items(net, &unit);
	int predict_only = !s->plan->modes.count;
	int counted = predict_only ? t->predicted : t->measured;
	int whole = counted == t->rows;
	double seconds = predict_only ? t->predicted_all_s : t->measured_s;

	paleo_print(out, "  %-18s  predicted ", title);
	print_time(10, t->measured ? t->predicted_s : t->predicted_all_s, t, out);
	if (t->measured) {
		fputs("  measured ", out);
		print_time(10, t->measured_s, t, out);
		if (!isnan(t->half_s))
			paleo_print(out, " +-%.1f %% within this run",
				    100 * t->half_s / t->measured_s);
		paleo_print(out, "  error %+6.1f %%", 100 * (t->predicted_s / t->measured_s - 1));
	}
	if (rate && whole && seconds > 0)
		print_rates(items / seconds, unit, t->flops / seconds, out);
	if (!whole)
		print_counted(t, counted, out);
	if (!isnan(t->interval.low))
		paleo_print(out, "  90 %%: %.3f to %.3f %s", t->per_s * t->interval.low,
			    t->per_s * t->interval.high, t->unit);
	if (t->measured && s->plan->is_at_speed)
		paleo_print(out, "  before measuring %.3f %s, %+.1f %%", t->per_s * t->before_s,
			    t->unit, 100 * (t->before_s / t->measured_s - 1));
	fputc('\n', out);
}

/* 1 if each of forward, backward and update that `passes` has is among those that are there. */
static int is_whole(unsigned passes, unsigned there)
{
	static const unsigned parts[] = {PALEO_PASSES_FWD, PALEO_PASSES_BWD,
					 1u << PALEO_PASS_UPDATE};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (passes & parts[i] && !(there & parts[i]))
			return 0;
	return 1;
}

/* The whole net as one pass: the sum, corrected by what whole nets took. */
static void print_passes(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	unsigned there = passes_there(n);

	for (int e = 0; s->calibration && e < PALEO_EXTENTS; e++) {
		enum paleo_extent extent = (enum paleo_extent)e;
		const struct paleo_pass_correction like = {.extent = extent,
							   .dtype = s->plan->dtype,
							   .layout = s->plan->layout,
							   .fused = s->plan->fused};
		const struct paleo_pass_correction *c =
			paleo_calibration_pass(s->calibration, &like);
		unsigned passes = paleo_graph_passes(extent) & there;
		if (!c || !passes || !is_whole(paleo_graph_passes(extent), there))
			continue;
		const unsigned update = 1u << PALEO_PASS_UPDATE;
		struct total layers = sum_rows(s, n, passes & ~update);
		double layers_s = layers.predicted_all_s;
		double updates_s = sum_rows(s, n, passes & update).predicted_all_s;
		double whole_s = paleo_pass_time(c, layers_s, updates_s);
		paleo_print(out, "  %-18s  predicted ", paleo_extent_name(extent));
		print_time(10, whole_s, &layers, out);
		paleo_print(out, " as one pass: %.3f of the sum, as with %d net%s\n",
			    whole_s / (layers_s + updates_s), c->nets, c->nets == 1 ? "" : "s");
	}
}

/* How many rows the calibration has no factor of their own for. */
static void print_nearest(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	const struct paleo_calibration *c = s->calibration;
	int rows = 0;

	if (!c || !c->records || c->method[0]) /* then none has, and the heading tells */
		return;
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = work_of(s, n, i);
		rows += w->predicted && !w->prediction.exact;
	}
	if (rows)
		paleo_print(
			out,
			"  %d of %d rows have no interval: their kind, layout, pass or type is not "
			"in the "
			"calibration, and the nearest stands in\n",
			rows, n->rows.count);
}

/* Which of its passes a sum is of; 0: it is none, as one of several parts needs all of them. */
static unsigned passes_of_sum(size_t sum, unsigned there)
{
	return is_whole(sums[sum].passes, there) ? sums[sum].passes & there : 0;
}

static int print_sums(const struct report_settings *s, const struct plan_net *n, FILE *out,
		      struct paleo_error *err)
{
	const size_t count = sizeof(sums) / sizeof(sums[0]);
	unsigned there = passes_there(n), passes;

	for (size_t i = 0; i < count; i++) {
		if (!(passes = passes_of_sum(i, there)))
			continue;
		struct total t;
		int rc = sum_with_intervals(s, n, passes, &t, err);
		if (rc)
			return rc;
		print_sum(s, sums[i].title, &t, sums[i].rate, n->net, out);
	}
	for (size_t i = 0; s->plan->modes.count && i < count; i++)
		if ((passes = passes_of_sum(i, there)))
			beside_print_sum(s->plan, n, sums[i].title, passes, out);
	return PALEO_OK;
}

/* Median, mean and 90th percentile of the rows' errors: `before` 1, of what was predicted before
 * measuring. `errors` has room for all rows. */
static void print_errors_of(const struct report_settings *s, const struct plan_net *n, int before,
			    double *errors, FILE *out)
{
	size_t count = 0;

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = work_of(s, n, i);
		double predicted_s = before ? w->before_s : w->prediction.parts.total_s;
		if (!isnan(time_of(s, w)) && w->predicted)
			errors[count++] = fabs(predicted_s / time_of(s, w) - 1);
	}
	if (!count)
		return;
	paleo_sort(errors, count);
	paleo_print(out, "  error per row%s: median %.1f %%, mean %.1f %%, p90 %.1f %%, %zu rows\n",
		    before ? " before measuring" : "",
		    100 * paleo_quantile_sorted(errors, count, 0.5),
		    100 * paleo_mean(errors, count),
		    100 * paleo_quantile_sorted(errors, count, 0.9), count);
}

static int print_errors(const struct report_settings *s, const struct plan_net *n, FILE *out,
			struct paleo_error *err)
{
	double *errors = malloc(((size_t)n->rows.count + 1) * sizeof(*errors));

	if (!errors)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d errors", n->rows.count);
	print_errors_of(s, n, 0, errors, out);
	if (s->plan->is_at_speed)
		print_errors_of(s, n, 1, errors, out);
	free(errors);
	return PALEO_OK;
}

/* What the library's own choices cost in the rows that had a choice, and which cost most. */
struct regret {
	double first_s, best_s; /* of these rows */
	double all_s;           /* of all rows with a time, each at its best */
	double worst;
	int rows, worst_row;
};

static struct regret sum_regret(const struct report_settings *s, const struct plan_net *n)
{
	struct regret sum = {.worst_row = -1};

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = work_of(s, n, i);
		double regret = candidates_regret(&w->times[0].candidates);
		double best_s = time_of(s, w);
		if (isnan(best_s))
			continue;
		sum.all_s += best_s;
		if (isnan(regret))
			continue;
		sum.rows++;
		sum.best_s += best_s;
		sum.first_s += best_s * (1 + regret);
		if (sum.worst_row < 0 || regret > sum.worst) {
			sum.worst = regret;
			sum.worst_row = i;
		}
	}
	return sum;
}

static void print_regret(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	struct regret sum = sum_regret(s, n);

	if (!sum.rows)
		return;
	const struct paleo_net_work *worst = &n->rows.items[sum.worst_row];
	paleo_print(
		out,
		"  regret of the library's choices: %.1f %% of the net's time; %.1f %% in the %d "
		"row%s with several algorithms (%.3f ms, the fastest %.3f ms), at most %.1f %% (",
		100 * (sum.first_s - sum.best_s) / sum.all_s, 100 * (sum.first_s / sum.best_s - 1),
		sum.rows, sum.rows == 1 ? "" : "s", 1e3 * sum.first_s, 1e3 * sum.best_s,
		100 * sum.worst);
	paleo_text_put(worst->layer->name, NAME_MAX_BYTES, out);
	paleo_print(out, " %s)\n", paleo_pass_name(worst->pass));
}

int totals_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err)
{
	int rc = print_sums(s, n, out, err);
	if (rc || s->view.quiet)
		return rc;
	framework_print(s->plan, n, out);
	print_passes(s, n, out);
	print_nearest(s, n, out);
	if (!s->plan->modes.count)
		return PALEO_OK;
	beside_print_launches(s->plan, n, out);
	print_regret(s, n, out);
	rc = print_errors(s, n, out, err);
	if (!rc)
		rc = causes_print(s, n, out, err);
	return rc;
}
