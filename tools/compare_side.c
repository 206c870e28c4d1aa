/* compare_side.c - one side of a comparison: what was measured, or predicted, of which works. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/compare_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "tools/compare_table.h"
#include "tools/session/merge.h"

enum {
	RUNS_MAX = 64,
	FILE_MAX_BYTES = 4096
};

void compare_side_release(struct compare_side *s)
{
	for (int i = 0; i < s->work_count; i++)
		free(s->works[i].key);
	for (int i = 0; i < s->row_count; i++) {
		struct compare_row *r = &s->rows[i];
		free(r->net);
		free(r->dtype);
		free(r->layer);
		free(r->kind);
		free(r->pass);
	}
	free(s->works);
	free(s->rows);
	*s = (struct compare_side){0};
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct compare_work *)a)->key, ((const struct compare_work *)b)->key);
}

static int has_key(const void *key, const void *work)
{
	return strcmp(key, ((const struct compare_work *)work)->key);
}

int compare_side_find(const struct compare_side *s, const char *key)
{
	const struct compare_work *found =
		s->work_count
			? bsearch(key, s->works, (size_t)s->work_count, sizeof(*s->works), has_key)
			: NULL;

	return found ? (int)(found - s->works) : -1;
}

static int copy_text(const char *text, char **out)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out;
}

int compare_side_add_work(struct compare_side *s, const char *key, const struct paleo_noisy *time,
			  struct paleo_error *err)
{
	struct compare_work w = {.time = *time};
	struct compare_work *works = paleo_grow(s->works, s->work_count, &s->work_room, sizeof(w));

	if (works)
		s->works = works;
	if (!works || copy_text(key, &w.key))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a work");
	s->works[s->work_count++] = w;
	return PALEO_OK;
}

/* What a row says, in the order of its texts; NULL: not known. */
struct said {
	const char *net, *dtype, *layer, *kind, *pass;
	int batch, work;
};

static int add_row(struct compare_side *s, const struct said *like, struct paleo_error *err)
{
	struct compare_row *rows = paleo_grow(s->rows, s->row_count, &s->row_room, sizeof(*rows));

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a row");
	s->rows = rows;
	struct compare_row *r = &rows[s->row_count++];
	*r = (struct compare_row){.batch = like->batch, .work = like->work};
	if (copy_text(like->net, &r->net) | copy_text(like->dtype, &r->dtype) |
	    copy_text(like->layer, &r->layer) | copy_text(like->kind, &r->kind) |
	    copy_text(like->pass, &r->pass))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a row");
	return PALEO_OK;
}

int compare_side_add_row(struct compare_side *s, const struct compare_row *like,
			 struct paleo_error *err)
{
	const struct said said = {like->net,  like->dtype, like->layer, like->kind,
				  like->pass, like->batch, like->work};

	return add_row(s, &said, err);
}

void compare_side_sort(struct compare_side *s)
{
	if (s->work_count)
		qsort(s->works, (size_t)s->work_count, sizeof(*s->works), by_key);
}

static int add_net(struct compare_side *s, const struct paleo_net_rows *n, struct paleo_error *err)
{
	char key[PALEO_WORK_KEY_MAX];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < n->count; i++) {
		paleo_work_key(&n->rows[i].work, key, sizeof(key));
		const struct said row = {
			.net = n->net,
			.dtype = paleo_dtype_name(n->dtype),
			.layer = n->rows[i].layer,
			.kind = n->rows[i].kind,
			.pass = paleo_pass_name(n->rows[i].pass),
			.batch = n->batch,
			.work = compare_side_find(s, key),
		};
		if (row.work >= 0)
			rc = add_row(s, &row, err);
	}
	return rc;
}

/* Works of no net are rows by themselves. */
static int add_bare_rows(struct compare_side *s, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < s->work_count; i++) {
		const struct compare_row row = {.work = i};
		rc = compare_side_add_row(s, &row, err);
	}
	return rc;
}

static int from_records(const struct paleo_results *r, const char *mode, struct compare_side *s,
			struct paleo_error *err)
{
	char key[PALEO_WORK_KEY_MAX];
	int rc = PALEO_OK;

	s->meta = r->meta;
	for (int i = 0; !rc && i < r->count; i++) {
		const struct paleo_record *one = &r->records[i];
		if (one->status != PALEO_RECORD_OK || strcmp(one->mode, mode) != 0 ||
		    !paleo_results_stands(r, i))
			continue;
		const struct paleo_noisy time = paleo_noisy_of(&one->timing);
		paleo_work_key(&one->work, key, sizeof(key));
		rc = compare_side_add_work(s, key, &time, err);
	}
	if (!rc && !s->work_count)
		return paleo_fail(err, PALEO_EINPUT, "has no time of a work in mode '%s'", mode);
	compare_side_sort(s);
	for (int i = 0; !rc && i < r->net_count; i++)
		rc = add_net(s, &r->nets[i], err);
	return rc || s->row_count ? rc : add_bare_rows(s, err);
}

static int load_run(const char *file, const char *mode, struct compare_side *out,
		    struct paleo_error *err)
{
	struct paleo_results r = {0};
	int is_table = 0;
	int rc = compare_table_is(file, &is_table, err);

	if (!rc && is_table)
		rc = compare_table_load(file, out, err);
	else if (!rc) {
		rc = merge_load(file, &r, err);
		if (!rc) {
			rc = from_records(&r, mode, out, err);
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

/* Each work's time in all runs; of what a run lacks nothing is known. */
static int join_runs(struct compare_side *runs, int count, struct paleo_error *err)
{
	struct compare_side *first = &runs[0];
	size_t n = 0, works = (size_t)first->work_count, of = (size_t)count;
	double *times = malloc((works * of + 1) * sizeof(*times));
	int *places = malloc((works + 1) * sizeof(*places));
	struct paleo_noisy *means = malloc((works + 1) * sizeof(*means));
	int rc = PALEO_OK;

	if (!times || !places || !means) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", first->work_count);
		goto out;
	}
	for (int i = 0; i < first->work_count; i++) {
		int everywhere = 1;
		for (int r = 1; r < count; r++)
			everywhere &= compare_side_find(&runs[r], first->works[i].key) >= 0;
		if (everywhere)
			places[n++] = i;
		else
			first->works[i].time.seconds = NAN;
	}
	for (int r = 0; r < count; r++)
		for (size_t i = 0; i < n; i++) {
			int at = compare_side_find(&runs[r], first->works[places[i]].key);
			times[(size_t)r * n + i] = runs[r].works[at].time.seconds;
		}
	rc = paleo_noisy_of_runs(times, n, of, means, err);
	for (size_t i = 0; !rc && i < n; i++)
		first->works[places[i]].time = means[i];
out:
	free(times);
	free(places);
	free(means);
	return rc;
}

static int pool(struct compare_side *s, struct paleo_error *err)
{
	struct paleo_noisy *list = malloc(((size_t)s->work_count + 1) * sizeof(*list));

	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", s->work_count);
	for (int i = 0; i < s->work_count; i++)
		list[i] = s->works[i].time;
	int rc = paleo_noisy_pool(list, (size_t)s->work_count, err);
	for (int i = 0; i < s->work_count; i++)
		s->works[i].time = list[i];
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
				"'%.60s': expected a file, or up to %d with commas between", files,
				RUNS_MAX);
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
