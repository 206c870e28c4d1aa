/* layers.c - `validate` on a profile of an engine's layers: measured beside predicted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/validate/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/predict/predict.h"
#include "tools/validate/trace.h"

struct row {
	const struct paleo_engine_layer *layer; /* borrowed */
	struct engine_time time;
	double at_peak_s;
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_SHOWN_TEXT("layer"), .text = name)                                          \
	X(PALEO_COLUMN_DATA_TEXT("layer"), .text = r->layer->name)                                 \
	X(PALEO_COLUMN_TEXT("ops", "ops"), .text = r->time.what)                                   \
	X(PALEO_COLUMN_DATA("kernels"), .number = r->layer->kernels)                               \
	X(PALEO_COLUMN_FLOP("flops", ""), .number = r->time.op.flops)                              \
	X(PALEO_COLUMN_DATA("bytes"), .number = r->time.op.read_bytes + r->time.op.write_bytes)    \
	X(PALEO_COLUMN_TIME("measured_s", "meas"), .number = r->layer->time_s)                     \
	X(PALEO_COLUMN_PERCENT("share", "share %"), .number = r->layer->time_s / all_s)            \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = predicted_s)                         \
	X(PALEO_COLUMN_DATA("predicted_low_s"), .number = interval.low)                            \
	X(PALEO_COLUMN_DATA("predicted_high_s"), .number = interval.high)                          \
	X(PALEO_COLUMN_PERCENT("error", "error %"), .number = predicted_s / r->layer->time_s - 1)  \
	X(PALEO_COLUMN_NUMBER("of_peak", "% peak", 100, 0),                                        \
	  .number = r->at_peak_s > 0 ? r->at_peak_s / r->layer->time_s : NAN)                      \
	X(PALEO_COLUMN_TEXT("bound", "bound"),                                                     \
	  .text = r->time.is_predicted ? paleo_bound_name(r->time.predicted.bound) : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

enum {
	NAME_MAX_BYTES = 48 /* in text, where a longer one makes every line long */
};

/* NaN: it is not predicted. */
static double predicted_of(const struct row *r)
{
	return r->time.is_predicted ? r->time.predicted.parts.total_s : (double)NAN;
}

static int add_row(struct paleo_table *table, const struct row *r, double all_s,
		   struct paleo_error *err)
{
	const double predicted_s = predicted_of(r);
	const struct paleo_interval interval =
		r->time.is_predicted ? r->time.predicted.interval : PALEO_NO_INTERVAL;
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%.*s", NAME_MAX_BYTES - 1, r->layer->name);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(table, cells, err);
}

static int fill_rows(const struct engine_run *run, struct row *rows, struct paleo_error *err)
{
	const struct paleo_engine *e = &run->engine;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < e->matched; i++) {
		struct row *r = &rows[i];
		*r = (struct row){.layer = &e->layers[i]};
		rc = engine_predict(run, &r->layer->ops, &r->time, err);
		for (int k = 0; k < r->layer->ops.count; k++)
			r->at_peak_s += trace_at_peak(&run->source.calibration.device,
						      &r->layer->ops.items[k].op);
	}
	return rc;
}

static void print_sums(const struct row *rows, int count, FILE *out)
{
	double measured_s = 0, predicted_s = 0;

	for (int i = 0; i < count; i++) {
		measured_s += rows[i].time.is_predicted ? rows[i].layer->time_s : 0;
		predicted_s += rows[i].time.is_predicted ? predicted_of(&rows[i]) : 0;
	}
	if (measured_s > 0)
		paleo_print(out, "matched layers: measured %.3f ms, predicted %.3f ms (%+.1f %%)\n",
			    1e3 * measured_s, 1e3 * predicted_s,
			    100 * (predicted_s / measured_s - 1));
}

static int print_rows(const struct row *rows, const struct paleo_engine *e, const struct view *view,
		      enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct view_row *order = malloc(((size_t)e->matched + 1) * sizeof(*order));
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	const int is_data = paleo_table_is_data(format);
	int rc = order && t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");

	for (int i = 0; !rc && i < e->matched; i++)
		order[i] =
			(struct view_row){rows[i].layer->name, rows[i].layer->time_s,
					  predicted_of(&rows[i]) / rows[i].layer->time_s - 1, i, 0};
	const int wanted = rc ? 0 : view_choose(view, is_data, order, e->matched);
	for (int i = 0; !rc && i < wanted && i < e->matched; i++)
		rc = add_row(t, &rows[order[i].at], e->total_s, err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	if (!rc && wanted < e->matched && !is_data)
		paleo_print(out, "%d more (--all)\n", e->matched - wanted);
	paleo_table_free(t);
	free(order);
	return rc;
}

int layers_print(const struct engine_wish *wish, const struct view *view,
		 enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(format) ? stderr : out;
	struct engine_run run;
	struct row *rows = NULL;
	int rc = engine_open(wish, &run, err);

	if (!rc)
		rc = engine_tell(&run, wish->given[0], notes, err);
	if (!rc) {
		rows = calloc((size_t)run.engine.matched + 1, sizeof(*rows));
		rc = rows ? fill_rows(&run, rows, err)
			  : paleo_fail(err, PALEO_ENOMEM, "out of memory for rows");
	}
	if (!rc)
		print_sums(rows, run.engine.matched, notes);
	if (!rc && (!view->quiet || paleo_table_is_data(format)))
		rc = print_rows(rows, &run.engine, view, format, out, err);
	free(rows);
	engine_close(&run);
	return rc;
}
