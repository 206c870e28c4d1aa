/* tables.c - tables of times that others measured, read as records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calib/fit.h"
#include "model/device/backends.h"
#include "model/device/catalog.h"
#include "model/predict/predict.h"

static int ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);

	return n > m && !strcmp(text + n - m, ending);
}

int is_table(const char *path)
{
	return ends_in(path, ".csv") || ends_in(path, ".csv.gz");
}

int tables_given(const char *const *paths, int count, struct paleo_error *err)
{
	int tables = 0;

	for (int i = 0; i < count; i++)
		tables += is_table(paths[i]);
	if (tables && tables < count)
		return paleo_fail(err, PALEO_EINPUT,
				  "tables (.csv) and records (.jsonl) do not go together");
	return tables > 0;
}

void tables_tell_refused(const struct paleo_measured *m, const char *path, FILE *notes)
{
	for (int i = 0; i < PALEO_REFUSALS; i++) {
		if (!m->refused[i])
			continue;
		paleo_print(notes, "%s:%d: %d row%s from here on refused: %s", path,
			    m->refused_line[i], m->refused[i], m->refused[i] == 1 ? "" : "s",
			    paleo_measured_refusal_text((enum paleo_measured_refusal)i));
		if (i == PALEO_REFUSED_COLUMN)
			paleo_print(notes, " '%s' (docs/reference/tables.md lists them)",
				    m->missing);
		fputc('\n', notes);
	}
}

static void tell_collectives(const struct paleo_measured *m, const char *path, FILE *notes)
{
	if (m->collective_count)
		paleo_print(notes,
			    "%s:%d: %d row%s of collective operations left out: 'paleo study' fits "
			    "them\n",
			    path, m->collectives[0].line, m->collective_count,
			    m->collective_count == 1 ? "" : "s");
}

static void tell_repeated(int repeated, int known, const char *path, FILE *notes)
{
	if (repeated)
		paleo_print(notes,
			    "%s: %d row%s a work: of each the one with the median time counts\n",
			    path, repeated, repeated == 1 ? " repeats" : "s repeat");
	if (known)
		paleo_print(notes, "%s: %d row%s the place of those in the tables before\n", path,
			    known, known == 1 ? " takes" : "s take");
}

/* A row on its way to the one that stands for its work. */
struct place {
	uint64_t work;
	double time_s;
	int row;
};

static int by_work_and_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? 1 : -1;
	if (x->time_s != y->time_s)
		return x->time_s > y->time_s ? 1 : -1;
	return x->row - y->row;
}

/* Of the rows of one work the one with the median time stays. *repeated is how many go. */
static int keep_medians(struct paleo_measured *m, int *repeated, struct paleo_error *err)
{
	struct place *places = calloc((size_t)m->count + 1, sizeof(*places));
	char *stays = calloc((size_t)m->count + 1, 1);
	int kept = 0, rc = PALEO_OK;

	if (!places || !stays) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", m->count);
		goto out;
	}
	for (int i = 0; i < m->count; i++)
		places[i] = (struct place){paleo_work_hash(&m->rows[i].work), m->rows[i].time_s, i};
	qsort(places, (size_t)m->count, sizeof(*places), by_work_and_time);
	for (int from = 0, to; from < m->count; from = to) {
		for (to = from; to < m->count && places[to].work == places[from].work;)
			to++;
		stays[places[(from + to - 1) / 2].row] = 1;
	}
	for (int i = 0; i < m->count; i++)
		if (stays[i])
			m->rows[kept++] = m->rows[i];
	*repeated = m->count - kept;
	m->count = kept;
out:
	free(places);
	free(stays);
	return rc;
}

static int add_rows(const struct paleo_measured *m, struct paleo_results *out,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < m->count; i++) {
		const struct paleo_measured_row *row = &m->rows[i];
		struct paleo_record r = {.work = row->work,
					 .mode = "hot",
					 .verify_error = NAN,
					 .timing = {.median_s = row->time_s,
						    .ci_low_s = row->time_s,
						    .ci_high_s = row->time_s,
						    .min_s = row->time_s,
						    .mean_s = row->time_s,
						    .samples = 1,
						    .reps = 1}};
		snprintf(r.algorithm, sizeof(r.algorithm), "%s", row->algorithm);
		rc = paleo_results_add(out, &r, err);
	}
	return rc;
}

/* Each stack once, with commas between. */
static void add_stack(struct paleo_record_meta *meta, const char *stack)
{
	size_t used = strlen(meta->versions);

	if (stack[0] && !strstr(meta->versions, stack) &&
	    used + strlen(stack) + sizeof(", ") <= sizeof(meta->versions))
		snprintf(meta->versions + used, sizeof(meta->versions) - used, "%s%s",
			 used ? ", " : "", stack);
}

static int read_table(const struct tables_settings *s, const struct paleo_catalog *c,
		      const char *path, struct paleo_results *out, struct paleo_error *err)
{
	const struct paleo_device *d = NULL;
	struct paleo_measured m = {0};

	int rc = paleo_measured_read(path, &m, err);
	if (rc)
		return rc;
	rc = paleo_catalog_find_measured(c, s->device, m.gpu, &d, err);
	if (!rc && out->meta.device.name[0] && strcmp(out->meta.device.name, d->name) != 0)
		rc = paleo_fail(err, PALEO_EINPUT,
				"is of device '%s', the tables before it of '%s'; they do not go "
				"together",
				d->name, out->meta.device.name);
	if (rc) {
		paleo_error_prefix(err, "%s", path);
	} else {
		out->meta.device = *d;
		paleo_measured_check(&m, d);
		tables_tell_refused(&m, path, s->notes);
		tell_collectives(&m, path, s->notes);
		add_stack(&out->meta, m.stack);
		int repeated = 0, before = out->count;
		rc = keep_medians(&m, &repeated, err);
		if (!rc)
			rc = add_rows(&m, out, err);
		if (!rc)
			tell_repeated(repeated, m.count - (out->count - before), path, s->notes);
	}
	paleo_measured_release(&m);
	return rc;
}

int tables_read(const struct tables_settings *s, const char *const *paths, int count,
		struct paleo_results *out, struct paleo_error *err)
{
	struct paleo_catalog c = {0};

	int rc = paleo_catalog_make(s->devices, &c, err);
	for (int i = 0; !rc && i < count; i++)
		rc = read_table(s, &c, paths[i], out, err);
	if (!rc && !out->count)
		rc = paleo_fail(err, PALEO_EINPUT, "no row of the tables can be used");
	snprintf(out->meta.backend, sizeof(out->meta.backend), "%s", PALEO_BACKEND_TABLE);
	if (!out->meta.versions[0])
		snprintf(out->meta.versions, sizeof(out->meta.versions), "tables of others");
	paleo_catalog_release(&c);
	return rc;
}
