/* why.c - what else differs where a time does, and how much of a change that explains. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/compare/compare.h"

/* A clock differs by more than it is sampled to. */
static const double CLOCK_NOISE = 0.02;

static const struct compare_op *op_of(const struct compare_side *s, int row)
{
	return &s->ops[s->rows[row].op];
}

static int differs(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* A text of an op of which something is known: what is missing is none. */
static const char *or_none(const char *text, int is_known)
{
	return text ? text : is_known ? "" : NULL;
}

static int is_other_algorithm(const struct compare_op *a, const struct compare_op *b)
{
	return differs(a->algorithm, b->algorithm) || differs(a->engine, b->engine) ||
	       differs(or_none(a->knobs, a->engine != NULL), or_none(b->knobs, b->engine != NULL));
}

/* Times that are compared at one machine speed are without their clocks' difference. */
static int is_other_clock(const struct compare_view *v, const struct compare_pair *p)
{
	double a = op_of(v->a, p->a)->clock_mhz, b = op_of(v->b, p->b)->clock_mhz;

	return p->is_changed && !(v->joined->faster > 0) && a > 0 && b > 0 &&
	       fabs(log(b / a)) > CLOCK_NOISE;
}

/* Appends "WHAT A -> B" to a list. */
static void add(char *text, const char *what, const char *a, const char *b)
{
	size_t used = strlen(text);

	if (differs(a, b))
		snprintf(text + used, COMPARE_WHY_MAX - used, "%s%s%s%.80s -> %.80s",
			 used ? "; " : "", what, *what ? " " : "", *a ? a : "-", *b ? b : "-");
}

/* Which of an item's blanks are before its value: "driver 580.1 (CUDA 13.0)", "tile code 4". */
enum blank {
	FIRST_BLANK,
	LAST_BLANK
};

/* Cuts the next of "NAME VALUE, NAME VALUE" off *list. */
static int next_item(const char **list, enum blank which, char name[64], char value[128])
{
	size_t size = strcspn(*list, ",");
	char item[192];

	if (!size)
		return 0;
	snprintf(item, sizeof(item), "%.*s", (int)size, *list);
	char *blank = which == FIRST_BLANK ? strchr(item, ' ') : strrchr(item, ' ');
	if (blank)
		*blank++ = '\0';
	snprintf(name, 64, "%.63s", item);
	snprintf(value, 128, "%.127s", blank ? blank : "");
	*list += size;
	*list += strspn(*list, ", ");
	return 1;
}

/* The value of this name in a list; "": it has none. */
static void find_item(const char *list, enum blank which, const char *name, char value[128])
{
	char other[64];

	while (next_item(&list, which, other, value))
		if (!strcmp(name, other))
			return;
	value[0] = '\0';
}

/* Appends those of two lists that differ: "cudnn 9.1 -> 9.19; driver 570 -> 580". */
static void add_items(char *text, enum blank which, const char *a, const char *b)
{
	char name[64], value[128], other[128];

	for (const char *at = a; next_item(&at, which, name, value);) {
		find_item(b, which, name, other);
		add(text, name, value, other);
	}
	for (const char *at = b; next_item(&at, which, name, value);) {
		find_item(a, which, name, other);
		if (!other[0])
			add(text, name, other, value);
	}
}

static void add_number(char *text, const char *what, double a, double b, const char *unit)
{
	char numbers[2][32];

	snprintf(numbers[0], sizeof(numbers[0]), "%.0f", a);
	snprintf(numbers[1], sizeof(numbers[1]), "%.0f%s", b, unit);
	if (a != b)
		add(text, what, numbers[0], numbers[1]);
}

/* "engine 62: tensor cores -> 57: Winograd". */
static void add_engines(char *text, const struct compare_op *a, const struct compare_op *b)
{
	const struct paleo_algorithm_texts of_a = {a->algorithm, a->engine, a->knobs, a->notes};
	const struct paleo_algorithm_texts of_b = {b->algorithm, b->engine, b->knobs, b->notes};
	char words_a[192], words_b[192];

	paleo_algorithm_words(&of_a, 1, words_a, sizeof(words_a));
	paleo_algorithm_words(&of_b, 1, words_b, sizeof(words_b));
	size_t first = strcspn(words_a, " ");
	if (!words_a[first] || strncmp(words_a, words_b, first + 1) != 0) {
		add(text, "", words_a, words_b);
		return;
	}
	words_a[first] = '\0';
	add(text, words_a, words_a + first + 1, words_b + first + 1);
}

/* Another engine; of the same one the knobs that differ; where there is none, another name. */
static void add_algorithm(char *text, const struct compare_op *a, const struct compare_op *b)
{
	char knobs_a[256], knobs_b[256];

	if (differs(a->engine, b->engine)) {
		add_engines(text, a, b);
		return;
	}
	add(text, "", a->algorithm, b->algorithm);
	if (!a->engine || !b->engine)
		return;
	paleo_knobs_words(or_none(a->knobs, 1), 0, knobs_a, sizeof(knobs_a));
	paleo_knobs_words(or_none(b->knobs, 1), 0, knobs_b, sizeof(knobs_b));
	add_items(text, LAST_BLANK, knobs_a, knobs_b);
}

void compare_why(const struct compare_view *v, const struct compare_pair *p,
		 char text[COMPARE_WHY_MAX])
{
	const struct compare_op *a = op_of(v->a, p->a), *b = op_of(v->b, p->b);

	text[0] = '\0';
	add_algorithm(text, a, b);
	if (is_other_clock(v, p))
		add_number(text, "clock", a->clock_mhz, b->clock_mhz, " MHz");
	if (p->is_changed)
		add(text, "clock limit", or_none(a->limits, a->clock_mhz > 0),
		    or_none(b->limits, b->clock_mhz > 0));
}

void compare_run_why(const struct compare_view *v, char text[COMPARE_WHY_MAX])
{
	const struct paleo_record_meta *a = &v->a->meta, *b = &v->b->meta;

	text[0] = '\0';
	if (v->a->is_table || v->b->is_table)
		return;
	add(text, "device", a->device.name, b->device.name);
	add(text, "CPU", a->processor, b->processor);
	add_items(text, FIRST_BLANK, a->versions, b->versions);
	add_number(text, "threads", a->threads, b->threads, "");
	add(text, "mode", v->a->mode, v->b->mode);
	add(text, "regime", v->a->regime, v->b->regime);
	add(text, "tool", a->tool, b->tool);
	add(text, "host", a->host, b->host);
	add(text, "boot", a->boot, b->boot);
}

void compare_divide(const struct compare_view *v, const struct compare_pair *p,
		    double parts_s[COMPARE_CAUSES])
{
	const struct compare_op *a = op_of(v->a, p->a), *b = op_of(v->b, p->b);
	const struct paleo_compared *c = &v->joined->items[p->item];
	double difference_s = c->b.seconds - c->a.seconds, clock_s = 0;

	if (is_other_clock(v, p))
		clock_s = c->a.seconds * (a->clock_mhz / b->clock_mhz - 1);
	clock_s = clock_s * difference_s > 0
			  ? copysign(fmin(fabs(clock_s), fabs(difference_s)), clock_s)
			  : 0;
	for (int i = 0; i < COMPARE_CAUSES; i++)
		parts_s[i] = 0;
	parts_s[COMPARE_CLOCK] = clock_s;
	parts_s[is_other_algorithm(a, b) ? COMPARE_ALGORITHM : COMPARE_REST] =
		difference_s - clock_s;
}

enum {
	GROUPS_MAX = 256
};

/* Rows of a net whose algorithm differs in the same way. */
struct group {
	char text[COMPARE_WHY_MAX];
	double difference_s;
	int rows;
};

/* What a net's change comes from. */
struct causes {
	double parts_s[COMPARE_CAUSES], sum_s;
	double clocks_mhz[2]; /* sums over the rows with another clock */
	int rows[COMPARE_CAUSES];
	struct group *groups; /* GROUPS_MAX of them; the last takes what is left */
	int group_count;
};

static void add_group(struct causes *c, const struct compare_op *a, const struct compare_op *b,
		      double difference_s)
{
	char text[COMPARE_WHY_MAX] = "";
	int at = 0;

	add_algorithm(text, a, b);
	while (at < c->group_count && strcmp(c->groups[at].text, text) != 0)
		at++;
	if (at == GROUPS_MAX)
		return;
	if (at == c->group_count)
		memcpy(c->groups[c->group_count++].text, text, sizeof(text));
	c->groups[at].difference_s += difference_s;
	c->groups[at].rows++;
}

static void count_pair(struct causes *c, const struct compare_view *v, const struct compare_pair *p)
{
	const struct compare_op *a = op_of(v->a, p->a), *b = op_of(v->b, p->b);
	double parts_s[COMPARE_CAUSES];

	compare_divide(v, p, parts_s);
	for (int i = 0; i < COMPARE_CAUSES; i++)
		c->parts_s[i] += parts_s[i];
	c->sum_s += v->joined->items[p->item].a.seconds;
	int is_other = is_other_algorithm(a, b), is_clock = is_other_clock(v, p);
	c->rows[COMPARE_ALGORITHM] += is_other;
	c->rows[COMPARE_CLOCK] += is_clock;
	c->rows[COMPARE_REST] += !is_other && !is_clock;
	if (is_other)
		add_group(c, a, b, parts_s[COMPARE_ALGORITHM]);
	if (is_clock) {
		c->clocks_mhz[0] += a->clock_mhz;
		c->clocks_mhz[1] += b->clock_mhz;
	}
}

static const char *rows_of(int count)
{
	return count == 1 ? "row" : "rows";
}

static void print_points(const struct causes *c, enum compare_cause cause, FILE *out)
{
	paleo_print(out, "  %+.1f points: ", 100 * c->parts_s[cause] / c->sum_s);
}

static void print_algorithms(const struct causes *c, FILE *out)
{
	const struct group *most = &c->groups[0];
	int rows = c->rows[COMPARE_ALGORITHM];

	for (int i = 1; i < c->group_count; i++)
		if (fabs(c->groups[i].difference_s) > fabs(most->difference_s))
			most = &c->groups[i];
	print_points(c, COMPARE_ALGORITHM, out);
	paleo_print(out, "%d %s with another algorithm", rows, rows_of(rows));
	if (c->group_count > 1)
		paleo_print(out, "; %+.1f of them %d %s with %s\n",
			    100 * most->difference_s / c->sum_s, most->rows, rows_of(most->rows),
			    most->text);
	else
		paleo_print(out, ", %s\n", most->text);
}

static void print_causes(const struct causes *c, const struct compare_view *v, FILE *out)
{
	char run[COMPARE_WHY_MAX];
	int clocks = c->rows[COMPARE_CLOCK];

	if (c->rows[COMPARE_ALGORITHM])
		print_algorithms(c, out);
	if (clocks) {
		print_points(c, COMPARE_CLOCK, out);
		paleo_print(out, "%d %s with another clock, %.0f -> %.0f MHz\n", clocks,
			    rows_of(clocks), c->clocks_mhz[0] / clocks, c->clocks_mhz[1] / clocks);
	}
	if (!c->rows[COMPARE_REST] && fabs(c->parts_s[COMPARE_REST]) <= 0)
		return;
	compare_run_why(v, run);
	print_points(c, COMPARE_REST, out);
	paleo_print(out, "the rest%s%s\n", run[0] ? "; differs: " : "", run);
}

int compare_print_why(const struct compare_view *v, int from, int to, FILE *out,
		      struct paleo_error *err)
{
	struct causes c = {.groups = calloc(GROUPS_MAX, sizeof(*c.groups))};

	if (!c.groups)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the causes");
	for (int i = from; i < to; i++)
		count_pair(&c, v, &v->joined->pairs[i]);
	if (c.rows[COMPARE_ALGORITHM] || c.rows[COMPARE_CLOCK])
		print_causes(&c, v, out);
	free(c.groups);
	return PALEO_OK;
}
