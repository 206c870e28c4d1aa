/* record.c - a set of measured times: adding, finding, freeing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/op/op_fields.h"
#include "model/record/graph_record.h"

struct paleo_another_run paleo_timing_another_run(const struct paleo_timing *t)
{
	const double normal95 = 1.959964, both = sqrt(2);

	if (!(t->ci_degrees > 0))
		return (struct paleo_another_run){NAN, NAN};
	return (struct paleo_another_run){both * log(t->ci_high_s / t->ci_low_s) / 2,
					  both * normal95 * t->speed_slope * t->speed_sd};
}

/*
 * Finds records by their op and mode. A hash of both selects a slot: 1 + the index of the first
 * record of its op and mode, 0 if empty, with open addressing. Records of other ranks follow in a
 * chain.
 */
struct paleo_results_index {
	uint32_t *slots;
	size_t room; /* a power of two, at least 4/3 of the slots used */
	size_t used;
	int *next; /* of each record: the place of the next one of its op and mode; -1 */
};

static uint64_t hash_of(const struct paleo_op *w, const char *mode)
{
	uint64_t h = paleo_hash_bytes(0, mode, strlen(mode));

	h = paleo_hash(h ^ (uint64_t)w->kind << 16 ^ (uint64_t)w->pass << 8 ^ (uint64_t)w->dtype);
	for (const struct paleo_field *f = paleo_op_fields(w->kind); f->name; f++) {
		double number = paleo_field_get(w, f) + 0.0; /* of -0 and 0 the same bits */
		uint64_t bits;
		memcpy(&bits, &number, sizeof(bits));
		h = paleo_hash(h ^ bits);
	}
	return h;
}

/* The slot of an op and mode, or the one that it would take. */
static uint32_t *slot_of(const struct paleo_results *r, const struct paleo_op *w, const char *mode)
{
	const struct paleo_results_index *index = r->index;
	size_t at = (size_t)hash_of(w, mode) & (index->room - 1);

	for (; index->slots[at]; at = (at + 1) & (index->room - 1)) {
		const struct paleo_result *first = &r->records[index->slots[at] - 1];
		if (paleo_op_equal(&first->op, w) && !strcmp(first->mode, mode))
			break;
	}
	return &index->slots[at];
}

/* Index of the first record of an op and mode, whatever its rank; -1: none. */
static int first_of(const struct paleo_results *r, const struct paleo_op *w, const char *mode)
{
	return r->index && r->index->room ? (int)*slot_of(r, w, mode) - 1 : -1;
}

/* Index of the record of a rank, in the chain that begins at `first`; -1: none. */
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
		const struct paleo_result *record = &r->records[at];
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

const struct paleo_result *paleo_results_find(const struct paleo_results *r,
					      const struct paleo_op *w, const char *mode)
{
	int first = first_of(r, w, mode);

	return first < 0 ? NULL : &r->records[choose(r, first)];
}

const struct paleo_result *paleo_results_candidate(const struct paleo_results *r,
						   const struct paleo_op *w, const char *mode,
						   int rank)
{
	int found = of_rank(r, first_of(r, w, mode), rank);

	return found < 0 ? NULL : &r->records[found];
}

int paleo_results_stands(const struct paleo_results *r, int i)
{
	const struct paleo_result *record = &r->records[i];

	return !r->has_candidates || paleo_results_find(r, &record->op, record->mode) == record;
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
		const struct paleo_result *first = &r->records[before[i] - 1];
		*slot_of(r, &first->op, first->mode) = before[i];
	}
	free(before);
	return PALEO_OK;
}

/* Grows the array and the index by one record. */
static int grow_records(struct paleo_results *r, struct paleo_error *err)
{
	void *records = r->records;

	if (!r->index)
		r->index = calloc(1, sizeof(*r->index));
	if (!r->index)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	void *next = r->index->next;
	PALEO_TRY(grow(&next, r->count, sizeof(*r->index->next), err));
	r->index->next = next;
	PALEO_TRY(grow(&records, r->count, sizeof(*r->records), err));
	r->records = records;
	return 4 * (r->index->used + 1) > 3 * r->index->room ? grow_slots(r, err) : PALEO_OK;
}

/* In its slot, or behind the others of its op and mode. */
static void append(struct paleo_results *r, const struct paleo_result *record, int last)
{
	const int place = r->count;

	assert(r->index->next);
	if (last >= 0) {
		r->index->next[last] = place;
	} else {
		*slot_of(r, &record->op, record->mode) = (uint32_t)place + 1;
		r->index->used++;
	}
	r->index->next[place] = -1;
	r->records[r->count++] = *record;
}

int paleo_results_add(struct paleo_results *r, const struct paleo_record *record,
		      struct paleo_error *err)
{
	const int first = first_of(r, &record->op, record->mode);
	const int found = of_rank(r, first, record->rank);
	struct paleo_result result;
	int last = first;

	assert(record->rank >= 0 && record->rank < PALEO_ALGORITHMS_MAX);
	PALEO_TRY(paleo_result_of(record, &r->texts, &result, err));
	if (found >= 0) {
		struct paleo_result *place = &r->records[found];
		if (place->status != PALEO_RECORD_OK || record->status != PALEO_RECORD_DISTURBED)
			*place = result;
		return PALEO_OK;
	}
	PALEO_TRY(grow_records(r, err));
	while (last >= 0 && r->index->next[last] >= 0)
		last = r->index->next[last];
	append(r, &result, last);
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
		       paleo_op_equal(&a->rows[i].op, &b->rows[i].op);
	return same;
}

enum paleo_layout paleo_net_rows_layout(const struct paleo_net_rows *n)
{
	for (int i = 0; i < n->count; i++)
		if (n->rows[i].op.layout != PALEO_NCHW)
			return n->rows[i].op.layout;
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
	PALEO_TRY(grow(&ceilings, r->ceiling_count, sizeof(*r->ceilings), err));
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
		PALEO_TRY(grow(&passes, r->pass_count, sizeof(*r->passes), err));
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
	for (int i = 0; i < part->count; i++) {
		const struct paleo_record record = paleo_result_record(&part->records[i]);
		PALEO_TRY(paleo_results_add(r, &record, err));
	}
	for (int i = 0; i < part->net_count; i++)
		PALEO_TRY(paleo_results_add_net(r, &part->nets[i], err));
	for (int i = 0; i < part->pass_count; i++) {
		PALEO_TRY(paleo_results_add_pass(r, &part->passes[i], err));
		part->passes[i].rows = NULL;
	}
	return PALEO_OK;
}

/* Adds all of `part`, which becomes one of the parts. */
static int add_part(struct paleo_results *r, struct paleo_results *part, struct paleo_error *err)
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

/* An empty set becomes `part` itself, without a copy; its nets and records are its only part. */
static void become(struct paleo_results *r, struct paleo_results *part)
{
	const struct paleo_record_meta meta = r->meta;

	free(part->ceilings);
	*r = *part;
	r->meta = meta;
	r->ceilings = NULL;
	r->ceiling_count = r->complete = r->is_cut = 0;
	r->is_part = 1;
	*part = (struct paleo_results){0};
}

int paleo_results_join(struct paleo_results *r, struct paleo_results *part, struct paleo_error *err)
{
	int rc = PALEO_OK;

	if (!r->count && !r->net_count && !r->pass_count && !r->ceiling_count && !r->part_count) {
		become(r, part);
		return PALEO_OK;
	}
	if (r->is_part) {
		struct paleo_results first = *r;
		*r = (struct paleo_results){.meta = first.meta};
		rc = add_part(r, &first, err);
	}
	if (!rc)
		return add_part(r, part, err);
	paleo_results_release(part);
	return rc;
}

const char *paleo_results_regime(const struct paleo_results *r)
{
	if (!r->count && !r->pass_count)
		return "";
	const char *first = r->count ? r->records[0].regime : r->passes[0].regime;
	return first[0] ? first : paleo_regime_name(PALEO_BURST);
}

double paleo_results_disturbed(const struct paleo_results *r)
{
	int n = 0;

	for (int i = 0; i < r->count; i++)
		n += r->records[i].status == PALEO_RECORD_DISTURBED;
	return r->count ? (double)n / r->count : 0;
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
	paleo_texts_release(&r->texts);
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
