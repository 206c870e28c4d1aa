/* totals.c - what a net's rows come to: sums per pass, errors, regret. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "model/predict/predict.h"
#include "tools/print/print.h"

/* A sum over the rows of some passes. Rows without a measurement are in `predicted_all_s` and
 * `by_basis_s` alone, so that predicted and measured are of the same rows. */
struct total {
	double predicted_s, measured_s, predicted_all_s, flops;
	double by_basis_s[PLAN_BASES]; /* all rows' times, by what they are */
	double before_s; /* as predicted before measuring, for the calibration's speed */
	struct paleo_interval interval; /* of what is predicted; NaN where a row has none */
	double half_s;         /* of the interval of what is measured; NaN where a row has none */
	double another_half_s; /* of that of what another run may measure; NaN likewise */
	int rows, measured, timed; /* timed: with a time, measured or not */
	const char *unit;          /* in which people see the net's times */
	double per_s;              /* of it in a second */
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

static const struct plan_op *op_of(const struct report_settings *s, const struct plan_net *n,
				   int row)
{
	return &s->plan->ops[n->op_of[row]];
}

/* The measured time of an op in the first mode; NaN: there is none. */
static double time_of(const struct report_settings *s, const struct plan_op *w)
{
	enum plan_basis basis;
	double time_s = plan_op_s(s->plan, w, &basis);

	return basis == PLAN_MEASURED ? time_s : (double)NAN;
}

/* The interval of the sum of predictions of all rows. */
static int add_interval(const struct report_settings *s, const struct plan_net *n, unsigned passes,
			struct total *t, struct paleo_error *err)
{
	size_t ops = (size_t)s->plan->op_count;
	double *times = calloc(ops + 1, sizeof(*times)); /* that each op runs */
	struct paleo_prediction *list = malloc((ops + 1) * sizeof(*list));
	struct paleo_prediction_sum sum = {.interval = PALEO_NO_INTERVAL};
	int count = 0;
	int rc = times && list ? PALEO_OK
			       : paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", ops);

	for (int i = 0; !rc && i < n->rows.count; i++)
		if (passes & 1u << n->rows.items[i].pass)
			times[n->op_of[i]]++;
	for (int i = 0; !rc && i < s->plan->op_count; i++) {
		const struct plan_op *w = &s->plan->ops[i];
		if (times[i] > 0 && w->predicted) {
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
static double half_of(const struct plan_op *w)
{
	const struct paleo_timing *t = &w->times->record.timing;
	double half_s = (t->ci_high_s - t->ci_low_s) / 2, shared_s = t->shared_half * t->median_s;

	if (!paleo_timing_has_interval(t))
		return NAN;
	return sqrt(fmax(half_s * half_s - shared_s * shared_s, 0));
}

/* The interval of the measured sum. An op's rows have one time, so its half counts as often as the
 * op. Different ops were timed apart, so their halves add up as squares do; but what the speed
 * of the machine did in a round, it did to all: that adds up as it is. */
static int add_half(const struct report_settings *s, const struct plan_net *n, unsigned passes,
		    struct total *t, struct paleo_error *err)
{
	double *halves = calloc((size_t)s->plan->op_count + 1, sizeof(*halves)), shared_s = 0;
	double speed_s = 0;

	if (!halves)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", s->plan->op_count);
	t->half_s = 0;
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = op_of(s, n, i);
		if (!(passes & 1u << n->rows.items[i].pass) || isnan(time_of(s, w)))
			continue;
		halves[n->op_of[i]] += half_of(w);
		shared_s += w->times->record.timing.shared_half * time_of(s, w);
		speed_s += paleo_timing_another_run(&w->times->record.timing).speed * time_of(s, w);
	}
	for (int i = 0; i < s->plan->op_count; i++)
		t->half_s = hypot(t->half_s, halves[i]);
	t->half_s = hypot(t->half_s, shared_s);
	t->another_half_s = hypot(sqrt(2) * t->half_s, speed_s);
	free(halves);
	return PALEO_OK;
}

static struct total sum_rows(const struct report_settings *s, const struct plan_net *n,
			     unsigned passes)
{
	struct total t = {0};
	double net_s[2] = {0, 0}; /* predicted and measured, of all passes */

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = op_of(s, n, i);
		enum plan_basis basis;
		net_s[0] += w->predicted ? w->prediction.parts.total_s : 0;
		net_s[1] += isnan(time_of(s, w)) ? 0 : time_of(s, w);
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		t.rows++;
		t.flops += w->op.flops;
		if (w->predicted)
			t.predicted_all_s += w->prediction.parts.total_s;
		double time_s = plan_op_s(s->plan, w, &basis);
		if (!isnan(time_s))
			t.by_basis_s[basis] += time_s;
		t.timed += !isnan(time_s);
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
	return rc || t->measured < t->rows ? rc : add_half(s, n, passes, t, err);
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

static double whole_s(const struct total *t)
{
	double sum_s = 0;

	for (int b = 0; b < PLAN_BASES; b++)
		sum_s += t->by_basis_s[b];
	return sum_s;
}

/* The time of all rows, where not all were measured, and what it is: "total 63.2 ms: 19 % measured,
 * 81 % predicted (5 of 16 rows measured, error +2.0 %)". */
static void print_filled(const struct total *t, FILE *out)
{
	static const char *const called[PLAN_BASES] = {"measured", "low confidence", "predicted"};
	const char *separator = ": ";

	fputs("  total ", out);
	print_time(10, whole_s(t), t, out);
	for (int b = 0; b < PLAN_BASES; b++) {
		if (!(t->by_basis_s[b] > 0))
			continue;
		paleo_print(out, "%s%.0f %% %s", separator, 100 * t->by_basis_s[b] / whole_s(t),
			    called[b]);
		separator = ", ";
	}
	paleo_print(out, " (%d of %d rows measured", t->measured, t->rows);
	if (t->measured)
		paleo_print(out, ", error %+.1f %%", 100 * (t->predicted_s / t->measured_s - 1));
	if (t->timed < t->rows)
		paleo_print(out, ", %d without a time", t->rows - t->timed);
	fputc(')', out);
}

/* The time of all rows, as measured. */
static void print_measured(const struct total *t, FILE *out)
{
	fputs("  measured ", out);
	print_time(10, t->measured_s, t, out);
	if (!isnan(t->half_s))
		paleo_print(out, " +-%.1f %% within this run", 100 * t->half_s / t->measured_s);
	if (!isnan(t->half_s) && !isnan(t->another_half_s))
		paleo_print(out, ", +-%.1f %% another run",
			    100 * t->another_half_s / t->measured_s);
	paleo_print(out, "  error %+6.1f %%", 100 * (t->predicted_s / t->measured_s - 1));
}

static void print_rates(double items_per_s, const char *items, double flop_per_s, FILE *out)
{
	double scale;
	const char *unit = paleo_unit_name(PALEO_UNIT_FLOP_PER_S, flop_per_s, &scale);

	paleo_print(out, "  %8.1f %s/s  %7.3f %s", items_per_s, items, scale * flop_per_s, unit);
}

/* The gradients of both operands take twice the forward model FLOPs. The peak is that at the speed
 * of the prediction. */
static void print_mfu(const struct report_settings *s, const struct plan_net *n, unsigned passes,
		      double seconds, FILE *out)
{
	const double speed = s->device->speed.products;
	const double peak = s->device->flop_per_s[s->plan->dtype];
	const double all = peak * (speed > 0 ? speed : 1) * seconds;
	double flops = 0, masked = 0, times = passes & PALEO_PASSES_BWD ? 3 : 1;
	int faster = 0; /* 1: some products are on cores that have a higher peak */

	for (int i = 0; i < n->rows.count; i++) {
		const struct paleo_op *w = &op_of(s, n, i)->op;
		const double of_model = paleo_op_model_flops(w, 0);
		if (!(PALEO_PASSES_FWD & 1u << n->rows.items[i].pass))
			continue;
		flops += times * of_model;
		masked += times * paleo_op_model_flops(w, 1);
		faster |= of_model > 0 && paleo_device_peak(s->device, w) > peak;
	}
	if (!(flops > 0) || !(all > 0))
		return;
	paleo_print(out, "  MFU %.1f %%", 100 * flops / all);
	if (masked < flops)
		paleo_print(out, ", %.1f %% with the mask", 100 * masked / all);
	if (faster)
		paleo_print(out, ", of the peak in %s", paleo_dtype_name(s->plan->dtype));
}

/* Those of the table of sums with a rate also have images, or tokens, and FLOPs per second, where
 * every row has a time. */
static void print_sum(const struct report_settings *s, const struct plan_net *n, size_t sum,
		      const struct total *t, unsigned passes, FILE *out)
{
	const char *unit;
	double items = paleo_net_items(n->net, &unit), seconds = whole_s(t);
	int is_measured = t->measured == t->rows;

	paleo_print(out, "  %-18s  predicted ", sums[sum].title);
	print_time(10, t->predicted_all_s, t, out);
	if (is_measured)
		print_measured(t, out);
	else if (s->plan->modes.count)
		print_filled(t, out);
	if (sums[sum].rate && t->timed == t->rows && seconds > 0) {
		print_rates(items / seconds, unit, t->flops / seconds, out);
		if (s->device && !strcmp(unit, "tokens"))
			print_mfu(s, n, passes, seconds, out);
	} else if (!s->plan->modes.count && t->timed < t->rows)
		paleo_print(out, "  (%d of %d rows)", t->timed, t->rows);
	if (!isnan(t->interval.low))
		paleo_print(out, "  90 %%: %.3f to %.3f %s", t->per_s * t->interval.low,
			    t->per_s * t->interval.high, t->unit);
	if (is_measured && s->plan->is_at_speed)
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
		paleo_print(out, " as a full pass: %.3f of the sum, as on %d network%s\n",
			    whole_s / (layers_s + updates_s), c->nets, c->nets == 1 ? "" : "s");
	}
}

/* The number of rows without a factor of their own in the calibration. */
static void print_nearest(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	const struct paleo_calibration *c = s->calibration;
	int rows = 0;

	if (!c || !c->records || c->method[0]) /* then none has, and the heading prints it */
		return;
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = op_of(s, n, i);
		rows += w->predicted && !w->prediction.exact;
	}
	if (rows)
		paleo_print(out,
			    "  %d of %d rows by the nearest op class: the calibration lacks their "
			    "kind, "
			    "layout, pass or dtype\n",
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

		PALEO_TRY(sum_with_intervals(s, n, passes, &t, err));
		print_sum(s, n, i, &t, passes, out);
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
		const struct plan_op *w = op_of(s, n, i);
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

int totals_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err)
{
	PALEO_TRY(print_sums(s, n, out, err));
	framework_print(s->plan, n, out);
	energy_print(s, n, out);
	if (s->view.quiet)
		return PALEO_OK;
	print_passes(s, n, out);
	print_nearest(s, n, out);
	if (!s->plan->modes.count)
		return PALEO_OK;
	beside_print_launches(s->plan, n, out);
	regret_print(s, n, out);
	PALEO_TRY(print_errors(s, n, out, err));
	return causes_print(s, n, out, err);
}
