/* axis.c - from a number to a place in a chart, and the ticks between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/axis.h"

#include <math.h>

void axis_extend(struct axis_range *r, double value)
{
	if (!isfinite(value))
		return;
	r->low = fmin(r->low, value);
	r->high = fmax(r->high, value);
}

struct axis axis_log(struct axis_range r, double from, double to)
{
	const double room = 0.06, least = log10(5);
	struct axis a = {.low = 1, .high = 10, .from = from, .to = to, .is_log = 1};

	if (!(r.low > 0) || !(r.high >= r.low))
		return a;
	double low = log10(r.low), high = log10(r.high);
	double more = fmax(room * (high - low), (least - (high - low)) / 2);
	more = fmax(more, 0.04);
	a.low = pow(10, low - more);
	a.high = pow(10, high + more);
	return a;
}

/* 1, 2 or 5 times a power of ten, and no less than `value`. */
static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));

	for (int i = 0; i < 4; i++) {
		static const double steps[] = {1, 2, 5, 10};
		if (steps[i] * power >= value * (1 - 1e-9))
			return steps[i] * power;
	}
	return 10 * power;
}

struct axis axis_linear(double high, double from, double to)
{
	struct axis a = {.low = 0, .high = high > 0 ? high : 1, .from = from, .to = to};
	double step = round_up(a.high / 5);

	a.high = step * ceil(a.high / step - 1e-9);
	return a;
}

double axis_at(const struct axis *a, double value)
{
	double share = a->is_log ? log(value / a->low) / log(a->high / a->low)
				 : (value - a->low) / (a->high - a->low);

	return a->from + share * (a->to - a->from);
}

static int linear_ticks(const struct axis *a, double gap, double *ticks)
{
	double most = fmax(1, floor(fabs(a->to - a->from) / gap));
	double step = round_up((a->high - a->low) / most);
	int count = 0;

	for (double v = 0; v <= a->high * (1 + 1e-9) && count < AXIS_TICKS_MAX; v += step)
		ticks[count++] = v;
	return count;
}

/* All powers of two, or every few of them. */
static int binary_ticks(const struct axis *a, double gap, double *ticks)
{
	double each = fabs(a->to - a->from) / log2(a->high / a->low);
	int stride = each >= gap ? 1 : (int)ceil(gap / each), count = 0;

	for (int power = (int)ceil(log2(a->low)); exp2(power) <= a->high; power++)
		if (power % stride == 0 && count < AXIS_TICKS_MAX)
			ticks[count++] = exp2(power);
	return count;
}

/* The multiples that there is room for in each decade: 1 2 5, 1 3, 1, or 1 in every few decades. */
int axis_ticks(const struct axis *a, double gap, double ticks[AXIS_TICKS_MAX])
{
	static const double all[] = {1, 2, 5};
	double decade = fabs(a->to - a->from) / log10(a->high / a->low);
	int count = 0;

	if (a->by_two)
		return binary_ticks(a, gap, ticks);
	if (!a->is_log)
		return linear_ticks(a, gap, ticks);
	int each = decade * log10(2) >= gap ? 3 : 1;
	int stride = decade >= gap ? 1 : (int)ceil(gap / decade);
	for (int power = (int)floor(log10(a->low)); power <= (int)ceil(log10(a->high)); power++) {
		if (power % stride)
			continue;
		for (int i = 0; i < each; i++) {
			double v = all[i] * pow(10, power);
			if (v >= a->low && v <= a->high && count < AXIS_TICKS_MAX)
				ticks[count++] = v;
		}
	}
	return count;
}
