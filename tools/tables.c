/* tables.c - tables of times that others measured, read as records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tables.h"

#include <math.h>
#include <string.h>

#include "calib/fit.h"
#include "tools/catalog.h"

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
	for (int i = 0; i < PALEO_REFUSALS; i++)
		if (m->refused[i])
			fprintf(notes, "%s: %d rows refused: %s\n", path, m->refused[i],
				paleo_measured_refusal_text((enum paleo_measured_refusal)i));
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

static int read_table(const struct tables_settings *s, const struct catalog *c, const char *path,
		      struct paleo_results *out, struct paleo_error *err)
{
	const struct paleo_device *d = NULL;
	struct paleo_measured m = {0};

	int rc = paleo_measured_read(path, &m, err);
	if (rc)
		return rc;
	rc = catalog_find(c, s->device ? s->device : m.gpu, &d, err);
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
		rc = add_rows(&m, out, err);
	}
	paleo_measured_release(&m);
	return rc;
}

int tables_read(const struct tables_settings *s, const char *const *paths, int count,
		struct paleo_results *out, struct paleo_error *err)
{
	struct catalog c = {0};

	int rc = catalog_make(s->devices, &c, err);
	for (int i = 0; !rc && i < count; i++)
		rc = read_table(s, &c, paths[i], out, err);
	snprintf(out->meta.backend, sizeof(out->meta.backend), "%s", PALEO_BACKEND_TABLE);
	snprintf(out->meta.versions, sizeof(out->meta.versions), "tables of others");
	catalog_release(&c);
	return rc;
}
