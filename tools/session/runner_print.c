/* runner_print.c - what a run says of an item, below its rows, and where its wall time went. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"
#include "base/text.h"
#include "bench/clock.h"
#include "tools/session/runner.h"

const char *const runner_tags[RUNNER_TAGS] = {PALEO_TAG_THROTTLED, PALEO_TAG_CAPPED,
					      PALEO_TAG_SHARED, PALEO_TAG_RESIDENT,
					      PALEO_TAG_ABOVE};

/* Texts that follow the count of each of these. */
static const char *const says[RUNNER_TAGS] = {
	"throttled: by heat or hardware, twice", "power-limited (clocks lowered)",
	"timed while other processes used the device",
	"too small to be cold: all operand sets stay in the last-level cache",
	"above ceiling: faster than 1.05 x the measured peak; measure peaks on a quiet machine"};

/* A time as people read it: "12.3 us". */
static void write_time(double time_s, char *text, size_t size)
{
	double scale;
	const char *unit = paleo_unit_name(PALEO_UNIT_TIME, time_s, &scale);

	snprintf(text, size, "%.3g %s", time_s * scale, unit);
}

void runner_show_item(const struct runner *r, const struct runner_item *item, double predicted_s)
{
	const struct paleo_record *record = item->record;
	char line[PALEO_OP_KEY_MAX + 128], key[PALEO_OP_KEY_MAX];
	char measured[32], predicted[32] = "-";

	snprintf(measured, sizeof(measured), "%s", paleo_record_status_name(record->status));
	if (record->status == PALEO_RECORD_OK)
		write_time(record->timing.median_s, measured, sizeof(measured));
	if (predicted_s > 0)
		write_time(predicted_s, predicted, sizeof(predicted));
	paleo_op_key(&item->op, key, sizeof(key));
	snprintf(line, sizeof(line), "measured %-9s predicted %-9s %s", measured, predicted, key);
	progress_leave(&r->session->progress, line);
}

void runner_print_disturbed(const struct runner_result *r, FILE *out)
{
	if (r->disturbed)
		paleo_print(out, ", %d without a time (all samples disturbed)", r->disturbed);
}

void runner_print_tags(const struct runner_result *r, FILE *out)
{
	if (r->visited)
		paleo_print(
			out,
			"%d measured several times, with the mean at one machine speed; longest "
			"over shortest time: +%.3g %% (median op)\n",
			r->visited, 100 * r->range);
	if (r->rounds && r->rounds < r->rounds_wanted && !r->interrupted)
		paleo_print(out,
			    "time budget ended in round %d of %d: the other ops were measured %d "
			    "time%s\n",
			    r->rounds + 1, r->rounds_wanted, r->rounds, r->rounds == 1 ? "" : "s");
	if (r->again)
		paleo_print(out, "%d time%s an op with a wide spread was measured again\n",
			    r->again, r->again == 1 ? "" : "s");
	for (int i = 0; i < RUNNER_TAGS; i++)
		if (r->tagged[i])
			paleo_print(out, "%d %s\n", r->tagged[i], says[i]);
}

static const char *const words[PALEO_PHASES] = {
	[PALEO_PHASE_START] = "opening the device",
	[PALEO_PHASE_PEAKS] = "its peaks",
	[PALEO_PHASE_PREPARE] = "preparing ops",
	[PALEO_PHASE_FILL] = "filling operands and their copies",
	[PALEO_PHASE_CHECK] = "checking against the reference",
	[PALEO_PHASE_WARM_UP] = "warming up, choosing repeats",
	[PALEO_PHASE_PROBES] = "probing machine speed",
	[PALEO_PHASE_COUNTED] = "timed runs",
	[PALEO_PHASE_REJECTED] = "disturbed runs",
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
	paleo_print(out, "  %7.2f s  %5.1f %%  other: planning, waiting between samples\n", rest_s,
		    100 * rest_s / wall_s);
}
