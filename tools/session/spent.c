/* spent.c - prints where the wall time of a run went. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/spent.h"

#include "base/text.h"
#include "bench/clock.h"

static const char *const words[PALEO_PHASES] = {
	[PALEO_PHASE_START] = "opening the device",
	[PALEO_PHASE_PEAKS] = "its peaks",
	[PALEO_PHASE_PREPARE] = "preparing works",
	[PALEO_PHASE_FILL] = "filling operands, and copies that keep caches cold",
	[PALEO_PHASE_CHECK] = "checking against the reference",
	[PALEO_PHASE_WARM_UP] = "warming up, choosing repeats",
	[PALEO_PHASE_PROBES] = "probing the speed",
	[PALEO_PHASE_COUNTED] = "runs that count",
	[PALEO_PHASE_REJECTED] = "runs that others disturbed",
	[PALEO_PHASE_WRITE] = "writing records",
};

struct paleo_spent spent_of(const struct session *s, const struct records *r, double *wall_s)
{
	struct paleo_spent spent = s->spent;

	spent.s[PALEO_PHASE_WRITE] += r->write_s;
	*wall_s = paleo_now_s() - s->begun_s;
	return spent;
}

void spent_print(const struct session *s, const struct records *r, FILE *out)
{
	double wall_s, rest_s;
	const struct paleo_spent spent = spent_of(s, r, &wall_s);

	paleo_print(out, "\nwall time %.2f s\n", wall_s);
	rest_s = wall_s;
	for (int i = 0; i < PALEO_PHASES; i++) {
		rest_s -= spent.s[i];
		if (spent.s[i] > 0)
			paleo_print(out, "  %7.2f s  %5.1f %%  %s\n", spent.s[i],
				    100 * spent.s[i] / wall_s, words[i]);
	}
	paleo_print(out, "  %7.2f s  %5.1f %%  all else: planning, waiting between samples\n",
		    rest_s, 100 * rest_s / wall_s);
}
