/* plan.c - nets as a list of different ops, each measured once, the longest first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/plan.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* uthash would end the process when memory runs out; so it only drops the entry, and we notice. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "paleo/net.h"

enum {
	LENGTH_MAX = 1000,
	REPEATS_MAX = 1000 /* of all counts together: the C library writes repeats out */
};

/* The larger number of "{3}", "{3,}" or "{3,9}"; *at is behind the brace. */
static double count_of(const char **at)
{
	double most = 1;

	while (**at && **at != '}') {
		char *end = NULL;
		double number = (double)strtoul(*at, &end, 10);
		most = number > most ? number : most;
		*at = end > *at ? end : *at + 1;
	}
	return most;
}

/* Refuses what the C library may take for ever to compile or to search. */
static int check_cost(const char *pattern, struct paleo_error *err)
{
	double repeats = 1;

	if (strlen(pattern) > LENGTH_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "--filter has %zu characters, expected at most %d",
				  strlen(pattern), LENGTH_MAX);
	for (const char *at = pattern; *at; at++) {
		if (*at == '{')
			repeats *= count_of(&at);
		if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
			return paleo_fail(err, PALEO_EINPUT,
					  "--filter '%s': back-references (\\%c) are not "
					  "supported: write out the"
					  " text",
					  pattern, at[1]);
		if (!*at)
			break;
		at += *at == '\\' && at[1];
	}
	if (repeats > REPEATS_MAX)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--filter '%s' repeats up to %.0f times, expected at most %d: use * "
			"or +",
			pattern, repeats, REPEATS_MAX);
	return PALEO_OK;
}

int filter_open(const char *pattern, struct filter *out, struct paleo_error *err)
{
	char why[128];

	out->on = 0;
	if (!pattern)
		return PALEO_OK;
	PALEO_TRY(check_cost(pattern, err));
	int code = regcomp(&out->re, pattern, REG_EXTENDED | REG_NOSUB);
	if (code) {
		regerror(code, &out->re, why, sizeof(why));
		return paleo_fail(err, PALEO_EINPUT, "--filter '%s': %s", pattern, why);
	}
	out->on = 1;
	return PALEO_OK;
}

void filter_close(struct filter *f)
{
	if (f->on)
		regfree(&f->re);
	f->on = 0;
}

/* The C library says REG_NOMATCH, too, where the search itself had no memory. */
int filter_keeps(const struct filter *f, const char *layer, int *keeps, struct paleo_error *err)
{
	errno = 0;
	int code = f->on ? regexec(&f->re, layer, 0, NULL, 0) : 0;

	if (code && errno == ENOMEM)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for --filter");
	*keeps = !code;
	return PALEO_OK;
}

/* One of the different ops, by its key. */
struct kept {
	UT_hash_handle hh;
	const struct paleo_op *op;
	int index; /* into the plan's ops */
	char key[];
};

static int by_key(const struct kept *a, const struct kept *b)
{
	return strcmp(a->key, b->key);
}

/* An op's index and what it is sorted by. */
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

	PALEO_TRY(paleo_net_open(name, batch, &net, err));
	if (batch || !batch_max || net->batch <= batch_max) {
		*out = net;
		return PALEO_OK;
	}
	paleo_net_free(net);
	return paleo_net_open(name, batch_max, out, err);
}

/* Keeps the rows whose layer's name matches. */
static int filter_rows(const char *pattern, struct paleo_op_list *rows, struct paleo_error *err)
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
	const struct paleo_ops_options how = {.dtype = s->dtype,
					      .layout = s->layout,
					      .passes = s->passes,
					      .fuse = s->fuse,
					      .framework = s->framework.name,
					      .optimizer = s->framework.optimizer,
					      .separate_attention = s->separate_attention};
	PALEO_TRY(open_net(s, name, &n->net, err));
	int rc = paleo_net_ops_with(n->net, &how, &n->rows, err);
	if (rc)
		paleo_error_prefix(err, "%.300s", name);
	if (!rc && s->filter)
		rc = filter_rows(s->filter, &n->rows, err);
	if (rc)
		return rc;
	n->op_of = calloc((size_t)n->rows.count + 1, sizeof(*n->op_of));
	if (!n->op_of)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	return PALEO_OK;
}

/* The op of this key, which is made where there is none yet; NULL: out of memory. */
static struct kept *keep_op(struct kept **table, const struct paleo_op *w)
{
	char key[PALEO_OP_KEY_MAX];
	struct kept *found;

	paleo_op_key(w, key, sizeof(key));
	size_t size = strlen(key);
	HASH_FIND(hh, *table, key, size, found);
	if (found)
		return found;
	struct kept *made = malloc(sizeof(*made) + size + 1);
	if (!made)
		return NULL;
	*made = (struct kept){.op = w, .index = (int)HASH_COUNT(*table)};
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

/* Puts the ops into the plan in the order of their keys, and says the rows where theirs is. */
static int list_ops(struct plan *p, struct kept *table, struct paleo_error *err)
{
	size_t count = HASH_COUNT(table);
	int *place = malloc((count + 1) * sizeof(*place)); /* by the order in which they came */

	p->ops = calloc(count + 1, sizeof(*p->ops));
	if (!p->ops || !place) {
		free(place);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", count);
	}
	for (const struct kept *k = table; k; k = k->hh.next) {
		place[k->index] = p->op_count;
		p->ops[p->op_count++].op = *k->op;
	}
	for (int i = 0; i < p->net_count; i++)
		for (int r = 0; r < p->nets[i].rows.count; r++)
			p->nets[i].op_of[r] = place[p->nets[i].op_of[r]];
	free(place);
	return PALEO_OK;
}

/* Equal ops of all rows become one. */
static int unite_ops(struct plan *p, struct paleo_error *err)
{
	struct kept *table = NULL;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < p->net_count; i++) {
		const struct plan_net *n = &p->nets[i];
		for (int r = 0; !rc && r < n->rows.count; r++) {
			const struct kept *k = keep_op(&table, &n->rows.items[r].op);
			if (k)
				n->op_of[r] = k->index;
			else
				rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", r);
		}
	}
	HASH_SORT(table, by_key);
	if (!rc)
		rc = list_ops(p, table, err);
	free_kept(table);
	return rc;
}

/* A dtype that the device does not have is no error here: it shows as "-". */
int plan_predict(struct plan *p, const struct paleo_calibration *c,
		 const struct paleo_chosen *chosen, struct paleo_error *err)
{
	for (int i = 0; i < p->op_count; i++) {
		struct plan_op *w = &p->ops[i];
		int rc;
		if (chosen && w->op.kind == PALEO_CONV)
			w->chosen = paleo_chosen_find(chosen, &w->op);
		if (w->chosen) {
			w->cost = paleo_method_cost(&w->op, w->chosen);
			rc = paleo_predict_method(c, &w->op, &w->cost, &w->prediction, &w->use,
						  err);
		} else {
			rc = paleo_predict_op(c, &w->op, &w->prediction, err);
		}
		if (rc && rc != PALEO_EUNSUPPORTED)
			return rc;
		w->predicted = !rc;
		w->before_s = w->prediction.parts.total_s;
	}
	return PALEO_OK;
}

static int order_ops(struct plan *p, struct paleo_error *err)
{
	struct rank *ranks = malloc(((size_t)p->op_count + 1) * sizeof(*ranks));

	p->order = malloc(((size_t)p->op_count + 1) * sizeof(*p->order));
	if (!ranks || !p->order) {
		free(ranks);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", p->op_count);
	}
	for (int i = 0; i < p->op_count; i++) {
		const struct plan_op *w = &p->ops[i];
		ranks[i].index = i;
		ranks[i].seconds = w->predicted ? w->prediction.parts.total_s : w->op.flops;
	}
	qsort(ranks, (size_t)p->op_count, sizeof(*ranks), compare_ranks);
	for (int i = 0; i < p->op_count; i++)
		p->order[i] = ranks[i].index;
	free(ranks);
	return PALEO_OK;
}

static int make_times(struct plan *p, struct paleo_error *err)
{
	size_t each = (size_t)p->modes.count;

	p->times = calloc((size_t)p->op_count * each + 1, sizeof(*p->times));
	if (!p->times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", p->op_count);
	for (int i = 0; i < p->op_count; i++)
		p->ops[i].times = &p->times[(size_t)i * each];
	return PALEO_OK;
}

/* The nets with their rows, nothing else. On failure p is to be released too. */
static int make_nets(const struct plan_settings *s, const char *const *names, int count,
		     struct plan *p, struct paleo_error *err)
{
	int rows = 0;

	if (s->fuse && s->passes != PALEO_PASSES_FWD)
		return paleo_fail(err, PALEO_EINPUT, "--fuse needs --pass fwd (inference)");
	p->nets = calloc((size_t)count + 1, sizeof(*p->nets));
	if (!p->nets)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d nets", count);
	for (int i = 0; i < count; i++) {
		p->net_count++;
		PALEO_TRY(make_net(s, names[i], &p->nets[i], err));
		rows += p->nets[i].rows.count;
	}
	if (s->filter && !rows)
		return paleo_fail(err, PALEO_EINPUT,
				  "--filter '%s' matches no layer with an op in this pass",
				  s->filter);
	if (s->passes != PALEO_PASSES_ALL && !rows)
		return paleo_fail(err, PALEO_EINPUT,
				  "no layer has an op in this pass; networks for inference have "
				  "forward ones alone");
	return PALEO_OK;
}

int plan_check(const struct plan_settings *s, const char *const *names, int count, unsigned *dtypes,
	       struct paleo_error *err)
{
	struct plan p = {0};
	int rc = make_nets(s, names, count, &p, err);

	if (dtypes)
		*dtypes = 0;
	for (int i = 0; dtypes && !rc && i < p.net_count; i++)
		for (int r = 0; r < p.nets[i].rows.count; r++)
			*dtypes |= 1u << p.nets[i].rows.items[r].op.dtype;
	plan_release(&p);
	return rc;
}

int plan_make(const struct plan_settings *s, const struct paleo_calibration *c,
	      const char *const *names, int count, struct plan *out, struct paleo_error *err)
{
	struct plan p = {.dtype = s->dtype,
			 .layout = s->layout,
			 .batch_max = s->batch ? 0 : s->batch_max,
			 .fused = s->fuse != PALEO_FUSE_NOTHING,
			 .framework = s->framework,
			 .training = s->passes != PALEO_PASSES_FWD,
			 .modes = s->modes};

	int rc = make_nets(s, names, count, &p, err);
	if (!rc)
		rc = unite_ops(&p, err);
	if (!rc)
		rc = make_times(&p, err);
	if (!rc)
		rc = plan_predict(&p, c, s->chosen, err);
	if (!rc)
		rc = order_ops(&p, err);
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
		free(p->nets[i].op_of);
		free(p->nets[i].in_network_s);
		paleo_op_list_release(&p->nets[i].rows);
		paleo_net_free(p->nets[i].net);
	}
	for (int i = 0; p->times && i < p->op_count * p->modes.count; i++)
		candidates_release(&p->times[i].candidates);
	free(p->nets);
	free(p->ops);
	free(p->times);
	free(p->order);
	memset(p, 0, sizeof(*p));
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
		const struct paleo_net_op *from = &n->rows.items[i];
		struct paleo_net_row *to = &rows.rows[i];
		plan_short_name(from->layer->name, to->layer, sizeof(to->layer));
		snprintf(to->kind, sizeof(to->kind), "%s", from->what);
		to->pass = from->pass;
		to->op = from->op;
	}
	*out = rows;
	return PALEO_OK;
}
