/* plan.c - nets as a list of different works, each measured once, the longest first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* uthash would end the process when memory runs out; so it only drops the entry, and we notice. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "paleo/net.h"
#include "tools/session/filter.h"
#include "tools/session/records.h"

/* One of the different works, by its key. */
struct kept {
	UT_hash_handle hh;
	const struct paleo_work *work;
	int index; /* into the plan's works */
	char key[];
};

static int by_key(const struct kept *a, const struct kept *b)
{
	return strcmp(a->key, b->key);
}

/* A work's index and what it is sorted by. */
struct rank {
	int index;
	double seconds;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->index - y->index;
}

int plan_open_net(const char *name, int batch, int batch_max, struct paleo_net **out,
		  struct paleo_error *err)
{
	struct paleo_net *net;

	int rc = paleo_net_open(name, batch, &net, err);
	if (rc)
		return rc;
	if (batch || !batch_max || net->batch <= batch_max) {
		*out = net;
		return PALEO_OK;
	}
	paleo_net_free(net);
	return paleo_net_open(name, batch_max, out, err);
}

/* Keeps the rows whose layer's name matches. */
static int filter_rows(const char *pattern, struct paleo_work_list *rows, struct paleo_error *err)
{
	struct filter filter;
	int kept = 0, keeps;

	int rc = filter_open(pattern, &filter, err);
	if (rc)
		return rc;
	for (int i = 0; !rc && i < rows->count; i++) {
		rc = filter_keeps(&filter, rows->items[i].layer->name, &keeps, err);
		if (!rc && keeps)
			rows->items[kept++] = rows->items[i];
	}
	rows->count = kept;
	filter_close(&filter);
	return rc;
}

static int open_net(const struct plan_settings *s, const char *name, struct paleo_net **out,
		    struct paleo_error *err)
{
	if (!s->opened || !*s->opened)
		return plan_open_net(name, s->batch, s->batch_max, out, err);
	*out = *s->opened;
	*s->opened = NULL;
	return PALEO_OK;
}

static int make_net(const struct plan_settings *s, const char *name, struct plan_net *n,
		    struct paleo_error *err)
{
	const struct paleo_works_options how = {.dtype = s->dtype,
						.layout = s->layout,
						.passes = s->passes,
						.fuse = s->fuse,
						.framework = s->framework.name,
						.optimizer = s->framework.optimizer,
						.separate_attention =
							s->framework.separate_attention};
	int rc = open_net(s, name, &n->net, err);

	if (rc)
		return rc;
	rc = paleo_net_works_with(n->net, &how, &n->rows, err);
	if (rc)
		paleo_error_prefix(err, "%.300s", name);
	if (!rc && s->filter)
		rc = filter_rows(s->filter, &n->rows, err);
	if (rc)
		return rc;
	n->work_of = calloc((size_t)n->rows.count + 1, sizeof(*n->work_of));
	if (!n->work_of)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	return PALEO_OK;
}

/* The work of this key, which is made where there is none yet; NULL: out of memory. */
static struct kept *keep_work(struct kept **table, const struct paleo_work *w)
{
	char key[PALEO_WORK_KEY_MAX];
	struct kept *found;

	paleo_work_key(w, key, sizeof(key));
	size_t size = strlen(key);
	HASH_FIND(hh, *table, key, size, found);
	if (found)
		return found;
	struct kept *made = malloc(sizeof(*made) + size + 1);
	if (!made)
		return NULL;
	*made = (struct kept){.work = w, .index = (int)HASH_COUNT(*table)};
	memcpy(made->key, key, size + 1);
	HASH_ADD_KEYPTR(hh, *table, made->key, size, made);
	if (!made->hh.tbl) {
		free(made);
		return NULL;
	}
	return made;
}

static void free_kept(struct kept *table)
{
	struct kept *k = table, *next;

	HASH_CLEAR(hh, table); /* they stay linked to one another */
	for (; k; k = next) {
		next = k->hh.next;
		free(k);
	}
}

/* Puts the works into the plan in the order of their keys, and tells the rows where theirs is. */
static int list_works(struct plan *p, struct kept *table, struct paleo_error *err)
{
	size_t count = HASH_COUNT(table);
	int *place = malloc((count + 1) * sizeof(*place)); /* by the order in which they came */

	p->works = calloc(count + 1, sizeof(*p->works));
	if (!p->works || !place) {
		free(place);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu works", count);
	}
	for (const struct kept *k = table; k; k = k->hh.next) {
		place[k->index] = p->work_count;
		p->works[p->work_count++].work = *k->work;
	}
	for (int i = 0; i < p->net_count; i++)
		for (int r = 0; r < p->nets[i].rows.count; r++)
			p->nets[i].work_of[r] = place[p->nets[i].work_of[r]];
	free(place);
	return PALEO_OK;
}

/* Equal works of all rows become one. */
static int unite_works(struct plan *p, struct paleo_error *err)
{
	struct kept *table = NULL;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < p->net_count; i++) {
		const struct plan_net *n = &p->nets[i];
		for (int r = 0; !rc && r < n->rows.count; r++) {
			const struct kept *k = keep_work(&table, &n->rows.items[r].work);
			if (k)
				n->work_of[r] = k->index;
			else
				rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", r);
		}
	}
	HASH_SORT(table, by_key);
	if (!rc)
		rc = list_works(p, table, err);
	free_kept(table);
	return rc;
}

/* A number type that the device does not have is no error here: it shows as "-". */
int plan_predict(struct plan *p, const struct paleo_calibration *c,
		 const struct paleo_chosen *chosen, struct paleo_error *err)
{
	for (int i = 0; i < p->work_count; i++) {
		struct plan_work *w = &p->works[i];
		int rc;
		if (chosen && w->work.kind == PALEO_CONV)
			w->chosen = paleo_chosen_find(chosen, &w->work);
		if (w->chosen) {
			w->cost = paleo_method_cost(&w->work, w->chosen);
			rc = paleo_predict_method(c, &w->work, &w->cost, &w->prediction, &w->use,
						  err);
		} else {
			rc = paleo_predict_work(c, &w->work, &w->prediction, err);
		}
		if (rc && rc != PALEO_EUNSUPPORTED)
			return rc;
		w->predicted = !rc;
		w->before_s = w->prediction.parts.total_s;
	}
	return PALEO_OK;
}

static int order_works(struct plan *p, int reverse, struct paleo_error *err)
{
	struct rank *ranks = malloc(((size_t)p->work_count + 1) * sizeof(*ranks));

	p->order = malloc(((size_t)p->work_count + 1) * sizeof(*p->order));
	if (!ranks || !p->order) {
		free(ranks);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", p->work_count);
	}
	for (int i = 0; i < p->work_count; i++) {
		const struct plan_work *w = &p->works[i];
		ranks[i].index = i;
		ranks[i].seconds = w->predicted ? w->prediction.parts.total_s : w->work.flops;
	}
	qsort(ranks, (size_t)p->work_count, sizeof(*ranks), compare_ranks);
	for (int i = 0; i < p->work_count; i++)
		p->order[reverse ? p->work_count - 1 - i : i] = ranks[i].index;
	free(ranks);
	return PALEO_OK;
}

static int make_times(struct plan *p, struct paleo_error *err)
{
	size_t each = (size_t)p->modes.count;

	p->times = calloc((size_t)p->work_count * each + 1, sizeof(*p->times));
	if (!p->times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", p->work_count);
	for (int i = 0; i < p->work_count; i++)
		p->works[i].times = &p->times[(size_t)i * each];
	return PALEO_OK;
}

/* The nets with their rows, nothing else. On failure p is to be released too. */
static int make_nets(const struct plan_settings *s, const char *const *names, int count,
		     struct plan *p, struct paleo_error *err)
{
	int rows = 0;

	if (s->fuse && s->passes != PALEO_PASSES_FWD)
		return paleo_fail(err, PALEO_EINPUT,
				  "--fuse is for inference: give --pass fwd, too");
	p->nets = calloc((size_t)count + 1, sizeof(*p->nets));
	if (!p->nets)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d nets", count);
	for (int i = 0; i < count; i++) {
		p->net_count++;
		int rc = make_net(s, names[i], &p->nets[i], err);
		if (rc)
			return rc;
		rows += p->nets[i].rows.count;
	}
	if (s->filter && !rows)
		return paleo_fail(err, PALEO_EINPUT,
				  "--filter '%s' matches no layer that does anything in this pass",
				  s->filter);
	return PALEO_OK;
}

int plan_check(const struct plan_settings *s, const char *const *names, int count,
	       struct paleo_error *err)
{
	struct plan p = {0};
	int rc = make_nets(s, names, count, &p, err);

	plan_release(&p);
	return rc;
}

int plan_make(const struct plan_settings *s, const struct paleo_calibration *c,
	      const char *const *names, int count, struct plan *out, struct paleo_error *err)
{
	struct plan p = {.dtype = s->dtype,
			 .layout = s->layout,
			 .fused = s->fuse != PALEO_FUSE_NOTHING,
			 .framework = s->framework,
			 .training = s->passes != PALEO_PASSES_FWD,
			 .modes = s->modes};

	int rc = make_nets(s, names, count, &p, err);
	if (!rc)
		rc = unite_works(&p, err);
	if (!rc)
		rc = make_times(&p, err);
	if (!rc)
		rc = plan_predict(&p, c, s->chosen, err);
	if (!rc)
		rc = order_works(&p, s->reverse, err);
	if (rc) {
		plan_release(&p);
		return rc;
	}
	*out = p;
	return PALEO_OK;
}

void plan_release(struct plan *p)
{
	for (int i = 0; i < p->net_count; i++) {
		free(p->nets[i].work_of);
		free(p->nets[i].in_network_s);
		paleo_work_list_release(&p->nets[i].rows);
		paleo_net_free(p->nets[i].net);
	}
	for (int i = 0; p->times && i < p->work_count * p->modes.count; i++)
		candidates_release(&p->times[i].candidates);
	free(p->nets);
	free(p->works);
	free(p->times);
	free(p->order);
	memset(p, 0, sizeof(*p));
}

static int reuse_time(const struct paleo_results *r, const struct paleo_work *w,
		      enum paleo_cache_mode mode, int most, int retry, struct plan_time *t,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int rank = 0; !rc && rank < most; rank++) {
		const struct paleo_record *old =
			paleo_results_candidate(r, w, paleo_cache_mode_name(mode), rank);
		if (old && records_keeps(old->status, retry))
			rc = candidates_add(&t->candidates, old, err);
	}
	if (rc || !t->candidates.count)
		return rc;
	t->record = *candidates_best(&t->candidates);
	t->measured = most == 1; /* else the library says what more there is */
	return PALEO_OK;
}

int plan_reuse(struct plan *p, const struct paleo_results *r, int most, int retry,
	       struct plan_reused *reused, struct paleo_error *err)
{
	int rc = PALEO_OK;

	*reused = (struct plan_reused){0};
	for (int i = 0; !rc && i < p->work_count; i++) {
		for (int m = 0; !rc && m < p->modes.count; m++) {
			struct plan_time *t = &p->works[i].times[m];
			rc = reuse_time(r, &p->works[i].work, p->modes.items[m], most, retry, t,
					err);
			reused->times += t->candidates.count > 0;
			reused->failed +=
				t->candidates.count > 0 && records_failed(t->record.status);
		}
	}
	return rc;
}

int plan_failed(const struct plan *p)
{
	int failed = 0;

	for (int i = 0; i < p->work_count * p->modes.count; i++)
		failed += p->times[i].measured && records_failed(p->times[i].record.status);
	return failed;
}

int plan_untold(const struct plan *p)
{
	int untold = 0;

	for (int i = 0; i < p->work_count; i++) {
		const struct plan_time *t = p->works[i].times;
		untold += !p->works[i].predicted &&
			  (!t->measured || t->record.status == PALEO_RECORD_DISTURBED);
	}
	return untold;
}

void plan_short_name(const char *name, char *buf, size_t size)
{
	size_t length = strlen(name);

	if (length < size)
		memcpy(buf, name, length + 1);
	else
		snprintf(buf, size, "...%s", name + length - (size - 4));
}

int plan_net_rows(const struct plan *p, const struct plan_net *n, struct paleo_net_rows *out,
		  struct paleo_error *err)
{
	struct paleo_net_rows rows = {.batch = n->net->batch, .dtype = p->dtype};

	rows.rows = calloc((size_t)n->rows.count + 1, sizeof(*rows.rows));
	if (!rows.rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	snprintf(rows.net, sizeof(rows.net), "%s", n->net->name);
	rows.count = n->rows.count;
	for (int i = 0; i < rows.count; i++) {
		const struct paleo_net_work *from = &n->rows.items[i];
		struct paleo_net_row *to = &rows.rows[i];
		plan_short_name(from->layer->name, to->layer, sizeof(to->layer));
		snprintf(to->kind, sizeof(to->kind), "%s", from->what);
		to->pass = from->pass;
		to->work = from->work;
	}
	*out = rows;
	return PALEO_OK;
}
