/* compare_print.c - prints what a comparison found. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/compare_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/stats.h"
#include "base/text.h"

enum {
	COL_VERDICT,
	COL_NET,
	COL_BATCH,
	COL_DTYPE,
	COL_LAYER,
	COL_KIND,
	COL_PASS,
	COL_A,
	COL_B,
	COL_CHANGE,
	COL_LOW,
	COL_HIGH,
	COL_APART,
	COL_P,
	COL_WORK_A,
	COL_WORK_B,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_VERDICT] = PALEO_COLUMN_TEXT("verdict", "verdict"),
	[COL_NET] = PALEO_COLUMN_DATA_TEXT("net"),
	[COL_BATCH] = PALEO_COLUMN_DATA("batch"),
	[COL_DTYPE] = PALEO_COLUMN_DATA_TEXT("dtype"),
	[COL_LAYER] = PALEO_COLUMN_TEXT("layer", "layer"),
	[COL_KIND] = PALEO_COLUMN_TEXT("kind", "kind"),
	[COL_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[COL_A] = PALEO_COLUMN_TIME("a_s", "A"),
	[COL_B] = PALEO_COLUMN_TIME("b_s", "B"),
	[COL_CHANGE] = PALEO_COLUMN_PERCENT("change", "change %"),
	[COL_LOW] = PALEO_COLUMN_PERCENT("change_low", "low %"),
	[COL_HIGH] = PALEO_COLUMN_PERCENT("change_high", "high %"),
	[COL_APART] = PALEO_COLUMN_TIME("apart_s", "apart"),
	[COL_P] = PALEO_COLUMN_DATA("p"),
	[COL_WORK_A] = PALEO_COLUMN_DATA_TEXT("work_a"),
	[COL_WORK_B] = PALEO_COLUMN_DATA_TEXT("work_b"),
};

static void print_side(const char *letter, const char *name, const struct compare_side *s,
		       FILE *out)
{
	paleo_print(out, "%s  ", letter);
	paleo_text_put(name, 200, out);
	if (s->is_table)
		paleo_print(out, ": rows that were %s\n",
			    s->is_predicted ? "predicted" : "measured");
	else
		paleo_print(out, ": %s, %s, %s%s\n", s->meta.device.title, s->meta.versions,
			    s->meta.start_utc, s->runs > 1 ? " (the last run)" : "");
}

static void print_difference(const char *what, const char *a, const char *b, int *count, FILE *out)
{
	if (!strcmp(a, b))
		return;
	paleo_print(out, "%s%s: '%s' and '%s'", *count ? "; " : "differs: ", what,
		    a[0] ? a : "not told", b[0] ? b : "not told");
	++*count;
}

/* What else than the times is another between the sides. */
static void print_differences(const struct compare_view *v, FILE *out)
{
	const struct paleo_record_meta *a = &v->a->meta, *b = &v->b->meta;
	char threads[2][16];
	int count = 0;

	if (v->a->is_table || v->b->is_table)
		return;
	snprintf(threads[0], sizeof(threads[0]), "%d", a->threads);
	snprintf(threads[1], sizeof(threads[1]), "%d", b->threads);
	print_difference("device", a->device.name, b->device.name, &count, out);
	print_difference("processor", a->processor, b->processor, &count, out);
	print_difference("libraries", a->versions, b->versions, &count, out);
	print_difference("threads", threads[0], threads[1], &count, out);
	print_difference("tool", a->tool, b->tool, &count, out);
	print_difference("host", a->host, b->host, &count, out);
	print_difference("boot", a->boot, b->boot, &count, out);
	paleo_print(out, "%s\n",
		    count ? "" : "device, libraries, threads, tool and host are the same");
}

void compare_print_heading(const struct compare_view *v, FILE *out)
{
	const struct compare_joined *j = v->joined;

	print_side("A", v->a_name, v->a, out);
	print_side("B", v->b_name, v->b, out);
	print_differences(v, out);
	paleo_print(out, "%d %s in common", j->pair_count, j->by);
	if (j->only_a || j->only_b)
		paleo_print(out, "; %d of A and %d of B have no partner with a time", j->only_a,
			    j->only_b);
	fputs("\n\n", out);
}

void compare_print_sum(const struct compare_view *v, const struct compare_row *net,
		       const struct paleo_compared *sum, FILE *out)
{
	const struct paleo_change *c = &sum->change;
	double per_s;
	const char *unit =
		paleo_unit_name(PALEO_UNIT_TIME, fmax(sum->a.seconds, sum->b.seconds), &per_s);
	double a = per_s * sum->a.seconds, b = per_s * sum->b.seconds;

	(void)v;
	if (net->net)
		paleo_print(out, "%s, batch %d, %s: ", net->net, net->batch, net->dtype);
	else
		fputs("all works: ", out);
	paleo_print(out, "%s, %+.1f %%", paleo_verdict_name(c->verdict), 100 * c->ratio);
	if (isnan(c->low))
		fputs(" (a time has no interval)", out);
	else
		paleo_print(out, " (95 %%: %+.1f to %+.1f %%)", 100 * c->low, 100 * c->high);
	paleo_print(out, ", from %.*f to %.*f %s\n", paleo_decimals(a, 3, 3), a,
		    paleo_decimals(b, 3, 3), b, unit);
}

void compare_print_counts(const struct compare_view *v, FILE *out)
{
	const struct compare_joined *j = v->joined;
	double *halves = malloc(((size_t)j->item_count + 1) * sizeof(*halves));
	int counts[PALEO_VERDICTS] = {0};
	size_t known = 0;

	for (int i = 0; i < j->item_count; i++) {
		const struct paleo_change *c = &j->items[i].change;
		counts[c->verdict]++;
		if (halves && !isnan(c->low))
			halves[known++] = (c->high - c->low) / 2;
	}
	paleo_print(out,
		    "%d different works: %d SLOWER, %d FASTER, %d SAME within %g %%, %d UNCLEAR",
		    j->item_count, counts[PALEO_SLOWER], counts[PALEO_FASTER], counts[PALEO_SAME],
		    100 * v->how.same, counts[PALEO_UNCLEAR]);
	if (known) {
		paleo_sort(halves, known);
		paleo_print(out, "; one work's change is known to +-%.1f %% in the median",
			    100 * paleo_quantile_sorted(halves, known, 0.5));
	}
	fputc('\n', out);
	free(halves);
}

/* What a sort is given: a pointer to const cannot be handed on as it is. */
struct weighed {
	const struct compare_joined *joined;
};

/* What is certain comes first, the largest difference of times first. */
static int by_weight(const void *a, const void *b, void *of)
{
	const struct compare_joined *j = ((const struct weighed *)of)->joined;
	const struct compare_pair *x = a, *y = b;
	const struct paleo_compared *p = &j->items[x->item], *q = &j->items[y->item];
	int p_sure = p->change.verdict == PALEO_FASTER || p->change.verdict == PALEO_SLOWER;
	int q_sure = q->change.verdict == PALEO_FASTER || q->change.verdict == PALEO_SLOWER;
	double p_s = fabs(p->b.seconds - p->a.seconds), q_s = fabs(q->b.seconds - q->a.seconds);

	if (p_sure != q_sure)
		return q_sure - p_sure;
	if (p_s != q_s)
		return p_s < q_s ? 1 : -1;
	return (x->a > y->a) - (x->a < y->a);
}

static int add_row(const struct compare_view *v, const struct compare_pair *p,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct compare_row *row = &v->a->rows[p->a];
	const struct paleo_compared *c = &v->joined->items[p->item];
	const char *work = v->a->works[row->work].key;
	struct paleo_cell cells[COLUMNS];

	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
	cells[COL_VERDICT].text = paleo_verdict_name(c->change.verdict);
	cells[COL_NET].text = row->net;
	cells[COL_BATCH].number = row->batch ? row->batch : (double)NAN;
	cells[COL_DTYPE].text = row->dtype;
	cells[COL_LAYER].text = row->layer || paleo_table_is_data(v->format) ? row->layer : work;
	cells[COL_KIND].text = row->kind;
	cells[COL_PASS].text = row->pass;
	cells[COL_A].number = c->a.seconds;
	cells[COL_B].number = c->b.seconds;
	cells[COL_CHANGE].number = c->change.ratio;
	cells[COL_LOW].number = c->change.low;
	cells[COL_HIGH].number = c->change.high;
	cells[COL_APART].number = c->b.seconds - c->a.seconds;
	cells[COL_P].number = c->change.p;
	cells[COL_WORK_A].text = work;
	cells[COL_WORK_B].text = v->b->works[v->b->rows[p->b].work].key;
	return paleo_table_add(t, cells, err);
}

int compare_print_rows(const struct compare_view *v, FILE *out, struct paleo_error *err)
{
	const struct compare_joined *j = v->joined;
	size_t bytes = (size_t)j->pair_count * sizeof(*j->pairs);
	struct compare_pair *order = malloc(bytes + 1);
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int shown = v->top && v->top < j->pair_count ? v->top : j->pair_count, rc = PALEO_OK;

	if (!order || !t) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
		goto out;
	}
	memcpy(order, j->pairs, bytes);
	if (!paleo_table_is_data(v->format))
		qsort_r(order, (size_t)j->pair_count, sizeof(*order), by_weight,
			&(struct weighed){j});
	for (int i = 0; !rc && i < shown; i++)
		rc = add_row(v, &order[i], t, err);
	if (!rc)
		rc = paleo_table_print(t, v->format, out, err);
	if (!rc && shown < j->pair_count)
		paleo_print(paleo_table_is_data(v->format) ? stderr : out, "%d more rows: --all\n",
			    j->pair_count - shown);
out:
	paleo_table_free(t);
	free(order);
	return rc;
}
