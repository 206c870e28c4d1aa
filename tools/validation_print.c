/* validation_print.c - prints what a validation found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/validation_print.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

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

#define NUMBER(n, t, s, d)                                                                         \
	{                                                                                          \
		.name = (n), .title = (t), .type = PALEO_CELL_NUMBER, .scale = (s),                \
		.decimals = (d)                                                                    \
	}
#define STRING(n, t)                                                                               \
	{                                                                                          \
		.name = (n), .title = (t), .type = PALEO_CELL_STRING                               \
	}

/* Not in text, and nowhere else. */
#define DATA(n)                                                                                    \
	{                                                                                          \
		.name = (n), .type = PALEO_CELL_NUMBER, .data_only = 1                             \
	}
#define TEXT(t, of)                                                                                \
	{                                                                                          \
		.title = (t), .type = (of), .text_only = 1                                         \
	}

/* As text, no line of usual names is over 150 columns. */
static const struct paleo_column columns[COLUMNS] = {
	[COL_WHAT] = {.name = "what", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_BY] = STRING("by", "by"),
	[COL_NAME] = STRING("name", "judged"),
	[COL_PASS] = STRING("pass", "pass"),
	[COL_BATCH] = NUMBER("batch", "batch", 1, 0),
	[COL_DTYPE] = STRING("dtype", "type"),
	[COL_COUNT] = NUMBER("count", "rows", 1, 0),
	[COL_MISSING] = DATA("missing"),
	[COL_SEEN] = DATA("seen"),
	[COL_FITTED] = DATA("fitted"),
	[COL_LACKING] = TEXT("not measured", PALEO_CELL_NUMBER),
	[COL_KNOWN] = TEXT("seen", PALEO_CELL_NUMBER),
	[COL_MEDIAN] = NUMBER("median", "median %", 100, 1),
	[COL_BEFORE] = NUMBER("before_median", "before %", 100, 1),
	[COL_MEAN] = NUMBER("mean", "mean %", 100, 1),
	[COL_P90] = NUMBER("p90", "p90 %", 100, 1),
	[COL_BIAS] = NUMBER("bias", "bias %", 100, 1),
	[COL_SUM] = NUMBER("sum", "sum %", 100, 1),
	[COL_COVERAGE] = NUMBER("coverage", "in 90 %", 100, 1),
	[COL_COVERAGE50] = NUMBER("coverage50", "in 50 %", 100, 1),
	[COL_WIDTH] = NUMBER("width", "width %", 100, 0),
	[COL_PALEO_MEDIAN] = NUMBER("paleo_median", "PALEO %", 100, 1),
	[COL_PALEO_MEAN] = DATA("paleo_mean"),
	[COL_PREDICTED_FWD] = NUMBER("predicted_fwd_s", "fwd ms", 1e3, 2),
	[COL_MEASURED_FWD] = NUMBER("measured_fwd_s", "measured", 1e3, 2),
	[COL_ERROR_FWD] = NUMBER("error_fwd", "error %", 100, 1),
	[COL_BEFORE_FWD] = NUMBER("before_error_fwd", "before %", 100, 1),
	[COL_PREDICTED] = NUMBER("predicted_s", "fwd+bwd ms", 1e3, 2),
	[COL_MEASURED] = NUMBER("measured_s", "measured", 1e3, 2),
	[COL_ERROR] = NUMBER("error", "error %", 100, 1),
	[COL_BEFORE_ERROR] = NUMBER("before_error", "before %", 100, 1),
	[COL_PALEO_ERROR] = NUMBER("paleo_error", "PALEO %", 100, 1),
	[COL_WITHIN] = TEXT("within", PALEO_CELL_STRING),
	[COL_LOW] = DATA("low_s"),
	[COL_HIGH] = DATA("high_s"),
	[COL_LOW50] = DATA("low50_s"),
	[COL_HIGH50] = DATA("high50_s"),
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

static int add_each(struct paleo_table *t, const struct paleo_validated_slice *slices, int count,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_validated_slice *s = &slices[i];
		struct paleo_cell cells[COLUMNS];
		clear(cells);
		cells[COL_WHAT].text = s->by;
		cells[COL_BY].text = s->by;
		cells[COL_NAME].text = s->name;
		put_errors(&s->errors, cells);
		put_paleo(&s->paleo, cells);
		rc = paleo_table_add(t, cells, err);
	}
	return rc;
}

static int add_slices(struct paleo_table *t, const struct paleo_validation *v,
		      struct paleo_error *err)
{
	return add_each(t, v->slices, v->slice_count, err);
}

static int add_few(struct paleo_table *t, const struct paleo_validation *v, struct paleo_error *err)
{
	return add_each(t, v->few, v->few_count, err);
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

static int add_groups(struct paleo_table *t, const struct paleo_validation *v,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < v->group_count; i++)
		rc = add_group(t, &v->groups[i], err);
	return rc ? rc : add_all(t, v, err);
}

static int add_nets(struct paleo_table *t, const struct paleo_validation *v,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < v->net_count; i++)
		rc = add_net(t, &v->nets[i], err);
	return rc;
}

static int add_everything(struct paleo_table *t, const struct paleo_validation *v,
			  struct paleo_error *err)
{
	int rc = add_groups(t, v, err);

	if (!rc)
		rc = add_slices(t, v, err);
	if (!rc)
		rc = add_few(t, v, err);
	return rc ? rc : add_nets(t, v, err);
}

static int print_table(const struct paleo_validation *v, const struct paleo_column *shown,
		       int (*add)(struct paleo_table *, const struct paleo_validation *,
				  struct paleo_error *),
		       enum paleo_table_format format, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(shown, COLUMNS);

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	int rc = add(t, v, err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}

/* How many nets were within the intervals of their sums. */
static void tell_coverage(const struct paleo_validation *v, FILE *out)
{
	int nets = 0, in90 = 0, in50 = 0;

	for (int i = 0; i < v->net_count; i++) {
		const char *interval = within(&v->nets[i]);
		if (!is_judged(&v->nets[i]))
			paleo_print(out, "not judged: %s, batch %d: %s\n", v->nets[i].net,
				    v->nets[i].batch,
				    isnan(v->nets[i].measured_s)
					    ? "all records are of its own works"
					    : "nothing of its forward and backward was measured");
		if (!interval)
			continue;
		nets++;
		in50 += interval[0] == '5';
		in90 += interval[0] != 'n';
	}
	if (nets)
		paleo_print(
			out,
			"within their 90 %% interval: %d of %d nets; within the 50 %% one: %d\n",
			in90, nets, in50);
}

/* Of a net's rows the median alone is shown, beside the sums. */
static int print_nets(const struct paleo_validation *v, enum paleo_table_format format, FILE *out,
		      struct paleo_error *err)
{
	struct paleo_column shown[COLUMNS];

	memcpy(shown, columns, sizeof(shown));
	for (int i = COL_MEAN; i <= COL_WIDTH; i++)
		shown[i].data_only = 1;
	fputs("\nwhole nets: sums of the rows that were measured, predicted beside measured, and "
	      "the interval of forward\nand backward that holds what was measured\n",
	      out);
	int rc = print_table(v, shown, add_nets, format, out, err);
	if (!rc)
		tell_coverage(v, out);
	return rc;
}

int validation_print(const struct paleo_validation *v, enum paleo_table_format format, FILE *out,
		     struct paleo_error *err)
{
	if (paleo_table_is_data(format))
		return print_table(v, columns, add_everything, format, out, err);
	if (!isnan(v->all.before))
		fputs("each work as predicted for the speed seen beside it; before %: as before "
		      "it is measured, for the calibration's speed\n",
		      out);
	fputs("\nworks\n", out);
	int rc = print_table(v, columns, add_groups, format, out, err);
	if (!rc && v->slice_count) {
		fputs("\nthe same works by what they have in common\n", out);
		rc = print_table(v, columns, add_slices, format, out, err);
	}
	if (!rc && v->few_count) {
		fputs("\nthe same works if this GPU were new: by so many measurements of each "
		      "class, "
		      "pass and type, beside presets of other chips\n",
		      out);
		rc = print_table(v, columns, add_few, format, out, err);
	}
	return rc || !v->net_count ? rc : print_nets(v, format, out, err);
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
