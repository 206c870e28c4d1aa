/* table.c - rows that predict and profile printed as JSON lines, to be compared. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/lines.h"
#include "tools/compare/compare.h"

/* One line as it is read; texts are the list's. */
struct told {
	struct compare_row row;
	struct compare_op op;
	int is_predicted;
};

struct told_list {
	struct told *items;
	int count, room;
	struct paleo_texts texts;
};

static void release(struct told_list *l)
{
	paleo_texts_release(&l->texts);
	free(l->items);
}

static int open_table(const char *file, struct paleo_lines **out, struct paleo_error *err)
{
	return paleo_lines_open(file, PALEO_JSON_FILE_MAX, "records, or rows of --format jsonl",
				out, err);
}

int compare_table_is(const char *file, int *is_table, struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	struct paleo_json_doc *doc = NULL;
	struct paleo_line line = {0};
	struct paleo_error ignored;
	int there = 0;
	int rc = open_table(file, &lines, err);

	if (rc)
		return rc;
	rc = paleo_lines_next(lines, &line, &there, err);
	*is_table = 0;
	if (!rc && there && !paleo_json_parse(file, 1, line.text, line.size, &doc, &ignored))
		*is_table = paleo_json_get(paleo_json_root(doc), "layer") != NULL;
	paleo_json_free(doc);
	paleo_lines_close(lines);
	return rc;
}

/* A text of a row; a missing one, or null, is NULL. */
static int take_text(const struct paleo_json *row, const char *key, struct told_list *l,
		     const char **out, struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(row, key);
	const char *text;

	if (!v || paleo_json_type(v) == PALEO_JSON_NULL)
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &text, err);
	if (rc)
		return rc;
	*out = paleo_texts_keep(&l->texts, text);
	return *out ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a row");
}

/* Likewise a time in seconds, or an energy in joules; NaN. */
static int take_time(const struct paleo_json *row, const char *key, double *out,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(row, key);

	*out = NAN;
	if (!v || paleo_json_type(v) == PALEO_JSON_NULL)
		return PALEO_OK;
	return paleo_json_to_double(v, 1e-15, 1e15, out, err);
}

/* A measured time with its interval of 95 %, else a predicted one with that of 90 %. */
static int take_times(const struct paleo_json *row, struct told *t, struct paleo_error *err)
{
	static const struct {
		const char *seconds, *low, *high;
		double quantile;
	} kinds[] = {{"measured_s", "within_run_low_s", "within_run_high_s", 1.959964},
		     {"predicted_s", "predicted_low_s", "predicted_high_s", 1.644854}};
	double seconds = NAN, low = NAN, high = NAN;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < 2 && isnan(seconds); i++) {
		rc = take_time(row, kinds[i].seconds, &seconds, err);
		if (!rc)
			rc = take_time(row, kinds[i].low, &low, err);
		if (!rc)
			rc = take_time(row, kinds[i].high, &high, err);
		t->op.time = paleo_noisy_between(seconds, low, high, kinds[i].quantile);
		t->is_predicted = i == 1;
		if (t->is_predicted) { /* a sum's predictions err together: one cost model, one
					* calibration
					*/
			t->op.time.shared_se = t->op.time.own_se;
			t->op.time.shared_degrees = t->op.time.own_degrees;
			t->op.time.own_se = 0;
		}
	}
	return rc;
}

static int read_row(const struct paleo_json *row, struct told_list *l, struct paleo_error *err)
{
	struct told *items = paleo_grow(l->items, l->count, &l->room, sizeof(*items));
	const struct paleo_json *batch = paleo_json_get(row, "batch");

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a row");
	l->items = items;
	struct told *t = &items[l->count++];
	*t = (struct told){0};
	int rc = take_text(row, "net", l, &t->row.net, err);
	if (!rc)
		rc = take_text(row, "dtype", l, &t->row.dtype, err);
	if (!rc)
		rc = take_text(row, "layer", l, &t->row.layer, err);
	if (!rc)
		rc = take_text(row, "kind", l, &t->row.kind, err);
	if (!rc)
		rc = take_text(row, "pass", l, &t->row.pass, err);
	if (!rc)
		rc = take_text(row, "op", l, &t->op.key, err);
	if (!rc)
		rc = take_text(row, "algorithm", l, &t->op.algorithm, err);
	if (!rc && batch && paleo_json_type(batch) == PALEO_JSON_NUMBER)
		rc = paleo_json_to_int(batch, 1, 1 << 30, &t->row.batch, err);
	if (!rc && !t->op.key)
		rc = paleo_json_fail(row, err,
				     "has no \"op\"; rows of predict and profile have one");
	if (!rc)
		rc = take_time(row, "measured_j", &t->op.energy_j, err);
	return rc ? rc : take_times(row, t, err);
}

static int read_rows(const char *file, struct told_list *l, struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	int there = 0, number = 0;
	int rc = open_table(file, &lines, err);

	while (!rc && !(rc = paleo_lines_next(lines, &line, &there, err)) && there) {
		struct paleo_json_doc *doc = NULL;
		rc = paleo_json_parse(file, ++number, line.text, line.size, &doc, err);
		if (!rc)
			rc = read_row(paleo_json_root(doc), l, err);
		paleo_json_free(doc);
	}
	paleo_lines_close(lines);
	return rc;
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(struct told *const *)a)->op.key, (*(struct told *const *)b)->op.key);
}

/* The different ops of the rows. */
static int add_ops(const struct told_list *l, struct compare_side *out, struct paleo_error *err)
{
	struct told **order = malloc(((size_t)l->count + 1) * sizeof(*order));
	int rc = PALEO_OK;

	if (!order)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", l->count);
	for (int i = 0; i < l->count; i++)
		order[i] = &l->items[i];
	qsort(order, (size_t)l->count, sizeof(struct told *), by_key);
	for (int i = 0; !rc && i < l->count; i++) {
		if (i && !strcmp(order[i]->op.key, order[i - 1]->op.key))
			continue;
		rc = compare_side_add_op(out, &order[i]->op, err);
		out->is_predicted |= order[i]->is_predicted;
	}
	free(order);
	compare_side_sort(out);
	return rc;
}

int compare_table_load(const char *file, struct compare_side *out, struct paleo_error *err)
{
	struct told_list l = {0};

	int rc = read_rows(file, &l, err);
	if (!rc)
		rc = add_ops(&l, out, err);
	for (int i = 0; !rc && i < l.count; i++) {
		l.items[i].row.op = compare_side_find(out, l.items[i].op.key);
		rc = compare_side_add_row(out, &l.items[i].row, err);
	}
	out->is_table = 1;
	release(&l);
	return rc;
}
