/* trace.c - `validate` on a trace: what was predicted beside what was measured, op by op. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/validate/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/predict/predict.h"
#include "model/record/traces/trace.h"

/* An op of a step, with all of its calls. */
struct row {
	const struct paleo_net_row *op; /* borrowed */
	const char *net;
	int calls, is_predicted;
	struct paleo_prediction predicted;
	struct paleo_timing measured;
	double at_peak_s, all_s; /* of one call; of all rows as measured */
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("trace"), .text = r->net)                                         \
	X(PALEO_COLUMN_SHOWN_TEXT("op"), .text = name)                                             \
	X(PALEO_COLUMN_DATA_TEXT("name"), .text = r->op->layer)                                    \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(r->op->op.pass))              \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = paleo_dtype_name(r->op->op.dtype))           \
	X(PALEO_COLUMN_WHOLE("calls", "calls"), .number = r->calls)                                \
	X(PALEO_COLUMN_FLOP("flops", ""), .number = r->op->op.flops)                               \
	X(PALEO_COLUMN_DATA("bytes"), .number = r->op->op.read_bytes + r->op->op.write_bytes)      \
	X(PALEO_COLUMN_TIME("measured_s", "meas"), .number = t->median_s)                          \
	X(PALEO_COLUMN_DATA("measured_low_s"), .number = t->ci_low_s)                              \
	X(PALEO_COLUMN_DATA("measured_high_s"), .number = t->ci_high_s)                            \
	X(PALEO_COLUMN_DATA("samples"), .number = t->samples)                                      \
	X(PALEO_COLUMN_SHOWN_NUMBER("share %", 100, 1),                                            \
	  .number = r->calls * t->median_s / r->all_s)                                             \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = predicted_s)                         \
	X(PALEO_COLUMN_DATA("predicted_low_s"), .number = interval.low)                            \
	X(PALEO_COLUMN_DATA("predicted_high_s"), .number = interval.high)                          \
	X(PALEO_COLUMN_PERCENT("error", "error %"), .number = predicted_s / t->median_s - 1)       \
	X(PALEO_COLUMN_NUMBER("of_peak", "% peak", 100, 0),                                        \
	  .number = r->at_peak_s > 0 ? r->at_peak_s / t->median_s : NAN)                           \
	X(PALEO_COLUMN_TEXT("bound", "bound"),                                                     \
	  .text = r->is_predicted ? paleo_bound_name(r->predicted.bound) : NULL)                   \
	X(PALEO_COLUMN_DATA_TEXT("op"), .text = key)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

enum {
	NAME_MAX_BYTES = 64 /* in text, where a longer one makes every line long */
};

double trace_at_peak(const struct paleo_device *d, const struct paleo_op *w)
{
	const double peak = paleo_device_peak(d, w), bytes = w->read_bytes + w->write_bytes;

	return fmax(peak > 0 ? w->flops / peak : 0,
		    d->mem_bytes_per_s > 0 ? bytes / d->mem_bytes_per_s : 0);
}

static int add_row(struct paleo_table *table, const struct row *r, struct paleo_error *err)
{
	const struct paleo_timing *t = &r->measured;
	const double predicted_s = r->is_predicted ? r->predicted.parts.total_s : (double)NAN;
	const struct paleo_interval interval =
		r->is_predicted ? r->predicted.interval : PALEO_NO_INTERVAL;
	char key[PALEO_OP_KEY_MAX], name[NAME_MAX_BYTES];

	paleo_op_key(&r->op->op, key, sizeof(key));
	snprintf(name, sizeof(name), "%.*s", NAME_MAX_BYTES - 1, r->op->layer);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(table, cells, err);
}

/* Rows of one op are neighbours in a trace's net. */
static int fill_rows(const struct paleo_results *results, const struct paleo_calibration *c,
		     struct row *rows)
{
	struct paleo_error ignored;
	int count = 0;

	for (int n = 0; n < results->net_count; n++) {
		const struct paleo_net_rows *net = &results->nets[n];
		for (int i = 0; i < net->count; i++) {
			const struct paleo_op *w = &net->rows[i].op;
			const struct paleo_result *found = paleo_results_find(results, w, "hot");
			if (i && paleo_op_equal(w, &net->rows[i - 1].op) && found) {
				rows[count - 1].calls++;
				continue;
			}
			if (!found) /* refused: faster than the device can be */
				continue;
			struct row *r = &rows[count++];
			*r = (struct row){.op = &net->rows[i], .net = net->net, .calls = 1};
			r->measured = found->timing;
			r->at_peak_s = trace_at_peak(&results->meta.device, w);
			r->is_predicted = !paleo_predict_op(c, w, &r->predicted, &ignored);
		}
	}
	return count;
}

/* One line of all: time, FLOPs and how far the sum is predicted. */
static void print_sums(const struct row *rows, int count, FILE *out)
{
	double measured_s = 0, both_s = 0, predicted_s = 0, peak_s = 0, flops = 0, products = 0;

	for (int i = 0; i < count; i++) {
		const struct row *r = &rows[i];
		measured_s += r->calls * r->measured.median_s;
		peak_s += r->calls * r->at_peak_s;
		flops += r->calls * r->op->op.flops;
		products += r->calls * paleo_op_model_flops(&r->op->op, 1);
		both_s += r->is_predicted ? r->calls * r->measured.median_s : 0;
		predicted_s += r->is_predicted ? r->calls * r->predicted.parts.total_s : 0;
	}
	paleo_print(out, "matched ops of a step: measured %.3f ms, predicted %.3f ms (%+.1f %%)",
		    1e3 * measured_s, 1e3 * predicted_s, 100 * (predicted_s / both_s - 1));
	if (peak_s > 0)
		paleo_print(out, ", %.0f %% of the peaks", 100 * peak_s / measured_s);
	paleo_print(out, "; %.2f GFLOPs, %.2f in GEMMs and convolutions\n", 1e-9 * flops,
		    1e-9 * products);
}

static int print_rows(const struct row *rows, int count, const struct view *view,
		      enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct view_row *order = malloc(((size_t)count + 1) * sizeof(*order));
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	struct view mine = *view;
	const int is_data = paleo_table_is_data(format);
	int rc = order && t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");

	for (int i = 0; !rc && i < count; i++) {
		const double s = rows[i].measured.median_s;
		order[i] = (struct view_row){rows[i].op->layer, rows[i].calls * s,
					     rows[i].is_predicted
						     ? rows[i].predicted.parts.total_s / s - 1
						     : (double)NAN,
					     i, 0};
	}
	mine.sort = mine.sort == VIEW_NET ? VIEW_TIME : mine.sort;
	int wanted = rc ? 0 : view_choose(&mine, is_data, order, count);
	for (int i = 0; !rc && i < wanted && i < count; i++)
		rc = add_row(t, &rows[order[i].at], err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	if (!rc && wanted < count && !is_data)
		paleo_print(out, "%d more (--all)\n", count - wanted);
	paleo_table_free(t);
	free(order);
	return rc;
}

int trace_print(const struct paleo_results *results, const struct paleo_calibration *c,
		const struct view *view, enum paleo_table_format format, FILE *out,
		struct paleo_error *err)
{
	size_t most = 1;

	for (int n = 0; n < results->net_count; n++)
		most += (size_t)results->nets[n].count;
	struct row *rows = calloc(most, sizeof(*rows));
	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu rows", most);
	int count = fill_rows(results, c, rows), rc = PALEO_OK;
	double all_s = 0;
	for (int i = 0; i < count; i++)
		all_s += rows[i].calls * rows[i].measured.median_s;
	for (int i = 0; i < count; i++)
		rows[i].all_s = all_s;
	print_sums(rows, count, paleo_table_is_data(format) ? stderr : out);
	if (!view->quiet || paleo_table_is_data(format))
		rc = print_rows(rows, count, view, format, out, err);
	free(rows);
	return rc;
}

#define NAME_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_SHOWN_TEXT("name"), .text = name)                                           \
	X(PALEO_COLUMN_DATA_TEXT("name"), .text = o->name)                                         \
	X(PALEO_COLUMN_TEXT("what", "what"), .text = o->why)                                       \
	X(PALEO_COLUMN_WHOLE("calls", "calls"), .number = o->calls)                                \
	X(PALEO_COLUMN_TIME("time_s", "all"), .number = o->time_s)                                 \
	X(PALEO_COLUMN_TIME("mean_s", "each"), .number = o->time_s / o->calls)                     \
	X(PALEO_COLUMN_PERCENT("share", "share %"), .number = o->time_s / m->total_s)

static const struct paleo_column name_columns[] = {NAME_COLUMNS(PALEO_COLUMN_OF)};

static int add_name(struct paleo_table *t, const struct paleo_measured *m, int i,
		    struct paleo_error *err)
{
	const struct paleo_unmatched *o = &m->others[i];
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%.*s", NAME_MAX_BYTES - 1, o->name);
	const struct paleo_cell cells[] = {NAME_COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int print_names(const struct paleo_measured *m, const struct view *view,
		       enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(name_columns);
	const int is_data = paleo_table_is_data(format);
	const int most = view->top ? view->top : is_data || view->all ? m->other_count : VIEW_MANY;
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");

	for (int i = 0; !rc && i < m->other_count && i < most; i++)
		rc = add_name(t, m, i, err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	if (!rc && m->other_count > most && !is_data)
		paleo_print(out, "%d more (--all)\n", m->other_count - most);
	paleo_table_free(t);
	return rc;
}

static int print_names_of(const char *path, const struct view *view, enum paleo_table_format format,
			  FILE *out, int *printed, struct paleo_error *err)
{
	const struct paleo_measured_wish wish = {NULL, NULL};
	const struct paleo_trace_format *of = NULL;
	struct paleo_measured m = {0};
	int rc = paleo_trace_format_of(path, &of, err);

	*printed = of && !of->has_sizes;
	if (!rc && *printed)
		rc = paleo_measured_read(path, &wish, &m, err);
	if (!rc && *printed) {
		paleo_print(paleo_table_is_data(format) ? stderr : out,
			    "%s: %s, %.3f ms in %d names; it has no sizes, so none of it is "
			    "predicted\n",
			    path, m.format, 1e3 * m.total_s, m.other_count);
		rc = print_names(&m, view, format, out, err);
	}
	paleo_measured_release(&m);
	return rc;
}

int trace_print_names(const char *const *paths, int count, const struct view *view,
		      enum paleo_table_format format, FILE *out, int *printed,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	*printed = 1;
	for (int i = 0; !rc && *printed && i < count; i++)
		rc = print_names_of(paths[i], view, format, out, printed, err);
	return rc;
}
