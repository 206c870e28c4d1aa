/* sweep.c - sums of nets for several batches, types, layouts and devices: a row for each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "base/columns.h"
#include "tools/beside.h"

enum {
	COL_NET,
	COL_DEVICE,
	COL_DTYPE,
	COL_LAYOUT,
	COL_BATCH,
	COL_SEQ,
	COL_FORWARD,
	COL_ALL,
	COL_LOW,
	COL_HIGH,
	COL_RATE,
	COL_MEASURED,
	COL_ERROR,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_TEXT("net", "net"),
	[COL_DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[COL_DTYPE] = PALEO_COLUMN_TEXT("dtype", "dtype"),
	[COL_LAYOUT] = PALEO_COLUMN_TEXT("layout", "layout"),
	[COL_BATCH] = PALEO_COLUMN_WHOLE("batch", "batch"),
	[COL_SEQ] = PALEO_COLUMN_WHOLE("seq", "seq"),
	[COL_FORWARD] = PALEO_COLUMN_TIME("forward_s", "forward"),
	[COL_ALL] = PALEO_COLUMN_TIME("all_s", "all passes"),
	[COL_LOW] = PALEO_COLUMN_TIME("all_low_s", "low"),
	[COL_HIGH] = PALEO_COLUMN_TIME("all_high_s", "high"),
	[COL_RATE] = {.name = "items_per_s",
		      .title = "items/s",
		      .type = PALEO_CELL_NUMBER,
		      .decimals = 1},
	[COL_MEASURED] = PALEO_COLUMN_TIME("all_measured_s", "measured"),
	[COL_ERROR] = {.name = "all_error",
		       .title = "error %",
		       .type = PALEO_CELL_NUMBER,
		       .scale = 100,
		       .decimals = 1},
};

struct paleo_table *sweep_table(void)
{
	return paleo_table_new(columns, COLUMNS);
}

/* The sum of the rows of these passes; NaN where one has no prediction, or there is none. */
static int sum_of(const struct plan *p, const struct plan_net *n, unsigned passes,
		  struct paleo_prediction *list, struct paleo_prediction_sum *out,
		  struct paleo_error *err)
{
	int count = 0, whole = 1;

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = &p->works[n->work_of[i]];
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		whole &= w->predicted;
		if (w->predicted)
			list[count++] = w->prediction;
	}
	*out = (struct paleo_prediction_sum){.parts.total_s = NAN, .interval = PALEO_NO_INTERVAL};
	return whole && count ? paleo_prediction_add_up(list, count, out, err) : PALEO_OK;
}

/* What all rows took in the first mode; NaN where one has no time, or nothing was measured. */
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

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	int rc = sum_of(p, n, PALEO_PASSES_FWD, list, &forward, err);
	if (!rc)
		rc = sum_of(p, n, PALEO_PASSES_ALL, list, &all, err);
	free(list);
	if (rc)
		return rc;
	const struct paleo_cell cells[COLUMNS] = {
		[COL_NET] = {.text = n->net->name},
		[COL_DEVICE] = {.text = device},
		[COL_DTYPE] = {.text = paleo_dtype_name(p->dtype)},
		[COL_LAYOUT] = {.text = paleo_layout_name(p->layout)},
		[COL_BATCH] = {.number = n->net->batch},
		[COL_SEQ] = {.number = seq ? seq : (double)NAN},
		[COL_FORWARD] = {.number = forward.parts.total_s},
		[COL_ALL] = {.number = all.parts.total_s},
		[COL_LOW] = {.number = all.interval.low},
		[COL_HIGH] = {.number = all.interval.high},
		[COL_RATE] = {.number = paleo_net_items(n->net, &unit) /
					(isnan(took_s) ? all.parts.total_s : took_s)},
		[COL_MEASURED] = {.number = took_s},
		[COL_ERROR] = {.number = all.parts.total_s / took_s - 1},
	};
	return paleo_table_add(t, cells, err);
}

int sweep_add(struct paleo_table *t, const struct plan *p, const char *device, int seq,
	      struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < p->net_count; i++)
		rc = add_net(t, p, &p->nets[i], device, seq, err);
	return rc;
}
