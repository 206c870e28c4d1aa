/* beside.c - what stands beside a row's time: its other modes, and the whole net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/beside.h"

#include <math.h>

#include "base/text.h"

/* The place of a mode in the plan; -1 if it was not asked for. */
static int place_of(const struct plan *p, enum beside what)
{
	for (int m = 0; m < p->modes.count; m++)
		if ((int)p->modes.items[m] == (int)what)
			return m;
	return -1;
}

const char *beside_name(enum beside what)
{
	return what == BESIDE_IN_NETWORK ? "in-network"
					 : paleo_cache_mode_name((enum paleo_cache_mode)what);
}

double beside_s(const struct plan *p, const struct plan_net *n, int row, enum beside what)
{
	if (what == BESIDE_IN_NETWORK)
		return n->in_network_s ? n->in_network_s[row] : NAN;
	int place = place_of(p, what);
	if (place < 0)
		return NAN;
	const struct plan_time *t = &p->works[n->work_of[row]].times[place];
	return t->measured && t->record.status == PALEO_RECORD_OK ? t->record.timing.median_s : NAN;
}

/* Sums over the rows that have both times. */
struct share {
	double first_s, other_s;
	int rows;
};

static struct share sum_share(const struct plan *p, const struct plan_net *n, unsigned passes,
			      enum beside what)
{
	struct share sum = {0};

	for (int i = 0; i < n->rows.count; i++) {
		double first = beside_s(p, n, i, (enum beside)p->modes.items[0]);
		double other = beside_s(p, n, i, what);
		if (!(passes & 1u << n->rows.items[i].pass) || isnan(first) || isnan(other))
			continue;
		sum.first_s += first;
		sum.other_s += other;
		sum.rows++;
	}
	return sum;
}

static int count_rows(const struct plan_net *n, unsigned passes)
{
	int rows = 0;

	for (int i = 0; i < n->rows.count; i++)
		rows += (passes & 1u << n->rows.items[i].pass) != 0;
	return rows;
}

void beside_print_sum(const struct plan *p, const struct plan_net *n, const char *title,
		      unsigned passes, FILE *out)
{
	enum beside first = (enum beside)p->modes.items[0];
	int rows = count_rows(n, passes), printed = 0;

	for (int b = 0; b < BESIDE_COUNT; b++) {
		enum beside what = (enum beside)b;
		struct share sum = sum_share(p, n, passes, what);
		if (what == first || !sum.rows)
			continue;
		if (!printed++)
			paleo_print(out, "  %-18s", title);
		paleo_print(out, "  %s %.3f ms, %.2f of %s", beside_name(what), 1e3 * sum.other_s,
			    sum.other_s / sum.first_s, beside_name(first));
		if (sum.rows < rows)
			paleo_print(out, " (%d of %d rows)", sum.rows, rows);
	}
	if (printed)
		fputc('\n', out);
}

void beside_print_launches(const struct plan *p, const struct plan_net *n, FILE *out)
{
	enum beside first = (enum beside)p->modes.items[0];
	int slower = 0, rows = 0;

	for (int i = 0; first != BESIDE_ENQUEUE && i < n->rows.count; i++) {
		double run = beside_s(p, n, i, first), launch = beside_s(p, n, i, BESIDE_ENQUEUE);
		rows += !isnan(run) && !isnan(launch);
		slower += launch > run;
	}
	if (slower)
		paleo_print(
			out,
			"  in %d of %d rows launching takes the host longer than running takes the "
			"device: launched one by one, it waits\n",
			slower, rows);
}
