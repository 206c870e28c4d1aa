/* record_read.c - reads a results file, one JSON object a line, and the tags of a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/lines.h"
#include "base/text.h"
#include "model/device/backends.h"
#include "model/record/graph_record.h"
#include "model/record/record.h"

/* Readers describe the error in a key or a word; this adds the position. */
static int at_place(const struct paleo_json *v, struct paleo_error *err)
{
	struct paleo_error inner = *err;

	return paleo_json_fail(v, err, "%s", inner.text);
}

/* The text of a key that must be there; *v is its place, for messages. */
static int need_word(const struct paleo_json *line, const char *key, const struct paleo_json **v,
		     const char **word, struct paleo_error *err)
{
	int rc = paleo_json_need(line, key, v, err);

	return rc ? rc : paleo_json_to_string(*v, word, err);
}

static int read_op(const struct paleo_json *line, struct paleo_op *out, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *key = NULL;

	PALEO_TRY(need_word(line, "op", &v, &key, err));
	if (paleo_op_parse(key, out, err))
		return at_place(v, err);
	return PALEO_OK;
}

static int read_status(const struct paleo_json *line, enum paleo_record_status *out,
		       struct paleo_error *err)
{
	const char *names[PALEO_RECORD_STATUSES + 1] = {NULL};
	const struct paleo_json *v = NULL;
	const char *word = NULL;

	PALEO_TRY(need_word(line, "status", &v, &word, err));
	for (int i = 0; i < PALEO_RECORD_STATUSES; i++) {
		names[i] = paleo_record_status_name((enum paleo_record_status)i);
		if (strcmp(word, names[i]) == 0) {
			*out = (enum paleo_record_status)i;
			return PALEO_OK;
		}
	}
	const char *near = paleo_nearest(word, names);
	return paleo_json_fail(v, err, "unknown status '%s' (did you mean '%s'?)", word,
			       near ? near : names[0]);
}

/* Older files have none; null is 0 here. */
static int read_state(const struct paleo_json *line, struct paleo_state *out,
		      struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(line, "state");
	struct paleo_state s = {.sm_mhz = 0};
	double *numbers[] = {&s.sm_mhz, &s.clock_ratio, &s.power_w, &s.temp_c, &s.energy_j};

	int rc = v ? paleo_json_fields_read(v, paleo_state_fields, NULL, &s, err) : PALEO_OK;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (isnan(*numbers[i]))
			*numbers[i] = 0;
	if (!rc)
		*out = s;
	return rc;
}

static int read_record(const struct paleo_json *line, struct paleo_results *r,
		       struct paleo_error *err)
{
	static const char *const others[] = {"type", "op", "status", "timing", "state", NULL};
	struct paleo_record record = {.status = PALEO_RECORD_OK};
	const struct paleo_json *timing = NULL;

	PALEO_TRY(paleo_json_fields_read(line, paleo_record_fields, others, &record, err));
	PALEO_TRY(read_op(line, &record.op, err));
	PALEO_TRY(read_status(line, &record.status, err));
	if (record.status == PALEO_RECORD_OK) {
		PALEO_TRY(paleo_json_need(line, "timing", &timing, err));
		PALEO_TRY(paleo_json_fields_read(timing, paleo_timing_fields, NULL, &record.timing,
						 err));
		PALEO_TRY(read_state(line, &record.state, err));
	}
	return paleo_results_add(r, &record, err);
}

static int read_pass(const struct paleo_json *row, enum paleo_pass *out, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *word = NULL;

	PALEO_TRY(need_word(row, "pass", &v, &word, err));
	return paleo_pass_parse(word, out, err) ? at_place(v, err) : PALEO_OK;
}

static int read_rows(const struct paleo_json *array, struct paleo_net_row *rows,
		     struct paleo_error *err)
{
	static const char *const others[] = {"pass", "op", NULL};

	for (const struct paleo_json *v = paleo_json_first(array); v;
	     v = paleo_json_next(v), rows++) {
		PALEO_TRY(paleo_json_fields_read(v, paleo_row_fields, others, rows, err));
		PALEO_TRY(read_pass(v, &rows->pass, err));
		PALEO_TRY(read_op(v, &rows->op, err));
	}
	return PALEO_OK;
}

static int read_dtype(const struct paleo_json *line, enum paleo_dtype *out, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *word = NULL;

	PALEO_TRY(need_word(line, "dtype", &v, &word, err));
	return paleo_dtype_parse(word, out, err) ? at_place(v, err) : PALEO_OK;
}

static int read_net(const struct paleo_json *line, struct paleo_results *r, struct paleo_error *err)
{
	static const char *const others[] = {"type", "dtype", "rows", NULL};
	struct paleo_net_rows net = {.count = 0};
	const struct paleo_json *rows = NULL;
	int rc = paleo_json_fields_read(line, paleo_net_fields, others, &net, err);

	if (!rc)
		rc = read_dtype(line, &net.dtype, err);
	if (!rc)
		rc = paleo_json_need(line, "rows", &rows, err);
	if (rc)
		return rc;
	if (paleo_json_type(rows) != PALEO_JSON_ARRAY)
		return paleo_json_fail(rows, err, "expected an array of rows");
	net.count = paleo_json_size(rows);
	net.rows = calloc((size_t)net.count + 1, sizeof(*net.rows));
	if (!net.rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	rc = read_rows(rows, net.rows, err);
	if (!rc)
		rc = paleo_results_add_net(r, &net, err);
	free(net.rows);
	return rc;
}

static int read_ceiling(const struct paleo_json *line, struct paleo_results *r,
			struct paleo_error *err)
{
	static const char *const others[] = {"type", NULL};
	struct paleo_ceiling c = {.value = 0};

	PALEO_TRY(paleo_json_fields_read(line, paleo_ceiling_fields, others, &c, err));
	if (strcmp(c.unit, "s") != 0 && strcmp(c.unit, "B/s") != 0 && strcmp(c.unit, "FLOP/s") != 0)
		return paleo_json_fail(paleo_json_get(line, "unit"), err,
				       "unknown unit '%s', expected s, B/s or FLOP/s", c.unit);
	return paleo_results_add_ceiling(r, &c, err);
}

/* Lines of several devices would pass for those of one. */
static int read_condition(const struct paleo_json *line, struct paleo_results *r,
			  struct paleo_error *err)
{
	static const char *const others[] = {"type", NULL};
	struct paleo_condition c = {.node = ""};
	int rc = paleo_json_fields_read(line, paleo_condition_fields, others, &c, err);

	if (!rc && r->has_condition &&
	    (strcmp(c.node, r->condition.node) != 0 || strcmp(c.unit, r->condition.unit) != 0))
		rc = paleo_json_fail(line, err,
				     "a check of several devices: 'paleo check --from' reads it");
	if (rc)
		return rc;
	r->condition = c;
	r->has_condition = 1;
	return PALEO_OK;
}

static int read_pass_line(const struct paleo_json *line, struct paleo_results *r,
			  struct paleo_error *err)
{
	struct paleo_graph_record pass;

	PALEO_TRY(paleo_graph_record_read(line, &pass, err));
	int rc = paleo_results_add_pass(r, &pass, err);
	if (rc)
		paleo_graph_record_release(&pass);
	return rc;
}

static int read_meta(const struct paleo_json *line, struct paleo_record_meta *out,
		     struct paleo_error *err)
{
	static const char *const others[] = {"type", "schema", "device", NULL};
	const struct paleo_json *v = NULL;
	int rc = paleo_json_fields_read(line, paleo_meta_fields, others, out, err);
	if (!rc)
		rc = paleo_json_need(line, "device", &v, err);
	if (!rc)
		rc = paleo_device_read(v, &out->device, err);
	/* Files without the key are of a backend that knows. */
	if (paleo_backend_find(out->backend)->hardware == PALEO_HOST)
		out->device.is_processor = 1;
	return rc;
}

/* A resumed run must be of the same device as the existing lines. */
static int take_meta(const struct paleo_json *line, struct paleo_results *r, int first,
		     struct paleo_error *err)
{
	struct paleo_record_meta meta = {.threads = 0};

	PALEO_TRY(paleo_json_schema_check(line, &paleo_results_schema, err));
	PALEO_TRY(read_meta(line, &meta, err));
	if (!first &&
	    (strcmp(meta.backend, r->meta.backend) != 0 ||
	     strcmp(meta.device.name, r->meta.device.name) != 0 || meta.threads != r->meta.threads))
		return paleo_json_fail(line, err,
				       "the file begins with backend '%s', device '%s', %d "
				       "threads, and continues with '%s', '%s', %d: use two files",
				       r->meta.backend, r->meta.device.name, r->meta.threads,
				       meta.backend, meta.device.name, meta.threads);
	if (first)
		r->meta = meta;
	return PALEO_OK;
}

static int take_line(const struct paleo_json *line, struct paleo_results *r, int first,
		     struct paleo_error *err)
{
	static const char *const types[] = {"meta",    "record",    "net", "graph_run",
					    "ceiling", "condition", "end", NULL};
	const struct paleo_json *v = NULL;
	const char *type = NULL;

	PALEO_TRY(need_word(line, "type", &v, &type, err));
	r->complete = 0;
	if (strcmp(type, "meta") == 0)
		return take_meta(line, r, first, err);
	if (first)
		return paleo_json_fail(v, err, "a results file begins with a 'meta' line, not '%s'",
				       type);
	if (strcmp(type, "record") == 0)
		return read_record(line, r, err);
	if (strcmp(type, "net") == 0)
		return read_net(line, r, err);
	if (strcmp(type, "ceiling") == 0)
		return read_ceiling(line, r, err);
	if (strcmp(type, "condition") == 0)
		return read_condition(line, r, err);
	if (strcmp(type, "graph_run") == 0)
		return read_pass_line(line, r, err);
	if (strcmp(type, "end") == 0) {
		r->complete = 1;
		return PALEO_OK;
	}
	const char *near = paleo_nearest(type, types);
	return paleo_json_fail(v, err, "unknown type of line '%s' (did you mean '%s'?)", type,
			       near ? near : types[1]);
}

static int parse_line(const char *name, int number, const char *text, size_t size,
		      struct paleo_results *r, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_parse(name, number, text, size, &doc, err);

	if (!rc)
		rc = take_line(paleo_json_root(doc), r, number == 1, err);
	paleo_json_free(doc);
	return rc;
}

/* Final checks of all lines, common to both readers. */
static int finish(const char *name, int lines, int is_cut, int rc, struct paleo_results *r,
		  struct paleo_results *out, struct paleo_error *err)
{
	if (!rc && lines == 0)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no complete line, expected a 'meta' line first", name);
	if (rc) {
		paleo_results_release(r);
		return rc;
	}
	r->is_cut = is_cut;
	if (is_cut)
		r->complete = 0;
	*out = *r;
	return PALEO_OK;
}

int paleo_results_parse(const char *name, const char *text, size_t size, struct paleo_results *out,
			struct paleo_error *err)
{
	struct paleo_results r = {.count = 0};
	const char *end = text + size;
	int number = 0;
	int rc = PALEO_OK;

	while (!rc && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		if (!stop)
			break; /* truncated line */
		rc = parse_line(name, ++number, text, (size_t)(stop - text), &r, err);
		text = stop + 1;
	}
	return finish(name, number, text < end, rc, &r, out, err);
}

int paleo_results_load(const char *path, struct paleo_results *out, struct paleo_error *err)
{
	struct paleo_results r = {.count = 0};
	struct paleo_lines *lines;
	struct paleo_line line = {.is_whole = 1};
	int number = 0, is_there = 0;
	int rc = paleo_lines_open(path, PALEO_JSON_FILE_MAX, "a results file", &lines, err);

	if (rc)
		return rc;
	while (!rc) {
		rc = paleo_lines_next(lines, &line, &is_there, err);
		if (rc || !is_there || !line.is_whole)
			break;
		rc = parse_line(path, ++number, line.text, line.size, &r, err);
	}
	paleo_lines_close(lines);
	return finish(path, number, is_there && !line.is_whole, rc, &r, out, err);
}

/* Warnings about a time before it is used. */

/* Thresholds for a warning: time below a measured ceiling, and drift. */
static const double ABOVE = 1.05, DRIFT = 0.01;

/* 1 if the word is among those of a text, with blanks between. */
static int has_word(const char *text, const char *sought)
{
	size_t size = strlen(sought);

	while (*text) {
		size_t word = strcspn(text, " ");
		if (word == size && strncmp(text, sought, size) == 0)
			return 1;
		text += word;
		text += *text == ' ';
	}
	return 0;
}

int paleo_record_has_tag(const char *tags, const char *tag)
{
	return has_word(tags, tag);
}

void paleo_record_tag(struct paleo_record *r, const char *tag)
{
	size_t used = strlen(r->tags);

	if (!paleo_record_has_tag(r->tags, tag))
		snprintf(r->tags + used, sizeof(r->tags) - used, "%s%s", used ? " " : "", tag);
}

/* Algorithms that need fewer operations than the op counts. */
static int saves_operations(const struct paleo_record *r)
{
	return strstr(r->algorithm, "wino") || strstr(r->algorithm, "fft");
}

static int is_above(const struct paleo_record *r, const struct paleo_device *d)
{
	const struct paleo_op *w = &r->op;
	double time_s = r->timing.median_s, flop_per_s = paleo_device_peak(d, w);
	double bytes = w->read_bytes + w->write_bytes;

	if (!d->measured || strcmp(r->mode, "cold") != 0)
		return 0;
	if (flop_per_s > 0 && w->flops > ABOVE * flop_per_s * time_s && !saves_operations(r))
		return 1;
	return d->mem_bytes_per_s > 0 && bytes > ABOVE * d->mem_bytes_per_s * time_s;
}

/* Reasons for a clock reduced by limits. */
static int was_throttled(const struct paleo_state *s)
{
	static const char *const words[] = {"hw_slowdown", "sw_thermal", "hw_thermal",
					    "power_brake"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(s->reasons, words[i]))
			return 1;
	return 0;
}

/* Takes a tag away. */
static void untag(struct paleo_record *r, const char *tag)
{
	char words[sizeof(r->tags)], *rest = words;
	const char *word;

	memcpy(words, r->tags, sizeof(words));
	r->tags[0] = '\0';
	while ((word = strsep(&rest, " ")))
		if (word[0] && strcmp(word, tag) != 0)
			paleo_record_tag(r, word);
}

void paleo_record_judge(struct paleo_record *r, const struct paleo_device *d)
{
	if (r->status != PALEO_RECORD_OK)
		return;
	if (fabs(r->timing.drift) > DRIFT)
		paleo_record_tag(r, PALEO_TAG_DRIFT);
	if (was_throttled(&r->state))
		paleo_record_tag(r, PALEO_TAG_THROTTLED);
	if (has_word(r->state.reasons, "power_cap"))
		paleo_record_tag(r, PALEO_TAG_CAPPED);
	if (r->state.others > 0)
		paleo_record_tag(r, PALEO_TAG_SHARED);
	untag(r, PALEO_TAG_ABOVE); /* by other peaks */
	if (is_above(r, d))
		paleo_record_tag(r, PALEO_TAG_ABOVE);
}
