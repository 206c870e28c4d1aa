/* profile_op.c - measures single ops by their keys, as tables of rows print them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "library/source.h"
#include "model/predict/predict.h"
#include "tools/profile/profile.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("mode", "mode"), .text = paleo_cache_mode_name(l->items[i].mode))      \
	X(PALEO_COLUMN_TIME("predicted_s", "pred"), .number = predicted)                           \
	X(PALEO_COLUMN_TIME("measured_s", "meas"), .number = measured)                             \
	X(PALEO_COLUMN_HALF("+-% run"), .number = 50 * (high - low) / measured)                    \
	X(PALEO_COLUMN_DATA("within_run_low_s"), .number = low)                                    \
	X(PALEO_COLUMN_DATA("within_run_high_s"), .number = high)                                  \
	X(PALEO_COLUMN_PERCENT("error", "error %"), .number = predicted / measured - 1)            \
	X(PALEO_COLUMN_TEXT("algorithm", "algorithm"), .text = good ? r->algorithm : NULL)         \
	X(PALEO_COLUMN_TEXT("status", "status"),                                                   \
	  .text = l->done[i] ? paleo_record_status_name(r->status) : "not run")                    \
	X(PALEO_COLUMN_TEXT("reason", "reason"), .text = r->reason[0] ? r->reason : NULL)          \
	X(PALEO_COLUMN_TEXT("op", "op"), .text = key)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* The ops and all that is known of them. */
struct list {
	struct runner_item *items; /* each op in each mode */
	struct paleo_record *records;
	int *done;
	int count;
};

static int read_keys(const struct profile_settings *s, struct list *l, struct paleo_error *err)
{
	size_t most = (size_t)s->ops.count * (size_t)s->modes.count + 1;

	l->items = calloc(most, sizeof(*l->items));
	l->records = calloc(most, sizeof(*l->records));
	l->done = calloc(most, sizeof(*l->done));
	if (!l->items || !l->records || !l->done)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the ops");
	for (int i = 0; i < s->ops.count; i++) {
		struct paleo_op w;
		int rc = paleo_op_parse(s->ops.items[i], &w, err);
		if (rc) {
			paleo_error_prefix(err, "--op '%s'", s->ops.items[i]);
			return rc;
		}
		for (int m = 0; m < s->modes.count; m++, l->count++)
			l->items[l->count] = (struct runner_item){
				.op = w,
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
	int is_known = good && paleo_timing_has_interval(time);
	double measured = good ? time->median_s : NAN, predicted = NAN;
	double low = is_known ? time->ci_low_s : NAN, high = is_known ? time->ci_high_s : NAN;
	char key[PALEO_OP_KEY_MAX];
	struct paleo_prediction p;
	struct paleo_error unknown;

	paleo_op_key(&l->items[i].op, key, sizeof(key));
	if (!paleo_predict_op(c, &l->items[i].op, &p, &unknown))
		predicted = p.parts.total_s;
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int print(const struct profile_settings *s, const struct list *l,
		 const struct paleo_calibration *c, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
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
	const double sustain_s = session->policy.sustain_s;
	const struct records_wish wish = {.resume = s->resume, .force = s->force, .notes = stderr};
	struct records records = {0};
	struct samples *samples = NULL;
	struct runner r = {
		.session = session,
		.records = s->output ? &records : NULL,
		.budget_s = s->budget_s,
		.rounds = s->rounds       ? s->rounds
			  : sustain_s > 0 ? 1
					  : session->backend->rounds,
		.divide = 1,
		.show_items = 1,
		.policy = session->policy,
	};
	int rc = s->output ? records_open(s->output, &wish, session, &records, err) : PALEO_OK;

	if (!rc && s->samples)
		rc = samples_open(s->samples, s->resume, s->force, &samples, err);
	r.samples = samples;
	if (r.budget_s == 0)
		r.budget_s = session->backend->budget_s + runner_sustain_s(&r, l->count);
	if (!rc)
		rc = runner_run(&r, l->items, l->count, result, err);
	if (!rc && s->output)
		rc = records_finish(&records, !result->skipped, err);
	records_close(&records);
	samples_close(samples);
	return rc;
}

int profile_ops(const struct profile_settings *s, const char *device)
{
	struct session_wish wish = {.regime = (enum paleo_regime)s->sustained,
				    .energy = s->energy,
				    .quiet = s->view.quiet};
	struct paleo_source source = {0};
	struct runner_result result = {0};
	struct session session = {0};
	const struct paleo_source_wish wanted = {.dtype = PALEO_DTYPES,
						 .who = &session.info,
						 .calibration = s->calibration,
						 .ppp_compute = s->ppp_compute,
						 .ppp_memory = s->ppp_memory};
	struct paleo_error err = {0};
	struct list l = {0};
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;

	wish.worker.options.threads = s->threads;
	wish.worker.options.workspace_limit_bytes = s->workspace_limit_bytes;
	wish.worker.op_timeout_s = 60;
	wish.worker.op_limit_s = s->timeout_s;
	int rc = read_keys(s, &l, &err);
	for (int i = 0; i < l.count; i++)
		wish.peaks |= 1u << l.items[i].op.dtype;
	if (!rc)
		rc = session_open(device, &wish, &session, &err);
	if (!rc) {
		session_tell(&session, notes);
		rc = paleo_choose_source(&wanted, &source, &err);
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
	return result.failed || result.unsupported  ? EXIT_ROWS
	       : result.skipped                     ? EXIT_BUDGET
	       : result.disturbed > result.measured ? EXIT_UNMEASURED
						    : EXIT_GOOD;
}
