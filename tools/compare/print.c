/* print.c - prints what a comparison found. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/table.h"
#include "base/text.h"
#include "tools/compare/compare.h"

/* How the op ran on each side; a number of 0 is not known. */
#define BOTH_TEXTS(X, member)                                                                      \
	X(PALEO_COLUMN_DATA_TEXT(#member "_a"), .text = a->member)                                 \
	X(PALEO_COLUMN_DATA_TEXT(#member "_b"), .text = b->member)
#define BOTH_NUMBERS(X, member)                                                                    \
	X(PALEO_COLUMN_DATA(#member "_a"), .number = a->member > 0 ? a->member : (double)NAN)      \
	X(PALEO_COLUMN_DATA(#member "_b"), .number = b->member > 0 ? b->member : (double)NAN)

#define ENERGY(key, heading)                                                                       \
	PALEO_COLUMN(.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER, .significant = 3)

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("verdict", "verdict"), .text = paleo_verdict_name(change->verdict))    \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = row->net)                                         \
	X(PALEO_COLUMN_DATA("batch"), .number = row->batch ? row->batch : (double)NAN)             \
	X(PALEO_COLUMN_DATA("batch_b"), .number = row_b->batch ? row_b->batch : (double)NAN)       \
	X(PALEO_COLUMN_DATA_TEXT("dtype"), .text = row->dtype)                                     \
	X(PALEO_COLUMN_TEXT("layer", "layer"),                                                     \
	  .text = row->layer || paleo_table_is_data(v->format) ? row->layer : a->key)              \
	X(PALEO_COLUMN_TEXT("kind", "kind"), .text = row->kind)                                    \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = row->pass)                                    \
	X(PALEO_COLUMN_TIME("a_s", "A"), .number = c->a.seconds)                                   \
	X(PALEO_COLUMN_TIME("b_s", "B"), .number = c->b.seconds)                                   \
	X(PALEO_COLUMN_PERCENT("change", "change %"), .number = change->ratio)                     \
	X(PALEO_COLUMN_PERCENT("change_low", "low %"), .number = change->low)                      \
	X(PALEO_COLUMN_PERCENT("change_high", "high %"), .number = change->high)                   \
	X(PALEO_COLUMN_TIME("difference_s", "B - A"), .number = c->b.seconds - c->a.seconds)       \
	X(ENERGY("a_j", "A J"), .number = is_known ? a_j : (double)NAN)                            \
	X(ENERGY("b_j", "B J"), .number = is_known ? b_j : (double)NAN)                            \
	X(PALEO_COLUMN_PERCENT("energy_change", "J %"),                                            \
	  .number = is_known ? b_j / a_j - 1 : (double)NAN)                                        \
	X(PALEO_COLUMN_TEXT("why", "why"), .text = why[0] ? why : NULL)                            \
	X(PALEO_COLUMN_DATA("by_algorithm_s"), .number = parts_s[COMPARE_ALGORITHM])               \
	X(PALEO_COLUMN_DATA("by_clock_s"), .number = parts_s[COMPARE_CLOCK])                       \
	X(PALEO_COLUMN_DATA("by_rest_s"), .number = parts_s[COMPARE_REST])                         \
	X(PALEO_COLUMN_DATA_TEXT("run"), .text = run[0] ? run : NULL)                              \
	BOTH_TEXTS(X, algorithm)                                                                   \
	BOTH_TEXTS(X, engine)                                                                      \
	BOTH_TEXTS(X, notes)                                                                       \
	BOTH_TEXTS(X, knobs)                                                                       \
	BOTH_NUMBERS(X, workspace_bytes)                                                           \
	BOTH_NUMBERS(X, clock_mhz)                                                                 \
	BOTH_NUMBERS(X, power_w)                                                                   \
	BOTH_TEXTS(X, limits)                                                                      \
	X(PALEO_COLUMN_DATA("p"), .number = change->p)                                             \
	X(PALEO_COLUMN_DATA_TEXT("op_a"), .text = a->key)                                          \
	X(PALEO_COLUMN_DATA_TEXT("op_b"), .text = b->key)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

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

void compare_print_heading(const struct compare_view *v, FILE *out)
{
	const struct compare_joined *j = v->joined;
	char run[COMPARE_WHY_MAX];

	print_side("A", v->a_name, v->a, out);
	print_side("B", v->b_name, v->b, out);
	compare_run_why(v, run);
	if (run[0])
		paleo_print(out, "differs: %s\n", run);
	else if (!v->a->is_table && !v->b->is_table)
		fputs("Same device, libraries, threads, version and machine\n", out);
	paleo_print(out, "%d %s in common", j->pair_count, j->by);
	if (j->only_a || j->only_b)
		paleo_print(out, "; %d only in A and %d only in B", j->only_a, j->only_b);
	if (j->faster > 0)
		paleo_print(
			out,
			"\nmachine speed in B: %+.0f %%; times are compared at the mean of both",
			100 * (j->faster - 1));
	if (j->has_moved)
		paleo_print(
			out,
			"\nthat is more than it varied within the runs, and corrected no further: "
			"compare several runs a side, or measure pairs (WHAT=A,B)");
	if (j->is_per_image)
		paleo_print(out, "\nbatch sizes differ: times are those of one image");
	fputs("\n\n", out);
}

/* "vgg16, batch 64 and 128, f32: ", with B's batch and dtype where they are others. */
static void print_net(const struct compare_row *a, const struct compare_row *b, FILE *out)
{
	if (!a->net) {
		fputs("all ops: ", out);
		return;
	}
	paleo_print(out, "%s, batch %d", a->net, a->batch);
	if (b->batch != a->batch)
		paleo_print(out, " and %d", b->batch);
	paleo_print(out, ", %s", a->dtype);
	if (b->dtype && strcmp(b->dtype, a->dtype) != 0)
		paleo_print(out, " and %s", b->dtype);
	fputs(": ", out);
}

void compare_print_sum(const struct compare_view *v, const struct compare_pair *net,
		       const struct paleo_compared *sum, FILE *out)
{
	const struct paleo_change *c = &sum->change;
	double per_s;
	const char *unit =
		paleo_unit_name(PALEO_UNIT_TIME, fmax(sum->a.seconds, sum->b.seconds), &per_s);
	double a = per_s * sum->a.seconds, b = per_s * sum->b.seconds;

	print_net(&v->a->rows[net->a], &v->b->rows[net->b], out);
	paleo_print(out, "%s, %+.1f %%", paleo_verdict_name(c->verdict), 100 * c->ratio);
	if (isnan(c->low))
		fputs(" (a time has no interval)", out);
	else
		paleo_print(out, " (95 %%: %+.1f to %+.1f %%)", 100 * c->low, 100 * c->high);
	paleo_print(out, ", from %.*f to %.*f %s%s\n", paleo_decimals(a, 3, 3), a,
		    paleo_decimals(b, 3, 3), b, unit, v->joined->is_per_image ? " an image" : "");
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
	paleo_print(out, "%d different ops: %d SLOWER, %d FASTER, %d SAME within %g %%, %d UNCLEAR",
		    j->item_count, counts[PALEO_SLOWER], counts[PALEO_FASTER], counts[PALEO_SAME],
		    100 * v->how.same, counts[PALEO_UNCLEAR]);
	if (known) {
		paleo_sort(halves, known);
		paleo_print(out, "; median uncertainty of an op's change: +-%.1f %%",
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

/* The energy of a row on both sides, of an image where times are of one; 0: one is not known. */
static int find_energy(const struct compare_view *v, const struct compare_pair *p, double *a_j,
		       double *b_j)
{
	const struct compare_row *a = &v->a->rows[p->a], *b = &v->b->rows[p->b];

	*a_j = v->a->ops[a->op].energy_j / (v->joined->is_per_image ? a->batch : 1);
	*b_j = v->b->ops[b->op].energy_j / (v->joined->is_per_image ? b->batch : 1);
	return *a_j > 0 && *b_j > 0;
}

void compare_print_energy(const struct compare_view *v, int from, int to, FILE *out)
{
	double sum_a = 0, sum_b = 0, a_j, b_j;

	for (int i = from; i < to; i++) {
		if (!find_energy(v, &v->joined->pairs[i], &a_j, &b_j))
			return;
		sum_a += a_j;
		sum_b += b_j;
	}
	paleo_print(out, "  energy: %+.1f %%, from %.3g to %.3g J%s\n", 100 * (sum_b / sum_a - 1),
		    sum_a, sum_b, v->joined->is_per_image ? " an image" : "");
}

/* `run`: what differs between the runs. */
static int add_row(const struct compare_view *v, const struct compare_pair *p, const char *run,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct compare_row *row = &v->a->rows[p->a], *row_b = &v->b->rows[p->b];
	const struct compare_op *a = &v->a->ops[row->op], *b = &v->b->ops[row_b->op];
	const struct paleo_compared *c = &v->joined->items[p->item];
	const struct paleo_change *change = &c->change;
	double parts_s[COMPARE_CAUSES], a_j, b_j;
	char why[COMPARE_WHY_MAX];
	const int is_known = find_energy(v, p, &a_j, &b_j);

	compare_why(v, p, why);
	compare_divide(v, p, parts_s);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

int compare_print_rows(const struct compare_view *v, FILE *out, struct paleo_error *err)
{
	const struct compare_joined *j = v->joined;
	size_t bytes = (size_t)j->pair_count * sizeof(*j->pairs);
	struct compare_pair *order = malloc(bytes + 1);
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	char run[COMPARE_WHY_MAX];
	int shown = v->top && v->top < j->pair_count ? v->top : j->pair_count, rc = PALEO_OK;

	if (!order || !t) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
		goto out;
	}
	memcpy(order, j->pairs, bytes);
	if (!paleo_table_is_data(v->format))
		qsort_r(order, (size_t)j->pair_count, sizeof(*order), by_weight,
			&(struct weighed){j});
	compare_run_why(v, run);
	for (int i = 0; !rc && i < shown; i++)
		rc = add_row(v, &order[i], run, t, err);
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
