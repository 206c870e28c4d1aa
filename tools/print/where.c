/* where.c - where a net's time goes: by kind, limit, mode, choice; why rows have none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/print/print.h"

/* The place of a mode in the plan; -1 if it was not asked for. */
static int place_of(const struct plan *p, enum beside what)
{
	for (int m = 0; m < p->modes.count; m++)
		if ((int)p->modes.items[m] == (int)what)
			return m;
	return -1;
}

const char *beside_name(enum beside what)
{
	return what == BESIDE_IN_NETWORK ? "in-network"
					 : paleo_cache_mode_name((enum paleo_cache_mode)what);
}

double beside_s(const struct plan *p, const struct plan_net *n, int row, enum beside what)
{
	if (what == BESIDE_IN_NETWORK)
		return n->in_network_s ? n->in_network_s[row] : NAN;
	int place = place_of(p, what);
	if (place < 0)
		return NAN;
	const struct plan_time *t = &p->ops[n->op_of[row]].times[place];
	return t->measured && t->record.status == PALEO_RECORD_OK ? t->record.timing.median_s : NAN;
}

/* Sums over the rows that have both times. */
struct share {
	double first_s, other_s;
	int rows;
};

static struct share sum_share(const struct plan *p, const struct plan_net *n, unsigned passes,
			      enum beside what)
{
	struct share sum = {0};

	for (int i = 0; i < n->rows.count; i++) {
		double first = beside_s(p, n, i, (enum beside)p->modes.items[0]);
		double other = beside_s(p, n, i, what);
		if (!(passes & 1u << n->rows.items[i].pass) || isnan(first) || isnan(other))
			continue;
		sum.first_s += first;
		sum.other_s += other;
		sum.rows++;
	}
	return sum;
}

static int count_rows(const struct plan_net *n, unsigned passes)
{
	int rows = 0;

	for (int i = 0; i < n->rows.count; i++)
		rows += (passes & 1u << n->rows.items[i].pass) != 0;
	return rows;
}

void beside_print_sum(const struct plan *p, const struct plan_net *n, const char *title,
		      unsigned passes, FILE *out)
{
	enum beside first = (enum beside)p->modes.items[0];
	int rows = count_rows(n, passes), printed = 0;

	for (int b = 0; b < BESIDE_COUNT; b++) {
		enum beside what = (enum beside)b;
		struct share sum = sum_share(p, n, passes, what);
		if (what == first || !sum.rows)
			continue;
		if (!printed++)
			paleo_print(out, "  %-18s", title);
		paleo_print(out, "  %s %.3f ms, %.2f of %s", beside_name(what), 1e3 * sum.other_s,
			    sum.other_s / sum.first_s, beside_name(first));
		if (sum.rows < rows)
			paleo_print(out, " (%d of %d rows)", sum.rows, rows);
	}
	if (printed)
		fputc('\n', out);
}

void beside_print_launches(const struct plan *p, const struct plan_net *n, FILE *out)
{
	enum beside first = (enum beside)p->modes.items[0];
	int slower = 0, rows = 0;

	for (int i = 0; first != BESIDE_ENQUEUE && i < n->rows.count; i++) {
		double run = beside_s(p, n, i, first), launch = beside_s(p, n, i, BESIDE_ENQUEUE);
		rows += !isnan(run) && !isnan(launch);
		slower += launch > run;
	}
	if (slower)
		paleo_print(out,
			    "  launch-bound: in %d of %d rows the CPU takes longer to launch than "
			    "the device to run\n",
			    slower, rows);
}

enum {
	SHOWN_MAX = 8 /* kinds; the rest is one row */
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("kind", "kind"), .text = k->name)                                      \
	X(PALEO_COLUMN_WHOLE("rows", "rows"), .number = k->rows)                                   \
	X(PALEO_COLUMN_TIME("time_s", "time"), .number = k->time_s)                                \
	X(PALEO_COLUMN_PERCENT("share", "share %"), .number = k->time_s / all->time_s)             \
	X(PALEO_COLUMN_NUMBER("measured", "measured %", 100, 0),                                   \
	  .number = measured && all->measured_s < all->time_s ? k->measured_s / k->time_s          \
							      : (double)NAN)                       \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"),                                                \
	  .number = measured ? k->predicted_s : (double)NAN)                                       \
	X(PALEO_COLUMN_PERCENT("error", "error %"),                                                \
	  .number = measured && k->measured_s > 0 ? k->judged_s / k->measured_s - 1 : (double)NAN)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct kind {
	const char *name;
	int rows;
	double time_s, predicted_s;  /* of the rows with a time */
	double measured_s, judged_s; /* measured, and predicted for the same rows */
};

static const struct plan_op *op_of(const struct report_settings *s, const struct plan_net *n,
				   int row)
{
	return &s->plan->ops[n->op_of[row]];
}

static int longest_first(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add_kind(struct kind *to, const struct kind *more)
{
	to->rows += more->rows;
	to->time_s += more->time_s;
	to->predicted_s += more->predicted_s;
	to->measured_s += more->measured_s;
	to->judged_s += more->judged_s;
}

/* One row as a kind. */
static struct kind kind_of(const struct report_settings *s, const struct plan_net *n, int row)
{
	const struct plan_op *w = op_of(s, n, row);
	enum plan_basis basis;
	struct kind k = {.name = n->rows.items[row].what, .rows = 1};

	k.time_s = plan_op_s(s->plan, w, &basis);
	k.predicted_s = w->predicted ? w->prediction.parts.total_s : (double)NAN;
	if (basis == PLAN_MEASURED) {
		k.measured_s = k.time_s;
		k.judged_s = k.predicted_s;
	}
	return k;
}

/* Fills `kinds`, of which there are no more than rows. Returns how many. */
static int add_up(const struct report_settings *s, const struct plan_net *n, struct kind *kinds)
{
	int count = 0;

	for (int i = 0; i < n->rows.count; i++) {
		const struct kind row = kind_of(s, n, i);
		int k = 0;
		if (isnan(row.time_s))
			continue;
		while (k < count && strcmp(kinds[k].name, row.name) != 0)
			k++;
		if (k == count)
			kinds[count++] = (struct kind){.name = row.name};
		add_kind(&kinds[k], &row);
	}
	qsort(kinds, (size_t)count, sizeof(*kinds), longest_first);
	return count;
}

static int add_row(const struct report_settings *s, const struct kind *k, const struct kind *all,
		   struct paleo_table *t, struct paleo_error *err)
{
	const int measured = s->plan->modes.count > 0;
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* "bound by (predicted): memory 61 %, ...": the share of time of the rows bound so. */
static void print_bounds(const struct report_settings *s, const struct plan_net *n, double all_s,
			 FILE *out)
{
	static const enum paleo_bound bounds[] = {PALEO_BOUND_COMPUTE, PALEO_BOUND_MEMORY,
						  PALEO_BOUND_OVERHEAD};
	const char *separator = "bound by (predicted): ";

	for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
		double time_s = 0;
		for (int i = 0; i < n->rows.count; i++)
			if (op_of(s, n, i)->predicted &&
			    op_of(s, n, i)->prediction.bound == bounds[b])
				time_s += plan_op_s(s->plan, op_of(s, n, i), NULL);
		if (!(time_s > 0))
			continue;
		paleo_print(out, "%s%s %.0f %%", separator, paleo_bound_name(bounds[b]),
			    100 * time_s / all_s);
		separator = ", ";
	}
	if (separator[0] == ',')
		fputc('\n', out);
}

int kinds_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		struct paleo_error *err)
{
	struct kind *kinds = calloc((size_t)n->rows.count + 1, sizeof(*kinds));
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	struct kind rest = {.name = "others"}, all = {.name = ""};
	int rc = PALEO_OK;

	if (!kinds || !t) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
		goto out;
	}
	int count = add_up(s, n, kinds);
	for (int i = 0; i < count; i++)
		add_kind(&all, &kinds[i]);
	for (int i = 0; !rc && i < count; i++) {
		if (i < SHOWN_MAX)
			rc = add_row(s, &kinds[i], &all, t, err);
		else
			add_kind(&rest, &kinds[i]);
	}
	if (!rc && rest.rows)
		rc = add_row(s, &rest, &all, t, err);
	if (!rc && count > 1) {
		fputc('\n', out);
		rc = paleo_table_print(t, s->format, out, err);
	}
	if (!rc)
		print_bounds(s, n, all.time_s, out);
out:
	paleo_table_free(t);
	free(kinds);
	return rc;
}

enum {
	NAME_MAX_BYTES = 64
};

/* Regret of the library's choices in the rows that had one, and the largest. */
struct regret {
	double first_s, best_s; /* of these rows */
	double all_s;           /* of all rows with a time, each at its best */
	double worst;
	int rows, worst_row;
};

static struct regret sum_regret(const struct report_settings *s, const struct plan_net *n)
{
	struct regret sum = {.worst_row = -1};

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = op_of(s, n, i);
		double regret = candidates_regret(&w->times[0].candidates);
		enum plan_basis basis;
		double best_s = plan_op_s(s->plan, w, &basis);
		if (basis != PLAN_MEASURED)
			continue;
		sum.all_s += best_s;
		if (isnan(regret))
			continue;
		sum.rows++;
		sum.best_s += best_s;
		sum.first_s += best_s * (1 + regret);
		if (sum.worst_row < 0 || regret > sum.worst) {
			sum.worst = regret;
			sum.worst_row = i;
		}
	}
	return sum;
}

void regret_print(const struct report_settings *s, const struct plan_net *n, FILE *out)
{
	struct regret sum = sum_regret(s, n);

	if (!sum.rows)
		return;
	const struct paleo_net_op *worst = &n->rows.items[sum.worst_row];
	paleo_print(
		out,
		"  regret of the library's choices: %.1f %% of the net's time; %.1f %% in the %d "
		"row%s with several algorithms (%.3f ms, the fastest %.3f ms), at most %.1f %% (",
		100 * (sum.first_s - sum.best_s) / sum.all_s, 100 * (sum.first_s / sum.best_s - 1),
		sum.rows, sum.rows == 1 ? "" : "s", 1e3 * sum.first_s, 1e3 * sum.best_s,
		100 * sum.worst);
	paleo_text_put(worst->layer->name, NAME_MAX_BYTES, out);
	paleo_print(out, " %s)\n", paleo_pass_name(worst->pass));
}

enum {
	CAUSES_MAX = 10
};

/* The reason why a row has no time. */
struct cause {
	enum paleo_cache_mode mode;
	enum paleo_record_status status;
	const char *reason;
	int rows;
};

static int compare_causes(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	if (x->mode != y->mode)
		return x->mode < y->mode ? -1 : 1;
	if (x->status != y->status)
		return x->status < y->status ? -1 : 1;
	return strcmp(x->reason, y->reason);
}

static int compare_counts(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return x->rows != y->rows ? y->rows - x->rows : compare_causes(a, b);
}

/* Fills `causes`, each different one once, the most frequent first. Returns how many. */
static int find_causes(const struct report_settings *s, const struct plan_net *n,
		       struct cause *causes)
{
	int rows = 0, count = 0;

	for (int i = 0; i < n->rows.count; i++) {
		for (int m = 0; m < s->plan->modes.count; m++) {
			const struct plan_time *t = &s->plan->ops[n->op_of[i]].times[m];
			if (t->measured && t->record.status != PALEO_RECORD_OK &&
			    t->record.status != PALEO_RECORD_DISTURBED) /* each says how long */
				causes[rows++] =
					(struct cause){s->plan->modes.items[m], t->record.status,
						       t->record.reason, 1};
		}
	}
	qsort(causes, (size_t)rows, sizeof(*causes), compare_causes);
	for (int i = 0; i < rows; i++) {
		if (count && !compare_causes(&causes[count - 1], &causes[i]))
			causes[count - 1].rows++;
		else
			causes[count++] = causes[i];
	}
	qsort(causes, (size_t)count, sizeof(*causes), compare_counts);
	return count;
}

int causes_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err)
{
	size_t room = (size_t)n->rows.count * (size_t)s->plan->modes.count + 1;
	struct cause *causes = malloc(room * sizeof(*causes));

	if (!causes)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	int count = find_causes(s, n, causes);
	for (int i = 0; i < count && i < CAUSES_MAX; i++)
		paleo_print(out, "  %d row%s%s%s %s: %s\n", causes[i].rows,
			    causes[i].rows == 1 ? "" : "s", s->plan->modes.count > 1 ? " " : "",
			    s->plan->modes.count > 1 ? paleo_cache_mode_name(causes[i].mode) : "",
			    paleo_record_status_name(causes[i].status), causes[i].reason);
	if (count > CAUSES_MAX)
		paleo_print(out, "  and %d more reasons (see the records)\n", count - CAUSES_MAX);
	free(causes);
	return PALEO_OK;
}
