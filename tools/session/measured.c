/* measured.c - what was measured, as one: results files, or tables and traces of others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/source.h"
#include "model/device/backends.h"
#include "model/device/device.h"
#include "model/predict/calibration.h"
#include "model/record/traces/trace.h"
#include "tools/session/session.h"

enum {
	OTHERS_TOLD = 5,      /* of what a trace has without an op */
	NET_ROWS_MAX = 100000 /* of a trace's step; larger ones are told op by op */
};

/* Calls of an op in a step, whole ones. */
static int calls_of(const struct paleo_measured_row *row)
{
	return row->calls < 1              ? 1
	       : row->calls > NET_ROWS_MAX ? NET_ROWS_MAX
					   : (int)lrint(row->calls);
}

/* What two files must agree on to be taken together. */
static int check_together(const struct paleo_results *before, const struct paleo_results *next,
			  struct paleo_error *err)
{
	const struct paleo_record_meta *a = &before->meta, *b = &next->meta;
	const char *regime = paleo_results_regime(before), *other = paleo_results_regime(next);

	if (strcmp(a->backend, b->backend) != 0 || strcmp(a->device.name, b->device.name) != 0 ||
	    a->threads != b->threads)
		return paleo_fail(
			err, PALEO_EINPUT,
			"has records of %s %s with %d threads, earlier files of %s %s with %d: "
			"incompatible",
			b->backend, b->device.name, b->threads, a->backend, a->device.name,
			a->threads);
	if (regime[0] && other[0] && strcmp(regime, other) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "has %s times, earlier files %s ones: incompatible", other,
				  regime);
	return PALEO_OK;
}

int merge_load(const char *path, struct paleo_results *out, struct paleo_error *err)
{
	int rc = paleo_results_load(path, out, err);

	if (!rc && out->is_cut)
		paleo_print(stderr, "%s: ignored the truncated last line\n", path);
	else if (!rc && !out->complete)
		paleo_print(stderr,
			    "%s: has no 'end' line, as the run was not finished or the file is "
			    "truncated; used what it has\n",
			    path);
	return rc;
}

static int merge_file(const char *path, int first, struct paleo_results *out,
		      struct paleo_error *err)
{
	struct paleo_results r;

	int rc = merge_load(path, &r, err);
	if (rc)
		return rc;
	if (first)
		out->meta = r.meta;
	else
		rc = check_together(out, &r, err);
	if (rc)
		paleo_error_prefix(err, "%s", path);
	if (!rc)
		return paleo_results_join(out, &r, err);
	paleo_results_release(&r);
	return rc;
}

int merge_results(const char *const *paths, int count, struct paleo_results *out,
		  struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = merge_file(paths[i], i == 0, out, err);
	return rc;
}

static int ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);

	return n > m && !strcmp(text + n - m, ending);
}

static int kind_of(const char *path, enum tables_kind *out, struct paleo_error *err)
{
	const struct paleo_trace_format *format = NULL;
	int is_table = ends_in(path, ".csv") || ends_in(path, ".csv.gz");
	int rc = paleo_trace_format_of(path, &format, err);

	*out = format ? TABLES_TRACES : is_table ? TABLES_ALONE : TABLES_NONE;
	return rc;
}

int tables_given(const char *const *paths, int count, struct paleo_error *err)
{
	enum tables_kind kind = TABLES_NONE, found = TABLES_NONE;
	int tables = 0, rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		rc = kind_of(paths[i], &kind, err);
		tables += kind != TABLES_NONE;
		found = kind > found ? kind : found;
	}
	if (!rc && tables && tables < count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"tables (.csv), or traces, and records (.jsonl) cannot be "
				"combined");
	return rc ? rc : (int)found;
}

void tables_tell_refused(const struct paleo_measured *m, const char *path, FILE *notes)
{
	for (int i = 0; i < PALEO_REFUSALS; i++) {
		if (!m->refused[i])
			continue;
		paleo_print(notes, "%s:%d: %d row%s refused from this line on: %s", path,
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
			    "%s:%d: %d row%s of collective operations left out: 'paleo validate' "
			    "fits them\n",
			    path, m->collectives[0].line, m->collective_count,
			    m->collective_count == 1 ? "" : "s");
}

static void tell_repeated(int repeated, int known, const char *path, FILE *notes)
{
	if (repeated)
		paleo_print(notes, "%s: %d row%s an op: medians used\n", path, repeated,
			    repeated == 1 ? " repeats" : "s repeat");
	if (known)
		paleo_print(notes, "%s: %d row%s those of earlier tables\n", path, known,
			    known == 1 ? " takes" : "s take");
}

/* A row on its way to the one that stands for its op. */
struct place {
	uint64_t op;
	double time_s;
	int row;
};

static int by_op_and_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->op != y->op)
		return x->op > y->op ? 1 : -1;
	if (x->time_s != y->time_s)
		return x->time_s > y->time_s ? 1 : -1;
	return x->row - y->row;
}

/* Of the rows of one op the one with the median time stays. *repeated is how many go. */
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
		places[i] = (struct place){paleo_op_hash(&m->rows[i].op), m->rows[i].time_s, i};
	qsort(places, (size_t)m->count, sizeof(*places), by_op_and_time);
	for (int from = 0, to; from < m->count; from = to) {
		for (to = from; to < m->count && places[to].op == places[from].op;)
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
		struct paleo_record r = {.op = row->op,
					 .mode = "hot",
					 .verify_error = NAN,
					 .timing = {.median_s = row->time_s,
						    .ci_low_s = row->time_s,
						    .ci_high_s = row->time_s,
						    .min_s = row->time_s,
						    .mean_s = row->time_s,
						    .samples = 1,
						    .reps = 1}};
		if (row->samples) {
			r.timing.ci_low_s = row->low_s;
			r.timing.ci_high_s = row->high_s;
			r.timing.min_s = row->min_s;
			r.timing.mean_s = row->mean_s;
			r.timing.samples = row->samples;
		}
		if (row->power_w > 0)
			r.state = (struct paleo_state){.energy_j = row->power_w * row->time_s,
						       .energy_s = row->time_s,
						       .energy_runs = 1};
		snprintf(r.algorithm, sizeof(r.algorithm), "%s", row->algorithm);
		rc = paleo_results_add(out, &r, err);
	}
	return rc;
}

/* What the trace calls an op, and its sizes: the words of its key behind kind, pass and dtype. */
static void name_row(const struct paleo_measured_row *from, struct paleo_net_row *row)
{
	char key[PALEO_OP_KEY_MAX];
	const char *sizes = key;

	paleo_op_key(&from->op, key, sizeof(key));
	for (int words = 0; words < 3 && strchr(sizes, ' '); words++)
		sizes = strchr(sizes, ' ') + 1;
	snprintf(row->kind, sizeof(row->kind), "%s", paleo_op_kind_name(from->op.kind));
	snprintf(row->layer, sizeof(row->layer), "%.40s %.*s",
		 from->name[0] ? from->name : row->kind, (int)sizeof(row->layer) - 42, sizes);
}

/* A row of the step for each call of an op in it. */
static void fill_net(const struct paleo_measured *m, struct paleo_net_rows *net)
{
	for (int i = 0; i < m->count; i++) {
		struct paleo_net_row row = {.pass = m->rows[i].op.pass, .op = m->rows[i].op};
		name_row(&m->rows[i], &row);
		for (int k = 0; k < calls_of(&m->rows[i]); k++)
			net->rows[net->count++] = row;
	}
}

/* The step of a trace as a net, by the name of its file. */
static int add_net(const struct tables_settings *s, const struct paleo_measured *m,
		   const char *path, struct paleo_results *out, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	struct paleo_net_rows net = {.batch = 1, .dtype = m->count ? m->rows[0].op.dtype : 0};
	int rows = 0;

	for (int i = 0; i < m->count && rows <= NET_ROWS_MAX; i++)
		rows += calls_of(&m->rows[i]);
	if ((!m->format && !s->as_nets) || rows > NET_ROWS_MAX)
		return PALEO_OK;
	snprintf(net.net, sizeof(net.net), "%s", slash ? slash + 1 : path);
	net.rows = calloc((size_t)rows + 1, sizeof(*net.rows));
	if (!net.rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows);
	fill_net(m, &net);
	int rc = paleo_results_add_net(out, &net, err);
	free(net.rows);
	return rc;
}

/* What a trace has, how much of its time is in ops, and what is not. */
static void tell_trace(const struct paleo_measured *m, const char *path, FILE *notes)
{
	double rest_s = 0;
	int told = 0;

	if (!m->format)
		return;
	paleo_print(notes,
		    "%s: %s, %d step%s of %.3f ms in ops, %.1f %% of it in %d matched ones\n", path,
		    m->format, m->steps, m->steps == 1 ? "" : "s", 1e3 * m->total_s / m->steps,
		    100 * m->matched_s / m->total_s, m->count);
	for (; told < m->other_count && told < OTHERS_TOLD; told++) {
		const struct paleo_unmatched *o = &m->others[told];
		if (o->time_s < 1e-3 * m->total_s)
			break;
		paleo_print(notes, "  not matched: %.1f %%, %.0f call%s of %.60s%s%s\n",
			    100 * o->time_s / m->total_s, o->calls, o->calls == 1 ? "" : "s",
			    o->name, o->why ? ": " : "", o->why ? o->why : "");
	}
	for (int i = told; i < m->other_count; i++)
		rest_s += m->others[i].time_s;
	if (told < m->other_count)
		paleo_print(notes, "  not matched: %.1f %% in %d more\n", 100 * rest_s / m->total_s,
			    m->other_count - told);
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

/* How the table's times were taken, as it says itself or the settings say. */
static int take_timed_by(const struct tables_settings *s, const struct paleo_measured *m,
			 struct paleo_results *out, struct paleo_error *err)
{
	enum paleo_timed_by by = m->timed_by ? m->timed_by : s->timed_by;
	const enum paleo_timed_by before = out->count ? out->meta.timed_by : by;

	if (s->timed_by && by != s->timed_by)
		return paleo_fail(err, PALEO_EINPUT,
				  "was timed by %s, as its column timed_by says, not by %s",
				  paleo_timed_by_names[by], paleo_timed_by_names[s->timed_by]);
	if (by != before)
		return paleo_fail(
			err, PALEO_EINPUT,
			"was timed by %s, earlier tables by %s: make a calibration of each",
			paleo_timed_by_names[by], paleo_timed_by_names[before]);
	out->meta.timed_by = by;
	return PALEO_OK;
}

/* The device that was measured: as given, which may be of this machine, or as the file calls it. */
static int find_device(const struct tables_settings *s, const struct paleo_catalog *c,
		       const char *called, struct paleo_device_info *out, struct paleo_error *err)
{
	const struct paleo_device *d = NULL;
	struct paleo_error ignored;

	*out = (struct paleo_device_info){.threads = 0};
	if (!s->device && !called[0] && s->any_device)
		return PALEO_OK;
	if (!s->device && !called[0])
		return paleo_fail(err, PALEO_EINPUT,
				  "does not say which device it is of: --device NAME "
				  "('paleo devices' lists names; cpu is this machine's)");
	int rc = paleo_catalog_find_measured(c, s->device, called, &d, err);
	if (!rc)
		out->device = *d;
	if (rc && s->any_device)
		snprintf(out->device.name, sizeof(out->device.name), "%.60s", called);
	if (!rc || s->any_device || !s->device)
		return s->any_device ? PALEO_OK : rc;
	if (session_check(s->device, &ignored))
		return paleo_choose_device(s->devices, s->device, NULL, &out->device, err);
	return session_who(s->device, 0, out, err);
}

/* Its rows, and what there is to know of them. */
static int take_rows(const struct tables_settings *s, struct paleo_measured *m, const char *path,
		     struct paleo_results *out, struct paleo_error *err)
{
	int repeated = 0, before = out->count;

	tell_trace(m, path, s->notes);
	paleo_measured_check(m, &out->meta.device);
	tables_tell_refused(m, path, s->notes);
	tell_collectives(m, path, s->notes);
	add_stack(&out->meta, m->format ? m->format : m->stack);
	int rc = keep_medians(m, &repeated, err);
	if (!rc)
		rc = add_rows(m, out, err);
	if (!rc)
		rc = add_net(s, m, path, out, err);
	if (!rc)
		tell_repeated(repeated, m->count - (out->count - before), path, s->notes);
	return rc;
}

static int read_table(const struct tables_settings *s, const struct paleo_catalog *c,
		      const char *path, struct paleo_results *out, struct paleo_error *err)
{
	const struct paleo_measured_wish wish = {s->device, s->dtype};
	struct paleo_device_info who;
	struct paleo_measured m = {0};

	int rc = paleo_measured_read(path, &wish, &m, err);
	if (rc)
		return rc;
	if (m.format && !m.count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"has no op whose kind and sizes are known (%s): torch.profiler "
				"needs record_shapes=True; names without sizes are printed by "
				"'paleo validate'",
				m.format);
	if (!rc)
		rc = find_device(s, c, m.gpu, &who, err);
	if (!rc && out->meta.device.name[0] && strcmp(out->meta.device.name, who.device.name) != 0)
		rc = paleo_fail(err, PALEO_EINPUT,
				"is of device '%s', earlier tables of '%s': incompatible",
				who.device.name, out->meta.device.name);
	if (!rc)
		rc = take_timed_by(s, &m, out, err);
	if (rc) {
		paleo_error_prefix(err, "%s", path);
	} else {
		out->meta.device = who.device;
		out->meta.threads = who.threads;
		rc = take_rows(s, &m, path, out, err);
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
		rc = paleo_fail(err, PALEO_EINPUT, "no usable row in the tables");
	snprintf(out->meta.backend, sizeof(out->meta.backend), "%s", PALEO_BACKEND_TABLE);
	if (!out->meta.versions[0])
		snprintf(out->meta.versions, sizeof(out->meta.versions), "published tables");
	paleo_catalog_release(&c);
	return rc;
}
