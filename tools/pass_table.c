/* pass_table.c - how well whole passes are predicted from the sums of their rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/pass_table.h"

#include <math.h>

#include "base/columns.h"
#include "calib/fit_pass.h"
#include "model/predict/predict.h"

enum {
	COL_NET,
	COL_BATCH,
	COL_DTYPE,
	COL_TITLE,
	COL_PASS,
	COL_LAYOUT,
	COL_FUSED,
	COL_FULL,
	COL_ALONE,
	COL_ALONE_CORRECTED,
	COL_PREDICTED,
	COL_PREDICTED_CORRECTED,
	COL_FACTOR,
	COL_UPDATE_FACTOR,
	COL_NETS,
	COL_PREDICTED_WHOLE,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_TEXT("net", "whole net"),
	[COL_BATCH] = PALEO_COLUMN_WHOLE("batch", "batch"),
	[COL_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[COL_TITLE] = {.title = "pass", .type = PALEO_CELL_STRING, .text_only = 1},
	[COL_PASS] = PALEO_COLUMN_DATA_TEXT("pass"),
	[COL_LAYOUT] = PALEO_COLUMN_DATA_TEXT("layout"),
	[COL_FUSED] = PALEO_COLUMN_DATA("fused"),
	[COL_FULL] = PALEO_COLUMN_TIME("full_s", "full"),
	[COL_ALONE] = PALEO_COLUMN_PERCENT("measured_sum_error", "meas sum %"),
	[COL_ALONE_CORRECTED] = PALEO_COLUMN_PERCENT("measured_sum_corrected_error", "corrected %"),
	[COL_PREDICTED] = PALEO_COLUMN_PERCENT("predicted_sum_error", "pred sum %"),
	[COL_PREDICTED_CORRECTED] =
		PALEO_COLUMN_PERCENT("predicted_sum_corrected_error", "corrected %"),
	[COL_FACTOR] = PALEO_COLUMN_RATIO("factor", "factor"),
	[COL_UPDATE_FACTOR] = PALEO_COLUMN_RATIO("update_factor", "updates'"),
	[COL_NETS] = PALEO_COLUMN_WHOLE("nets", "of nets"),
	[COL_PREDICTED_WHOLE] =
		PALEO_COLUMN_PERCENT("predicted_whole_error", "by its own factor %"),
};

/* A sum over the rows of a pass: forward and backward, and updates. NaN where one is not known. */
struct parts {
	double layers_s, updates_s;
};

static struct parts predict(const struct paleo_calibration *c, const struct paleo_graph_record *f)
{
	struct parts sum = {.layers_s = c ? 0 : NAN};

	for (int i = 0; c && i < f->count; i++) {
		const struct paleo_net_row *row = &f->rows[i].row;
		struct paleo_prediction p;
		struct paleo_error ignored;
		int rc = paleo_predict_work(c, &row->work, &p, &ignored);
		*(row->pass == PALEO_PASS_UPDATE ? &sum.updates_s : &sum.layers_s) +=
			rc ? NAN : p.parts.total_s;
	}
	return sum;
}

/* Error of a sum as it is, and of one that is corrected; NaN without a correction. */
static double plain_error(const struct parts *p, double full_s)
{
	return (p->layers_s + p->updates_s) / full_s - 1;
}

static double corrected_error(const struct paleo_pass_correction *c, const struct parts *p,
			      double full_s)
{
	return c ? paleo_pass_time(c, p->layers_s, p->updates_s) / full_s - 1 : NAN;
}

static int add(const struct paleo_results *r, const struct paleo_calibration *c,
	       const struct paleo_graph_record *f, struct paleo_table *t, struct paleo_error *err)
{
	const struct paleo_pass_correction like = {
		.extent = f->extent, .dtype = f->dtype, .layout = f->layout, .fused = f->fused};
	struct paleo_calibration others = {.backend = ""};
	double full = f->timing.median_s, updates = paleo_graph_record_updates_s(f);
	const struct parts alone = {paleo_graph_record_isolated_s(f) - updates, updates};
	const struct parts predicted = predict(c, f);
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];
	struct paleo_cell cells[COLUMNS];

	others.pass_count = paleo_fit_passes(r->passes, r->pass_count, f->net, others.passes);
	const struct paleo_pass_correction *from = paleo_calibration_pass(&others, &like);
	paleo_graph_record_title(f->extent, f->layout, f->fused, title);

	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
	cells[COL_NET].text = f->net;
	cells[COL_BATCH].number = f->batch;
	cells[COL_DTYPE].text = paleo_dtype_name(f->dtype);
	cells[COL_TITLE].text = title;
	cells[COL_PASS].text = paleo_extent_name(f->extent);
	cells[COL_LAYOUT].text = paleo_layout_name(f->layout);
	cells[COL_FUSED].number = f->fused;
	cells[COL_FULL].number = full;
	cells[COL_ALONE].number = plain_error(&alone, full);
	cells[COL_ALONE_CORRECTED].number = corrected_error(from, &alone, full);
	cells[COL_PREDICTED].number = plain_error(&predicted, full);
	cells[COL_PREDICTED_CORRECTED].number = corrected_error(from, &predicted, full);
	cells[COL_FACTOR].number = from ? from->factor : NAN;
	cells[COL_UPDATE_FACTOR].number =
		from && from->update_factor > 0 ? from->update_factor : NAN;
	cells[COL_NETS].number = from ? (double)from->nets : NAN;
	cells[COL_PREDICTED_WHOLE].number =
		corrected_error(c ? paleo_calibration_pass(c, &like) : NULL, &predicted, full);
	return paleo_table_add(t, cells, err);
}

int pass_table_print(const struct paleo_results *r, const struct paleo_calibration *c,
		     enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t;
	int rc = PALEO_OK, some = 0;

	for (int i = 0; i < r->pass_count; i++)
		some |= r->passes[i].status == PALEO_RECORD_OK;
	if (!some && r->pass_count && !r->count)
		return paleo_fail(err, PALEO_EINPUT, "no whole pass has a time");
	if (!some)
		return PALEO_OK;
	t = paleo_table_new(columns, COLUMNS);
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < r->pass_count; i++)
		if (r->passes[i].status == PALEO_RECORD_OK)
			rc = add(r, c, &r->passes[i], t, err);
	if (!rc && !paleo_table_is_data(format))
		fputs("\nwhole passes, corrected by the other nets' (leave one net out):\n", out);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}
