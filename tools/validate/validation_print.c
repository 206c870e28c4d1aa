/* validation_print.c - prints what a validation found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/validate/validation_print.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/print/print.h"

/* Contents, format and destination of the output. */
struct printing {
	const struct paleo_validation *v;
	const struct view *view;
	enum paleo_table_format format;
	FILE *out;
};

/* A row: of a class, a slice or all ops; where there is `net`, of a network. Borrows all. */
struct row {
	const char *what, *by, *name, *pass, *dtype;
	const struct paleo_errors *errors, *paleo; /* `paleo` NULL: of a network */
	const struct paleo_validated_net *net;
};

/* As text, no line of usual names is over 150 columns. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("what"), .text = r->what)                                         \
	X(PALEO_COLUMN_TEXT("by", "by"), .text = r->by)                                            \
	X(PALEO_COLUMN_TEXT("name", "judged"), .text = r->name)                                    \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = r->pass)                                      \
	X(PALEO_COLUMN_NUMBER("batch", "batch", 1, 0), .number = n ? n->batch : (double)NAN)       \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = r->dtype)                                    \
	X(PALEO_COLUMN_NUMBER("count", "rows", 1, 0), .number = count_of(r))                       \
	X(PALEO_COLUMN_DATA("missing"), .number = n ? n->missing : (double)NAN)                    \
	X(PALEO_COLUMN_DATA("seen"), .number = n ? n->seen : (double)NAN)                          \
	X(PALEO_COLUMN_DATA("fitted"), .number = n ? n->fitted : (double)NAN)                      \
	X(PALEO_COLUMN_NUMBER("median", "median %", 100, 1), .number = e->median)                  \
	X(PALEO_COLUMN_NUMBER("before_median", "before %", 100, 1), .number = e->before)           \
	X(PALEO_COLUMN_NUMBER("mean", "mean %", 100, 1), .number = all ? e->mean : NAN)            \
	X(PALEO_COLUMN_NUMBER("p90", "p90 %", 100, 1), .number = all ? e->p90 : NAN)               \
	X(PALEO_COLUMN_NUMBER("bias", "bias %", 100, 1), .number = all ? e->bias : NAN)            \
	X(PALEO_COLUMN_NUMBER("sum", "sum %", 100, 1), .number = all ? e->sum : NAN)               \
	X(PALEO_COLUMN_NUMBER("coverage", "in 90 %", 100, 1), .number = all ? e->coverage : NAN)   \
	X(PALEO_COLUMN_NUMBER("coverage50", "in 50 %", 100, 1),                                    \
	  .number = all ? e->coverage50 : NAN)                                                     \
	X(PALEO_COLUMN_NUMBER("width", "width %", 100, 0), .number = all ? e->width : NAN)         \
	X(PALEO_COLUMN_NUMBER("paleo_median", "PALEO %", 100, 1),                                  \
	  .number = r->paleo ? r->paleo->median : NAN)                                             \
	X(PALEO_COLUMN_DATA("paleo_mean"), .number = r->paleo ? r->paleo->mean : NAN)              \
	X(PALEO_COLUMN_TIME("predicted_fwd_s", "fwd"), .number = sums->predicted_fwd_s)            \
	X(PALEO_COLUMN_TIME("measured_fwd_s", "measured"), .number = sums->measured_fwd_s)         \
	X(PALEO_COLUMN_NUMBER("error_fwd", "error %", 100, 1),                                     \
	  .number = sums->predicted_fwd_s / sums->measured_fwd_s - 1)                              \
	X(PALEO_COLUMN_NUMBER("before_error_fwd", "before %", 100, 1),                             \
	  .number = isnan(e->before) ? NAN : sums->before_fwd_s / sums->measured_fwd_s - 1)        \
	X(PALEO_COLUMN_TIME("predicted_s", "fwd+bwd"), .number = sums->predicted_s)                \
	X(PALEO_COLUMN_TIME("measured_s", "measured"), .number = sums->measured_s)                 \
	X(PALEO_COLUMN_NUMBER("error", "error %", 100, 1),                                         \
	  .number = sums->predicted_s / sums->measured_s - 1)                                      \
	X(PALEO_COLUMN_NUMBER("before_error", "before %", 100, 1),                                 \
	  .number = isnan(e->before) ? NAN : sums->before_s / sums->measured_s - 1)                \
	X(PALEO_COLUMN_NUMBER("paleo_error", "PALEO %", 100, 1),                                   \
	  .number = sums->paleo_s / sums->measured_s - 1)                                          \
	X(PALEO_COLUMN_DATA("low_s"), .number = sums->interval.low)                                \
	X(PALEO_COLUMN_DATA("high_s"), .number = sums->interval.high)                              \
	X(PALEO_COLUMN_DATA("low50_s"), .number = sums->interval.low50)                            \
	X(PALEO_COLUMN_DATA("high50_s"), .number = sums->interval.high50)                          \
	X(PALEO_COLUMN_SHOWN_NUMBER("not measured", 1, 0), .number = n ? if_any(n->missing) : NAN) \
	X(PALEO_COLUMN_SHOWN_NUMBER("seen", 1, 0), .number = n ? if_any(n->seen) : NAN)            \
	X(PALEO_COLUMN_SHOWN_TEXT("within"), .text = n ? within(n) : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

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

static int count_of(const struct row *r)
{
	return r->net ? r->net->rows - r->net->missing : r->errors->count;
}

/* Of a network people see the median error alone, next to its sums. */
static int add_row(struct paleo_table *t, const struct row *r, enum paleo_table_format format,
		   struct paleo_error *err)
{
	const struct paleo_validated_net unknown = {
		.predicted_fwd_s = NAN,
		.measured_fwd_s = NAN,
		.predicted_s = NAN,
		.measured_s = NAN,
		.before_fwd_s = NAN,
		.before_s = NAN,
		.paleo_s = NAN,
		.interval = PALEO_NO_INTERVAL,
	};
	const struct paleo_errors *e = r->errors;
	const struct paleo_validated_net *n = r->net, *sums = n && is_judged(n) ? n : &unknown;
	const int all = !n || paleo_table_is_data(format);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* One of the lists of a validation. */
struct part {
	size_t count; /* where its length stands in a struct paleo_validation */
	struct row (*row)(const struct paleo_validation *v, int i);
	int has_sum; /* 1: all of it together below */
};

static struct view_row view_of(const struct row *r, int i)
{
	const struct paleo_validated_net *n = r->net;

	return (struct view_row){r->name, count_of(r),
				 n ? n->predicted_s / n->measured_s - 1 : r->errors->median, i, 0};
}

static struct row group_row(const struct paleo_validation *v, int i)
{
	const struct paleo_validated_group *g = &v->groups[i];

	return (struct row){.what = "class",
			    .name = g->class_name,
			    .pass = paleo_pass_name(g->pass),
			    .dtype = paleo_dtype_name(g->dtype),
			    .errors = &g->errors,
			    .paleo = &g->paleo};
}

static struct row of_slice(const struct paleo_validated_slice *s)
{
	return (struct row){.what = s->by,
			    .by = s->by,
			    .name = s->name,
			    .errors = &s->errors,
			    .paleo = &s->paleo};
}

static struct row slice_row(const struct paleo_validation *v, int i)
{
	return of_slice(&v->slices[i]);
}

static struct row few_row(const struct paleo_validation *v, int i)
{
	return of_slice(&v->few[i]);
}

static struct row net_row(const struct paleo_validation *v, int i)
{
	const struct paleo_validated_net *n = &v->nets[i];

	return (struct row){.what = "net",
			    .name = n->net,
			    .dtype = paleo_dtype_name(n->dtype),
			    .errors = &n->errors,
			    .net = n};
}

static int add_all(struct paleo_table *t, const struct printing *p, struct paleo_error *err)
{
	const struct row all = {
		.what = "all", .name = "all", .errors = &p->v->all, .paleo = &p->v->all_paleo};
	int rc = paleo_table_rule(t, err);

	return rc ? rc : add_row(t, &all, p->format, err);
}

#define AT(field) offsetof(struct paleo_validation, field)
static const struct part groups = {AT(group_count), group_row, 1};
static const struct part slices = {AT(slice_count), slice_row, 0};
static const struct part few = {AT(few_count), few_row, 0};
static const struct part nets = {AT(net_count), net_row, 0};

/* The rows of a part that are wanted; how many were left out goes to *left. */
static int add_part(struct paleo_table *t, const struct printing *p, const struct part *part,
		    int *left, struct paleo_error *err)
{
	int count = *(const int *)(const void *)((const char *)p->v + part->count), rc = PALEO_OK;
	struct view_row *order = malloc(((size_t)count + 1) * sizeof(*order));

	if (!order)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; i < count; i++) {
		const struct row r = part->row(p->v, i);
		order[i] = view_of(&r, i);
	}
	int wanted = view_choose(p->view, paleo_table_is_data(p->format), order, count);
	for (int i = 0; !rc && i < wanted; i++) {
		const struct row r = part->row(p->v, order[i].at);
		rc = add_row(t, &r, p->format, err);
	}
	free(order);
	*left = count - wanted;
	return rc || !part->has_sum ? rc : add_all(t, p, err);
}

/* A table of some parts, one after the other. */
static int print_parts(const struct printing *p, const struct part *const *parts,
		       struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
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

/* The answer in three lines: single ops, and how many nets were within the intervals of their
 * sums. */
static void tell_sums(const struct paleo_validation *v, FILE *out)
{
	int judged = 0, in90 = 0, in50 = 0;

	paleo_print(out, "%d op%s: median error %.1f %%, mean %.1f %%, p90 %.1f %%", v->all.count,
		    v->all.count == 1 ? "" : "s", 100 * v->all.median, 100 * v->all.mean,
		    100 * v->all.p90);
	if (!isnan(v->all_paleo.median))
		paleo_print(out, "; PALEO's cost model: median %.1f %%", 100 * v->all_paleo.median);
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
			    "networks within the 90 %% interval of their total: %d of %d; within "
			    "the 50 %% interval: %d\n",
			    in90, judged, in50);
}

/* Nets without a sum, and why. */
static void tell_unjudged(const struct paleo_validation *v, FILE *out)
{
	for (int i = 0; i < v->net_count; i++)
		if (!is_judged(&v->nets[i]))
			paleo_print(
				out, "not validated: %s, batch %d: %s\n", v->nets[i].net,
				v->nets[i].batch,
				isnan(v->nets[i].measured_s)
					? "all records are its own ops"
					: "no op of its forward and backward pass was measured");
}

static int print_nets(const struct printing *p, struct paleo_error *err)
{
	static const struct part *const list[] = {&nets, NULL};

	if (!p->v->net_count)
		return PALEO_OK;
	fputs("\nWhole networks: totals of the measured rows, predicted and measured,"
	      " and whether the interval of forward\nand backward contains the "
	      "measured total\n",
	      p->out);
	PALEO_TRY(print_parts(p, list, err));
	tell_unjudged(p->v, p->out);
	return PALEO_OK;
}

/* The tables for people. */
static int print_rows(const struct printing *p, struct paleo_error *err)
{
	static const struct part *const ops[] = {&groups, NULL}, *const alike[] = {&slices, NULL},
					*const new_ones[] = {&few, NULL};

	PALEO_TRY(print_nets(p, err));
	fputs("\nOps", p->out);
	if (!isnan(p->v->all.before))
		fputs(", predicted at the machine speed probed with each; before %: at the "
		      "calibration's speed, as before measuring",
		      p->out);
	fputc('\n', p->out);
	PALEO_TRY(print_parts(p, ops, err));
	if (p->v->slice_count) {
		fputs("\nThe same ops by group\n", p->out);
		PALEO_TRY(print_parts(p, alike, err));
	}
	if (p->v->few_count) {
		fputs("\nThe same ops as if this GPU were new: by that many measurements of "
		      "each class, pass and dtype, plus presets of other chips\n",
		      p->out);
		PALEO_TRY(print_parts(p, new_ones, err));
	}
	return PALEO_OK;
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
		return print_parts(&p, all, err);
	return rc || view->quiet ? rc : print_rows(&p, err);
}

void validation_note(const struct paleo_validation *v, const char *calibration, FILE *out)
{
	if (!calibration)
		fputs("Cross-validated: each op by a fit without its shape, each network by a"
		      " fit without its ops\n",
		      out);
	else if (!v->seen_known)
		paleo_print(out,
			    "validated: %s (does not say which records it was fitted to; it may "
			    "have seen these)\n",
			    calibration);
	else
		paleo_print(out, "validated: %s, fitted to %d of these records\n", calibration,
			    v->seen);
}
