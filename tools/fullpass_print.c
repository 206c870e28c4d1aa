/* fullpass_print.c - prints measured whole passes: sums of layers beside them, memory, rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/fullpass_print.h"

#include <math.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/text.h"

enum {
	COL_NET,
	COL_BATCH,
	COL_DTYPE,
	COL_TITLE,
	COL_PASS,
	COL_LAYOUT,
	COL_FUSED,
	COL_OPTIMIZER,
	COL_HOW,
	COL_FULL,
	COL_HALF,
	COL_LOW,
	COL_HIGH,
	COL_IN_NETWORK,
	COL_IN_NETWORK_RATIO,
	COL_CHANGE,
	COL_ISOLATED,
	COL_ISOLATED_RATIO,
	COL_PREDICTED,
	COL_PREDICTED_RATIO,
	COL_CORRECTED,
	COL_CORRECTED_RATIO,
	COL_SAMPLES,
	COL_MEMORY,
	COL_MEMORY_PREDICTED,
	COL_STATUS,
	COL_REASON,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_TEXT("net", "net"),
	[COL_BATCH] = PALEO_COLUMN_WHOLE("batch", "batch"),
	[COL_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[COL_TITLE] = {.title = "pass", .type = PALEO_CELL_STRING, .text_only = 1},
	[COL_PASS] = PALEO_COLUMN_DATA_TEXT("pass"),
	[COL_LAYOUT] = PALEO_COLUMN_DATA_TEXT("layout"),
	[COL_FUSED] = PALEO_COLUMN_DATA("fused"),
	[COL_OPTIMIZER] = PALEO_COLUMN_DATA_TEXT("optimizer"),
	[COL_HOW] = PALEO_COLUMN_DATA_TEXT("how"),
	[COL_FULL] = PALEO_COLUMN_TIME("full_s", "full"),
	[COL_HALF] = PALEO_COLUMN_HALF("+-% run"),
	[COL_LOW] = PALEO_COLUMN_DATA("within_run_low_s"),
	[COL_HIGH] = PALEO_COLUMN_DATA("within_run_high_s"),
	[COL_IN_NETWORK] = PALEO_COLUMN_TIME("in_network_s", "in-network"),
	[COL_IN_NETWORK_RATIO] = PALEO_COLUMN_RATIO("in_network_of_full", "/full"),
	[COL_CHANGE] = PALEO_COLUMN_TIME("layout_change_s", "layout"),
	[COL_ISOLATED] = PALEO_COLUMN_TIME("isolated_s", "isolated"),
	[COL_ISOLATED_RATIO] = PALEO_COLUMN_RATIO("isolated_of_full", "/full"),
	[COL_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "pred"),
	[COL_PREDICTED_RATIO] = PALEO_COLUMN_RATIO("predicted_of_full", "/full"),
	[COL_CORRECTED] = PALEO_COLUMN_TIME("predicted_whole_s", "whole pred"),
	[COL_CORRECTED_RATIO] = PALEO_COLUMN_RATIO("predicted_whole_of_full", "/full"),
	[COL_SAMPLES] = PALEO_COLUMN_DATA("samples"),
	[COL_MEMORY] = PALEO_COLUMN_DATA("memory_bytes"),
	[COL_MEMORY_PREDICTED] = PALEO_COLUMN_DATA("memory_predicted_bytes"),
	[COL_STATUS] = PALEO_COLUMN_TEXT("status", "status"),
	[COL_REASON] = PALEO_COLUMN_DATA_TEXT("reason"),
};

enum {
	MEM_NET,
	MEM_PASS,
	MEM_WEIGHTS,
	MEM_GRADIENTS,
	MEM_OPTIMIZER,
	MEM_DATA,
	MEM_ACTIVATIONS,
	MEM_ACTIVATIONS_PREDICTED,
	MEM_WORKSPACE,
	MEM_SUM,
	MEM_SUM_PREDICTED,
	MEM_COLUMNS
};

static const struct paleo_column memory_columns[MEM_COLUMNS] = {
	[MEM_NET] = PALEO_COLUMN_TEXT("net", "memory, MB"),
	[MEM_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[MEM_WEIGHTS] = PALEO_COLUMN_NUMBER("weights", "weights", 1e-6, 1),
	[MEM_GRADIENTS] = PALEO_COLUMN_NUMBER("gradients", "gradients", 1e-6, 1),
	[MEM_OPTIMIZER] = PALEO_COLUMN_NUMBER("optimizer", "optimiser", 1e-6, 1),
	[MEM_DATA] = PALEO_COLUMN_NUMBER("data", "given", 1e-6, 1),
	[MEM_ACTIVATIONS] = PALEO_COLUMN_NUMBER("activations", "activations", 1e-6, 1),
	[MEM_ACTIVATIONS_PREDICTED] =
		PALEO_COLUMN_NUMBER("activations_predicted", "at least", 1e-6, 1),
	[MEM_WORKSPACE] = PALEO_COLUMN_NUMBER("workspace", "workspace", 1e-6, 1),
	[MEM_SUM] = PALEO_COLUMN_NUMBER("total", "all taken", 1e-6, 1),
	[MEM_SUM_PREDICTED] = PALEO_COLUMN_NUMBER("total_predicted", "at least", 1e-6, 1),
};

enum {
	ROW_NET,
	ROW_BATCH,
	ROW_EXTENT,
	ROW_LAYER,
	ROW_KIND,
	ROW_PASS,
	ROW_IN_NETWORK,
	ROW_CHANGE,
	ROW_ISOLATED,
	ROW_RATIO,
	ROW_PREDICTED,
	ROW_WORK,
	ROW_COLUMNS
};

static const struct paleo_column row_columns[ROW_COLUMNS] = {
	[ROW_NET] = PALEO_COLUMN_DATA_TEXT("net"),
	[ROW_BATCH] = PALEO_COLUMN_DATA("batch"),
	[ROW_EXTENT] = PALEO_COLUMN_DATA_TEXT("full_pass"),
	[ROW_LAYER] = PALEO_COLUMN_TEXT("layer", "layer"),
	[ROW_KIND] = PALEO_COLUMN_TEXT("kind", "kind"),
	[ROW_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[ROW_IN_NETWORK] = PALEO_COLUMN_TIME("in_network_s", "in-network"),
	[ROW_CHANGE] = PALEO_COLUMN_TIME("layout_change_s", "layout"),
	[ROW_ISOLATED] = PALEO_COLUMN_TIME("isolated_s", "isolated"),
	[ROW_RATIO] = PALEO_COLUMN_RATIO("in_network_of_isolated", "in-network/isolated"),
	[ROW_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "pred"),
	[ROW_WORK] = PALEO_COLUMN_DATA_TEXT("work"),
};

void fullpass_view_release(struct fullpass_view *v)
{
	paleo_graph_record_release(&v->pass);
	free(v->predicted_s);
	v->predicted_s = NULL;
}

static void clear(struct paleo_cell *cells, int count)
{
	for (int i = 0; i < count; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
}

/* NaN where one of them is. */
static double sum(const double *x, int count)
{
	double s = 0;

	for (int i = 0; i < count; i++)
		s += x[i];
	return s;
}

static void fill_measured(const struct fullpass_view *v, struct paleo_cell *cells)
{
	const struct paleo_graph_record *f = &v->pass;
	const struct paleo_timing *t = &f->timing;
	double full = t->median_s, change = paleo_graph_record_change_s(f);
	double in_network = paleo_graph_record_in_network_s(f) + change;

	cells[COL_FULL].number = full;
	if (paleo_timing_has_interval(t)) {
		cells[COL_LOW].number = t->ci_low_s;
		cells[COL_HIGH].number = t->ci_high_s;
		cells[COL_HALF].number = 50 * (t->ci_high_s - t->ci_low_s) / full;
	}
	cells[COL_IN_NETWORK].number = in_network;
	cells[COL_IN_NETWORK_RATIO].number = in_network / full;
	cells[COL_CHANGE].number = change;
	cells[COL_SAMPLES].number = t->samples;
	cells[COL_MEMORY].number = paleo_graph_memory_sum(&f->memory);
	cells[COL_MEMORY_PREDICTED].number = paleo_graph_memory_sum(&f->predicted);
}

static int add_pass(const struct fullpass_view *v, struct paleo_table *t, struct paleo_error *err)
{
	const struct paleo_graph_record *f = &v->pass;
	struct paleo_cell cells[COLUMNS];
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	clear(cells, COLUMNS);
	paleo_graph_record_title(f->extent, f->layout, f->fused, title);
	cells[COL_TITLE].text = title;
	cells[COL_NET].text = f->net;
	cells[COL_BATCH].number = f->batch;
	cells[COL_DTYPE].text = paleo_dtype_name(f->dtype);
	cells[COL_PASS].text = paleo_extent_name(f->extent);
	cells[COL_LAYOUT].text = paleo_layout_name(f->layout);
	cells[COL_FUSED].number = f->fused;
	cells[COL_OPTIMIZER].text = paleo_update_rule_name(f->rule);
	cells[COL_HOW].text = f->how;
	cells[COL_REASON].text = f->reason[0] ? f->reason : NULL;
	cells[COL_ISOLATED].number = paleo_graph_record_isolated_s(f);
	cells[COL_PREDICTED].number = sum(v->predicted_s, f->count);
	cells[COL_CORRECTED].number = v->whole_s;
	if (f->status != PALEO_RECORD_OK)
		cells[COL_STATUS].text = paleo_record_status_name(f->status);
	else if (!f->in_network_samples)
		cells[COL_STATUS].text = "in-network disturbed";
	if (f->status == PALEO_RECORD_OK) {
		fill_measured(v, cells);
		cells[COL_ISOLATED_RATIO].number = cells[COL_ISOLATED].number / f->timing.median_s;
		cells[COL_PREDICTED_RATIO].number =
			cells[COL_PREDICTED].number / f->timing.median_s;
		cells[COL_CORRECTED_RATIO].number =
			cells[COL_CORRECTED].number / f->timing.median_s;
	}
	return paleo_table_add(t, cells, err);
}

static int add_memory(const struct paleo_graph_record *f, struct paleo_table *t,
		      struct paleo_error *err)
{
	struct paleo_cell cells[MEM_COLUMNS];
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	if (f->status != PALEO_RECORD_OK)
		return PALEO_OK;
	clear(cells, MEM_COLUMNS);
	cells[MEM_NET].text = f->net;
	paleo_graph_record_title(f->extent, f->layout, f->fused, title);
	cells[MEM_PASS].text = title;
	cells[MEM_WEIGHTS].number = f->memory.weights;
	cells[MEM_GRADIENTS].number = f->memory.gradients;
	cells[MEM_OPTIMIZER].number = f->memory.optimizer;
	cells[MEM_DATA].number = f->memory.data;
	cells[MEM_ACTIVATIONS].number = f->memory.activations;
	cells[MEM_ACTIVATIONS_PREDICTED].number = f->predicted.activations;
	cells[MEM_WORKSPACE].number = f->memory.workspace;
	cells[MEM_SUM].number = paleo_graph_memory_sum(&f->memory);
	cells[MEM_SUM_PREDICTED].number = paleo_graph_memory_sum(&f->predicted);
	return paleo_table_add(t, cells, err);
}

static int add_row(const struct fullpass_view *v, int i, struct paleo_table *t,
		   struct paleo_error *err)
{
	const struct paleo_graph_record_row *r = &v->pass.rows[i];
	struct paleo_cell cells[ROW_COLUMNS];
	char key[PALEO_WORK_KEY_MAX];

	clear(cells, ROW_COLUMNS);
	paleo_work_key(&r->row.work, key, sizeof(key));
	cells[ROW_NET].text = v->pass.net;
	cells[ROW_BATCH].number = v->pass.batch;
	cells[ROW_EXTENT].text = paleo_extent_name(v->pass.extent);
	cells[ROW_LAYER].text = r->row.layer;
	cells[ROW_KIND].text = r->row.kind;
	cells[ROW_PASS].text = paleo_pass_name(r->row.pass);
	if (v->pass.status == PALEO_RECORD_OK) {
		cells[ROW_IN_NETWORK].number = r->in_network_s;
		cells[ROW_CHANGE].number = r->change_s > 0 ? r->change_s : NAN;
		cells[ROW_RATIO].number = r->in_network_s / r->isolated_s;
	}
	cells[ROW_ISOLATED].number = r->isolated_s;
	cells[ROW_PREDICTED].number = v->predicted_s[i];
	cells[ROW_WORK].text = key;
	return paleo_table_add(t, cells, err);
}

static int print_and_free(struct paleo_table *t, int rc, enum paleo_table_format format, FILE *out,
			  struct paleo_error *err)
{
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
}

static int print_memory(const struct fullpass_view *views, int count,
			enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(memory_columns, MEM_COLUMNS);
	int rc = PALEO_OK, some = 0;

	if (!t)
		return no_memory(err);
	for (int i = 0; !rc && i < count; i++) {
		some |= views[i].pass.status == PALEO_RECORD_OK;
		rc = add_memory(&views[i].pass, t, err);
	}
	if (!some) {
		paleo_table_free(t);
		return rc;
	}
	fputc('\n', out);
	return print_and_free(t, rc, format, out, err);
}

int fullpass_print(const struct fullpass_view *views, int count, enum paleo_table_format format,
		   FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = PALEO_OK;

	if (!t)
		return no_memory(err);
	for (int i = 0; !rc && i < count; i++)
		rc = add_pass(&views[i], t, err);
	if (!paleo_table_is_data(format))
		fputc('\n', out);
	rc = print_and_free(t, rc, format, out, err);
	if (!rc && !paleo_table_is_data(format))
		rc = print_memory(views, count, format, out, err);
	return rc;
}

int fullpass_print_rows(const struct fullpass_view *views, int count,
			enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		struct paleo_table *t = paleo_table_new(row_columns, ROW_COLUMNS);
		if (!t)
			return no_memory(err);
		if (!paleo_table_is_data(format))
			paleo_print(out, "\n%s, batch %d, %s\n", views[i].pass.net,
				    views[i].pass.batch, paleo_extent_name(views[i].pass.extent));
		for (int k = 0; !rc && k < views[i].pass.count; k++)
			rc = add_row(&views[i], k, t, err);
		rc = print_and_free(t, rc, format, out, err);
	}
	return rc;
}

void fullpass_print_borrowed(const struct fullpass_view *views, int count, FILE *out)
{
	for (int i = 0; i < count; i++) {
		const struct paleo_graph_record *f = &views[i].pass;
		char title[PALEO_GRAPH_RECORD_TITLE_MAX];
		paleo_graph_record_title(f->extent, f->layout, f->fused, title);
		if (views[i].borrowed)
			paleo_print(out,
				    "%s, %s: %d of %d rows are predicted by their nearest, as the "
				    "calibration has not their kind, layout, pass or type: expect "
				    "errors of tens of percent\n",
				    f->net, title, views[i].borrowed, f->count);
	}
}
