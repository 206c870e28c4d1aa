/* fullpass_print.c - prints measured whole passes: sums of layers next to them, memory, rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/fullpass/fullpass_print.h"

#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/print/print.h"

#define COLUMNS(X)                                                                                 \
	FULLPASS_COLUMNS(X, "net")                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("optimizer"), .text = paleo_update_rule_name(f->rule))            \
	X(PALEO_COLUMN_DATA_TEXT("how"), .text = f->how)                                           \
	X(PALEO_COLUMN_TIME("full_s", "full"), .number = full)                                     \
	X(PALEO_COLUMN_HALF("+-% run"), .number = 50 * (high - low) / full)                        \
	X(PALEO_COLUMN_DATA("within_run_low_s"), .number = low)                                    \
	X(PALEO_COLUMN_DATA("within_run_high_s"), .number = high)                                  \
	X(PALEO_COLUMN_TIME("in_network_s", "in-network"), .number = in_network)                   \
	X(PALEO_COLUMN_RATIO("in_network_of_full", "/full"), .number = in_network / full)          \
	X(PALEO_COLUMN_TIME("layout_change_s", "layout"), .number = change)                        \
	X(PALEO_COLUMN_TIME("isolated_s", "isolated"), .number = isolated)                         \
	X(PALEO_COLUMN_RATIO("isolated_of_full", "/full"), .number = isolated / full)              \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = predicted)                           \
	X(PALEO_COLUMN_RATIO("predicted_of_full", "/full"), .number = predicted / full)            \
	X(PALEO_COLUMN_TIME("predicted_whole_s", "whole pred"), .number = v->whole_s)              \
	X(PALEO_COLUMN_RATIO("predicted_whole_of_full", "/full"), .number = v->whole_s / full)     \
	X(PALEO_COLUMN_DATA("samples"), .number = good ? t->samples : (double)NAN)                 \
	X(PALEO_COLUMN_DATA("memory_bytes"),                                                       \
	  .number = good ? paleo_graph_memory_sum(&f->memory) : NAN)                               \
	X(PALEO_COLUMN_DATA("memory_predicted_bytes"),                                             \
	  .number = good ? paleo_graph_memory_sum(&f->predicted) : NAN)                            \
	X(PALEO_COLUMN_TEXT("status", "status"), .text = status_of(f))                             \
	X(PALEO_COLUMN_DATA_TEXT("reason"), .text = f->reason[0] ? f->reason : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

#define MEMORY_COLUMNS(X)                                                                          \
	X(PALEO_COLUMN_TEXT("net", "memory, MB"), .text = f->net)                                  \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = title)                                        \
	X(MB("weights", "weights"), .number = f->memory.weights)                                   \
	X(MB("gradients", "gradients"), .number = f->memory.gradients)                             \
	X(MB("optimizer", "optimizer"), .number = f->memory.optimizer)                             \
	X(MB("data", "input"), .number = f->memory.data)                                           \
	X(MB("activations", "activations"), .number = f->memory.activations)                       \
	X(MB("activations_predicted", "lower bound"), .number = f->predicted.activations)          \
	X(MB("workspace", "workspace"), .number = f->memory.workspace)                             \
	X(MB("total", "total"), .number = paleo_graph_memory_sum(&f->memory))                      \
	X(MB("total_predicted", "lower bound"), .number = paleo_graph_memory_sum(&f->predicted))
#define MB(key, heading) PALEO_COLUMN_NUMBER(key, heading, 1e-6, 1)

static const struct paleo_column memory_columns[] = {MEMORY_COLUMNS(PALEO_COLUMN_OF)};

#define ROW_COLUMNS(X)                                                                             \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = f->net)                                           \
	X(PALEO_COLUMN_DATA("batch"), .number = f->batch)                                          \
	X(PALEO_COLUMN_DATA_TEXT("full_pass"), .text = paleo_extent_name(f->extent))               \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = r->row.layer)                               \
	X(PALEO_COLUMN_TEXT("kind", "kind"), .text = r->row.kind)                                  \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(r->row.pass))                 \
	X(PALEO_COLUMN_TIME("in_network_s", "in-network"), .number = in_network)                   \
	X(PALEO_COLUMN_TIME("layout_change_s", "layout"),                                          \
	  .number = good && r->change_s > 0 ? r->change_s : NAN)                                   \
	X(PALEO_COLUMN_TIME("isolated_s", "isolated"), .number = r->isolated_s)                    \
	X(PALEO_COLUMN_RATIO("in_network_of_isolated", "in-network/isolated"),                     \
	  .number = in_network / r->isolated_s)                                                    \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = v->predicted_s[i])                   \
	X(PALEO_COLUMN_DATA_TEXT("op"), .text = key)

static const struct paleo_column row_columns[] = {ROW_COLUMNS(PALEO_COLUMN_OF)};

void fullpass_view_release(struct fullpass_view *v)
{
	paleo_graph_record_release(&v->pass);
	free(v->predicted_s);
	v->predicted_s = NULL;
}

/* NaN where one of them is. */
static double sum(const double *x, int count)
{
	double s = 0;

	for (int i = 0; i < count; i++)
		s += x[i];
	return s;
}

/* Nothing for a pass that was measured to its end. */
static const char *status_of(const struct paleo_graph_record *f)
{
	if (f->status != PALEO_RECORD_OK)
		return paleo_record_status_name(f->status);
	return f->in_network_samples ? NULL : "in-network disturbed";
}

static int add_pass(const struct fullpass_view *v, struct paleo_table *table,
		    struct paleo_error *err)
{
	const struct paleo_graph_record *f = &v->pass;
	const struct paleo_timing *t = &f->timing;
	int good = f->status == PALEO_RECORD_OK, is_known = good && paleo_timing_has_interval(t);
	double full = good ? t->median_s : NAN, low = is_known ? t->ci_low_s : NAN;
	double high = is_known ? t->ci_high_s : NAN;
	double change = good ? paleo_graph_record_change_s(f) : NAN;
	double in_network = good ? paleo_graph_record_in_network_s(f) + change : NAN;
	double isolated = paleo_graph_record_isolated_s(f),
	       predicted = sum(v->predicted_s, f->count);
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	paleo_graph_record_title(f->extent, f->layout, f->fused, title);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(table, cells, err);
}

static int add_memory(const struct paleo_graph_record *f, struct paleo_table *t,
		      struct paleo_error *err)
{
	char title[PALEO_GRAPH_RECORD_TITLE_MAX];

	if (f->status != PALEO_RECORD_OK)
		return PALEO_OK;
	paleo_graph_record_title(f->extent, f->layout, f->fused, title);
	const struct paleo_cell cells[] = {MEMORY_COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int add_row(const struct fullpass_view *v, int i, struct paleo_table *t,
		   struct paleo_error *err)
{
	const struct paleo_graph_record *f = &v->pass;
	const struct paleo_graph_record_row *r = &f->rows[i];
	int good = f->status == PALEO_RECORD_OK;
	double in_network = good ? r->in_network_s : NAN;
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&r->row.op, key, sizeof(key));
	const struct paleo_cell cells[] = {ROW_COLUMNS(PALEO_CELL_OF)};
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
	struct paleo_table *t = PALEO_TABLE_OF(memory_columns);
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
	struct paleo_table *t = PALEO_TABLE_OF(columns);
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
		struct paleo_table *t = PALEO_TABLE_OF(row_columns);
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
				    "%s, %s: %d of %d rows use the nearest parameters, as the "
				    "calibration lacks their kind, layout, pass or dtype: errors "
				    "may be tens of percent\n",
				    f->net, title, views[i].borrowed, f->count);
	}
}
