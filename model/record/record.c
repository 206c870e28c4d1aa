/* record.c - a set of measured times: adding, finding, freeing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* uthash would end the process when memory runs out; so it only drops the entry, and we notice. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "model/record/graph_record.h"

/* All records of a work in a mode; the key is both in one line. */
struct index_entry {
	int places[PALEO_ALGORITHMS_MAX]; /* in records, by rank; -1: there is none */
	int stands;                       /* the place of the one that stands for them */
	UT_hash_handle hh;
	char key[];
};

struct paleo_results_index {
	struct index_entry *table;
};

struct key {
	char text[PALEO_WORK_KEY_MAX + sizeof(((struct paleo_record *)0)->mode) + 2];
	size_t length;
	unsigned hash;
};

static void make_key(const struct paleo_work *w, const char *mode, struct key *key)
{
	size_t most = sizeof(((struct paleo_record *)0)->mode) - 1;

	paleo_work_key(w, key->text, PALEO_WORK_KEY_MAX);
	size_t at = strlen(key->text), size = strnlen(mode, most);
	key->text[at++] = ' ';
	memcpy(key->text + at, mode, size);
	key->length = at + size;
	key->text[key->length] = '\0';
	HASH_VALUE(key->text, key->length, key->hash);
}

static struct index_entry *find_key(const struct paleo_results *r, const struct key *key)
{
	struct index_entry *found = NULL;

	if (r->index)
		HASH_FIND_BYHASHVALUE(hh, r->index->table, key->text, key->length, key->hash,
				      found);
	return found;
}

static struct index_entry *find_entry(const struct paleo_results *r, const struct paleo_work *w,
				      const char *mode)
{
	struct key key;

	make_key(w, mode, &key);
	return find_key(r, &key);
}

const struct paleo_record *paleo_results_find(const struct paleo_results *r,
					      const struct paleo_work *w, const char *mode)
{
	const struct index_entry *e = find_entry(r, w, mode);

	return e ? &r->records[e->stands] : NULL;
}

const struct paleo_record *paleo_results_candidate(const struct paleo_results *r,
						   const struct paleo_work *w, const char *mode,
						   int rank)
{
	const struct index_entry *e = find_entry(r, w, mode);

	return e && e->places[rank] >= 0 ? &r->records[e->places[rank]] : NULL;
}

int paleo_results_stands(const struct paleo_results *r, int i)
{
	const struct paleo_record *record = &r->records[i];

	return !r->has_candidates || paleo_results_find(r, &record->work, record->mode) == record;
}

/* The fastest right one; else the first. */
static int choose(const struct paleo_results *r, const struct index_entry *e)
{
	int first = -1, best = -1;

	for (int rank = 0; rank < PALEO_ALGORITHMS_MAX; rank++) {
		int at = e->places[rank];
		if (at < 0)
			continue;
		if (first < 0)
			first = at;
		if (r->records[at].status == PALEO_RECORD_OK &&
		    (best < 0 || r->records[at].timing.median_s < r->records[best].timing.median_s))
			best = at;
	}
	return best >= 0 ? best : first;
}

static int add_entry(struct paleo_results *r, const struct key *key, struct index_entry **out,
		     struct paleo_error *err)
{
	if (!r->index)
		r->index = calloc(1, sizeof(*r->index));
	if (!r->index)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	struct index_entry *e = calloc(1, sizeof(*e) + key->length + 1);
	if (!e)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	memcpy(e->key, key->text, key->length + 1);
	for (int rank = 0; rank < PALEO_ALGORITHMS_MAX; rank++)
		e->places[rank] = -1;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, r->index->table, e->key, key->length, key->hash, e);
	if (!e->hh.tbl) {
		free(e);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	*out = e;
	return PALEO_OK;
}

/* Room for one more; the capacity is the power of two at or above the count. */
static int grow(void **array, int count, size_t item, struct paleo_error *err)
{
	if (count > 0 && (count & (count - 1)) != 0)
		return PALEO_OK;
	size_t capacity = count ? 2 * (size_t)count : 1;
	void *p = realloc(*array, capacity * item);
	if (!p)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	*array = p;
	return PALEO_OK;
}

int paleo_results_add(struct paleo_results *r, const struct paleo_record *record,
		      struct paleo_error *err)
{
	void *records = r->records;
	struct key key;
	int rc;

	assert(record->rank >= 0 && record->rank < PALEO_ALGORITHMS_MAX);
	make_key(&record->work, record->mode, &key);
	struct index_entry *e = find_key(r, &key);
	int is_new = !e || e->places[record->rank] < 0;
	if (is_new) {
		rc = grow(&records, r->count, sizeof(*r->records), err);
		if (rc)
			return rc;
		r->records = records;
		rc = e ? PALEO_OK : add_entry(r, &key, &e, err);
		if (rc)
			return rc;
		e->places[record->rank] = r->count++;
	}
	struct paleo_record *place = &r->records[e->places[record->rank]];
	if (is_new || place->status != PALEO_RECORD_OK || record->status != PALEO_RECORD_DISTURBED)
		*place = *record;
	r->has_candidates |= record->rank > 0;
	e->stands = choose(r, e);
	return PALEO_OK;
}

int paleo_net_rows_equal(const struct paleo_net_rows *a, const struct paleo_net_rows *b)
{
	int same = !strcmp(a->net, b->net) && a->batch == b->batch && a->dtype == b->dtype &&
		   a->count == b->count;

	for (int i = 0; same && i < a->count; i++)
		same = !strcmp(a->rows[i].layer, b->rows[i].layer) &&
		       !strcmp(a->rows[i].kind, b->rows[i].kind) &&
		       a->rows[i].pass == b->rows[i].pass &&
		       paleo_work_equal(&a->rows[i].work, &b->rows[i].work);
	return same;
}

enum paleo_layout paleo_net_rows_layout(const struct paleo_net_rows *n)
{
	for (int i = 0; i < n->count; i++)
		if (n->rows[i].work.layout != PALEO_NCHW)
			return n->rows[i].work.layout;
	return PALEO_NCHW;
}

static struct paleo_net_rows *find_net(const struct paleo_results *r,
				       const struct paleo_net_rows *net)
{
	for (int i = 0; i < r->net_count; i++) {
		struct paleo_net_rows *n = &r->nets[i];
		if (strcmp(n->net, net->net) == 0 && n->batch == net->batch &&
		    n->dtype == net->dtype &&
		    paleo_net_rows_layout(n) == paleo_net_rows_layout(net))
			return n;
	}
	return NULL;
}

int paleo_results_add_net(struct paleo_results *r, const struct paleo_net_rows *net,
			  struct paleo_error *err)
{
	size_t bytes = (size_t)net->count * sizeof(*net->rows);
	struct paleo_net_row *rows = malloc(bytes + 1); /* + 1: malloc(0) may be NULL */
	struct paleo_net_rows *to = find_net(r, net);
	int rc = PALEO_OK;

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (net->count > 0)
		memcpy(rows, net->rows, bytes);
	if (!to) {
		void *nets = r->nets;
		rc = grow(&nets, r->net_count, sizeof(*r->nets), err);
		if (rc) {
			free(rows);
			return rc;
		}
		r->nets = nets;
		to = &r->nets[r->net_count++];
		to->rows = NULL;
	}
	free(to->rows);
	*to = *net;
	to->rows = rows;
	return PALEO_OK;
}

int paleo_results_add_ceiling(struct paleo_results *r, const struct paleo_ceiling *c,
			      struct paleo_error *err)
{
	for (int i = 0; i < r->ceiling_count; i++) {
		if (strcmp(r->ceilings[i].name, c->name) == 0) {
			r->ceilings[i] = *c;
			return PALEO_OK;
		}
	}
	void *ceilings = r->ceilings;
	int rc = grow(&ceilings, r->ceiling_count, sizeof(*r->ceilings), err);
	if (rc)
		return rc;
	r->ceilings = ceilings;
	r->ceilings[r->ceiling_count++] = *c;
	return PALEO_OK;
}

static void free_index(struct paleo_results_index *index)
{
	struct index_entry *e, *next;

	if (!index)
		return;
	e = index->table;
	HASH_CLEAR(hh, index->table); /* the entries stay linked to one another */
	for (; e; e = next) {
		next = e->hh.next;
		free(e);
	}
	free(index);
}

static struct paleo_graph_record *find_pass(const struct paleo_results *r,
					    const struct paleo_graph_record *like)
{
	for (int i = 0; i < r->pass_count; i++) {
		struct paleo_graph_record *f = &r->passes[i];
		if (!strcmp(f->net, like->net) && f->batch == like->batch &&
		    f->dtype == like->dtype && f->extent == like->extent &&
		    f->layout == like->layout && f->fused == like->fused &&
		    (f->extent != PALEO_EXTENT_STEP || f->rule == like->rule))
			return f;
	}
	return NULL;
}

const struct paleo_graph_record *paleo_results_find_pass(const struct paleo_results *r,
							 const struct paleo_graph_record *like)
{
	return find_pass(r, like);
}

int paleo_results_add_pass(struct paleo_results *r, const struct paleo_graph_record *pass,
			   struct paleo_error *err)
{
	struct paleo_graph_record *to = find_pass(r, pass);
	void *passes = r->passes;

	if (!to) {
		int rc = grow(&passes, r->pass_count, sizeof(*r->passes), err);
		if (rc)
			return rc;
		r->passes = passes;
		to = &r->passes[r->pass_count++];
		to->rows = NULL;
	}
	paleo_graph_record_release(to);
	*to = *pass;
	return PALEO_OK;
}

/* Passes own their rows, so they move. */
static int join_all(struct paleo_results *r, struct paleo_results *part, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < part->count; i++)
		rc = paleo_results_add(r, &part->records[i], err);
	for (int i = 0; !rc && i < part->net_count; i++)
		rc = paleo_results_add_net(r, &part->nets[i], err);
	for (int i = 0; !rc && i < part->pass_count; i++) {
		rc = paleo_results_add_pass(r, &part->passes[i], err);
		if (!rc)
			part->passes[i].rows = NULL;
	}
	return rc;
}

int paleo_results_join(struct paleo_results *r, struct paleo_results *part, struct paleo_error *err)
{
	void *parts = r->parts;
	int rc = join_all(r, part, err);

	if (!rc)
		rc = grow(&parts, r->part_count, sizeof(*r->parts), err);
	if (rc) {
		paleo_results_release(part);
		return rc;
	}
	r->parts = parts;
	r->parts[r->part_count++] = *part;
	*part = (struct paleo_results){0};
	return PALEO_OK;
}

const struct paleo_results *paleo_results_of_net(const struct paleo_results *r,
						 const struct paleo_net_rows *net)
{
	for (int i = r->part_count - 1; i >= 0; i--)
		if (find_net(&r->parts[i], net))
			return &r->parts[i];
	return r;
}

void paleo_results_release(struct paleo_results *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->part_count; i++)
		paleo_results_release(&r->parts[i]);
	free(r->parts);
	for (int i = 0; i < r->net_count; i++)
		free(r->nets[i].rows);
	free(r->nets);
	for (int i = 0; i < r->pass_count; i++)
		paleo_graph_record_release(&r->passes[i]);
	free(r->passes);
	free(r->ceilings);
	free(r->records);
	free_index(r->index);
	*r = (struct paleo_results){0};
}

void paleo_record_take(struct paleo_record *r, const struct paleo_algorithm *a)
{
	memcpy(r->algorithm, a->name, sizeof(r->algorithm));
	memcpy(r->engine, a->engine, sizeof(r->engine));
	memcpy(r->knobs, a->knobs, sizeof(r->knobs));
	memcpy(r->notes, a->notes, sizeof(r->notes));
	memcpy(r->behaviour, a->behaviour, sizeof(r->behaviour));
	r->is_fallback = a->is_fallback;
	r->has_bias = a->has_bias;
	r->has_act = a->has_act;
	r->workspace_bytes = a->workspace_bytes;
}

const char *paleo_record_status_name(enum paleo_record_status status)
{
	switch (status) {
	case PALEO_RECORD_OK:
		return "ok";
	case PALEO_RECORD_UNSUPPORTED:
		return "unsupported";
	case PALEO_RECORD_OOM:
		return "oom";
	case PALEO_RECORD_TIMEOUT:
		return "timeout";
	case PALEO_RECORD_CRASH:
		return "crash";
	case PALEO_RECORD_INCORRECT:
		return "incorrect";
	case PALEO_RECORD_FAILED:
		return "failed";
	case PALEO_RECORD_DISTURBED:
		return "disturbed";
	case PALEO_RECORD_STATUSES:
		break;
	}
	return "unknown";
}
