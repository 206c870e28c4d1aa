/* answers.c - two answers of `paleo algorithms`: which ops take another engine, what they cost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "library/source.h"
#include "tools/print/print.h"

/* What differs between two answers for an op, the most important first. */
enum difference {
	OTHER_ENGINE,
	OTHER_KNOBS,
	OTHER_WORKSPACE,
	NO_DIFFERENCE,
	DIFFERENCES
};

static const char *const difference_names[DIFFERENCES] = {"engine", "knobs", "workspace", "same"};

enum {
	WORDS_MAX = 128
};

/* An op of both; its times are those of all its layers, NaN: not known. */
struct row {
	const struct paleo_answer *a, *b;
	enum difference what;
	double a_s, b_s;
};

struct comparison {
	struct row *rows; /* in the order of A */
	int count, only_a, only_b;
	double a_s, b_s; /* sums of what both have a time of */
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("differs", "differs"), .text = difference_names[r->what])              \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = r->a->net)                                      \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = r->a->layer)                                \
	X(PALEO_COLUMN_WHOLE("layers", "layers"), .number = r->a->layers)                          \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(r->a->op.pass))               \
	X(PALEO_COLUMN_TEXT("dtype", "dtype"), .text = paleo_dtype_name(r->a->op.dtype))           \
	X(PALEO_COLUMN_SHOWN_TEXT("A runs"), .text = words_a)                                      \
	X(PALEO_COLUMN_SHOWN_TEXT("B runs"), .text = words_b)                                      \
	X(PALEO_COLUMN_DATA_TEXT("engine_a"), .text = engine_of(r->a))                             \
	X(PALEO_COLUMN_DATA_TEXT("engine_b"), .text = engine_of(r->b))                             \
	X(PALEO_COLUMN_DATA_TEXT("notes_a"), .text = if_any(r->a->first.notes))                    \
	X(PALEO_COLUMN_DATA_TEXT("notes_b"), .text = if_any(r->b->first.notes))                    \
	X(PALEO_COLUMN_DATA_TEXT("knobs_a"), .text = if_any(r->a->first.knobs))                    \
	X(PALEO_COLUMN_DATA_TEXT("knobs_b"), .text = if_any(r->b->first.knobs))                    \
	X(PALEO_COLUMN_DATA("workspace_bytes_a"), .number = r->a->first.workspace_bytes)           \
	X(PALEO_COLUMN_DATA("workspace_bytes_b"), .number = r->b->first.workspace_bytes)           \
	X(PALEO_COLUMN_PERCENT("share", "share %"), .number = r->a_s / c->a_s)                     \
	X(PALEO_COLUMN_TIME("predicted_a_s", "A"), .number = r->a_s)                               \
	X(PALEO_COLUMN_TIME("predicted_b_s", "B"), .number = r->b_s)                               \
	X(PALEO_COLUMN_PERCENT("change", "change %"), .number = r->b_s / r->a_s - 1)               \
	X(PALEO_COLUMN_DATA_TEXT("op"), .text = key)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static const char *if_any(const char *text)
{
	return text[0] ? text : NULL;
}

static const char *engine_of(const struct paleo_answer *a)
{
	return a->is_empty ? "none" : a->first.engine[0] ? a->first.engine : a->first.name;
}

static void tell(const struct paleo_answer *a, char words[WORDS_MAX])
{
	const struct paleo_algorithm_texts texts = {engine_of(a), a->first.engine, a->first.knobs,
						    a->first.notes};

	paleo_algorithm_words(&texts, 1, words, WORDS_MAX);
}

static enum difference differ(const struct paleo_answer *a, const struct paleo_answer *b)
{
	if (strcmp(engine_of(a), engine_of(b)) != 0)
		return OTHER_ENGINE;
	if (strcmp(a->first.knobs, b->first.knobs) != 0)
		return OTHER_KNOBS;
	return a->first.workspace_bytes == b->first.workspace_bytes ? NO_DIFFERENCE
								    : OTHER_WORKSPACE;
}

static const struct paleo_answer *find(const struct paleo_answer *list, int count,
				       const struct paleo_op *op)
{
	for (int i = 0; i < count; i++)
		if (paleo_op_equal(&list[i].op, op))
			return &list[i];
	return NULL;
}

static int join(const struct paleo_chosen *a, const struct paleo_chosen *b, struct comparison *c,
		struct paleo_error *err)
{
	int a_count, b_count;
	const struct paleo_answer *of_a = paleo_chosen_answers(a, &a_count);
	const struct paleo_answer *of_b = paleo_chosen_answers(b, &b_count);

	c->rows = calloc((size_t)a_count + 1, sizeof(*c->rows));
	if (!c->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", a_count);
	for (int i = 0; i < a_count; i++) {
		const struct paleo_answer *other = find(of_b, b_count, &of_a[i].op);
		if (other)
			c->rows[c->count++] =
				(struct row){&of_a[i], other, differ(&of_a[i], other), NAN, NAN};
	}
	c->only_a = a_count - c->count;
	for (int i = 0; i < b_count; i++)
		c->only_b += !find(of_a, a_count, &of_b[i].op);
	if (!c->count)
		return paleo_fail(err, PALEO_EINPUT,
				  "A and B have no op in common: ask both for the same networks, "
				  "batch sizes, dtypes and layouts");
	return PALEO_OK;
}

/* The predicted time of all layers with this op, by the algorithm where the cost model has it. */
static double predict(const struct paleo_calibration *c, const struct paleo_answer *a)
{
	struct paleo_prediction p;
	struct paleo_error ignored;
	enum paleo_method_use use;
	int rc;

	if (a->is_empty)
		return NAN;
	if (a->op.kind == PALEO_CONV) {
		const struct paleo_method_cost cost = paleo_method_cost(&a->op, &a->first);
		rc = paleo_predict_method(c, &a->op, &cost, &p, &use, &ignored);
	} else {
		rc = paleo_predict_op(c, &a->op, &p, &ignored);
	}
	return rc ? NAN : a->layers * p.parts.total_s;
}

/* Predicts one side's ops of a dtype; of a device without a cost model they have no time. */
static void predict_side(const struct paleo_chosen *of, int is_b, enum paleo_dtype dtype,
			 struct comparison *c)
{
	const char *title = paleo_chosen_title(of);
	const struct paleo_source_wish wish = {
		.dtype = dtype, .device = title[0] ? title : paleo_chosen_device(of)};
	struct paleo_source source = {0};
	struct paleo_error ignored;

	if (paleo_choose_source(&wish, &source, &ignored))
		return;
	for (int i = 0; i < c->count; i++) {
		struct row *r = &c->rows[i];
		const struct paleo_answer *a = is_b ? r->b : r->a;
		if (a->op.dtype == dtype)
			*(is_b ? &r->b_s : &r->a_s) = predict(&source.calibration, a);
	}
	paleo_source_release(&source);
}

static void predict_both(const struct paleo_chosen *a, const struct paleo_chosen *b,
			 struct comparison *c)
{
	unsigned dtypes = 0;

	for (int i = 0; i < c->count; i++)
		dtypes |= 1u << c->rows[i].a->op.dtype;
	for (int d = 0; d < PALEO_DTYPES; d++) {
		if (!(dtypes >> d & 1))
			continue;
		predict_side(a, 0, (enum paleo_dtype)d, c);
		predict_side(b, 1, (enum paleo_dtype)d, c);
	}
	for (int i = 0; i < c->count; i++) {
		struct row *r = &c->rows[i];
		if (isnan(r->a_s + r->b_s))
			r->a_s = r->b_s = NAN;
		c->a_s += isnan(r->a_s) ? 0 : r->a_s;
		c->b_s += isnan(r->b_s) ? 0 : r->b_s;
	}
}

static void print_side(const char *letter, const char *name, const struct paleo_chosen *of,
		       FILE *out)
{
	paleo_print(out, "%s  %s: %s, %s\n", letter, name,
		    paleo_chosen_title(of)[0] ? paleo_chosen_title(of) : paleo_chosen_device(of),
		    paleo_chosen_library(of));
}

/* "188 of 652 ops take another engine, 41.2 % of the predicted time". */
static void print_counts(const struct comparison *c, FILE *out)
{
	static const char *const words[DIFFERENCES] = {"another engine",
						       "the same engine with other knobs",
						       "the same with other workspace", "the same"};

	for (int d = 0; d < DIFFERENCES; d++) {
		double sum_s = 0;
		int count = 0;
		for (int i = 0; i < c->count; i++) {
			int is = (int)c->rows[i].what == d;
			count += is;
			sum_s += is && !isnan(c->rows[i].a_s) ? c->rows[i].a_s : 0;
		}
		if (count && c->a_s > 0)
			paleo_print(out, "%d of %d ops take %s: %.1f %% of the predicted time\n",
				    count, c->count, words[d], 100 * sum_s / c->a_s);
		else if (count)
			paleo_print(out, "%d of %d ops take %s\n", count, c->count, words[d]);
	}
}

/* The sum as the cost model sees it. */
static void print_sum(const struct comparison *c, FILE *out)
{
	double per_s;

	if (!(c->a_s > 0)) {
		fputs("no cost model of the device: the ops have no predicted time\n", out);
		return;
	}
	const char *unit = paleo_unit_name(PALEO_UNIT_TIME, fmax(c->a_s, c->b_s), &per_s);
	paleo_print(out, "predicted with these algorithms: %+.1f %%, from %.3f to %.3f %s\n",
		    100 * (c->b_s / c->a_s - 1), per_s * c->a_s, per_s * c->b_s, unit);
}

static double weight(const struct row *r)
{
	return isnan(r->a_s) ? 0 : fmax(r->a_s, r->b_s);
}

/* What differs comes first, the longest predicted time first. */
static int by_weight(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	double a_s = weight(a), b_s = weight(b);

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a_s != b_s)
		return a_s < b_s ? 1 : -1;
	return (a->a > b->a) - (a->a < b->a);
}

static int print_rows(const struct comparison *c, const struct answers_view *v,
		      struct paleo_error *err)
{
	int is_data = paleo_table_is_data(v->format), rc = PALEO_OK, shown = 0, differ_count = 0;
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	char key[PALEO_OP_KEY_MAX], words_a[WORDS_MAX], words_b[WORDS_MAX];

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++) {
		const struct row *r = &c->rows[i];
		differ_count += r->what != NO_DIFFERENCE;
		if (!is_data && v->top && (r->what == NO_DIFFERENCE || shown == v->top))
			continue;
		paleo_op_key(&r->a->op, key, sizeof(key));
		tell(r->a, words_a);
		tell(r->b, words_b);
		const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
		rc = paleo_table_add(t, cells, err);
		shown++;
	}
	if (!is_data && shown)
		putchar('\n');
	if (!rc && shown)
		rc = paleo_table_print(t, v->format, stdout, err);
	if (!rc && !is_data && shown < differ_count)
		paleo_print(stdout, "%d more rows that differ: --all\n", differ_count - shown);
	paleo_table_free(t);
	return rc;
}

int answers_print(const struct paleo_chosen *a, const struct paleo_chosen *b,
		  const struct answers_view *v, struct answers_change *change,
		  struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(v->format) ? stderr : stdout;
	struct comparison c = {0};

	int rc = join(a, b, &c, err);
	if (rc)
		goto out;
	predict_both(a, b, &c);
	print_side("A", v->a_name, a, notes);
	print_side("B", v->b_name, b, notes);
	if (c.only_a || c.only_b)
		paleo_print(notes, "%d ops in common; %d only in A and %d only in B\n", c.count,
			    c.only_a, c.only_b);
	print_counts(&c, notes);
	print_sum(&c, notes);
	*change = (struct answers_change){c.a_s > 0 ? c.b_s / c.a_s - 1 : NAN, NAN};
	for (int i = 0; i < c.count; i++)
		change->most = fmax(change->most, c.rows[i].b_s / c.rows[i].a_s - 1);
	if (!paleo_table_is_data(v->format))
		qsort(c.rows, (size_t)c.count, sizeof(*c.rows), by_weight);
	rc = print_rows(&c, v, err);
out:
	free(c.rows);
	return rc;
}
