/* runner_print.c - what a run tells below its rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "tools/session/runner.h"

const char *const runner_tags[RUNNER_TAGS] = {PALEO_TAG_THROTTLED, PALEO_TAG_CAPPED,
					      PALEO_TAG_SHARED, PALEO_TAG_RESIDENT,
					      PALEO_TAG_ABOVE};

/* What is said behind how many have each of these. */
static const char *const says[RUNNER_TAGS] = {
	"throttled: slowed down by heat or by the hardware, also at a second try",
	"at the limit of power, which slowed them down",
	"timed while other processes computed on the device",
	"so small that all sets of their operands stay in the last cache: not cold",
	"above ceiling: faster than 1.05 x the measured peak; measure peaks on a quiet machine"};

void runner_print_disturbed(const struct runner_result *r, FILE *out)
{
	if (r->disturbed)
		paleo_print(out, ", %d without a time: other processes disturbed all samples",
			    r->disturbed);
}

void runner_print_tags(const struct runner_result *r, FILE *out)
{
	if (r->visited)
		paleo_print(
			out,
			"%d measured at several moments, of which the middle one counts: the "
			"longest took %.3g %% more than the shortest, in the median of the works\n",
			r->visited, 100 * r->range);
	if (r->rounds && r->rounds < r->rounds_wanted && !r->interrupted)
		paleo_print(
			out,
			"the time budget ended in round %d of %d: works that it did not come to "
			"were measured %d time%s\n",
			r->rounds + 1, r->rounds_wanted, r->rounds, r->rounds == 1 ? "" : "s");
	if (r->again)
		paleo_print(out, "%d time%s gone back to a work with a wide spread\n", r->again,
			    r->again == 1 ? "" : "s");
	for (int i = 0; i < RUNNER_TAGS; i++)
		if (r->tagged[i])
			paleo_print(out, "%d %s\n", r->tagged[i], says[i]);
}
