/* rows.c - a plan as rows: predicted next to measured, one row per op of a layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/print/print.h"

enum {
	TEXT_NAME_MAX = 64, /* of a layer in a text table, else one name makes every line long */
	TITLE_MAX = 200,
	WAY_MAX = 192
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = if_any(n->net->name))                             \
	X(PALEO_COLUMN_DATA("batch"), .number = n->net->batch)                                     \
	X(PALEO_COLUMN_TEXT("layer", "layer"),                                                     \
	  .text = if_any(paleo_table_is_data(s->format) ? nw->layer->name : name))                 \
	X(PALEO_COLUMN_TEXT("kind", "kind"), .text = if_any(nw->what))                             \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(nw->pass))                    \
	X(PALEO_COLUMN_SHOWN_NUMBER("rows", 1, 0),                                                 \
	  .number = tells_rows ? shown->more + 1 : (double)NAN)                                    \
	X(PALEO_COLUMN_DATA_TEXT("dtype"), .text = paleo_dtype_name(w->op.dtype))                  \
	X(PALEO_COLUMN(.name = "flops", .title = "", .type = PALEO_CELL_NUMBER,                    \
		       .unit = PALEO_UNIT_FLOP, .decimals = 1, .significant = 3, .spare = 5),      \
	  .number = w->op.flops)                                                                   \
	X(PALEO_COLUMN(.name = "bytes", .title = "", .type = PALEO_CELL_NUMBER,                    \
		       .unit = PALEO_UNIT_BYTES, .significant = 3, .spare = 6),                    \
	  .number = bytes)                                                                         \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = predicted_s)                         \
	X(PALEO_COLUMN_TIME("predicted_low_s", "low"), .number = interval.low)                     \
	X(PALEO_COLUMN_TIME("predicted_high_s", "high"), .number = interval.high)                  \
	X(PALEO_COLUMN_DATA("predicted_low50_s"), .number = interval.low50)                        \
	X(PALEO_COLUMN_DATA("predicted_high50_s"), .number = interval.high50)                      \
	X(PALEO_COLUMN_DATA("as_it_runs_s"), .number = predicted_s * sums->runs.factor)            \
	X(PALEO_COLUMN_DATA("as_it_runs_low_s"), .number = predicted_s * sums->runs.low)           \
	X(PALEO_COLUMN_DATA("as_it_runs_high_s"), .number = predicted_s * sums->runs.high)         \
	X(PALEO_COLUMN_SHOWN_NUMBER("share %", 100, 1), .number = shown->time_s / sums->all_s)     \
	X(PALEO_COLUMN_TIME("predicted_before_s", "before"),                                       \
	  .number = w->predicted && s->plan->is_at_speed ? w->before_s : NAN)                      \
	X(PALEO_COLUMN_DATA_TEXT("mode"), .text = m.mode)                                          \
	X(PALEO_COLUMN_TIME("measured_s", "meas"),                                                 \
	  .number = paleo_table_is_data(s->format) || m.median_s > 0 ? m.median_s : m.least_s)     \
	X(PALEO_COLUMN(.title = "+-% run", .type = PALEO_CELL_NUMBER, .decimals = 1,               \
		       .text_only = 1, .spare = 3),                                                \
	  .number = 50 * (m.high_s - m.low_s) / m.median_s)                                        \
	X(PALEO_COLUMN_DATA("within_run_low_s"), .number = m.low_s)                                \
	X(PALEO_COLUMN_DATA("within_run_high_s"), .number = m.high_s)                              \
	X(PALEO_COLUMN_DATA("another_run_low_s"), .number = m.another_low_s)                       \
	X(PALEO_COLUMN_DATA("another_run_high_s"), .number = m.another_high_s)                     \
	/* as many as enum beside, in its order */                                                 \
	X(PALEO_COLUMN_TIME("cold_s", "cold"), .number = m.beside_s[BESIDE_COLD])                  \
	X(PALEO_COLUMN_TIME("hot_s", "hot"), .number = m.beside_s[BESIDE_HOT])                     \
	X(PALEO_COLUMN_TIME("weights_cold_s", "w-cold"),                                           \
	  .number = m.beside_s[BESIDE_WEIGHTS_COLD])                                               \
	X(PALEO_COLUMN_NUMBER("enqueue_s", "enqueue us", 1e6, 1),                                  \
	  .number = m.beside_s[BESIDE_ENQUEUE])                                                    \
	X(PALEO_COLUMN_TIME("in_network_s", "in-network"),                                         \
	  .number = m.beside_s[BESIDE_IN_NETWORK])                                                 \
	X(PALEO_COLUMN_PERCENT("error", "error %"), .number = predicted_s / m.median_s - 1)        \
	X(PALEO_COLUMN(.name = "flop_per_s", .title = "", .type = PALEO_CELL_NUMBER,               \
		       .unit = PALEO_UNIT_FLOP_PER_S, .decimals = 1, .significant = 3,             \
		       .spare = 3),                                                                \
	  .number = w->op.flops > 0 ? w->op.flops / m.median_s : NAN)                              \
	X(PALEO_COLUMN(.name = "bytes_per_s", .title = "GB/s", .type = PALEO_CELL_NUMBER,          \
		       .scale = 1e-9, .decimals = 1, .spare = 4),                                  \
	  .number = bytes / m.median_s)                                                            \
	X(PALEO_COLUMN(.name = "of_peak", .title = "% peak", .type = PALEO_CELL_NUMBER,            \
		       .scale = 100, .spare = 2),                                                  \
	  .number = isnan(m.median_s) ? NAN : share_of_peak(s->device, &w->op, m.median_s))        \
	X(PALEO_COLUMN(.name = "bound", .title = "bound", .type = PALEO_CELL_STRING, .spare = 1),  \
	  .text = w->predicted ? paleo_bound_name(w->prediction.bound) : NULL)                     \
	X(PALEO_COLUMN(.name = "algorithm", .title = "algorithm", .type = PALEO_CELL_STRING,       \
		       .spare = 8),                                                                \
	  .text = if_any(m.algorithm ? algorithm_of(&m, s->format, way) : way))                    \
	X(PALEO_COLUMN_WHOLE("rank", "rank"), .number = m.rank)                                    \
	X(PALEO_COLUMN_WHOLE("candidates", "of"), .number = m.candidates)                          \
	X(PALEO_COLUMN_DATA("heuristic_s"), .number = m.first_s)                                   \
	X(PALEO_COLUMN_PERCENT("regret", "regret %"), .number = m.regret)                          \
	X(PALEO_COLUMN_DATA("predicted_w"), .number = w->watts.mean_w)                             \
	X(PALEO_COLUMN_DATA("predicted_j"), .number = w->watts.mean_w * predicted_s)               \
	X(PALEO_COLUMN_DATA("measured_w"), .number = m.watts)                                      \
	X(PALEO_COLUMN_NUMBER("measured_j", "J", 1, 4), .number = plan_op_joules(s->plan, w))      \
	X(PALEO_COLUMN_TEXT("status", "status"), .text = m.status)                                 \
	X(PALEO_COLUMN_DATA_TEXT("tags"), .text = if_any(m.tags))                                  \
	X(PALEO_COLUMN_DATA_TEXT("reason"), .text = if_any(m.reason))                              \
	X(PALEO_COLUMN_DATA_TEXT("op"), .text = if_any(key))                                       \
	X(PALEO_COLUMN(.name = "source", .title = "source", .type = PALEO_CELL_STRING,             \
		       .spare = 9),                                                                \
	  .text = if_any(source))

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* The measurements of a row; texts are borrowed. */
struct measured {
	const char *mode, *status, *tags, *reason; /* NULL: none */
	const struct paleo_record *algorithm;      /* likewise; the record that has it */
	double median_s, low_s, high_s, another_low_s, another_high_s;
	double watts;
	double least_s; /* of disturbed samples, where there is no other */
	/* Where there was a choice: which was the fastest, and what the library's own costs. */
	double rank, candidates, first_s, regret;
	double beside_s[BESIDE_COUNT]; /* in text without the first mode, which has its column */
};

static const char *if_any(const char *text)
{
	return text && text[0] ? text : NULL;
}

/* The share of the device's limit that binds: the time at peak FLOP/s or at peak bandwidth,
 * whichever is longer, over the measured time. */
static double share_of_peak(const struct paleo_device *d, const struct paleo_op *w,
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

/* The algorithm assumed for a convolution: "eng15 winograd, FLOPs / 2.25, + 0.82 MB", "eng15
 * winograd, by the cost model". */
static void tell_way(const struct plan_op *w, char way[WAY_MAX])
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
			 w->use == PALEO_METHOD_BY_COST_MODEL
				 ? "by the cost model"
				 : "not modelled: predicted without it");
		return;
	}
	if (w->cost.fewer_flops > 1)
		used += snprintf(way + used, (size_t)(WAY_MAX - used), ", FLOPs / %.3g",
				 w->cost.fewer_flops);
	if (w->cost.more_bytes >= 1e4)
		snprintf(way + used, (size_t)(WAY_MAX - used), ", + %.2f MB",
			 1e-6 * w->cost.more_bytes);
}

/* The status column; empty for a good time. */
static const char *status_of(const struct paleo_record *r)
{
	if (r->status != PALEO_RECORD_OK)
		return paleo_record_status_name(r->status);
	return paleo_record_has_tag(r->tags, PALEO_TAG_ABOVE) ? "above ceiling" : NULL;
}

static void read_choice(const struct plan_time *time, struct measured *m)
{
	const struct paleo_record *first = candidates_find(&time->candidates, 0);

	if (time->candidates.count < 2)
		return;
	m->rank = time->record.rank;
	m->candidates = time->candidates.count;
	if (first && first->status == PALEO_RECORD_OK)
		m->first_s = first->timing.median_s;
	m->regret = candidates_regret(&time->candidates);
}

/* People see what the library tells of an engine by its notes and documented numbers. */
static const char *algorithm_of(const struct measured *m, enum paleo_table_format format,
				char words[WAY_MAX])
{
	const struct paleo_record *r = m->algorithm;
	const struct paleo_algorithm_texts texts = {r->algorithm, r->engine, r->knobs, r->notes};

	if (paleo_table_is_data(format))
		return r->algorithm;
	paleo_algorithm_title(&texts, words, WAY_MAX);
	return words;
}

static void read_record(const struct paleo_record *r, struct measured *m)
{
	const struct paleo_timing *t = &r->timing;

	m->status = status_of(r);
	m->tags = r->tags;
	m->reason = r->reason;
	if (r->least_s > 0)
		m->least_s = r->least_s;
	if (r->status != PALEO_RECORD_OK)
		return;
	m->algorithm = r;
	if (paleo_state_watts(&r->state) > 0)
		m->watts = paleo_state_watts(&r->state);
	m->median_s = t->median_s;
	if (paleo_timing_has_interval(t)) {
		m->low_s = t->ci_low_s;
		m->high_s = t->ci_high_s;
		const struct paleo_another_run another = paleo_timing_another_run(t);
		m->another_low_s = t->median_s * exp(-hypot(another.own, another.speed));
		m->another_high_s = t->median_s * exp(hypot(another.own, another.speed));
	}
}

static struct measured measured_of(const struct report_settings *s, const struct plan_net *n,
				   int row)
{
	struct measured m = {.median_s = NAN,
			     .low_s = NAN,
			     .high_s = NAN,
			     .another_low_s = NAN,
			     .another_high_s = NAN,
			     .least_s = NAN,
			     .watts = NAN,
			     .rank = NAN,
			     .candidates = NAN,
			     .first_s = NAN,
			     .regret = NAN};
	const struct plan_time *time = &s->plan->ops[n->op_of[row]].times[0];
	const int some = s->plan->modes.count > 0, first = some ? (int)s->plan->modes.items[0] : -1;

	for (int b = 0; b < BESIDE_COUNT; b++)
		m.beside_s[b] = some && (paleo_table_is_data(s->format) || b != first)
					? beside_s(s->plan, n, row, (enum beside)b)
					: NAN;
	if (!some)
		return m;
	m.mode = paleo_cache_mode_name(s->plan->modes.items[0]);
	m.status = "not run";
	if (time->measured) {
		read_record(&time->record, &m);
		read_choice(time, &m);
	}
	return m;
}

/* Of all rows of a net. */
struct sums {
	double all_s;
	struct framework_time runs;
};

static int add_row(const struct report_settings *s, const struct plan_net *n,
		   const struct view_row *shown, int tells_rows, const struct sums *sums,
		   struct paleo_table *t, struct paleo_error *err)
{
	const int row = shown->at;
	const struct paleo_net_op *nw = &n->rows.items[row];
	const struct plan_op *w = &s->plan->ops[n->op_of[row]];
	const struct measured m = measured_of(s, n, row);
	const struct paleo_interval interval =
		w->predicted ? w->prediction.interval : PALEO_NO_INTERVAL;
	const double predicted_s = w->predicted ? w->prediction.parts.total_s : NAN;
	const double bytes = w->op.read_bytes + w->op.write_bytes;
	char key[PALEO_OP_KEY_MAX] = "", name[TEXT_NAME_MAX], way[WAY_MAX];
	char source[PALEO_SOURCE_TEXT_MAX] = "";

	if (s->format != PALEO_TABLE_TEXT) /* which does not show it */
		paleo_op_key(&w->op, key, sizeof(key));
	plan_short_name(nw->layer->name, name, sizeof(name));
	if (w->predicted && s->tells_sources && s->calibration)
		paleo_class_model_source(s->calibration, w->prediction.factor, source);
	tell_way(w, way);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

/* Rows of one op become the first of them, with the time of all: a transformer's layers are all
 * the same. Returns how many are left. */
static int merge(const struct report_settings *s, const struct plan_net *n, struct view_row *rows,
		 int count)
{
	int *place = calloc((size_t)s->plan->op_count + 1, sizeof(*place)), left = 0;

	for (int i = 0; place && i < count; i++) {
		int *at = &place[n->op_of[rows[i].at]]; /* 1 more than it is; 0: none yet */
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
	struct sums sums = {.runs = framework_time_of(s->plan, n)};
	int rc = PALEO_OK;

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the rows");
	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = &s->plan->ops[n->op_of[i]];
		enum plan_basis basis;
		double time_s = plan_op_s(s->plan, w, &basis);
		rows[i] = (struct view_row){
			.name = n->rows.items[i].layer->name,
			.time_s = time_s,
			.error = w->predicted && basis == PLAN_MEASURED
					 ? w->prediction.parts.total_s / time_s - 1
					 : (double)NAN,
			.at = i,
		};
		sums.all_s += isnan(time_s) ? 0 : time_s;
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
		rc = add_row(s, n, &rows[i], tells_rows, &sums, t, err);
	free(rows);
	return rc;
}

static struct paleo_column *named(struct paleo_column *list, const char *name)
{
	while (!list->name || strcmp(list->name, name) != 0)
		list++;
	return list;
}

static int print_rows(const struct report_settings *s, const struct plan_net *nets, int count,
		      FILE *out, struct paleo_error *err)
{
	int left_out = 0;
	struct paleo_column mine[sizeof(columns) / sizeof(columns[0])];
	int rc = PALEO_OK;

	memcpy(mine, columns, sizeof(mine));
	if (s->plan->modes.count > 1) { /* then "measured" does not say how */
		struct paleo_column *measured = named(mine, "measured_s");
		*measured = named(mine, "cold_s")[s->plan->modes.items[0]];
		measured->name = "measured_s";
	}
	if (s->plan->modes.count) { /* without, there is room, and nothing else to trust */
		named(mine, "predicted_low_s")->data_only = 1;
		named(mine, "predicted_high_s")->data_only = 1;
	}
	struct paleo_table *t = PALEO_TABLE_OF(mine);

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

/* The heading of a mode that no column names. */
static const char *mode_words(const struct plan *p)
{
	static const char *const words[PALEO_CACHE_MODES] = {
		"", ", hot", ", weights-cold", ", enqueue: launch overhead on the CPU"};

	return p->modes.count == 1 ? words[p->modes.items[0]] : "";
}

/* 1 if rows are based on different measurements: only then a table of text says on which. */
static int sources_differ(const struct report_settings *s)
{
	const struct plan_op *first = NULL;

	for (int i = 0; i < s->plan->op_count; i++) {
		const struct plan_op *w = &s->plan->ops[i];
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

/* Of sequences also their tokens, new ones and those in the cache. */
static void print_batch(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	const char *unit;
	double each = paleo_net_items(n->net, &unit) / n->net->batch;
	int past = 0;

	paleo_print(out, ", batch %d", n->net->batch);
	if (s->plan->batch_max && n->net->file_batch > s->plan->batch_max)
		paleo_print(out, " instead of the file's %d", n->net->file_batch);
	if (!strcmp(unit, "images"))
		return;
	for (int i = 0; i < n->rows.count; i++) {
		const struct paleo_op *w = &s->plan->ops[n->op_of[i]].op;
		if (w->kind == PALEO_ATTENTION && w->geom.attention.cache)
			past = w->geom.attention.keys - w->geom.attention.q;
	}
	paleo_print(out, ", %.0f token%s each", each, each == 1 ? "" : "s");
	if (past > 0)
		paleo_print(out, " after %d cached", past);
}

int report_print(const struct report_settings *settings, FILE *out, struct paleo_error *err)
{
	struct report_settings mine = *settings, *s = &mine;
	const char *unit;
	char weights[32];
	int rc = PALEO_OK;

	s->tells_sources = paleo_table_is_data(s->format) || sources_differ(s);
	if (paleo_table_is_data(s->format)) { /* one header for all */
		for (int i = 0; i < s->plan->net_count; i++)
			net_note_print(s->plan->nets[i].net, stderr);
		return print_rows(s, s->plan->nets, s->plan->net_count, out, err);
	}
	for (int i = 0; !rc && i < s->plan->net_count; i++) {
		const struct plan_net *n = &s->plan->nets[i];
		paleo_group_digits(paleo_net_weights(n->net), weights, sizeof(weights));
		fputc('\n', out);
		paleo_text_put(n->net->title, TITLE_MAX, out);
		paleo_net_items(n->net, &unit);
		print_batch(s, n, out);
		paleo_print(out, ", %s%s%s%s, %s parameters\n", paleo_dtype_name(s->plan->dtype),
			    strcmp(unit, "images") ? "" : ", ",
			    strcmp(unit, "images") ? "" : paleo_layout_name(s->plan->layout),
			    mode_words(s->plan), weights);
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
