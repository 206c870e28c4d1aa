/* kinds.c - where a net's time goes: by kind of layer, and by what limits its works. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/text.h"

enum {
	SHOWN_MAX = 8, /* kinds; the rest is one row */
	COL_KIND = 0,
	COL_ROWS,
	COL_TIME,
	COL_SHARE,
	COL_PREDICTED,
	COL_ERROR,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_KIND] = {.name = "kind", .title = "kind", .type = PALEO_CELL_STRING},
	[COL_ROWS] = {.name = "rows", .title = "rows", .type = PALEO_CELL_NUMBER},
	[COL_TIME] = PALEO_COLUMN_TIME("time_s", "time"),
	[COL_SHARE] = {.name = "share",
		       .title = "share %",
		       .type = PALEO_CELL_NUMBER,
		       .scale = 100,
		       .decimals = 1},
	[COL_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "pred"),
	[COL_ERROR] = {.name = "error",
		       .title = "error %",
		       .type = PALEO_CELL_NUMBER,
		       .scale = 100,
		       .decimals = 1},
};

struct kind {
	const char *name;
	int rows;
	double time_s, predicted_s; /* of the rows with a time */
};

static const struct plan_work *work_of(const struct report_settings *s, const struct plan_net *n,
				       int row)
{
	return &s->plan->works[n->work_of[row]];
}

double kinds_row_s(const struct report_settings *s, const struct plan_net *n, int row)
{
	const struct plan_work *w = work_of(s, n, row);
	const struct plan_time *t = w->times;

	if (!s->plan->modes.count)
		return w->predicted ? w->prediction.parts.total_s : (double)NAN;
	return t->measured && t->record.status == PALEO_RECORD_OK ? t->record.timing.median_s
								  : (double)NAN;
}

static int longest_first(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Fills `kinds`, of which there are no more than rows. Returns how many. */
static int add_up(const struct report_settings *s, const struct plan_net *n, struct kind *kinds)
{
	int count = 0;

	for (int i = 0; i < n->rows.count; i++) {
		double time_s = kinds_row_s(s, n, i);
		const struct plan_work *w = work_of(s, n, i);
		int k = 0;
		if (isnan(time_s))
			continue;
		while (k < count && strcmp(kinds[k].name, n->rows.items[i].what) != 0)
			k++;
		if (k == count)
			kinds[count++] = (struct kind){.name = n->rows.items[i].what};
		kinds[k].rows++;
		kinds[k].time_s += time_s;
		kinds[k].predicted_s += w->predicted ? w->prediction.parts.total_s : (double)NAN;
	}
	qsort(kinds, (size_t)count, sizeof(*kinds), longest_first);
	return count;
}

static int add_row(const struct report_settings *s, const struct kind *k, double all_s,
		   struct paleo_table *t, struct paleo_error *err)
{
	const int measured = s->plan->modes.count > 0;
	const struct paleo_cell cells[COLUMNS] = {
		[COL_KIND] = {.text = k->name},
		[COL_ROWS] = {.number = k->rows},
		[COL_TIME] = {.number = k->time_s},
		[COL_SHARE] = {.number = k->time_s / all_s},
		[COL_PREDICTED] = {.number = measured ? k->predicted_s : (double)NAN},
		[COL_ERROR] = {.number = measured ? k->predicted_s / k->time_s - 1 : (double)NAN},
	};

	return paleo_table_add(t, cells, err);
}

/* "limited by: memory 61 %, ...": the time of the rows that are predicted to be bound so. */
static void print_bounds(const struct report_settings *s, const struct plan_net *n, double all_s,
			 FILE *out)
{
	static const enum paleo_bound bounds[] = {PALEO_BOUND_COMPUTE, PALEO_BOUND_MEMORY,
						  PALEO_BOUND_OVERHEAD};
	const char *separator = "limited by: ";

	for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
		double time_s = 0;
		for (int i = 0; i < n->rows.count; i++)
			if (work_of(s, n, i)->predicted &&
			    work_of(s, n, i)->prediction.bound == bounds[b] &&
			    !isnan(kinds_row_s(s, n, i)))
				time_s += kinds_row_s(s, n, i);
		if (!(time_s > 0))
			continue;
		paleo_print(out, "%s%s %.0f %%", separator, paleo_bound_name(bounds[b]),
			    100 * time_s / all_s);
		separator = ", ";
	}
	if (separator[0] == ',')
		fputs(" of the time, by the prediction\n", out);
}

int kinds_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		struct paleo_error *err)
{
	struct kind *kinds = calloc((size_t)n->rows.count + 1, sizeof(*kinds));
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	struct kind rest = {.name = "others"};
	double all_s = 0;
	int rc = PALEO_OK;

	if (!kinds || !t) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
		goto out;
	}
	int count = add_up(s, n, kinds);
	for (int i = 0; i < count; i++)
		all_s += kinds[i].time_s;
	for (int i = 0; !rc && i < count; i++) {
		if (i < SHOWN_MAX) {
			rc = add_row(s, &kinds[i], all_s, t, err);
			continue;
		}
		rest.rows += kinds[i].rows;
		rest.time_s += kinds[i].time_s;
		rest.predicted_s += kinds[i].predicted_s;
	}
	if (!rc && rest.rows)
		rc = add_row(s, &rest, all_s, t, err);
	if (!rc && count > 1) {
		fputc('\n', out);
		rc = paleo_table_print(t, s->format, out, err);
	}
	if (!rc)
		print_bounds(s, n, all_s, out);
out:
	paleo_table_free(t);
	free(kinds);
	return rc;
}
