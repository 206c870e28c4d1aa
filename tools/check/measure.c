/* measure.c - measures one device for a check: ceilings, and ops of the cost model's choice. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "bench/clock.h"
#include "library/source.h"
#include "tools/check/check.h"
#include "tools/session/plan.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"

enum {
	OPS = 10,
	GPU_BATCH = 32
};

/* Of the budget, ceilings have what the ops leave; an op is no longer than a share of theirs. */
static const double OPS_SHARE = 0.3, OP_SHARE = 0.02;

/* Below this an op's time is that of launching it. */
static const double SHORTEST_S = 20e-6;

/* The networks whose ops are measured: convolutions, and a transformer. */
static const char *const nets[] = {"resnet50", "gpt2"};

/* Everything one measurement holds. */
struct measuring {
	const struct check_settings *settings;
	struct session session;
	struct records records;
	struct check_file *file;
	FILE *notes; /* NULL: nowhere */
	struct paleo_source source;
	struct plan plan;
	struct paleo_record measured[OPS];
	struct runner_item items[OPS];
	int done[OPS];
	int count;    /* of items */
	int ceilings; /* measured so far */
	double end_s; /* of the host's clock: when the ceilings are to be over */
	int is_over;
};

/* Keeps a ceiling as soon as it is measured, until the ops need the time. */
static int keep(const struct paleo_ceiling *c, void *listener, struct paleo_error *err)
{
	struct measuring *m = listener;
	char what[64];

	snprintf(what, sizeof(what), "%d peaks measured", ++m->ceilings);
	progress_step(&m->session.progress, 0, 0, m->end_s, what);
	int rc = records_add_ceiling(&m->records, c, err);
	if (!rc && stop_came())
		return paleo_fail(err, PALEO_ECRASH, "interrupted");
	m->is_over = !rc && paleo_now_s() > m->end_s;
	m->file->has_peaks = 1;
	return m->is_over ? paleo_fail(err, PALEO_ETIMEOUT, "the time budget ended") : rc;
}

static int measure_ceilings(struct measuring *m, FILE *notes, struct paleo_error *err)
{
	struct paleo_ceilings list = {
		.regime = (enum paleo_regime)m->settings->sustained, .on_add = keep, .listener = m};

	m->end_s = paleo_now_s() + (1 - OPS_SHARE) * m->settings->budget_s;
	progress_begin(&m->session.progress, "measuring peaks");
	int rc = paleo_worker_ceilings(m->session.worker, &list, err);
	progress_clear(&m->session.progress);
	if (m->is_over) {
		if (notes)
			paleo_print(
				notes,
				"peaks after the first %d: not measured within the time budget\n",
				m->ceilings);
		return PALEO_OK;
	}
	if (!rc && !m->ceilings)
		return paleo_fail(err, PALEO_EBACKEND, "nothing could be measured: %s", list.why);
	if (list.skipped && notes)
		paleo_print(notes, "%d not measured; the first: %s\n", list.skipped, list.why);
	return rc;
}

/* How well the cost model knows an op: the width of its interval as a logarithm. */
static double width_of(const struct plan_op *w)
{
	const struct paleo_interval *i = &w->prediction.interval;

	return i->low > 0 ? log(i->high / i->low) : INFINITY;
}

static int is_taken(const struct measuring *m, const struct plan_op *w, int of_class)
{
	int n = 0;

	for (int i = 0; i < m->count; i++)
		n += of_class ? !strcmp(paleo_op_class(&m->items[i].op), paleo_op_class(&w->op))
			      : paleo_op_equal(&m->items[i].op, &w->op);
	return n;
}

/* The op that the model knows best, of the classes that were taken least; NULL: none is left. */
static const struct plan_op *next_op(const struct measuring *m)
{
	const struct plan_op *best = NULL;
	double longest_s = OP_SHARE * OPS_SHARE * m->settings->budget_s;
	int least = 0;

	for (int i = 0; i < m->plan.op_count; i++) {
		const struct plan_op *w = &m->plan.ops[m->plan.order[i]];
		double time_s = w->prediction.parts.total_s;
		if (!w->predicted || time_s < SHORTEST_S || time_s > longest_s || is_taken(m, w, 0))
			continue;
		int taken = is_taken(m, w, 1);
		if (best && (taken > least || (taken == least && width_of(w) >= width_of(best))))
			continue;
		best = w;
		least = taken;
	}
	return best;
}

/* The ops of the networks in the dtype that the device is best at. */
static int choose_ops(struct measuring *m, struct paleo_error *err)
{
	const struct session *s = &m->session;
	const struct paleo_source_wish wish = {.dtype = PALEO_DTYPES, .who = &s->info};
	const int has_bf16 =
		s->info.device.flop_per_s[PALEO_BF16] > s->info.device.flop_per_s[PALEO_F32];
	const struct plan_settings ps = {
		.batch = s->backend->batch_max ? s->backend->batch_max : GPU_BATCH,
		.dtype = has_bf16 && !s->info.device.is_processor ? PALEO_BF16 : PALEO_F32,
		.passes = PALEO_PASSES_FWD,
		.modes = {.items = {PALEO_COLD}, .count = 1}};
	int rc = paleo_choose_source(&wish, &m->source, err);

	if (!rc)
		rc = plan_make(&ps, &m->source.calibration, nets,
			       (int)(sizeof(nets) / sizeof(*nets)), &m->plan, err);
	while (!rc && m->count < OPS) {
		const struct plan_op *w = next_op(m);
		if (!w)
			break;
		m->items[m->count] = (struct runner_item){.op = w->op,
							  .mode = PALEO_COLD,
							  .expected_s = w->prediction.parts.total_s,
							  .record = &m->measured[m->count],
							  .done = &m->done[m->count]};
		m->count++;
	}
	return rc;
}

static int measure_ops(struct measuring *m, double begun_s, struct paleo_error *err)
{
	const struct paleo_measure_policy *policy = &m->session.policy;
	double left_s = m->settings->budget_s - (paleo_now_s() - begun_s);
	struct runner_result result;
	struct runner r = {.session = &m->session,
			   .records = &m->records,
			   .rounds = policy->sustain_s > 0 ? 1 : m->session.backend->rounds,
			   .divide = 1,
			   .policy = *policy};
	int rc = choose_ops(m, err);

	r.budget_s = fmax(left_s, OPS_SHARE * m->settings->budget_s / 2) +
		     runner_sustain_s(&r, m->count);
	if (!rc)
		rc = runner_run(&r, m->items, m->count, &result, err);
	if (!rc && result.interrupted)
		rc = paleo_fail(err, PALEO_ECRASH, "interrupted");
	return rc;
}

/* Those of bursts lie where the other commands find them; a burst may be faster than what is
 * sustained. */
static void name_file(const char *device, enum paleo_regime regime, char path[PALEO_PATH_MAX])
{
	if (regime == PALEO_BURST)
		paleo_find_ceilings(device, path);
	else
		snprintf(path, PALEO_PATH_MAX, "paleo-results/%.200s/ceilings-%s.jsonl", device,
			 paleo_regime_name(regime));
}

static int open_records(struct measuring *m, const char *device, const char *path, FILE *notes,
			struct paleo_error *err)
{
	const struct records_wish wish = {.force = m->settings->force, .notes = notes};
	struct paleo_condition condition;
	int rc = records_open(path, &wish, &m->session, &m->records, err);

	session_condition(&m->session, device, &condition);
	return rc ? rc : records_add_condition(&m->records, &condition, err);
}

static int measure(struct measuring *m, const char *device, struct check_file *out,
		   struct paleo_error *err)
{
	const struct check_settings *settings = m->settings;
	const struct session_wish wish = {.worker.options.threads = settings->threads,
					  .regime = (enum paleo_regime)settings->sustained,
					  .quiet = settings->quiet};
	FILE *notes = m->notes;
	double begun_s = paleo_now_s();
	int rc = session_open(device, &wish, &m->session, err);

	if (rc)
		return rc;
	if (notes)
		session_tell(&m->session, notes);
	if (notes)
		fflush(notes);
	memcpy(out->device, m->session.info.device.name, sizeof(out->device));
	if (!out->path[0])
		name_file(out->device, wish.regime, out->path);
	rc = open_records(m, device, out->path, notes, err);
	if (!rc)
		rc = measure_ceilings(m, notes, err);
	if (!rc)
		rc = measure_ops(m, begun_s, err);
	return rc ? rc : records_finish(&m->records, 1, err);
}

int check_measure(const struct check_settings *s, const char *device, struct check_file *out,
		  struct paleo_error *err)
{
	struct measuring m = {.settings = s,
			      .file = out,
			      .notes = s->is_silent                     ? NULL
				       : paleo_table_is_data(s->format) ? stderr
									: stdout};
	int rc = measure(&m, device, out, err);

	records_close(&m.records);
	plan_release(&m.plan);
	paleo_source_release(&m.source);
	session_close(&m.session);
	return rc;
}

int check_measure_text(const struct check_settings *s, const char *device, struct check_file *out,
		       char **text, size_t *size, struct paleo_error *err)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(out->path, sizeof(out->path), "%s/paleo-check-XXXXXX",
		 folder && *folder ? folder : "/tmp");
	fd = mkstemp(out->path);
	if (fd < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot make this file: %s", out->path,
				  strerror(errno));
	close(fd);
	int rc = check_measure(s, device, out, err);
	if (!rc)
		rc = paleo_file_read(out->path, CHECK_BYTES_MAX, "records", text, size, err);
	unlink(out->path);
	return rc;
}
