/* causes.c - why rows of a net have no time, and how many each reason cost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
	CAUSES_MAX = 10
};

/* What kept a row from having a time. */
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
			const struct plan_time *t = &s->plan->works[n->work_of[i]].times[m];
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
		paleo_print(out, "  and %d more reasons, which the records tell\n",
			    count - CAUSES_MAX);
	free(causes);
	return PALEO_OK;
}
