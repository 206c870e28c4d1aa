/* profile_work.c - measures single works by their keys, as tables of rows print them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/profile_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/table.h"
#include "base/text.h"
#include "library/source.h"
#include "model/predict/predict.h"
#include "tools/choice.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

enum {
	COL_MODE,
	COL_PREDICTED,
	COL_MEASURED,
	COL_HALF,
	COL_LOW,
	COL_HIGH,
	COL_ERROR,
	COL_ALGORITHM,
	COL_STATUS,
	COL_REASON,
	COL_WORK,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_MODE] = PALEO_COLUMN_TEXT("mode", "mode"),
	[COL_PREDICTED] = PALEO_COLUMN_TIME("predicted_s", "pred"),
	[COL_MEASURED] = PALEO_COLUMN_TIME("measured_s", "meas"),
	[COL_HALF] = PALEO_COLUMN_HALF("+-% run"),
	[COL_LOW] = PALEO_COLUMN_DATA("within_run_low_s"),
	[COL_HIGH] = PALEO_COLUMN_DATA("within_run_high_s"),
	[COL_ERROR] = PALEO_COLUMN_PERCENT("error", "error %"),
	[COL_ALGORITHM] = PALEO_COLUMN_TEXT("algorithm", "algorithm"),
	[COL_STATUS] = PALEO_COLUMN_TEXT("status", "status"),
	[COL_REASON] = PALEO_COLUMN_TEXT("reason", "reason"),
	[COL_WORK] = PALEO_COLUMN_TEXT("work", "work"),
};

/* The works and all that is known of them. */
struct list {
	struct runner_item *items; /* each work in each mode */
	struct paleo_record *records;
	int *done;
	int count;
};

static int read_keys(const struct profile_settings *s, struct list *l, struct paleo_error *err)
{
	size_t most = (size_t)s->works.count * (size_t)s->modes.count + 1;

	l->items = calloc(most, sizeof(*l->items));
	l->records = calloc(most, sizeof(*l->records));
	l->done = calloc(most, sizeof(*l->done));
	if (!l->items || !l->records || !l->done)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the works");
	for (int i = 0; i < s->works.count; i++) {
		struct paleo_work w;
		int rc = paleo_work_parse(s->works.items[i], &w, err);
		if (rc) {
			paleo_error_prefix(err, "--work '%s'", s->works.items[i]);
			return rc;
		}
		for (int m = 0; m < s->modes.count; m++, l->count++)
			l->items[l->count] = (struct runner_item){
				.work = w,
				.mode = (enum paleo_cache_mode)s->modes.items[m],
				.record = &l->records[l->count],
				.done = &l->done[l->count],
			};
	}
	return PALEO_OK;
}

static int add_row(const struct list *l, int i, const struct paleo_calibration *c,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct paleo_record *r = &l->records[i];
	const struct paleo_timing *time = &r->timing;
	int good = l->done[i] && r->status == PALEO_RECORD_OK;
	char key[PALEO_WORK_KEY_MAX];
	struct paleo_cell cells[COLUMNS];
	struct paleo_prediction p;
	struct paleo_error unknown;

	for (int k = 0; k < COLUMNS; k++)
		cells[k] = (struct paleo_cell){.number = NAN};
	paleo_work_key(&l->items[i].work, key, sizeof(key));
	cells[COL_WORK].text = key;
	cells[COL_MODE].text = paleo_cache_mode_name(l->items[i].mode);
	if (!paleo_predict_work(c, &l->items[i].work, &p, &unknown))
		cells[COL_PREDICTED].number = p.parts.total_s;
	if (good) {
		cells[COL_MEASURED].number = time->median_s;
		cells[COL_ERROR].number = cells[COL_PREDICTED].number / time->median_s - 1;
		cells[COL_ALGORITHM].text = r->algorithm;
	}
	if (good && paleo_timing_has_interval(time)) {
		cells[COL_LOW].number = time->ci_low_s;
		cells[COL_HIGH].number = time->ci_high_s;
		cells[COL_HALF].number = 50 * (time->ci_high_s - time->ci_low_s) / time->median_s;
	}
	cells[COL_STATUS].text = l->done[i] ? paleo_record_status_name(r->status) : "not run";
	cells[COL_REASON].text = r->reason[0] ? r->reason : NULL;
	return paleo_table_add(t, cells, err);
}

static int print(const struct profile_settings *s, const struct list *l,
		 const struct paleo_calibration *c, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");

	for (int i = 0; !rc && i < l->count; i++)
		rc = add_row(l, i, c, t, err);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* Measures all items; the records go to --output, or nowhere. */
static int measure(const struct profile_settings *s, struct session *session, struct list *l,
		   struct runner_result *result, struct paleo_error *err)
{
	const struct records_wish wish = {.resume = s->resume, .force = s->force, .notes = stderr};
	struct records records = {0};
	struct runner r = {
		.session = session,
		.records = s->output ? &records : NULL,
		.budget_s = s->budget_s > 0 ? s->budget_s : session->backend->budget_s,
		.rounds = s->rounds ? s->rounds : session->backend->rounds,
		.divide = 1,
		.policy = session->policy,
	};
	int rc = s->output ? records_open(s->output, &wish, session, &records, err) : PALEO_OK;

	if (!rc)
		rc = runner_run(&r, l->items, l->count, result, err);
	if (!rc && s->output)
		rc = records_finish(&records, !result->skipped, err);
	records_close(&records);
	return rc;
}

int profile_works(const struct profile_settings *s, const char *device)
{
	struct session_wish wish = {.peaks = 1, .quiet = s->view.quiet};
	struct paleo_source source = {0};
	struct runner_result result = {0};
	struct session session = {0};
	struct paleo_error err = {0};
	struct list l = {0};
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;

	wish.worker.options.threads = s->threads;
	wish.worker.options.workspace_limit_bytes = s->workspace_limit_bytes;
	wish.worker.op_timeout_s = 60;
	wish.worker.op_limit_s = s->timeout_s;
	int rc = read_keys(s, &l, &err);
	if (!rc)
		rc = session_open(device, &wish, &session, &err);
	if (!rc) {
		session_tell(&session, notes);
		rc = paleo_source_open(s->calibration, &session.info, s->ppp_compute, s->ppp_memory,
				       &source, &err);
	}
	if (!rc) {
		paleo_print(notes, "%s\n\n", source.title);
		rc = measure(s, &session, &l, &result, &err);
	}
	if (!rc)
		rc = print(s, &l, &source.calibration, &err);
	paleo_source_release(&source);
	session_close(&session);
	free(l.items);
	free(l.records);
	free(l.done);
	if (rc)
		return command_fail(&command_profile, &err);
	if (result.interrupted)
		return EXIT_INTERRUPTED;
	return result.failed || result.unsupported ? EXIT_ROWS
	       : result.skipped                    ? EXIT_BUDGET
						   : EXIT_GOOD;
}
