/* sweep.c - sums of nets for several batches, types, layouts and devices: a row for each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "tools/print/print.h"

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = n->net->name)                                   \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = device)                                   \
	X(PALEO_COLUMN_TEXT("dtype", "dtype"), .text = paleo_dtype_name(p->dtype))                 \
	X(PALEO_COLUMN_TEXT("layout", "layout"), .text = paleo_layout_name(p->layout))             \
	X(PALEO_COLUMN_WHOLE("batch", "batch"), .number = n->net->batch)                           \
	X(PALEO_COLUMN_WHOLE("seq", "seq"), .number = seq ? seq : (double)NAN)                     \
	X(PALEO_COLUMN_TIME("forward_s", "forward"), .number = forward.parts.total_s)              \
	X(PALEO_COLUMN_TIME("all_s", "all passes"), .number = all.parts.total_s)                   \
	X(PALEO_COLUMN_TIME("all_low_s", "low"), .number = all.interval.low)                       \
	X(PALEO_COLUMN_TIME("all_high_s", "high"), .number = all.interval.high)                    \
	X(PALEO_COLUMN_TIME("as_it_runs_s", "as it runs"),                                         \
	  .number = all.parts.total_s * runs.factor)                                               \
	X(PALEO_COLUMN_DATA("as_it_runs_low_s"), .number = all.parts.total_s * runs.low)           \
	X(PALEO_COLUMN_DATA("as_it_runs_high_s"), .number = all.parts.total_s * runs.high)         \
	X(PALEO_COLUMN_NUMBER("items_per_s", "items/s", 1, 1),                                     \
	  .number = paleo_net_items(n->net, &unit) / (isnan(took_s) ? all.parts.total_s : took_s)) \
	X(PALEO_COLUMN_TIME("all_measured_s", "measured"), .number = took_s)                       \
	X(PALEO_COLUMN_PERCENT("all_error", "error %"), .number = all.parts.total_s / took_s - 1)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct paleo_table *sweep_table(void)
{
	return PALEO_TABLE_OF(columns);
}

/* The sum of the rows of these passes; NaN where one has no prediction, or there is none. */
static int sum_of(const struct plan *p, const struct plan_net *n, unsigned passes,
		  struct paleo_prediction *list, struct paleo_prediction_sum *out,
		  struct paleo_error *err)
{
	int count = 0, whole = 1;

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = &p->ops[n->op_of[i]];
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		whole &= w->predicted;
		if (w->predicted)
			list[count++] = w->prediction;
	}
	*out = (struct paleo_prediction_sum){.parts.total_s = NAN, .interval = PALEO_NO_INTERVAL};
	return whole && count ? paleo_prediction_add_up(list, count, out, err) : PALEO_OK;
}

/* Time of all rows in the first mode; NaN where one has no time, or nothing was measured. */
static double measured_s(const struct plan *p, const struct plan_net *n)
{
	double sum = p->modes.count && n->rows.count ? 0 : (double)NAN;

	for (int i = 0; p->modes.count && i < n->rows.count; i++)
		sum += beside_s(p, n, i, (enum beside)p->modes.items[0]);
	return sum;
}

static int add_net(struct paleo_table *t, const struct plan *p, const struct plan_net *n,
		   const char *device, int seq, struct paleo_error *err)
{
	struct paleo_prediction *list = malloc(((size_t)n->rows.count + 1) * sizeof(*list));
	struct paleo_prediction_sum forward, all;
	const char *unit;
	double took_s = measured_s(p, n);
	const struct framework_time runs = framework_time_of(p, n);

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	int rc = sum_of(p, n, PALEO_PASSES_FWD, list, &forward, err);
	if (!rc)
		rc = sum_of(p, n, PALEO_PASSES_ALL, list, &all, err);
	free(list);
	if (rc)
		return rc;
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

int sweep_add(struct paleo_table *t, const struct plan *p, const char *device, int seq,
	      struct paleo_error *err)
{
	for (int i = 0; i < p->net_count; i++)
		PALEO_TRY(add_net(t, p, &p->nets[i], device, seq, err));
	return PALEO_OK;
}
