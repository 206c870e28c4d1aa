/* in_network.c - what a net's rows take inside of its whole pass, as measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/in_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/record/graph_record.h"

static int is_same(const struct paleo_net_work *row, const struct paleo_net_row *other)
{
	char name[sizeof(other->layer)];

	plan_short_name(row->layer->name, name, sizeof(name));
	return !strcmp(name, other->layer) && !strcmp(row->what, other->kind) &&
	       row->pass == other->pass && paleo_work_equal(&row->work, &other->work);
}

/* The times of the net's rows in a pass, NaN where it has not such a row. Both list their rows in
 * one order, so a row is looked for behind the one before. Returns how many there are. */
static int match_rows(const struct plan_net *n, const struct paleo_graph_record *f, double *out_s)
{
	int at = 0, found = 0;

	for (int i = 0; i < n->rows.count; i++) {
		int k = at;
		while (k < f->count && !is_same(&n->rows.items[i], &f->rows[k].row))
			k++;
		out_s[i] = k < f->count ? f->rows[k].in_network_s : NAN;
		if (k == f->count)
			continue;
		found++;
		at = k + 1;
	}
	return found;
}

static int is_of_net(const struct plan *p, const struct plan_net *n,
		     const struct paleo_graph_record *f)
{
	return f->status == PALEO_RECORD_OK && f->batch == n->net->batch && f->dtype == p->dtype &&
	       !strcmp(f->net, n->net->name);
}

static const struct paleo_graph_record *choose_pass(const struct plan *p, const struct plan_net *n,
						    const struct paleo_results *r, double *scratch,
						    int *rows)
{
	const struct paleo_graph_record *best = NULL;

	*rows = 0;
	for (int i = 0; i < r->pass_count; i++) {
		const struct paleo_graph_record *f = &r->passes[i];
		int found = is_of_net(p, n, f) ? match_rows(n, f, scratch) : 0;
		if (found > *rows || (best && found == *rows && f->extent < best->extent)) {
			best = f;
			*rows = found;
		}
	}
	return best;
}

static int fill_net(const struct plan *p, struct plan_net *n, const struct paleo_results *r,
		    FILE *notes, struct paleo_error *err)
{
	double *times = malloc(((size_t)n->rows.count + 1) * sizeof(*times));
	int rows;

	if (!times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	const struct paleo_graph_record *f = choose_pass(p, n, r, times, &rows);
	if (!f) {
		paleo_print(notes,
			    "in-network: --passes holds no pass with these rows of %s, batch %d\n",
			    n->net->name, n->net->batch);
		free(times);
		return PALEO_OK;
	}
	match_rows(n, f, times);
	n->in_network_s = times;
	paleo_print(notes, "in-network: %d of %d rows of %s, inside of its pass %s%s\n", rows,
		    n->rows.count, n->net->name, paleo_extent_name(f->extent),
		    f->in_network_samples ? "" : ", disturbed: no run between quiet ones");
	return PALEO_OK;
}

int in_network_fill(struct plan *p, const struct paleo_results *passes, FILE *notes,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < p->net_count; i++)
		rc = fill_net(p, &p->nets[i], passes, notes, err);
	return rc;
}
