/* validation_print.c - prints what a validation found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/validation_print.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/text.h"
#include "tools/verdict.h"

/* What is printed, how, and where. */
struct printing {
	const struct paleo_validation *v;
	const struct view *view;
	enum paleo_table_format format;
	FILE *out;
};

enum {
	COL_WHAT,
	COL_BY,
	COL_NAME,
	COL_PASS,
	COL_BATCH,
	COL_DTYPE,
	COL_COUNT,
	COL_MISSING,
	COL_SEEN,
	COL_FITTED,
	COL_MEDIAN,
	COL_BEFORE,
	COL_MEAN,
	COL_P90,
	COL_BIAS,
	COL_SUM,
	COL_COVERAGE,
	COL_COVERAGE50,
	COL_WIDTH,
	COL_PALEO_MEDIAN,
	COL_PALEO_MEAN,
	COL_PREDICTED_FWD,
	COL_MEASURED_FWD,
	COL_ERROR_FWD,
	COL_BEFORE_FWD,
	COL_PREDICTED,
	COL_MEASURED,
	COL_ERROR,
	COL_BEFORE_ERROR,
	COL_PALEO_ERROR,
	COL_LOW,
	COL_HIGH,
	COL_LOW50,
	COL_HIGH50,
	COL_LACKING,
	COL_KNOWN,
	COL_WITHIN,
	COLUMNS
};

#define TEXT(t, of)                                                                                \
	{                                                                                          \
		.title = (t), .type = (of), .text_only = 1                                         \
	}

/* As text, no line of usual names is over 150 columns. */
static const struct paleo_column columns[COLUMNS] = {
	[COL_WHAT] = {.name = "what", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_BY] = PALEO_COLUMN_TEXT("by", "by"),
	[COL_NAME] = PALEO_COLUMN_TEXT("name", "judged"),
	[COL_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[COL_BATCH] = PALEO_COLUMN_NUMBER("batch", "batch", 1, 0),
	[COL_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[COL_COUNT] = PALEO_COLUMN_NUMBER("count", "rows", 1, 0),
	[COL_MISSING] = PALEO_COLUMN_DATA("missing"),
	[COL_SEEN] = PALEO_COLUMN_DATA("seen"),
	[COL_FITTED] = PALEO_COLUMN_DATA("fitted"),
	[COL_LACKING] = TEXT("not measured", PALEO_CELL_NUMBER),
	[COL_KNOWN] = TEXT("seen", PALEO_CELL_NUMBER),
	[COL_MEDIAN] = PALEO_COLUMN_NUMBER("median", "median %", 100, 1),
	[COL_BEFORE] = PALEO_COLUMN_NUMBER("before_median", "before %", 100, 1),
	[COL_MEAN] = PALEO_COLUMN_NUMBER("mean", "mean %", 100, 1),
	[COL_P90] = PALEO_COLUMN_NUMBER("p90", "p90 %", 100, 1),
	[COL_BIAS] = PALEO_COLUMN_NUMBER("bias", "bias %", 100, 1),
	[COL_SUM] = PALEO_COLUMN_NUMBER("sum", "sum %", 100, 1),
	[COL_COVERAGE] = PALEO_COLUMN_NUMBER("coverage", "in 90 %", 100, 1),
	[COL_COVERAGE50] = PALEO_COLUMN_NUMBER("coverage50", "in 50 %", 100, 1),
	[COL_WIDTH] = PALEO_COLUMN_NUMBER("width", "width %", 100, 0),
	[COL_PALEO_MEDIAN] = PALEO_COLUMN_NUMBER("paleo_median", "PALEO %", 100, 1),
	[COL_PALEO_MEAN] = PALEO_COLUMN_DATA("paleo_mean"),
	[COL_PREDICTED_FWD] = PALEO_COLUMN_TIME("predicted_fwd_s", "fwd"),
	[COL_MEASURED_FWD] = PALEO_COLUMN_TIME("measured_fwd_s", "measured"),
	[COL_ERROR_FWD] = PALEO_COLUMN_NUMBER("error_fwd", "error %", 100, 1),
	[COL_BEFORE_FWD] = PALEO_COLUMN_NUMBER("before_error_fwd", "before %", 100, 1),
	[COL_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "fwd+bwd"),
	[COL_MEASURED] = PALEO_COLUMN_TIME("measured_s", "measured"),
	[COL_ERROR] = PALEO_COLUMN_NUMBER("error", "error %", 100, 1),
	[COL_BEFORE_ERROR] = PALEO_COLUMN_NUMBER("before_error", "before %", 100, 1),
	[COL_PALEO_ERROR] = PALEO_COLUMN_NUMBER("paleo_error", "PALEO %", 100, 1),
	[COL_WITHIN] = TEXT("within", PALEO_CELL_STRING),
	[COL_LOW] = PALEO_COLUMN_DATA("low_s"),
	[COL_HIGH] = PALEO_COLUMN_DATA("high_s"),
	[COL_LOW50] = PALEO_COLUMN_DATA("low50_s"),
	[COL_HIGH50] = PALEO_COLUMN_DATA("high50_s"),
};

static void clear(struct paleo_cell cells[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
}

static void put_errors(const struct paleo_errors *e, struct paleo_cell cells[COLUMNS])
{
	cells[COL_COUNT].number = e->count;
	cells[COL_MEDIAN].number = e->median;
	cells[COL_BEFORE].number = e->before;
	cells[COL_MEAN].number = e->mean;
	cells[COL_P90].number = e->p90;
	cells[COL_BIAS].number = e->bias;
	cells[COL_SUM].number = e->sum;
	cells[COL_COVERAGE].number = e->coverage;
	cells[COL_COVERAGE50].number = e->coverage50;
	cells[COL_WIDTH].number = e->width;
}

static void put_paleo(const struct paleo_errors *e, struct paleo_cell cells[COLUMNS])
{
	cells[COL_PALEO_MEDIAN].number = e->median;
	cells[COL_PALEO_MEAN].number = e->mean;
}

static int add_group(struct paleo_table *t, const struct paleo_validated_group *g,
		     struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS];

	clear(cells);
	cells[COL_WHAT].text = "class";
	cells[COL_NAME].text = g->class_name;
	cells[COL_PASS].text = paleo_pass_name(g->pass);
	cells[COL_DTYPE].text = paleo_dtype_name(g->dtype);
	put_errors(&g->errors, cells);
	put_paleo(&g->paleo, cells);
	return paleo_table_add(t, cells, err);
}

static int add_slice(struct paleo_table *t, const struct paleo_validated_slice *s,
		     struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS];

	clear(cells);
	cells[COL_WHAT].text = s->by;
	cells[COL_BY].text = s->by;
	cells[COL_NAME].text = s->name;
	put_errors(&s->errors, cells);
	put_paleo(&s->paleo, cells);
	return paleo_table_add(t, cells, err);
}

static int add_all(struct paleo_table *t, const struct paleo_validation *v, struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS];

	clear(cells);
	cells[COL_WHAT].text = "all";
	cells[COL_NAME].text = "all";
	put_errors(&v->all, cells);
	put_paleo(&v->all_paleo, cells);
	int rc = paleo_table_rule(t, err);
	return rc ? rc : paleo_table_add(t, cells, err);
}

static double if_any(int count)
{
	return count > 0 ? count : (double)NAN;
}

/* 1: there is a sum to judge. */
static int is_judged(const struct paleo_validated_net *n)
{
	return n->measured_s > 0;
}

/* The narrowest of its intervals that holds what was measured; NULL where it has none. */
static const char *within(const struct paleo_validated_net *n)
{
	if (!is_judged(n) || !(n->interval.low50 <= n->interval.high50) || !n->fitted)
		return NULL;
	if (n->interval.low50 <= n->measured_s && n->measured_s <= n->interval.high50)
		return "50 %";
	return n->interval.low <= n->measured_s && n->measured_s <= n->interval.high ? "90 %"
										     : "neither";
}

static void put_sums(const struct paleo_validated_net *n, struct paleo_cell cells[COLUMNS])
{
	cells[COL_PREDICTED_FWD].number = n->predicted_fwd_s;
	cells[COL_MEASURED_FWD].number = n->measured_fwd_s;
	cells[COL_ERROR_FWD].number = n->predicted_fwd_s / n->measured_fwd_s - 1;
	if (!isnan(n->errors.before)) {
		cells[COL_BEFORE_FWD].number = n->before_fwd_s / n->measured_fwd_s - 1;
		cells[COL_BEFORE_ERROR].number = n->before_s / n->measured_s - 1;
	}
	cells[COL_PREDICTED].number = n->predicted_s;
	cells[COL_MEASURED].number = n->measured_s;
	cells[COL_ERROR].number = n->predicted_s / n->measured_s - 1;
	cells[COL_PALEO_ERROR].number = n->paleo_s / n->measured_s - 1;
	cells[COL_LOW].number = n->interval.low;
	cells[COL_HIGH].number = n->interval.high;
	cells[COL_LOW50].number = n->interval.low50;
	cells[COL_HIGH50].number = n->interval.high50;
}

static int add_net(struct paleo_table *t, const struct paleo_validated_net *n,
		   struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS];

	clear(cells);
	cells[COL_WHAT].text = "net";
	cells[COL_NAME].text = n->net;
	cells[COL_BATCH].number = n->batch;
	cells[COL_DTYPE].text = paleo_dtype_name(n->dtype);
	put_errors(&n->errors, cells);
	cells[COL_COUNT].number = n->rows - n->missing;
	cells[COL_MISSING].number = n->missing;
	cells[COL_SEEN].number = n->seen;
	cells[COL_FITTED].number = n->fitted;
	cells[COL_LACKING].number = if_any(n->missing);
	cells[COL_KNOWN].number = if_any(n->seen);
	cells[COL_WITHIN].text = within(n);
	if (is_judged(n))
		put_sums(n, cells);
	return paleo_table_add(t, cells, err);
}

/* One of the lists of a validation. */
struct part {
	size_t count; /* where its length stands in a struct paleo_validation */
	struct view_row (*view)(const struct paleo_validation *v, int i);
	int (*add)(struct paleo_table *t, const struct paleo_validation *v, int i,
		   struct paleo_error *err);
	int has_sum; /* 1: all of it together below */
};

static struct view_row view_of(const char *name, const struct paleo_errors *e, int i)
{
	return (struct view_row){name, e->count, e->median, i, 0};
}

static struct view_row view_group(const struct paleo_validation *v, int i)
{
	return view_of(v->groups[i].class_name, &v->groups[i].errors, i);
}

static int add_group_at(struct paleo_table *t, const struct paleo_validation *v, int i,
			struct paleo_error *err)
{
	return add_group(t, &v->groups[i], err);
}

static struct view_row view_slice(const struct paleo_validation *v, int i)
{
	return view_of(v->slices[i].name, &v->slices[i].errors, i);
}

static int add_slice_at(struct paleo_table *t, const struct paleo_validation *v, int i,
			struct paleo_error *err)
{
	return add_slice(t, &v->slices[i], err);
}

static struct view_row view_few(const struct paleo_validation *v, int i)
{
	return view_of(v->few[i].name, &v->few[i].errors, i);
}

static int add_few_at(struct paleo_table *t, const struct paleo_validation *v, int i,
		      struct paleo_error *err)
{
	return add_slice(t, &v->few[i], err);
}

static struct view_row view_net(const struct paleo_validation *v, int i)
{
	const struct paleo_validated_net *n = &v->nets[i];

	return (struct view_row){n->net, n->rows - n->missing, n->predicted_s / n->measured_s - 1,
				 i, 0};
}

static int add_net_at(struct paleo_table *t, const struct paleo_validation *v, int i,
		      struct paleo_error *err)
{
	return add_net(t, &v->nets[i], err);
}

#define AT(field) offsetof(struct paleo_validation, field)
static const struct part groups = {AT(group_count), view_group, add_group_at, 1};
static const struct part slices = {AT(slice_count), view_slice, add_slice_at, 0};
static const struct part few = {AT(few_count), view_few, add_few_at, 0};
static const struct part nets = {AT(net_count), view_net, add_net_at, 0};

/* The rows of a part that are wanted; how many were left out goes to *left. */
static int add_part(struct paleo_table *t, const struct printing *p, const struct part *part,
		    int *left, struct paleo_error *err)
{
	int count = *(const int *)(const void *)((const char *)p->v + part->count), rc = PALEO_OK;
	struct view_row *order = malloc(((size_t)count + 1) * sizeof(*order));

	if (!order)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; i < count; i++)
		order[i] = part->view(p->v, i);
	int wanted = view_choose(p->view, paleo_table_is_data(p->format), order, count);
	for (int i = 0; !rc && i < wanted; i++)
		rc = part->add(t, p->v, order[i].at, err);
	free(order);
	*left = count - wanted;
	return rc || !part->has_sum ? rc : add_all(t, p->v, err);
}

/* A table of some parts, one after the other. */
static int print_parts(const struct printing *p, const struct paleo_column *shown,
		       const struct part *const *parts, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(shown, COLUMNS);
	int rc = PALEO_OK, left = 0;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (; !rc && *parts; parts++)
		rc = add_part(t, p, *parts, &left, err);
	if (!rc)
		rc = paleo_table_print(t, p->format, p->out, err);
	paleo_table_free(t);
	if (!rc && left && !paleo_table_is_data(p->format))
		paleo_print(p->out, "%d more (--all)\n", left);
	return rc;
}

/* The answer in three lines: single works, and how many nets were within the intervals of their
 * sums. */
static void tell_sums(const struct paleo_validation *v, FILE *out)
{
	int judged = 0, in90 = 0, in50 = 0;

	paleo_print(out,
		    "%d work%s: median error %.1f %%, mean %.1f %%, nine of ten within %.1f %%",
		    v->all.count, v->all.count == 1 ? "" : "s", 100 * v->all.median,
		    100 * v->all.mean, 100 * v->all.p90);
	if (!isnan(v->all_paleo.median))
		paleo_print(out, "; PALEO's law: median %.1f %%", 100 * v->all_paleo.median);
	fputc('\n', out);
	for (int i = 0; i < v->net_count; i++) {
		const char *interval = within(&v->nets[i]);
		if (!interval)
			continue;
		judged++;
		in50 += interval[0] == '5';
		in90 += interval[0] != 'n';
	}
	if (judged)
		paleo_print(out,
			    "nets within the 90 %% interval of their sum: %d of %d; within the "
			    "50 %% one: %d\n",
			    in90, judged, in50);
}

/* Nets without a sum, and why. */
static void tell_unjudged(const struct paleo_validation *v, FILE *out)
{
	for (int i = 0; i < v->net_count; i++)
		if (!is_judged(&v->nets[i]))
			paleo_print(out, "not judged: %s, batch %d: %s\n", v->nets[i].net,
				    v->nets[i].batch,
				    isnan(v->nets[i].measured_s)
					    ? "all records are of its own works"
					    : "nothing of its forward and backward was measured");
}

/* Of a net's rows the median alone is shown, beside the sums. */
static int print_nets(const struct printing *p, struct paleo_error *err)
{
	static const struct part *const list[] = {&nets, NULL};
	struct paleo_column shown[COLUMNS];

	if (!p->v->net_count)
		return PALEO_OK;
	memcpy(shown, columns, sizeof(shown));
	for (int i = COL_MEAN; i <= COL_WIDTH; i++)
		shown[i].data_only = 1;
	fputs("\nwhole nets: sums of the rows that were measured, predicted beside measured, and "
	      "the interval of forward\nand backward that holds what was measured\n",
	      p->out);
	int rc = print_parts(p, shown, list, err);
	if (!rc)
		tell_unjudged(p->v, p->out);
	return rc;
}

/* The tables for people. */
static int print_rows(const struct printing *p, struct paleo_error *err)
{
	static const struct part *const works[] = {&groups, NULL}, *const alike[] = {&slices, NULL},
					*const new_ones[] = {&few, NULL};
	int rc = print_nets(p, err);

	if (rc)
		return rc;
	fputs("\nworks", p->out);
	if (!isnan(p->v->all.before))
		fputs(", each as predicted for the speed seen beside it; before %: as before it is "
		      "measured, for the calibration's speed",
		      p->out);
	fputc('\n', p->out);
	rc = print_parts(p, columns, works, err);
	if (!rc && p->v->slice_count) {
		fputs("\nthe same works by what they have in common\n", p->out);
		rc = print_parts(p, columns, alike, err);
	}
	if (!rc && p->v->few_count) {
		fputs("\nthe same works if this GPU were new: by so many measurements of each "
		      "class, pass and type, beside presets of other chips\n",
		      p->out);
		rc = print_parts(p, columns, new_ones, err);
	}
	return rc;
}

int validation_print(const struct paleo_validation *v, const struct view *view,
		     enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	static const struct part *const all[] = {&groups, &slices, &few, &nets, NULL};
	const struct printing p = {v, view, format, out};
	int is_data = paleo_table_is_data(format);
	FILE *notes = is_data ? stderr : out;

	tell_sums(v, notes);
	int rc = verdict_of_validation(v, notes, err);
	if (!rc && is_data)
		return print_parts(&p, columns, all, err);
	return rc || view->quiet ? rc : print_rows(&p, err);
}

void validation_note(const struct paleo_validation *v, const char *calibration, FILE *out)
{
	if (!calibration)
		fputs("each work predicted by a fit that has not seen its shape, each net by one "
		      "that has seen none of its works\n",
		      out);
	else if (!v->seen_known)
		paleo_print(
			out,
			"judged: %s, which does not say what it was fitted to: it may have seen "
			"these records\n",
			calibration);
	else
		paleo_print(out, "judged: %s, which was fitted to %d of these records\n",
			    calibration, v->seen);
}
