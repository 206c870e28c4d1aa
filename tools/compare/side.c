/* side.c - one side of a comparison: what was measured, or predicted, of which ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/record/traces/trace.h"
#include "tools/compare/compare.h"
#include "tools/session/measured.h"

enum {
	RUNS_MAX = 64,
	FILE_MAX_BYTES = 4096
};

void compare_side_release(struct compare_side *s)
{
	paleo_texts_release(&s->texts);
	free(s->ops);
	free(s->rows);
	*s = (struct compare_side){0};
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct compare_op *)a)->key, ((const struct compare_op *)b)->key);
}

static int has_key(const void *key, const void *op)
{
	return strcmp(key, ((const struct compare_op *)op)->key);
}

int compare_side_find(const struct compare_side *s, const char *key)
{
	const struct compare_op *found =
		s->op_count ? bsearch(key, s->ops, (size_t)s->op_count, sizeof(*s->ops), has_key)
			    : NULL;

	return found ? (int)(found - s->ops) : -1;
}

/* Makes them the side's; what is empty becomes NULL. */
static int keep_texts(struct compare_side *s, const char **const texts[], size_t count,
		      struct paleo_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = *texts[i] && (*texts[i])[0] ? *texts[i] : NULL;
		*texts[i] = text ? paleo_texts_keep(&s->texts, text) : NULL;
		if (text && !*texts[i])
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for a text");
	}
	return PALEO_OK;
}

#define KEEP_TEXTS(side, err, ...)                                                                 \
	keep_texts(side, (const char **const[]){__VA_ARGS__},                                      \
		   sizeof((const char **[]){__VA_ARGS__}) / sizeof(const char **), err)

int compare_side_add_op(struct compare_side *s, const struct compare_op *like,
			struct paleo_error *err)
{
	struct compare_op *ops = paleo_grow(s->ops, s->op_count, &s->op_room, sizeof(*ops));

	if (!ops)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for an op");
	s->ops = ops;
	struct compare_op *w = &ops[s->op_count++];
	*w = *like;
	return KEEP_TEXTS(s, err, &w->key, &w->algorithm, &w->engine, &w->knobs, &w->notes,
			  &w->limits);
}

/* Adds a record. */
static int add_record(struct compare_side *s, const struct paleo_result *r, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX];
	const struct compare_op op = {
		.key = key,
		.algorithm = r->algorithm,
		.engine = r->engine,
		.knobs = r->knobs,
		.notes = r->notes,
		.limits = r->state.reasons,
		.clock_mhz = r->state.sm_mhz,
		.power_w = r->state.power_w,
		.energy_j = paleo_state_joules(&r->state),
		.workspace_bytes = r->workspace_bytes,
		.time = paleo_noisy_of(&r->op, &r->timing),
	};

	paleo_op_key(&r->op, key, sizeof(key));
	return compare_side_add_op(s, &op, err);
}

int compare_side_add_row(struct compare_side *s, const struct compare_row *like,
			 struct paleo_error *err)
{
	struct compare_row *rows = paleo_grow(s->rows, s->row_count, &s->row_room, sizeof(*rows));

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a row");
	s->rows = rows;
	struct compare_row *r = &rows[s->row_count++];
	*r = *like;
	return KEEP_TEXTS(s, err, &r->net, &r->dtype, &r->layer, &r->kind, &r->pass);
}

void compare_side_sort(struct compare_side *s)
{
	if (s->op_count)
		qsort(s->ops, (size_t)s->op_count, sizeof(*s->ops), by_key);
}

static int add_net(struct compare_side *s, const struct paleo_net_rows *n, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < n->count; i++) {
		paleo_op_key(&n->rows[i].op, key, sizeof(key));
		const struct compare_row row = {
			.net = n->net,
			.dtype = paleo_dtype_name(n->dtype),
			.layer = n->rows[i].layer,
			.kind = n->rows[i].kind,
			.pass = paleo_pass_name(n->rows[i].pass),
			.batch = n->batch,
			.op = compare_side_find(s, key),
		};
		if (row.op >= 0)
			rc = compare_side_add_row(s, &row, err);
	}
	return rc;
}

/* Ops of no net are rows by themselves. */
static int add_bare_rows(struct compare_side *s, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < s->op_count; i++) {
		const struct compare_row row = {.op = i};
		rc = compare_side_add_row(s, &row, err);
	}
	return rc;
}

int compare_side_of(const struct paleo_results *r, const char *mode, struct compare_side *out,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	out->meta = r->meta;
	snprintf(out->mode, sizeof(out->mode), "%s", mode);
	snprintf(out->regime, sizeof(out->regime), "%s", paleo_results_regime(r));
	for (int i = 0; !rc && i < r->count; i++) {
		const struct paleo_result *one = &r->records[i];
		if (one->status != PALEO_RECORD_OK || strcmp(one->mode, mode) != 0 ||
		    !paleo_results_stands(r, i))
			continue;
		rc = add_record(out, one, err);
	}
	if (!rc && !out->op_count)
		return paleo_fail(err, PALEO_EINPUT, "has no time of an op in mode '%s'", mode);
	compare_side_sort(out);
	for (int i = 0; !rc && i < r->net_count; i++)
		rc = add_net(out, &r->nets[i], err);
	return rc || out->row_count ? rc : add_bare_rows(out, err);
}

/* A table of measured times, or a trace, which is of any device. */
static int load_measured(const char *file, struct compare_side *out, struct paleo_error *err)
{
	const struct tables_settings how = {.any_device = 1, .as_nets = 1, .notes = stderr};
	struct paleo_results r = {0};
	int rc = tables_read(&how, &file, 1, &r, err);

	if (!rc)
		rc = compare_side_of(&r, "hot", out, err);
	paleo_results_release(&r);
	return rc;
}

/* A trace that has names and times alone, of which each is an op: 1 in *is_loaded; else 0. Ranges
 * hold the time of kernels again. */
static int load_names(const char *file, struct compare_side *out, int *is_loaded,
		      struct paleo_error *err)
{
	const struct paleo_measured_wish wish = {NULL, NULL};
	const struct paleo_trace_format *format = NULL;
	struct paleo_measured m = {0};
	int rc = paleo_trace_format_of(file, &format, err);

	*is_loaded = !rc && format && !format->has_sizes;
	if (rc || !*is_loaded)
		return rc;
	rc = paleo_measured_read(file, &wish, &m, err);
	for (int i = 0; !rc && i < m.other_count; i++) {
		const struct compare_op op = {
			.key = m.others[i].name,
			.time = paleo_noisy_between(m.others[i].time_s, NAN, NAN, 1)};
		if (strcmp(m.others[i].why, "NVTX range") != 0)
			rc = compare_side_add_op(out, &op, err);
	}
	compare_side_sort(out);
	out->is_table = 1; /* which does not say where it was measured */
	paleo_measured_release(&m);
	return rc ? rc : add_bare_rows(out, err);
}

static int load_run(const char *file, const char *mode, struct compare_side *out,
		    struct paleo_error *err)
{
	struct paleo_results r = {0};
	int is_table = 0, is_loaded = 0;
	int measured = tables_given(&file, 1, err);
	int rc = measured == TABLES_TRACES ? load_names(file, out, &is_loaded, err)
		 : measured < 0            ? measured
					   : PALEO_OK;

	if (!rc && measured > 0 && !is_loaded)
		rc = load_measured(file, out, err);
	else if (!rc && !measured)
		rc = compare_table_is(file, &is_table, err);
	if (!rc && is_table)
		rc = compare_table_load(file, out, err);
	else if (!rc && !measured) {
		rc = merge_load(file, &r, err);
		if (!rc) {
			rc = compare_side_of(&r, mode, out, err);
			if (rc == PALEO_EINPUT)
				paleo_error_prefix(err, "%s", file);
		}
	}
	out->runs = 1;
	paleo_results_release(&r);
	return rc;
}

/* The next name of a list with commas between; NULL: there is none, or it is too long. */
static const char *next_file(const char **list, char name[FILE_MAX_BYTES])
{
	size_t size = strcspn(*list, ",");

	if (!size || size >= FILE_MAX_BYTES)
		return NULL;
	memcpy(name, *list, size);
	name[size] = '\0';
	*list += size + ((*list)[size] == ',');
	return name;
}

/* Times of two regimes have no mean. */
static int check_regimes(const struct compare_side *runs, int count, struct paleo_error *err)
{
	for (int i = 1; i < count; i++)
		if (strcmp(runs[i].regime, runs[0].regime) != 0)
			return paleo_fail(
				err, PALEO_EINPUT,
				"run %d of a side has %s times, the first %s ones: incompatible",
				i + 1, runs[i].regime, runs[0].regime);
	return PALEO_OK;
}

/* 1 if it is one of "10 or 57". */
static int is_one_of(const char *list, const char *text)
{
	static const char between[] = " or ";
	size_t size = strlen(text);

	for (const char *at = list; at; at = strstr(at, between)) {
		at += at == list ? 0 : sizeof(between) - 1;
		if (!strncmp(at, text, size) &&
		    (!at[size] || !strncmp(at + size, between, sizeof(between) - 1)))
			return 1;
	}
	return 0;
}

/* "10" and "57" become "10 or 57". */
static int join_text(struct compare_side *s, const char **text, const char *other,
		     struct paleo_error *err)
{
	char both[256];

	if (!other || (*text && is_one_of(*text, other)))
		return PALEO_OK;
	snprintf(both, sizeof(both), "%.120s%s%.120s", *text ? *text : "", *text ? " or " : "",
		 other);
	*text = both;
	return KEEP_TEXTS(s, err, text);
}

/* How an op ran in another run of its side, too; numbers become their mean at the end. */
static int join_facts(struct compare_side *s, struct compare_op *op, const struct compare_op *other,
		      struct paleo_error *err)
{
	int rc = join_text(s, &op->algorithm, other->algorithm, err);

	if (!rc)
		rc = join_text(s, &op->engine, other->engine, err);
	if (!rc)
		rc = join_text(s, &op->knobs, other->knobs, err);
	if (!rc)
		rc = join_text(s, &op->notes, other->notes, err);
	if (!rc)
		rc = join_text(s, &op->limits, other->limits, err);
	op->clock_mhz += other->clock_mhz;
	op->power_w += other->power_w;
	op->energy_j += other->energy_j;
	return rc;
}

/* Each op's time in all runs; of what a run lacks nothing is known. */
static int join_runs(struct compare_side *runs, int count, struct paleo_error *err)
{
	struct compare_side *first = &runs[0];
	size_t n = 0, ops = (size_t)first->op_count, of = (size_t)count;
	double *times = malloc((ops * of + 1) * sizeof(*times));
	int *places = malloc((ops + 1) * sizeof(*places));
	struct paleo_noisy *means = malloc((ops + 1) * sizeof(*means));
	int rc = PALEO_OK;

	if (!times || !places || !means) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", first->op_count);
		goto out;
	}
	for (int i = 0; i < first->op_count; i++) {
		int everywhere = 1;
		for (int r = 1; r < count; r++)
			everywhere &= compare_side_find(&runs[r], first->ops[i].key) >= 0;
		if (everywhere)
			places[n++] = i;
		else
			first->ops[i].time.seconds = NAN;
	}
	for (int r = 0; r < count; r++)
		for (size_t i = 0; !rc && i < n; i++) {
			struct compare_op *op = &first->ops[places[i]];
			int at = compare_side_find(&runs[r], op->key);
			times[(size_t)r * n + i] = runs[r].ops[at].time.seconds;
			if (r)
				rc = join_facts(first, op, &runs[r].ops[at], err);
		}
	rc = rc ? rc : paleo_noisy_of_runs(times, n, of, means, err);
	for (size_t i = 0; !rc && i < n; i++) {
		struct compare_op *op = &first->ops[places[i]];
		op->time = means[i];
		op->clock_mhz /= count;
		op->power_w /= count;
		op->energy_j /= count;
	}
out:
	free(times);
	free(places);
	free(means);
	return rc;
}

static int pool(struct compare_side *s, struct paleo_error *err)
{
	struct paleo_noisy *list = malloc(((size_t)s->op_count + 1) * sizeof(*list));

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", s->op_count);
	for (int i = 0; i < s->op_count; i++)
		list[i] = s->ops[i].time;
	int rc = paleo_noisy_pool(list, (size_t)s->op_count, err);
	for (int i = 0; i < s->op_count; i++)
		s->ops[i].time = list[i];
	free(list);
	return rc;
}

int compare_side_load(const char *files, const char *mode, struct compare_side *out,
		      struct paleo_error *err)
{
	struct compare_side *runs = calloc(RUNS_MAX, sizeof(*runs));
	char name[FILE_MAX_BYTES];
	int count = 0, rc = PALEO_OK;

	if (!runs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a file");
	while (!rc && count < RUNS_MAX && next_file(&files, name))
		rc = load_run(name, mode, &runs[count++], err);
	if (!rc && (!count || *files))
		rc = paleo_fail(err, PALEO_EINPUT,
				"'%.60s': expected a file, or up to %d, comma-separated", files,
				RUNS_MAX);
	if (!rc)
		rc = check_regimes(runs, count, err);
	if (!rc && count > 1)
		rc = join_runs(runs, count, err);
	if (!rc)
		rc = pool(&runs[0], err);
	for (int i = rc ? 0 : 1; i < count; i++)
		compare_side_release(&runs[i]);
	if (!rc) {
		*out = runs[0];
		out->runs = count;
	}
	free(runs);
	return rc;
}
