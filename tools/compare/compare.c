/* compare.c - the command `compare`: which ops take longer in one run than in another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/cli/view.h"
#include "tools/compare/paired.h"
#include "tools/session/progress.h"

/* By what rows are the same, the strictest first. */
enum likeness {
	LIKE_ROWS,
	LIKE_LAYERS,
	LIKE_OPS,
	LIKENESSES
};

static const char *const likeness_names[LIKENESSES] = {
	"rows of the same network, batch size and dtype",
	"layers of the same name, of any batch size and dtype", "ops of the same key"};

/* A row in the order of what tells it apart. */
struct place {
	const struct compare_side *side;
	enum likeness likeness;
	int row;
};

static int differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int order(const struct place *x, const struct place *y)
{
	const struct compare_row *a = &x->side->rows[x->row], *b = &y->side->rows[y->row];
	int by = 0;

	if (x->likeness == LIKE_OPS)
		return strcmp(x->side->ops[a->op].key, y->side->ops[b->op].key);
	by = differ(a->net, b->net);
	if (!by && x->likeness == LIKE_ROWS)
		by = (a->batch > b->batch) - (a->batch < b->batch);
	if (!by && x->likeness == LIKE_ROWS)
		by = differ(a->dtype, b->dtype);
	if (!by)
		by = differ(a->layer, b->layer);
	if (!by)
		by = differ(a->pass, b->pass);
	return by ? by : differ(a->kind, b->kind);
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int by = order(x, y);

	return by ? by : (x->row > y->row) - (x->row < y->row);
}

static struct place *sorted(const struct compare_side *s, enum likeness likeness)
{
	struct place *list = malloc(((size_t)s->row_count + 1) * sizeof(*list));

	for (int i = 0; list && i < s->row_count; i++)
		list[i] = (struct place){s, likeness, i};
	if (list)
		qsort(list, (size_t)s->row_count, sizeof(*list), by_place);
	return list;
}

static int has_time(const struct compare_side *s, int row)
{
	return isfinite(s->ops[s->rows[row].op].time.seconds);
}

/* Goes through both orders at once; of equal rows the first goes with the first. */
static void merge(const struct place *a, int a_count, const struct place *b, int b_count,
		  struct compare_joined *out)
{
	int i = 0, k = 0;

	while (i < a_count && k < b_count) {
		int by = order(&a[i], &b[k]);
		if (!by && has_time(a->side, a[i].row) && has_time(b->side, b[k].row))
			out->pairs[out->pair_count++] =
				(struct compare_pair){.a = a[i].row, .b = b[k].row};
		i += by <= 0;
		k += by >= 0;
	}
	out->only_a = a_count - out->pair_count;
	out->only_b = b_count - out->pair_count;
}

static int by_row(const void *a, const void *b)
{
	const struct compare_pair *x = a, *y = b;

	return (x->a > y->a) - (x->a < y->a);
}

static int join_by(const struct compare_side *a, const struct compare_side *b,
		   enum likeness likeness, struct compare_joined *out, struct paleo_error *err)
{
	struct place *of_a = sorted(a, likeness), *of_b = sorted(b, likeness);
	int rc = PALEO_OK;

	if (of_a && of_b)
		merge(of_a, a->row_count, of_b, b->row_count, out);
	else
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the rows");
	free(of_a);
	free(of_b);
	qsort(out->pairs, (size_t)out->pair_count, sizeof(*out->pairs), by_row);
	out->by = likeness_names[likeness];
	return rc;
}

/* A pair of ops, and which pair of rows has it; images are those of one run of each. */
struct ops {
	int a, b, images_a, images_b, pair;
};

/* Any order in which equal pairs are neighbours. */
static int by_ops(const void *a, const void *b)
{
	const struct ops *x = a, *y = b;

	return memcmp(x, y, offsetof(struct ops, pair));
}

/* Layers of different batch sizes are compared by the time of an image. */
static int is_per_image(const struct compare_side *a, const struct compare_side *b,
			const struct compare_joined *j)
{
	int differ = 0, known = 1;

	for (int i = 0; i < j->pair_count; i++) {
		int of_a = a->rows[j->pairs[i].a].batch, of_b = b->rows[j->pairs[i].b].batch;
		differ |= of_a != of_b;
		known &= of_a > 0 && of_b > 0;
	}
	return differ && known && j->by == likeness_names[LIKE_LAYERS];
}

/* 1 if the speeds of both runs are those of one machine, used in the same way. */
static int is_same_machine(const struct compare_side *a, const struct compare_side *b)
{
	const struct paleo_record_meta *x = &a->meta, *y = &b->meta;

	return x->device.name[0] && !strcmp(x->device.name, y->device.name) &&
	       !strcmp(x->processor, y->processor) && !strcmp(x->host, y->host) &&
	       x->threads == y->threads;
}

/* Brings times of one machine to one speed. */
static void level(struct compare_joined *j)
{
	for (int i = 0; i < j->item_count; i++) {
		struct paleo_noisy *a = &j->items[i].a, *b = &j->items[i].b;
		double faster = a->rate > 0 && b->rate > 0 ? b->rate / a->rate : 0;
		paleo_noisy_level(a, b);
		if (faster > 0 && fmax(a->slope, b->slope) > 0 &&
		    (!(j->faster > 0) || fabs(log(faster)) > fabs(log(j->faster)))) {
			j->faster = faster;
			j->has_moved = a->moved > 0;
		}
	}
}

/* One item for each different pair of ops. */
static int make_items(const struct compare_side *a, const struct compare_side *b,
		      struct compare_joined *out, struct paleo_error *err)
{
	size_t n = (size_t)out->pair_count;
	struct ops *list = malloc((n + 1) * sizeof(*list));

	out->items = calloc(n + 1, sizeof(*out->items));
	if (!list || !out->items) {
		free(list);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the ops");
	}
	out->is_per_image = is_per_image(a, b, out);
	for (int i = 0; i < out->pair_count; i++) {
		const struct compare_row *of_a = &a->rows[out->pairs[i].a],
					 *of_b = &b->rows[out->pairs[i].b];
		list[i] = (struct ops){of_a->op, of_b->op, 1, 1, i};
		if (out->is_per_image) {
			list[i].images_a = of_a->batch;
			list[i].images_b = of_b->batch;
		}
	}
	qsort(list, n, sizeof(*list), by_ops);
	for (int i = 0; i < out->pair_count; i++) {
		if (!i || by_ops(&list[i], &list[i - 1])) {
			struct paleo_compared *item = &out->items[out->item_count++];
			item->a = a->ops[list[i].a].time;
			item->b = b->ops[list[i].b].time;
			item->a.seconds /= list[i].images_a;
			item->b.seconds /= list[i].images_b;
		}
		out->items[out->item_count - 1].rows++;
		out->pairs[list[i].pair].item = out->item_count - 1;
	}
	if (is_same_machine(a, b))
		level(out);
	free(list);
	return PALEO_OK;
}

/* Rows are the same by net, batch, dtype, layer, kind and pass; where no row is, by all but
 * batch and dtype; else by their ops. EINPUT where nothing is common; ENOMEM. */
static int compare_join(const struct compare_side *a, const struct compare_side *b,
			struct compare_joined *out, struct paleo_error *err)
{
	int with_nets = a->rows[0].net && b->rows[0].net, rc = PALEO_OK;

	out->pairs = calloc((size_t)a->row_count + 1, sizeof(*out->pairs));
	if (!out->pairs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the rows");
	for (int l = with_nets ? LIKE_ROWS : LIKE_OPS; !rc && l < LIKENESSES && !out->pair_count;
	     l++)
		rc = join_by(a, b, (enum likeness)l, out, err);
	if (!rc && !out->pair_count)
		return paleo_fail(err, PALEO_EINPUT,
				  "A and B have no row and no op with a time in common");
	return rc ? rc : make_items(a, b, out, err);
}

static void compare_joined_release(struct compare_joined *j)
{
	free(j->pairs);
	free(j->items);
	*j = (struct compare_joined){0};
}

/* The pairs from *at on that are of one net, as copies of their items with their number of rows;
 * *at is moved behind them. *out is owned by the caller. ENOMEM. */
static int compare_joined_net(const struct compare_joined *j, const struct compare_side *a, int *at,
			      struct paleo_compared **out, int *count, struct paleo_error *err)
{
	const struct compare_row *first = &a->rows[j->pairs[*at].a];
	int *rows = calloc((size_t)j->item_count + 1, sizeof(*rows));

	*out = calloc((size_t)j->item_count + 1, sizeof(**out));
	*count = 0;
	if (!rows || !*out) {
		free(rows);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the ops");
	}
	for (; *at < j->pair_count; ++*at) {
		const struct compare_row *r = &a->rows[j->pairs[*at].a];
		if (differ(r->net, first->net) || r->batch != first->batch ||
		    differ(r->dtype, first->dtype))
			break;
		rows[j->pairs[*at].item]++;
	}
	for (int i = 0; i < j->item_count; i++) {
		if (!rows[i])
			continue;
		(*out)[*count] = j->items[i];
		(*out)[(*count)++].rows = rows[i];
	}
	free(rows);
	return PALEO_OK;
}

struct settings {
	int mode, format, top, all;
	double same; /* per cent */
	struct compare_limits fail;
	struct paired_settings paired;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE(fail_slower, AT(fail.slower)),
	LIKE(fail_layer, AT(fail.layer)),
	LIKE(same, AT(same)),
	LIKE_BUT(mode, AT(mode), "cache state of the records to use: {words} (default cold)"),
	LIKE_BUT(top, AT(top), "show the first N rows, largest change first (default 10)"),
	LIKE(all, AT(all)),
	LIKE(format, AT(format)),
	LIKE(device, AT(paired.device)),
	LIKE_MORE(batch, AT(paired.batch), "; on a CPU at most 4"),
	LIKE(dtype, AT(paired.dtype)),
	LIKE(layout, AT(paired.layout)),
	LIKE(pass, AT(paired.passes)),
	LIKE(threads, AT(paired.threads)),
	LIKE(filter, AT(paired.filter)),
	LIKE_BUT(time_budget, AT(paired.budget_s),
		 "stop measuring pairs after this time (default 2m on a CPU, 4m on a GPU)"),
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->top = VIEW_TOP;
	s->paired.dtype = CHOICE_DTYPE_OWN;
	s->same = 1;
	s->fail = (struct compare_limits){-1, -1};
}

/* 1 if it is slower by so many per cent, and beyond noise; a negative number is no limit. */
static int is_over(const struct paleo_change *c, double percent)
{
	return percent >= 0 && c->verdict == PALEO_SLOWER && 100 * c->ratio >= percent;
}

static int is_sure(const struct paleo_change *c)
{
	return c->verdict == PALEO_SLOWER || c->verdict == PALEO_FASTER;
}

/* Prints the sum of one net, whose pairs are those from `from` until `to`, and its causes. */
static int print_sum(const struct compare_view *v, const struct paleo_compared *sum, int from,
		     int to, FILE *out, struct paleo_error *err)
{
	struct compare_pair *pairs = v->joined->pairs;

	for (int i = from; i < to; i++)
		pairs[i].is_changed =
			is_sure(&sum->change) || is_sure(&v->joined->items[pairs[i].item].change);
	compare_print_sum(v, &pairs[from], sum, out);
	compare_print_energy(v, from, to, out);
	return compare_print_why(v, from, to, out, err);
}

/* The sum of each net as a line; *failed where one is over the limit. */
static int print_sums(const struct compare_view *v, double fail_slower, int *failed,
		      struct paleo_error *err)
{
	FILE *out = paleo_table_is_data(v->format) ? stderr : stdout;

	for (int at = 0; at < v->joined->pair_count;) {
		struct paleo_compared *list = NULL;
		int count, from = at;
		int rc = compare_joined_net(v->joined, v->a, &at, &list, &count, err);
		if (!rc) {
			struct paleo_compared sum = paleo_compare_sum(list, (size_t)count, &v->how);
			rc = print_sum(v, &sum, from, at, out, err);
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
	int rc = print_sums(v, s->fail.slower, failed, err);
	if (rc)
		return rc;
	for (int i = 0; i < v->joined->item_count; i++)
		*failed |= is_over(&v->joined->items[i].change, s->fail.layer);
	compare_print_counts(v, notes);
	if (!paleo_table_is_data(v->format))
		fputc('\n', stdout);
	return compare_print_rows(v, stdout, err);
}

/* EINPUT for options of a measurement where nothing is measured. */
static int check_unpaired(const struct settings *s, const char *first, struct paleo_error *err)
{
	if (s->paired.device || s->paired.batch || s->paired.threads || s->paired.filter ||
	    s->paired.budget_s > 0)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--device, --batch, --threads, --filter and --time-budget are for "
			"WHAT=A,B: '%.60s' is compared as it was measured",
			first);
	return PALEO_OK;
}

static int load(const struct settings *s, const char *const *files, int count,
		struct compare_side *a, struct compare_side *b, struct paleo_error *err)
{
	if (paired_is(files[0])) {
		struct paired_settings paired = s->paired;
		paired.mode = s->mode;
		return paired_measure(&paired, files[0], files + 1, count - 1, a, b, err);
	}
	int rc = compare_side_load(files[0], choice_mode[s->mode], a, err);
	return rc ? rc : compare_side_load(files[1], choice_mode[s->mode], b, err);
}

static int compare_times(const struct settings *s, const char *const *files, int count, int *failed,
			 struct paleo_error *err)
{
	struct compare_side a = {0}, b = {0};
	struct compare_joined joined = {0};
	char names[2][128];
	struct compare_view v = {
		.a = &a,
		.b = &b,
		.a_name = files[0],
		.b_name = files[1],
		.joined = &joined,
		.how = {.same = s->same / 100, .level = 0.05, .in_turn = paired_is(files[0])},
		.format = (enum paleo_table_format)s->format};

	v.top = s->all || paleo_table_is_data(v.format) ? 0 : s->top;
	for (int i = 0; paired_is(files[0]) && i < 2; i++)
		paired_name(files[0], i, names[i], sizeof(names[i]));
	if (paired_is(files[0])) {
		v.a_name = names[0];
		v.b_name = names[1];
	}
	int rc = load(s, files, count, &a, &b, err);
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

static int compare(const struct settings *s, const char *const *files, int count, int *failed,
		   struct paleo_error *err)
{
	int are_answers = 0;
	int rc = paired_is(files[0]) ? PALEO_OK : check_unpaired(s, files[0], err);

	if (!rc && !paired_is(files[0]))
		rc = compare_answers_are(files, &are_answers, err);
	if (rc || !are_answers)
		return rc ? rc : compare_times(s, files, count, failed, err);
	return compare_answers(files, (enum paleo_table_format)s->format, s->all ? 0 : s->top,
			       &s->fail, failed, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};
	int failed = 0;

	if (count < 2 || (count > 2 && !paired_is(arguments[0])))
		return command_misuse(&command_compare,
				      "expected two sides, A and B, for example before.jsonl "
				      "after.jsonl; or what differs, and networks: threads=1,2 "
				      "vgg16");
	if (compare(settings, arguments, count, &failed, &err))
		return command_fail(&command_compare, &err);
	if (stop_came())
		return EXIT_INTERRUPTED;
	return failed ? EXIT_SLOWER : EXIT_GOOD;
}

const struct command command_compare = {
	.name = "compare",
	.what = "find ops that became slower or faster, beyond noise",
	.usage = "A.jsonl[,A2.jsonl...] B.jsonl[,B2.jsonl...] | WHAT=A,B NET...",
	.about = "A and B are records of paleo-profile, or rows that predict or profile printed "
		 "with --format jsonl. A side may have several runs, comma-separated: then noise "
		 "is that between runs, not only within one. On a shared machine alternate runs of "
		 "A and B.\n"
		 "WHAT=A,B measures both sides here, op by op in turn (A B B A), so that changes "
		 "of the machine's speed cancel: threads=1,2, layout=nchw,nhwc, mode=cold,hot, "
		 "dtype=f32,bf16; two builds by PALEO_PLUGIN_DIR=DIR,DIR, two libraries by "
		 "PALEO_CPU_LIBDIR or PALEO_CUDA_LIBDIR=DIR,DIR, or any other environment "
		 "variable. --device and the options after it apply to this only.\n"
		 "If A and B are output of paleo algorithms (--format jsonl), it lists the ops "
		 "that take another engine, with their share of the predicted time.\n"
		 "Change is B / A - 1, with its 95 % interval. SAME: the interval is within the "
		 "change to ignore (--same). FASTER, SLOWER: a change beyond noise, with a false "
		 "discovery rate of 5 % over all ops. UNCLEAR: too noisy to decide.\n"
		 "Exit status: 0 success, 1 out of memory, 2 wrong options or files, 6 slower than "
		 "--fail-slower or --fail-layer allow, 130 interrupted.",
	.examples = "paleo-compare before.jsonl after.jsonl\n"
		    "paleo-compare --fail-slower 5% a1.jsonl,a2.jsonl,a3.jsonl "
		    "b1.jsonl,b2.jsonl,b3.jsonl\n"
		    "paleo-compare --time-budget 60s threads=1,2 resnet50\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
