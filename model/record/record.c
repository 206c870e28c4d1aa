/* record.c - a set of measured times: adding, finding, freeing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/record/graph_record.h"
#include "model/work/work_fields.h"

/*
 * Finds records by their work and mode. Slots are told by a hash of both: a slot is 1 + the place
 * of the first record of its work and mode, 0 where there is none, and others stand behind it (open
 * addressing). Records of other ranks follow in a chain.
 */
struct paleo_results_index {
	uint32_t *slots;
	size_t room; /* a power of two, at least 4/3 of what is in use */
	size_t used;
	int *next; /* of each record: the place of the next one of its work and mode; -1 */
};

static uint64_t hash_of(const struct paleo_work *w, const char *mode)
{
	uint64_t h = paleo_hash_bytes(0, mode, strlen(mode));

	h = paleo_hash(h ^ (uint64_t)w->kind << 16 ^ (uint64_t)w->pass << 8 ^ (uint64_t)w->dtype);
	for (const struct paleo_field *f = paleo_work_fields(w->kind); f->name; f++) {
		double number = paleo_field_get(w, f) + 0.0; /* of -0 and 0 the same bits */
		uint64_t bits;
		memcpy(&bits, &number, sizeof(bits));
		h = paleo_hash(h ^ bits);
	}
	return h;
}

/* The slot of a work and mode, or the one that it would take. */
static uint32_t *slot_of(const struct paleo_results *r, const struct paleo_work *w,
			 const char *mode)
{
	const struct paleo_results_index *index = r->index;
	size_t at = (size_t)hash_of(w, mode) & (index->room - 1);

	for (; index->slots[at]; at = (at + 1) & (index->room - 1)) {
		const struct paleo_record *first = &r->records[index->slots[at] - 1];
		if (paleo_work_equal(&first->work, w) && !strcmp(first->mode, mode))
			break;
	}
	return &index->slots[at];
}

/* The place of the first record of a work and mode, whatever its rank; -1: there is none. */
static int first_of(const struct paleo_results *r, const struct paleo_work *w, const char *mode)
{
	return r->index && r->index->room ? (int)*slot_of(r, w, mode) - 1 : -1;
}

/* The place of the one of a rank, in the chain that begins at `first`; -1: there is none. */
static int of_rank(const struct paleo_results *r, int first, int rank)
{
	while (first >= 0 && r->records[first].rank != rank)
		first = r->index->next[first];
	return first;
}

/* The fastest right one; else that of the lowest rank. */
static int choose(const struct paleo_results *r, int first)
{
	int lowest = first, best = -1;

	for (int at = first; at >= 0; at = r->index->next[at]) {
		const struct paleo_record *record = &r->records[at];
		if (record->rank < r->records[lowest].rank)
			lowest = at;
		if (record->status != PALEO_RECORD_OK)
			continue;
		double faster =
			best < 0 ? -1 : record->timing.median_s - r->records[best].timing.median_s;
		if (faster < 0 || (faster == 0 && record->rank < r->records[best].rank))
			best = at;
	}
	return best >= 0 ? best : lowest;
}

const struct paleo_record *paleo_results_find(const struct paleo_results *r,
					      const struct paleo_work *w, const char *mode)
{
	int first = first_of(r, w, mode);

	return first < 0 ? NULL : &r->records[choose(r, first)];
}

const struct paleo_record *paleo_results_candidate(const struct paleo_results *r,
						   const struct paleo_work *w, const char *mode,
						   int rank)
{
	int found = of_rank(r, first_of(r, w, mode), rank);

	return found < 0 ? NULL : &r->records[found];
}

int paleo_results_stands(const struct paleo_results *r, int i)
{
	const struct paleo_record *record = &r->records[i];

	return !r->has_candidates || paleo_results_find(r, &record->work, record->mode) == record;
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

/* Twice as many slots. */
static int grow_slots(struct paleo_results *r, struct paleo_error *err)
{
	enum {
		ROOM_MIN = 16
	};
	struct paleo_results_index *index = r->index;
	uint32_t *before = index->slots;
	const size_t room = index->room;
	uint32_t *slots = calloc(room ? 2 * room : ROOM_MIN, sizeof(*slots));

	if (!slots)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	index->slots = slots;
	index->room = room ? 2 * room : ROOM_MIN;
	for (size_t i = 0; i < room; i++) {
		if (!before[i])
			continue;
		const struct paleo_record *first = &r->records[before[i] - 1];
		*slot_of(r, &first->work, first->mode) = before[i];
	}
	free(before);
	return PALEO_OK;
}

/* Room for one more record and what finds it. */
static int grow_records(struct paleo_results *r, struct paleo_error *err)
{
	void *records = r->records;

	if (!r->index)
		r->index = calloc(1, sizeof(*r->index));
	if (!r->index)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	void *next = r->index->next;
	int rc = grow(&next, r->count, sizeof(*r->index->next), err);
	if (rc)
		return rc;
	r->index->next = next;
	rc = grow(&records, r->count, sizeof(*r->records), err);
	if (rc)
		return rc;
	r->records = records;
	return 4 * (r->index->used + 1) > 3 * r->index->room ? grow_slots(r, err) : PALEO_OK;
}

/* In its slot, or behind the others of its work and mode. */
static void append(struct paleo_results *r, const struct paleo_record *record, int last)
{
	const int place = r->count;

	assert(r->index->next);
	if (last >= 0) {
		r->index->next[last] = place;
	} else {
		*slot_of(r, &record->work, record->mode) = (uint32_t)place + 1;
		r->index->used++;
	}
	r->index->next[place] = -1;
	r->records[r->count++] = *record;
}

int paleo_results_add(struct paleo_results *r, const struct paleo_record *record,
		      struct paleo_error *err)
{
	const int first = first_of(r, &record->work, record->mode);
	const int found = of_rank(r, first, record->rank);
	int last = first;

	assert(record->rank >= 0 && record->rank < PALEO_ALGORITHMS_MAX);
	if (found >= 0) {
		struct paleo_record *place = &r->records[found];
		if (place->status != PALEO_RECORD_OK || record->status != PALEO_RECORD_DISTURBED)
			*place = *record;
		return PALEO_OK;
	}
	int rc = grow_records(r, err);
	if (rc)
		return rc;
	while (last >= 0 && r->index->next[last] >= 0)
		last = r->index->next[last];
	append(r, record, last);
	r->has_candidates |= record->rank > 0;
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
	if (!index)
		return;
	free(index->slots);
	free(index->next);
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
