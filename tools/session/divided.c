/* divided.c - divides ops over equal devices, and joins what these have measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/divided.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/table.h"
#include "base/text.h"
#include "calib/compare.h"
#include "calib/health.h"

/* Ops that all devices measure: the fewest whose median has a 95 % interval that one of them alone
 * does not widen. */
enum {
	COMMON = 9
};

/* False alarms in a run, and what does not count. */
static const double LEVEL = 0.01, MARGIN = 0.03;

/* What a device has measured. */
struct part {
	struct paleo_results results; /* empty where `why` says why */
	char name[PALEO_UNIT_MAX];
	char why[PALEO_ERROR_MAX];
	struct paleo_health_factor factor;
};

/* Of rank 0. */
struct joined {
	struct divided *d;
	struct records *records;
	struct part *parts;
	int count;
};

int divided_begin(struct divided *d, const char *devices, FILE **notes, struct paleo_error *err)
{
	const char *launcher = ranks_launcher();
	struct device_list list = {.count = 1};

	*d = (struct divided){.ranks = NULL};
	if (!launcher)
		PALEO_TRY(device_list_parse(devices, &list, err));
	for (int i = 0; !launcher && i < list.count; i++)
		PALEO_TRY(session_check(list.names[i], err));
	if (!launcher && list.count == 1)
		return PALEO_OK;
	PALEO_TRY(ranks_join(launcher, list.count, &d->ranks, err));
	d->is_other = d->ranks->info.rank > 0;
	if (d->is_other) {
		d->silence = paleo_collect(&d->unread);
		if (!d->silence)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for notes");
		*notes = d->silence;
	}
	int rc = ranks_device(d->ranks, devices, d->device, err);
	struct paleo_error unsaid;
	int said = ranks_say_name(d->ranks, rc ? "?" : d->device, rc ? &unsaid : err);
	return rc ? rc : said;
}

enum records_place divided_open(const struct divided *d, struct session *s)
{
	struct paleo_condition at;

	if (!d->ranks)
		return RECORDS_FILE;
	session_condition(s, d->device, &at);
	snprintf(s->unit, sizeof(s->unit), "%.60s%s%.60s", at.node, at.unit[0] ? " " : "", at.unit);
	return d->is_other ? RECORDS_MEMORY : RECORDS_BOTH;
}

static uint64_t hash_of(const struct paleo_op *w)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
	return paleo_hash(paleo_hash_bytes(0, key, strlen(key)));
}

/* The hash up to which ops are for all: each op counts once, however many modes it has. */
static uint64_t last_common(const struct runner_item *items, int count)
{
	uint64_t last = 0;

	for (int n = 0; n < COMMON; n++) {
		uint64_t next = UINT64_MAX;
		for (int i = 0; i < count; i++) {
			uint64_t hash = hash_of(&items[i].op);
			if (hash > last && hash < next)
				next = hash;
		}
		last = next;
	}
	return last;
}

/* In whose turn an item comes: 0 if all devices measure it, 1 if this one does, 2 if another. */
static int turn_of(const struct ranks *r, uint64_t last, const struct runner_item *item)
{
	uint64_t hash = hash_of(&item->op);

	if (hash <= last)
		return 0;
	/* hashed once more, as the lowest ones are taken */
	return (int)(paleo_hash(hash) % (uint64_t)r->info.ranks) == r->info.rank ? 1 : 2;
}

/* Puts the items for all first, then those of this device, which number *own with them. */
static int order_items(const struct ranks *r, struct runner_item *items, int count, int *own,
		       struct paleo_error *err)
{
	const uint64_t last = last_common(items, count);
	struct runner_item *sorted = malloc(((size_t)count + 1) * sizeof(*sorted));
	int n = 0;

	if (!sorted)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", count);
	for (int turn = 0; turn < 3; turn++) {
		*own = turn < 2 ? *own : n;
		for (int i = 0; i < count; i++)
			if (turn_of(r, last, &items[i]) == turn)
				sorted[n++] = items[i];
	}
	memcpy(items, sorted, (size_t)count * sizeof(*items));
	free(sorted);
	return PALEO_OK;
}

/* Why a part cannot be joined to that of rank 0; 1: it can. */
static int is_equal(const struct part *first, struct part *p)
{
	const struct paleo_record_meta *a = &first->results.meta, *b = &p->results.meta;

	if (!strcmp(a->backend, b->backend) && !strcmp(a->device.name, b->device.name) &&
	    !strcmp(a->versions, b->versions) && a->threads == b->threads)
		return 1;
	snprintf(p->why, sizeof(p->why),
		 "is %s, %.120s, and rank 0 has %s, %.120s: ops are divided over equal devices",
		 b->device.name, b->versions, a->device.name, a->versions);
	return 0;
}

static int read_part(struct joined *j, int rank, struct paleo_error *err)
{
	const struct rank *of = &j->d->ranks->all[rank];
	struct part *p = &j->parts[rank];

	snprintf(p->name, sizeof(p->name), "%.60s%s%.60s", of->node, of->node[0] ? " " : "?",
		 of->device);
	p->factor.factor = NAN;
	if (!of->said || of->failure[0]) {
		snprintf(p->why, sizeof(p->why), "%s", of->said ? of->failure : ranks_silence());
		return PALEO_OK;
	}
	PALEO_TRY(paleo_results_parse(p->name, of->text.text, of->text.size, &p->results, err));
	if (p->results.count)
		snprintf(p->name, sizeof(p->name), "%s", p->results.records[0].device);
	if (!is_equal(&j->parts[0], p))
		paleo_results_release(&p->results);
	for (int i = 0; p->results.count && i < rank; i++)
		if (j->parts[i].results.count && !strcmp(j->parts[i].name, p->name))
			return paleo_fail(
				err, PALEO_EINPUT,
				"ranks %d and %d both measured %s: start one rank per device", i,
				rank, p->name);
	return PALEO_OK;
}

/* The op's time on a device; NaN: it has none. */
static struct paleo_health_value value_of(const struct part *p, const struct paleo_result *like)
{
	const struct paleo_result *r = paleo_results_find(&p->results, &like->op, like->mode);
	struct paleo_health_value v = {.log_s = NAN};

	if (!r || r->status != PALEO_RECORD_OK)
		return v;
	const struct paleo_noisy noise = paleo_noisy_of(&r->op, &r->timing);
	v.log_s = log(r->timing.median_s);
	v.se = isnan(noise.own_se) ? 0 : hypot(noise.own_se, noise.shared_se);
	return v;
}

/* The times of each device in turn, of the ops that a device and another one measured; returns the
 * number of these. Room for all ops of rank 0. */
static int list_values(const struct joined *j, struct paleo_health_value *values, size_t room)
{
	const struct paleo_results *first = &j->parts[0].results;
	int n = 0;

	for (int i = 0; i < first->count; i++) {
		int having = 0;
		if (!paleo_results_stands(first, i))
			continue;
		for (int p = 0; p < j->count; p++) {
			values[(size_t)p * room + (size_t)n] =
				value_of(&j->parts[p], &first->records[i]);
			having += !isnan(values[(size_t)p * room + (size_t)n].log_s);
		}
		n += having > 1;
	}
	return n;
}

/* Each device beside all others. */
static int compare_parts(struct joined *j, struct paleo_error *err)
{
	const size_t room = (size_t)j->parts[0].results.count + 1, devices = (size_t)j->count;
	struct paleo_health_value *values = malloc(2 * devices * room * sizeof(*values));
	struct paleo_health_value *others = values + devices * room;
	int rc = values ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for devices");
	size_t ops = rc ? 0 : (size_t)list_values(j, values, room);

	for (size_t p = 0; p < devices && !rc; p++) {
		const struct paleo_health_how how = {.level = LEVEL / (double)devices,
						     .margin = MARGIN};
		int n = 0;
		for (size_t k = 0; k < devices; k++)
			if (k != p && j->parts[k].results.count)
				memcpy(&others[(size_t)n++ * ops], &values[k * room],
				       ops * sizeof(*values));
		if (n && j->parts[p].results.count)
			rc = paleo_health_factor(&values[p * room], others, n, (int)ops, &how,
						 &j->parts[p].factor, err);
		j->d->differing += j->parts[p].factor.differs;
	}
	free(values);
	return rc;
}

/* A record of an op that is measured on several devices. */
struct choice {
	const struct paleo_result *record;
	int part;
	int worth; /* of a device like the others before others, and those with a time before all */
};

static int by_worth(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;
	double s = x->record->timing.median_s, t = y->record->timing.median_s;

	return x->worth != y->worth ? y->worth - x->worth : (s > t) - (s < t);
}

/* The records of an op, the one that stands for it last: of the best ones that of the median time.
 */
static int list_choices(const struct joined *j, const struct paleo_result *like,
			struct choice *choices)
{
	int n = 0, best = 0;

	for (int p = 0; p < j->count; p++) {
		const struct paleo_result *r = paleo_results_candidate(
			&j->parts[p].results, &like->op, like->mode, like->rank);
		if (r)
			choices[n++] = (struct choice){r, p,
						       r->status != PALEO_RECORD_OK ? 0
						       : j->parts[p].factor.differs ? 1
										    : 2};
	}
	qsort(choices, (size_t)n, sizeof(*choices), by_worth);
	while (best < n && choices[best].worth == choices[0].worth)
		best++;
	const struct choice middle = choices[(best - 1) / 2];
	choices[(best - 1) / 2] = choices[n - 1];
	choices[n - 1] = middle;
	return n;
}

/* Adds an op's records; what rank 0 has measured is in its file. */
static int add_op(const struct joined *j, const struct choice *choices, int n,
		  struct paleo_results *all, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < n && !rc; i++) {
		const struct part *p = &j->parts[choices[i].part];
		struct paleo_record record = paleo_result_record(choices[i].record);
		if (p->factor.differs)
			paleo_record_tag(&record, PALEO_TAG_DIFFERS);
		if (choices[i].part || p->factor.differs || (n > 1 && i == n - 1))
			rc = records_add(j->records, &record, err);
		if (!rc && i == n - 1)
			rc = paleo_results_add(all, &record, err);
	}
	return rc;
}

/* Adds the records of all, op by op. */
static int join_parts(const struct joined *j, struct paleo_results *all, struct paleo_error *err)
{
	struct choice *choices = malloc((size_t)j->count * sizeof(*choices));
	int rc = choices ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for records");

	for (int p = 0; p < j->count; p++)
		for (int i = 0; i < j->parts[p].results.count && !rc; i++) {
			int n = list_choices(j, &j->parts[p].results.records[i], choices),
			    first = p;
			for (int k = 0; k < n; k++)
				first = choices[k].part < first ? choices[k].part : first;
			if (first == p)
				rc = add_op(j, choices, n, all, err);
		}
	free(choices);
	return rc;
}

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = p->name)                                  \
	X(PALEO_COLUMN_TEXT("verdict", "verdict"), .text = verdict)                                \
	X(PALEO_COLUMN_WHOLE("ops", "ops"), .number = p->results.count)                            \
	X(PALEO_COLUMN_WHOLE("common", "common"), .number = f->parts ? f->parts : (double)NAN)     \
	X(PALEO_COLUMN_PERCENT("slower", "slower %"), .number = f->factor - 1)                     \
	X(PALEO_COLUMN_PERCENT("low", "low %"), .number = is_known ? f->low - 1 : (double)NAN)     \
	X(PALEO_COLUMN_PERCENT("high", "high %"), .number = is_known ? f->high - 1 : (double)NAN)  \
	X(PALEO_COLUMN_PERCENT("limit", "limit %"),                                                \
	  .number = is_known ? f->limit - 1 : (double)NAN)                                         \
	X(PALEO_COLUMN_TEXT("why", "why"), .text = p->why[0] ? p->why : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int add_row(struct paleo_table *t, const struct part *p, struct paleo_error *err)
{
	const struct paleo_health_factor *f = &p->factor;
	const int is_known = !isnan(f->factor);
	const char *verdict = p->why[0]    ? "MISSING"
			      : !is_known  ? "not judged"
			      : f->differs ? "DIFFERS"
					   : "equal";
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* How far the devices differ. */
static int print_parts(const struct joined *j, FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");

	for (int p = 0; p < j->count && !rc; p++)
		rc = add_row(t, &j->parts[p], err);
	paleo_print(out,
		    "\nOps divided over %d devices, %d ops timed on all: compared with the others' "
		    "median\n\n",
		    j->count, COMMON);
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_TEXT, out, err);
	if (!rc && j->d->differing)
		paleo_print(out,
			    "%d device%s more than equal ones do: records with the tag "
			    "'" PALEO_TAG_DIFFERS "', which no fit uses\n",
			    j->d->differing, j->d->differing == 1 ? " differs" : "s differ");
	paleo_table_free(t);
	return rc;
}

/* Counts what stands for each op. */
static void count_all(const struct paleo_results *all, int count, struct runner_result *to)
{
	to->measured = to->failed = to->unsupported = to->disturbed = to->skipped = 0;
	memset(to->tagged, 0, sizeof(to->tagged));
	for (int i = 0; i < all->count; i++) {
		const struct paleo_record record = paleo_result_record(&all->records[i]);
		if (paleo_results_stands(all, i))
			runner_count(&record, to);
	}
	to->skipped = count - to->measured - to->failed - to->unsupported - to->disturbed;
}

/* Fills in the items. */
static int fill_items(const struct paleo_results *all, const struct runner *r,
		      struct runner_item *items, int count, struct paleo_error *err)
{
	const int most = r->most > 1 ? r->most : 1;

	for (int i = 0; i < count; i++)
		for (int rank = 0; rank < most; rank++) {
			const struct paleo_result *found = paleo_results_candidate(
				all, &items[i].op, paleo_cache_mode_name(items[i].mode), rank);
			if (!found)
				continue;
			*items[i].record = paleo_result_record(found);
			*items[i].done = 1;
			if (!items[i].candidates)
				continue;
			PALEO_TRY(candidates_add(items[i].candidates, items[i].record, err));
			*items[i].record = *candidates_best(items[i].candidates);
		}
	return PALEO_OK;
}

static int join_all(struct joined *j, struct paleo_results *all, FILE *notes,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int p = 0; p < j->count && !rc; p++) {
		rc = read_part(j, p, err);
		j->d->missing += j->parts[p].why[0] != '\0';
	}
	if (!rc)
		rc = compare_parts(j, err);
	if (!rc)
		rc = join_parts(j, all, err);
	return rc || !(all->count || j->d->missing) ? rc : print_parts(j, notes, err);
}

/* What all ranks have measured takes the place of what this one has. */
static int gather(struct divided *d, const struct runner *r, struct runner_item *items, int count,
		  struct runner_result *out, FILE *notes, struct paleo_error *err)
{
	struct joined j = {.d = d, .records = r->records, .count = d->ranks->info.ranks};
	struct paleo_results all = {.count = 0};

	PALEO_TRY(ranks_gather(d->ranks, 1, r->budget_s, err));
	j.parts = calloc((size_t)j.count, sizeof(*j.parts));
	int rc = j.parts ? join_all(&j, &all, notes, err)
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for devices");
	if (!rc)
		rc = fill_items(&all, r, items, count, err);
	if (!rc)
		count_all(&all, count, out);
	for (int p = 0; j.parts && p < j.count; p++)
		paleo_results_release(&j.parts[p].results);
	free(j.parts);
	paleo_results_release(&all);
	return rc;
}

int divided_run(struct divided *d, const struct runner *r, struct runner_item *items, int count,
		struct runner_result *out, FILE *notes, struct paleo_error *err)
{
	const struct records *records = r->records;
	int own = 0;

	if (!d->ranks)
		return runner_run(r, items, count, out, err);
	PALEO_TRY(order_items(d->ranks, items, count, &own, err));
	/* Others read what was measured before in the file that rank 0 writes from here on. */
	PALEO_TRY(ranks_meet(d->ranks, r->budget_s, err));
	PALEO_TRY(runner_run(r, items, own, out, err));
	PALEO_TRY(ranks_say(d->ranks, records->copied.text, records->copied.size, err));
	return d->is_other ? PALEO_OK : gather(d, r, items, count, out, notes, err);
}

int divided_tell(struct divided *d, const struct paleo_error *failure)
{
	struct paleo_error ignored;

	return d->is_other && d->ranks->session &&
	       !ranks_say_failure(d->ranks, failure->text, &ignored);
}

void divided_end(struct divided *d, int code)
{
	ranks_end(d->ranks, code);
	if (d->silence)
		fclose(d->silence);
	free(d->unread.text);
	*d = (struct divided){.ranks = NULL};
}
