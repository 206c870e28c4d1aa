/* compare.c - the command `compare`: which works take longer in one run than in another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "tools/choice.h"
#include "tools/compare_print.h"
#include "tools/option_rows.h"
#include "tools/view.h"

struct settings {
	int mode, format, top, all;
	double same, fail_slower, fail_layer; /* per cent; fail_...: negative, not given */
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	PERCENT("fail-slower", AT(fail_slower), "P", 0, 1e6,
		"end with exit status 6 if a net's sum is SLOWER, and by P per cent or more"),
	PERCENT("fail-layer", AT(fail_layer), "P", 0, 1e6,
		"likewise if a single work is SLOWER, and by P per cent or more"),
	PERCENT("same", AT(same), "P", 0, 100,
		"a change below P per cent does not matter (default 1)"),
	{.like = &option_mode,
	 .offset = AT(mode),
	 .help = "of the records to use: cold, hot, weights-cold or enqueue (default cold)"},
	{.like = &view_option_top,
	 .offset = AT(top),
	 .help = "as text, show so many rows, what changed most first (default 10)"},
	{.like = &view_option_all, .offset = AT(all)},
	{.like = &option_format, .offset = AT(format)},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->top = VIEW_TOP;
	s->same = 1;
	s->fail_slower = s->fail_layer = -1;
}

/* 1 if it is slower by so many per cent, and beyond noise; a negative number is no limit. */
static int is_over(const struct paleo_change *c, double percent)
{
	return percent >= 0 && c->verdict == PALEO_SLOWER && 100 * c->ratio >= percent;
}

/* The sum of each net as a line; *failed where one is over the limit. */
static int print_sums(const struct compare_view *v, double fail_slower, int *failed,
		      struct paleo_error *err)
{
	FILE *out = paleo_table_is_data(v->format) ? stderr : stdout;

	for (int at = 0; at < v->joined->pair_count;) {
		const struct compare_row *net = &v->a->rows[v->joined->pairs[at].a];
		struct paleo_compared *list = NULL;
		int count;
		int rc = compare_joined_net(v->joined, v->a, &at, &list, &count, err);
		if (!rc) {
			struct paleo_compared sum = paleo_compare_sum(list, (size_t)count, &v->how);
			compare_print_sum(v, net, &sum, out);
			*failed |= is_over(&sum.change, fail_slower);
		}
		free(list);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

static int print(const struct compare_view *v, const struct settings *s, int *failed,
		 struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(v->format) ? stderr : stdout;

	compare_print_heading(v, notes);
	int rc = print_sums(v, s->fail_slower, failed, err);
	if (rc)
		return rc;
	for (int i = 0; i < v->joined->item_count; i++)
		*failed |= is_over(&v->joined->items[i].change, s->fail_layer);
	compare_print_counts(v, notes);
	if (!paleo_table_is_data(v->format))
		fputc('\n', stdout);
	return compare_print_rows(v, stdout, err);
}

static int compare(const struct settings *s, const char *const *files, int *failed,
		   struct paleo_error *err)
{
	struct compare_side a = {0}, b = {0};
	struct compare_joined joined = {0};
	struct compare_view v = {.a = &a,
				 .b = &b,
				 .a_name = files[0],
				 .b_name = files[1],
				 .joined = &joined,
				 .how = {.same = s->same / 100, .level = 0.05},
				 .format = (enum paleo_table_format)s->format};

	v.top = s->all || paleo_table_is_data(v.format) ? 0 : s->top;
	int rc = compare_side_load(files[0], choice_mode[s->mode], &a, err);
	if (!rc)
		rc = compare_side_load(files[1], choice_mode[s->mode], &b, err);
	if (!rc)
		rc = compare_join(&a, &b, &joined, err);
	if (!rc)
		rc = paleo_compare(joined.items, (size_t)joined.item_count, &v.how, err);
	if (!rc)
		rc = print(&v, s, failed, err);
	compare_joined_release(&joined);
	compare_side_release(&a);
	compare_side_release(&b);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};
	int failed = 0;

	if (count != 2) {
		paleo_print(stderr, "paleo-compare: expected two sides, A and B, for example "
				    "before.jsonl after.jsonl (see --help)\n");
		return EXIT_MISUSE;
	}
	if (compare(settings, arguments, &failed, &err))
		return command_fail(&command_compare, &err);
	return failed ? EXIT_SLOWER : EXIT_GOOD;
}

const struct command command_compare = {
	.name = "compare",
	.what = "says which works take longer in one run than in another, beyond noise",
	.usage = "A.jsonl[,A2.jsonl...] B.jsonl[,B2.jsonl...]",
	.about =
		"A and B are records of profile, or rows that predict or profile printed with "
		"--format jsonl. A side may have several runs, with commas between: then the noise "
		"is that from run to run, and not within one alone. On a machine that others "
		"share, "
		"run A and B in turns.\n"
		"Change is B over A, less 1, with its 95 % interval. SAME: the interval lies "
		"within the change that does not matter (--same). FASTER, SLOWER: there is a "
		"change beyond noise; of all works so called together, 5 % at most are false "
		"alarms in the mean. UNCLEAR: the noise is too large to tell.\n"
		"Exit status: 0 good, 1 out of memory, 2 wrong options or files, 6 slower than "
		"--fail-slower or --fail-layer allow.",
	.examples = "paleo-compare before.jsonl after.jsonl\n"
		    "paleo-compare --fail-slower 5% a1.jsonl,a2.jsonl,a3.jsonl "
		    "b1.jsonl,b2.jsonl,b3.jsonl\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
