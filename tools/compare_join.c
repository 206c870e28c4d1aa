/* compare_join.c - the rows that two sides of a comparison have in common. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/compare_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By what rows are the same, the strictest first. */
enum likeness {
	LIKE_ROWS,
	LIKE_LAYERS,
	LIKE_WORKS,
	LIKENESSES
};

static const char *const likeness_names[LIKENESSES] = {
	"rows of the same net, batch and number type",
	"layers of the same name, whatever the batch and the number type", "works of the same key"};

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

	if (x->likeness == LIKE_WORKS)
		return strcmp(x->side->works[a->work].key, y->side->works[b->work].key);
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
	return isfinite(s->works[s->rows[row].work].time.seconds);
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

/* A pair of works, and which pair of rows has it. */
struct works {
	int a, b, pair;
};

static int by_works(const void *a, const void *b)
{
	const struct works *x = a, *y = b;

	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* One item for each different pair of works. */
static int make_items(const struct compare_side *a, const struct compare_side *b,
		      struct compare_joined *out, struct paleo_error *err)
{
	size_t n = (size_t)out->pair_count;
	struct works *list = malloc((n + 1) * sizeof(*list));

	out->items = calloc(n + 1, sizeof(*out->items));
	if (!list || !out->items) {
		free(list);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the works");
	}
	for (int i = 0; i < out->pair_count; i++)
		list[i] = (struct works){a->rows[out->pairs[i].a].work,
					 b->rows[out->pairs[i].b].work, i};
	qsort(list, n, sizeof(*list), by_works);
	for (int i = 0; i < out->pair_count; i++) {
		if (!i || by_works(&list[i], &list[i - 1]))
			out->items[out->item_count++] = (struct paleo_compared){
				.a = a->works[list[i].a].time, .b = b->works[list[i].b].time};
		out->items[out->item_count - 1].rows++;
		out->pairs[list[i].pair].item = out->item_count - 1;
	}
	free(list);
	return PALEO_OK;
}

int compare_join(const struct compare_side *a, const struct compare_side *b,
		 struct compare_joined *out, struct paleo_error *err)
{
	int with_nets = a->rows[0].net && b->rows[0].net, rc = PALEO_OK;

	out->pairs = calloc((size_t)a->row_count + 1, sizeof(*out->pairs));
	if (!out->pairs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the rows");
	for (int l = with_nets ? LIKE_ROWS : LIKE_WORKS; !rc && l < LIKENESSES && !out->pair_count;
	     l++)
		rc = join_by(a, b, (enum likeness)l, out, err);
	if (!rc && !out->pair_count)
		return paleo_fail(err, PALEO_EINPUT,
				  "the two have no row and no work in common that both have a time "
				  "of");
	return rc ? rc : make_items(a, b, out, err);
}

void compare_joined_release(struct compare_joined *j)
{
	free(j->pairs);
	free(j->items);
	*j = (struct compare_joined){0};
}

int compare_joined_net(const struct compare_joined *j, const struct compare_side *a, int *at,
		       struct paleo_compared **out, int *count, struct paleo_error *err)
{
	const struct compare_row *first = &a->rows[j->pairs[*at].a];
	int *rows = calloc((size_t)j->item_count + 1, sizeof(*rows));

	*out = calloc((size_t)j->item_count + 1, sizeof(**out));
	*count = 0;
	if (!rows || !*out) {
		free(rows);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the works");
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
