/* report.c - a plan as rows: predicted beside measured, one row per work of a layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/text.h"
#include "tools/beside.h"
#include "tools/kinds.h"
#include "tools/step_memory.h"
#include "tools/totals.h"
#include "tools/transformer.h"
#include "tools/words.h"

enum {
	COL_NET,
	COL_BATCH,
	COL_LAYER,
	COL_KIND,
	COL_PASS,
	COL_ROWS,
	COL_DTYPE,
	COL_GFLOP,
	COL_MB,
	COL_PREDICTED,
	COL_PREDICTED_LOW,
	COL_PREDICTED_HIGH,
	COL_PREDICTED_LOW50,
	COL_PREDICTED_HIGH50,
	COL_SHARE,
	COL_BEFORE,
	COL_MODE,
	COL_MEASURED,
	COL_HALF,
	COL_LOW,
	COL_HIGH,
	COL_BESIDE, /* one for each enum beside */
	COL_BESIDE_LAST = COL_BESIDE + BESIDE_COUNT - 1,
	COL_ERROR,
	COL_FLOPS,
	COL_BANDWIDTH,
	COL_PEAK,
	COL_BOUND,
	COL_ALGORITHM,
	COL_RANK,
	COL_CANDIDATES,
	COL_FIRST,
	COL_REGRET,
	COL_STATUS,
	COL_TAGS,
	COL_REASON,
	COL_WORK,
	COL_SOURCE,
	COLUMNS
};

enum {
	TEXT_NAME_MAX = 64, /* of a layer in a text table, else one name makes every line long */
	TITLE_MAX = 200,
	WAY_MAX = 192
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_DATA_TEXT("net"),
	[COL_BATCH] = PALEO_COLUMN_DATA("batch"),
	[COL_LAYER] = PALEO_COLUMN_TEXT("layer", "layer"),
	[COL_KIND] = PALEO_COLUMN_TEXT("kind", "kind"),
	[COL_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[COL_ROWS] = {.title = "rows", .type = PALEO_CELL_NUMBER, .text_only = 1},
	[COL_DTYPE] = PALEO_COLUMN_DATA_TEXT("dtype"),
	[COL_GFLOP] = {.name = "flops",
		       .title = "",
		       .type = PALEO_CELL_NUMBER,
		       .unit = PALEO_UNIT_FLOP,
		       .decimals = 1,
		       .significant = 3,
		       .spare = 5},
	[COL_MB] = {.name = "bytes",
		    .title = "",
		    .type = PALEO_CELL_NUMBER,
		    .unit = PALEO_UNIT_BYTES,
		    .significant = 3,
		    .spare = 6},
	[COL_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "pred"),
	[COL_PREDICTED_LOW] = PALEO_COLUMN_DATA("predicted_low_s"),
	[COL_PREDICTED_HIGH] = PALEO_COLUMN_DATA("predicted_high_s"),
	[COL_PREDICTED_LOW50] = PALEO_COLUMN_DATA("predicted_low50_s"),
	[COL_PREDICTED_HIGH50] = PALEO_COLUMN_DATA("predicted_high50_s"),
	[COL_SHARE] = {.title = "share %",
		       .type = PALEO_CELL_NUMBER,
		       .scale = 100,
		       .decimals = 1,
		       .text_only = 1},
	[COL_BEFORE] = PALEO_COLUMN_TIME("predicted_before_s", "before"),
	[COL_MODE] = PALEO_COLUMN_DATA_TEXT("mode"),
	[COL_MEASURED] = PALEO_COLUMN_TIME("measured_s", "meas"),
	[COL_HALF] = {.title = "+-% run",
		      .type = PALEO_CELL_NUMBER,
		      .decimals = 1,
		      .text_only = 1,
		      .spare = 3},
	[COL_LOW] = PALEO_COLUMN_DATA("within_run_low_s"),
	[COL_HIGH] = PALEO_COLUMN_DATA("within_run_high_s"),
	[COL_BESIDE + BESIDE_COLD] = PALEO_COLUMN_TIME("cold_s", "cold"),
	[COL_BESIDE + BESIDE_HOT] = PALEO_COLUMN_TIME("hot_s", "hot"),
	[COL_BESIDE + BESIDE_WEIGHTS_COLD] = PALEO_COLUMN_TIME("weights_cold_s", "w-cold"),
	[COL_BESIDE + BESIDE_ENQUEUE] = {.name = "enqueue_s",
					 .title = "enqueue us",
					 .type = PALEO_CELL_NUMBER,
					 .scale = 1e6,
					 .decimals = 1},
	[COL_BESIDE + BESIDE_IN_NETWORK] = PALEO_COLUMN_TIME("in_network_s", "in-network"),
	[COL_ERROR] = PALEO_COLUMN_PERCENT("error", "error %"),
	[COL_FLOPS] = {.name = "flop_per_s",
		       .title = "",
		       .type = PALEO_CELL_NUMBER,
		       .unit = PALEO_UNIT_FLOP_PER_S,
		       .decimals = 1,
		       .significant = 3,
		       .spare = 3},
	[COL_BANDWIDTH] = {.name = "bytes_per_s",
			   .title = "GB/s",
			   .type = PALEO_CELL_NUMBER,
			   .scale = 1e-9,
			   .decimals = 1,
			   .spare = 4},
	[COL_PEAK] = {.name = "of_peak",
		      .title = "% peak",
		      .type = PALEO_CELL_NUMBER,
		      .scale = 100,
		      .decimals = 0,
		      .spare = 2},
	[COL_BOUND] = {.name = "bound", .title = "bound", .type = PALEO_CELL_STRING, .spare = 1},
	[COL_ALGORITHM] = {.name = "algorithm",
			   .title = "algorithm",
			   .type = PALEO_CELL_STRING,
			   .spare = 8},
	[COL_RANK] = {.name = "rank", .title = "rank", .type = PALEO_CELL_NUMBER},
	[COL_CANDIDATES] = {.name = "candidates", .title = "of", .type = PALEO_CELL_NUMBER},
	[COL_FIRST] = PALEO_COLUMN_DATA("heuristic_s"),
	[COL_REGRET] = {.name = "regret",
			.title = "regret %",
			.type = PALEO_CELL_NUMBER,
			.scale = 100,
			.decimals = 1},
	[COL_STATUS] = PALEO_COLUMN_TEXT("status", "status"),
	[COL_TAGS] = PALEO_COLUMN_DATA_TEXT("tags"),
	[COL_REASON] = PALEO_COLUMN_DATA_TEXT("reason"),
	[COL_WORK] = PALEO_COLUMN_DATA_TEXT("work"),
	[COL_SOURCE] = {.name = "source", .title = "source", .type = PALEO_CELL_STRING, .spare = 9},
};

static void put_number(struct paleo_cell *cells, int column, double value)
{
	cells[column].number = value;
}

static void put_text(struct paleo_cell *cells, int column, const char *text)
{
	cells[column].text = text && text[0] ? text : NULL;
}

/* The share of the device's limit that binds: the time at peak FLOP/s or at peak bandwidth,
 * whichever is longer, over the measured time. */
static double share_of_peak(const struct paleo_device *d, const struct paleo_work *w,
			    double measured_s)
{
	double flops_s = 0, bytes_s = 0;

	if (paleo_device_peak(d, w) > 0)
		flops_s = w->flops / paleo_device_peak(d, w);
	if (d->mem_bytes_per_s > 0)
		bytes_s = (w->read_bytes + w->write_bytes) / d->mem_bytes_per_s;
	double ideal = fmax(flops_s, bytes_s);
	return ideal > 0 ? ideal / measured_s : NAN;
}

/* What the prediction takes a convolution for: "eng15 winograd, FLOPs / 2.25, + 0.82 MB", "eng15
 * winograd, by the law". */
static void tell_way(const struct plan_work *w, char way[WAY_MAX])
{
	int used = 0;

	way[0] = '\0';
	if (!w->chosen)
		return;
	used = snprintf(way, WAY_MAX, "%s%s %s", w->chosen->engine[0] ? "eng" : "",
			w->chosen->engine[0] ? w->chosen->engine : w->chosen->name,
			paleo_method_name(w->cost.method));
	if (w->use != PALEO_METHOD_ON_PEAKS) {
		snprintf(way + used, (size_t)(WAY_MAX - used), ", %s",
			 w->use == PALEO_METHOD_BY_THE_LAW ? "by the law"
							   : "not in the law: without it");
		return;
	}
	if (w->cost.fewer_flops > 1)
		used += snprintf(way + used, (size_t)(WAY_MAX - used), ", FLOPs / %.3g",
				 w->cost.fewer_flops);
	if (w->cost.more_bytes >= 1e4)
		snprintf(way + used, (size_t)(WAY_MAX - used), ", + %.2f MB",
			 1e-6 * w->cost.more_bytes);
}

static void fill_predicted(const struct plan *p, const struct plan_work *w,
			   struct paleo_cell *cells)
{
	if (!w->predicted)
		return;
	put_number(cells, COL_PREDICTED, w->prediction.parts.total_s);
	if (p->is_at_speed)
		put_number(cells, COL_BEFORE, w->before_s);
	put_number(cells, COL_PREDICTED_LOW, w->prediction.interval.low);
	put_number(cells, COL_PREDICTED_HIGH, w->prediction.interval.high);
	put_number(cells, COL_PREDICTED_LOW50, w->prediction.interval.low50);
	put_number(cells, COL_PREDICTED_HIGH50, w->prediction.interval.high50);
	put_text(cells, COL_BOUND, paleo_bound_name(w->prediction.bound));
}

/* What the status column says: nothing of a good time. */
static const char *status_of(const struct paleo_record *r)
{
	if (r->status != PALEO_RECORD_OK)
		return paleo_record_status_name(r->status);
	return paleo_record_has_tag(r, PALEO_TAG_ABOVE) ? "above ceiling" : NULL;
}

static void fill_measured(const struct paleo_device *d, const struct plan_work *w,
			  struct paleo_cell *cells)
{
	const struct paleo_record *r = &w->times[0].record;
	const struct paleo_timing *t = &r->timing;

	if (!w->times[0].measured) {
		put_text(cells, COL_STATUS, "not run");
		return;
	}
	put_text(cells, COL_STATUS, status_of(r));
	put_text(cells, COL_TAGS, r->tags);
	put_text(cells, COL_REASON, r->reason);
	if (r->status != PALEO_RECORD_OK)
		return;
	put_number(cells, COL_MEASURED, t->median_s);
	if (paleo_timing_has_interval(t)) {
		put_number(cells, COL_LOW, t->ci_low_s);
		put_number(cells, COL_HIGH, t->ci_high_s);
		put_number(cells, COL_HALF, 50 * (t->ci_high_s - t->ci_low_s) / t->median_s);
	}
	if (w->predicted)
		put_number(cells, COL_ERROR, w->prediction.parts.total_s / t->median_s - 1);
	if (w->work.flops > 0)
		put_number(cells, COL_FLOPS, w->work.flops / t->median_s);
	put_number(cells, COL_BANDWIDTH, (w->work.read_bytes + w->work.write_bytes) / t->median_s);
	put_number(cells, COL_PEAK, share_of_peak(d, &w->work, t->median_s));
	put_text(cells, COL_ALGORITHM, r->algorithm);
}

/* Where there was a choice: which was the fastest, and what the library's own costs. */
static void fill_choice(const struct plan_work *w, struct paleo_cell *cells)
{
	const struct plan_time *time = &w->times[0];
	const struct paleo_record *first = candidates_find(&time->candidates, 0);

	if (!time->measured || time->candidates.count < 2)
		return;
	put_number(cells, COL_RANK, time->record.rank);
	put_number(cells, COL_CANDIDATES, time->candidates.count);
	if (first && first->status == PALEO_RECORD_OK)
		put_number(cells, COL_FIRST, first->timing.median_s);
	put_number(cells, COL_REGRET, candidates_regret(&time->candidates));
}

/* The other modes, and the time inside of the whole net; as text, the first mode has its column. */
static void fill_beside(const struct report_settings *s, const struct plan_net *n, int row,
			struct paleo_cell *cells)
{
	int first = (int)s->plan->modes.items[0];

	put_text(cells, COL_MODE, paleo_cache_mode_name(s->plan->modes.items[0]));
	for (int b = 0; b < BESIDE_COUNT; b++)
		if (paleo_table_is_data(s->format) || b != first)
			put_number(cells, COL_BESIDE + b,
				   beside_s(s->plan, n, row, (enum beside)b));
}

static int add_row(const struct report_settings *s, const struct plan_net *n,
		   const struct view_row *shown, int tells_rows, double all_s,
		   struct paleo_table *t, struct paleo_error *err)
{
	const int row = shown->at;
	const struct paleo_net_work *nw = &n->rows.items[row];
	const struct plan_work *w = &s->plan->works[n->work_of[row]];
	struct paleo_cell cells[COLUMNS];
	char key[PALEO_WORK_KEY_MAX], name[TEXT_NAME_MAX], way[WAY_MAX];
	char source[PALEO_SOURCE_TEXT_MAX];

	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
	if (s->format != PALEO_TABLE_TEXT) { /* which does not show it */
		paleo_work_key(&w->work, key, sizeof(key));
		put_text(cells, COL_WORK, key);
	}
	put_text(cells, COL_NET, n->net->name);
	put_number(cells, COL_BATCH, n->net->batch);
	plan_short_name(nw->layer->name, name, sizeof(name));
	put_text(cells, COL_LAYER, !paleo_table_is_data(s->format) ? name : nw->layer->name);
	put_text(cells, COL_KIND, nw->what);
	put_text(cells, COL_PASS, paleo_pass_name(nw->pass));
	put_text(cells, COL_DTYPE, paleo_dtype_name(w->work.dtype));
	put_number(cells, COL_GFLOP, w->work.flops);
	if (tells_rows)
		put_number(cells, COL_ROWS, shown->more + 1);
	put_number(cells, COL_SHARE, shown->time_s / all_s);
	put_number(cells, COL_MB, w->work.read_bytes + w->work.write_bytes);
	fill_predicted(s->plan, w, cells);
	if (w->predicted && s->tells_sources && s->calibration) {
		paleo_class_model_source(s->calibration, w->prediction.factor, source);
		put_text(cells, COL_SOURCE, source);
	}
	tell_way(w, way);
	put_text(cells, COL_ALGORITHM, way);
	if (s->plan->modes.count) {
		fill_measured(s->device, w, cells);
		fill_choice(w, cells);
		fill_beside(s, n, row, cells);
	}
	return paleo_table_add(t, cells, err);
}

/* Rows of one work become the first of them, with the time of all: a transformer's layers are all
 * the same. Returns how many are left. */
static int merge(const struct report_settings *s, const struct plan_net *n, struct view_row *rows,
		 int count)
{
	int *place = calloc((size_t)s->plan->work_count + 1, sizeof(*place)), left = 0;

	for (int i = 0; place && i < count; i++) {
		int *at = &place[n->work_of[rows[i].at]]; /* 1 more than it is; 0: none yet */
		if (*at) {
			rows[*at - 1].time_s += rows[i].time_s;
			rows[*at - 1].more++;
			continue;
		}
		rows[left++] = rows[i];
		*at = left;
	}
	if (!place)
		return count;
	free(place);
	return left;
}

/* Adds the rows of a net that are wanted; *left_out counts those that are not. */
static int add_rows(const struct report_settings *s, const struct plan_net *n,
		    struct paleo_table *t, int *left_out, struct paleo_error *err)
{
	struct view_row *rows = calloc((size_t)n->rows.count + 1, sizeof(*rows));
	double all_s = 0;
	int rc = PALEO_OK;

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the rows");
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = &s->plan->works[n->work_of[i]];
		double time_s = kinds_row_s(s, n, i);
		rows[i] = (struct view_row){
			.name = n->rows.items[i].layer->name,
			.time_s = time_s,
			.error = w->predicted ? w->prediction.parts.total_s / time_s - 1
					      : (double)NAN,
			.at = i,
		};
		all_s += isnan(time_s) ? 0 : time_s;
	}
	struct view view = s->view;
	int is_data = paleo_table_is_data(s->format), count = n->rows.count, tells_rows = 0;
	if (!is_data && view_is_cut(&view, is_data, count) && !n->in_network_s &&
	    (view.sort == VIEW_NET || view.sort == VIEW_TIME)) {
		count = merge(s, n, rows, count);
		view.top = view.top ? view.top : VIEW_TOP;
		view.sort = VIEW_TIME;
	}
	int shown = view_choose(&view, is_data, rows, count);
	*left_out += n->rows.count;
	for (int i = 0; i < shown; i++) {
		tells_rows |= rows[i].more > 0;
		*left_out -= 1 + rows[i].more;
	}
	for (int i = 0; !rc && i < shown; i++)
		rc = add_row(s, n, &rows[i], tells_rows, all_s, t, err);
	free(rows);
	return rc;
}

static int print_rows(const struct report_settings *s, const struct plan_net *nets, int count,
		      FILE *out, struct paleo_error *err)
{
	int left_out = 0;
	struct paleo_column mine[COLUMNS];
	int rc = PALEO_OK;

	memcpy(mine, columns, sizeof(mine));
	if (s->plan->modes.count > 1) { /* then "measured" does not say how */
		mine[COL_MEASURED] = columns[COL_BESIDE + (int)s->plan->modes.items[0]];
		mine[COL_MEASURED].name = columns[COL_MEASURED].name;
	}
	if (s->plan->modes.count == 0) { /* there is room, and nothing else to trust */
		const struct paleo_column low = PALEO_COLUMN_TIME("predicted_low_s", "low");
		const struct paleo_column high = PALEO_COLUMN_TIME("predicted_high_s", "high");
		mine[COL_PREDICTED_LOW] = low;
		mine[COL_PREDICTED_HIGH] = high;
	}
	struct paleo_table *t = paleo_table_new(mine, COLUMNS);

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < count; i++)
		rc = add_rows(s, &nets[i], t, &left_out, err);
	if (!rc)
		rc = paleo_table_print(t, s->format, out, err);
	if (!rc && left_out && !paleo_table_is_data(s->format))
		paleo_print(out, "%d more row%s: --all\n", left_out, left_out == 1 ? "" : "s");
	paleo_table_free(t);
	return rc;
}

/* What the heading says of a mode that no column names. */
static const char *mode_words(const struct plan *p)
{
	static const char *const words[PALEO_CACHE_MODES] = {
		"", ", hot", ", weights-cold", ", enqueue: the host's time of a launch"};

	return p->modes.count == 1 ? words[p->modes.items[0]] : "";
}

/* 1 if rows stand on different measurements: only then a table of text says on which. */
static int sources_differ(const struct report_settings *s)
{
	const struct plan_work *first = NULL;

	for (int i = 0; i < s->plan->work_count; i++) {
		const struct plan_work *w = &s->plan->works[i];
		if (!w->predicted)
			continue;
		if (!first)
			first = w;
		if (w->prediction.factor->source != first->prediction.factor->source ||
		    w->prediction.factor->stands_for[0])
			return 1;
	}
	return 0;
}

int report_print(const struct report_settings *settings, FILE *out, struct paleo_error *err)
{
	struct report_settings mine = *settings, *s = &mine;
	char weights[32];
	int rc = PALEO_OK;

	s->tells_sources = paleo_table_is_data(s->format) || sources_differ(s);
	if (paleo_table_is_data(s->format)) /* one header for all */
		return print_rows(s, s->plan->nets, s->plan->net_count, out, err);
	for (int i = 0; !rc && i < s->plan->net_count; i++) {
		const struct plan_net *n = &s->plan->nets[i];
		words_group_digits(paleo_net_weights(n->net), weights, sizeof(weights));
		fputc('\n', out);
		paleo_text_put(n->net->title, TITLE_MAX, out);
		paleo_print(out, ", batch %d, %s%s%s, %s weights\n", n->net->batch,
			    paleo_dtype_name(s->plan->dtype),
			    s->plan->layout == PALEO_NHWC ? ", nhwc" : "", mode_words(s->plan),
			    weights);
		transformer_print(n->net, s->plan->dtype, s->device, out);
		if (s->device)
			step_memory_print(n->net, s->plan->dtype, s->plan->framework.optimizer,
					  s->plan->training, s->device, out);
		rc = totals_print(s, n, out, err);
		if (rc || s->view.quiet)
			continue;
		rc = kinds_print(s, n, out, err);
		fputc('\n', out);
		if (!rc)
			rc = print_rows(s, n, 1, out, err);
	}
	return rc;
}
