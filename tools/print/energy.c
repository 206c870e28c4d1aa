/* energy.c - the energy of a net's passes: measured, and predicted by a power model. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tools/print/print.h"

/* Of some rows. */
struct energy {
	double joules, low_j, high_j, seconds; /* predicted; the bounds err together */
	double measured_j, measured_s;
	int rows, predicted, measured;
};

static struct energy energy_of(const struct report_settings *s, const struct plan_net *n)
{
	struct energy e = {0};

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = &s->plan->ops[n->op_of[i]];
		double time_s = w->predicted ? w->prediction.parts.total_s : NAN;
		double joules = plan_op_joules(s->plan, w);
		e.rows++;
		if (!isnan(joules)) {
			e.measured++;
			e.measured_j += joules;
			e.measured_s += plan_op_s(s->plan, w, NULL);
		}
		if (!w->predicted || !(w->watts.mean_w > 0))
			continue;
		e.predicted++;
		e.seconds += time_s;
		e.joules += w->watts.mean_w * time_s;
		e.low_j += w->watts.low_w * time_s;
		e.high_j += w->watts.high_w * time_s;
	}
	return e;
}

/* The measured energy is only told of all rows. */
void energy_print(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	const struct energy e = energy_of(s, n);
	const char *unit;
	const double items = paleo_net_items(n->net, &unit);
	const int singular = (int)strlen(unit) - 1;

	const int is_fitted = s->device && !strcmp(s->plan->power_of, s->device->name);
	if (is_fitted && e.predicted == e.rows)
		paleo_print(
			out,
			"  %-18s  predicted %10.3g J, %.3g J per %.*s, mean %.0f W  90 %%: %.3g "
			"to %.3g J\n",
			"energy", e.joules, e.joules / items, singular, unit, e.joules / e.seconds,
			e.low_j, e.high_j);
	if (e.measured && e.measured == e.rows)
		paleo_print(out,
			    "  %-18s  measured  %10.3g J, %.3g J per %.*s, mean %.0f W, idle power "
			    "included\n",
			    "energy", e.measured_j, e.measured_j / items, singular, unit,
			    e.measured_j / e.measured_s);
	else if (e.measured)
		paleo_print(out, "  %-18s  measured  %10.3g J, %d of %d rows\n", "energy",
			    e.measured_j, e.measured, e.rows);
}
