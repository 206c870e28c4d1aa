/* graph_record.c - a whole pass of a net, measured: one line of a results file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/graph_record.h"

#include <stdlib.h>
#include <string.h>

#include "model/record/record.h"

#define TEXT(type, name)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			.size = sizeof(((struct type *)0)->name)                                   \
	}
#define NUMBER(type, name, to)                                                                     \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct type, name), .high = (to)               \
	}
#define INT(type, name, from, to)                                                                  \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), .low = (from), .high = (to)   \
	}

static const struct paleo_json_field pass_fields[] = {
	TEXT(paleo_graph_record, net),
	INT(paleo_graph_record, batch, 1, 1 << 24),
	TEXT(paleo_graph_record, how),
	TEXT(paleo_graph_record, reason),
	INT(paleo_graph_record, in_network_samples, 0, 1000000),
	INT(paleo_graph_record, layout_changes, 0, 100000000),
	{"regime", PALEO_FIELD_TEXT, offsetof(struct paleo_graph_record, regime),
	 .size = PALEO_REGIME_MAX, .optional = 1},
	{"fused", PALEO_FIELD_INT, offsetof(struct paleo_graph_record, fused), .high = 1,
	 .optional = 1},
	{0},
};

static const struct paleo_json_field memory_fields[] = {
	NUMBER(paleo_graph_memory, data, 1e18),
	NUMBER(paleo_graph_memory, weights, 1e18),
	NUMBER(paleo_graph_memory, gradients, 1e18),
	NUMBER(paleo_graph_memory, optimizer, 1e18),
	NUMBER(paleo_graph_memory, activations, 1e18),
	NUMBER(paleo_graph_memory, workspace, 1e18),
	{0},
};

static const struct paleo_json_field time_fields[] = {
	NUMBER(paleo_graph_record_row, in_network_s, 1e9),
	NUMBER(paleo_graph_record_row, change_s, 1e9),
	{"isolated_s", PALEO_FIELD_NUMBER, offsetof(struct paleo_graph_record_row, isolated_s),
	 .high = 1e9, .nullable = 1},
	{0},
};

static const char *const rules[] = {
	[PALEO_SGD] = "sgd",
	[PALEO_MOMENTUM] = "momentum",
	[PALEO_ADAM] = "adam",
};

const char *paleo_update_rule_name(enum paleo_update_rule rule)
{
	return rules[rule];
}

void paleo_graph_record_title(enum paleo_extent extent, enum paleo_layout layout, int fused,
			      char text[PALEO_GRAPH_RECORD_TITLE_MAX])
{
	snprintf(text, PALEO_GRAPH_RECORD_TITLE_MAX, "%s%s%s%s", paleo_extent_name(extent),
		 layout ? ", " : "", layout ? paleo_layout_name(layout) : "",
		 fused ? ", fused" : "");
}

void paleo_graph_record_release(struct paleo_graph_record *f)
{
	if (!f)
		return;
	free(f->rows);
	f->rows = NULL;
	f->count = 0;
}

double paleo_graph_record_in_network_s(const struct paleo_graph_record *f)
{
	double sum = 0;

	for (int i = 0; i < f->count; i++)
		sum += f->rows[i].in_network_s;
	return sum;
}

double paleo_graph_record_change_s(const struct paleo_graph_record *f)
{
	double sum = 0;

	for (int i = 0; i < f->count; i++)
		sum += f->rows[i].change_s;
	return sum;
}

double paleo_graph_record_isolated_s(const struct paleo_graph_record *f)
{
	double sum = 0;

	for (int i = 0; i < f->count; i++)
		sum += f->rows[i].isolated_s;
	return sum;
}

double paleo_graph_record_updates_s(const struct paleo_graph_record *f)
{
	double sum = 0;

	for (int i = 0; i < f->count; i++)
		if (f->rows[i].row.pass == PALEO_PASS_UPDATE)
			sum += f->rows[i].isolated_s;
	return sum;
}

static void put_memory(struct paleo_json_writer *w, const char *key,
		       const struct paleo_graph_memory *m)
{
	paleo_json_open_object(w, key);
	paleo_json_fields_write(w, memory_fields, m);
	paleo_json_close(w);
}

static void put_row(struct paleo_json_writer *w, const struct paleo_graph_record_row *r)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&r->row.op, key, sizeof(key));
	paleo_json_open_object(w, NULL);
	paleo_json_fields_write(w, paleo_row_fields, &r->row);
	paleo_json_put_string(w, "pass", paleo_pass_name(r->row.pass));
	paleo_json_put_string(w, "op", key);
	paleo_json_fields_write(w, time_fields, r);
	paleo_json_close(w);
}

static void put_measured(struct paleo_json_writer *w, const struct paleo_graph_record *f)
{
	paleo_json_open_object(w, "timing");
	paleo_json_fields_write(w, paleo_timing_fields, &f->timing);
	paleo_json_close(w);
	put_memory(w, "memory", &f->memory);
	put_memory(w, "predicted_memory", &f->predicted);
	paleo_json_open_array(w, "rows");
	for (int i = 0; i < f->count; i++)
		put_row(w, &f->rows[i]);
	paleo_json_close(w);
}

int paleo_graph_record_write(const struct paleo_graph_record *f, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("graph_run");

	if (w) {
		paleo_json_fields_write(w, pass_fields, f);
		paleo_json_put_string(w, "dtype", paleo_dtype_name(f->dtype));
		paleo_json_put_string(w, "extent", paleo_extent_name(f->extent));
		paleo_json_put_string(w, "optimizer", rules[f->rule]);
		if (f->layout)
			paleo_json_put_string(w, "layout", paleo_layout_name(f->layout));
		paleo_json_put_string(w, "status", paleo_record_status_name(f->status));
		if (f->status == PALEO_RECORD_OK)
			put_measured(w, f);
	}
	return paleo_results_line_end(w, out, err);
}

/* The text of a key that must be there; *v is its place, for messages. */
static int need_word(const struct paleo_json *line, const char *key, const struct paleo_json **v,
		     const char **word, struct paleo_error *err)
{
	int rc = paleo_json_need(line, key, v, err);

	return rc ? rc : paleo_json_to_string(*v, word, err);
}

/* Prefixes a word reader's error with the position. */
static int at_place(const struct paleo_json *v, int rc, struct paleo_error *err)
{
	struct paleo_error inner = *err;

	return rc ? paleo_json_fail(v, err, "%s", inner.text) : PALEO_OK;
}

static int find_word(const struct paleo_json *v, const char *const *names, int count,
		     const char *word, int *out, struct paleo_error *err)
{
	for (int i = 0; i < count; i++) {
		if (!strcmp(word, names[i])) {
			*out = i;
			return PALEO_OK;
		}
	}
	return paleo_json_fail(v, err, "unknown word '%s', expected one like '%s'", word, names[0]);
}

/* A pass without the key is in the usual layout. */
static int read_layout(const struct paleo_json *line, struct paleo_graph_record *f,
		       struct paleo_error *err)
{
	const char *names[PALEO_LAYOUTS], *word = NULL;
	const struct paleo_json *v = paleo_json_get(line, "layout");
	int layout = 0;

	for (int i = 0; i < PALEO_LAYOUTS; i++)
		names[i] = paleo_layout_name((enum paleo_layout)i);
	int rc = v ? paleo_json_to_string(v, &word, err) : PALEO_OK;
	if (!rc && v)
		rc = find_word(v, names, PALEO_LAYOUTS, word, &layout, err);
	f->layout = (enum paleo_layout)layout;
	return rc;
}

static int read_words(const struct paleo_json *line, struct paleo_graph_record *f,
		      struct paleo_error *err)
{
	const char *statuses[PALEO_RECORD_STATUSES], *word = NULL;
	const struct paleo_json *v = NULL;
	int rule = 0, status = 0;

	for (int i = 0; i < PALEO_RECORD_STATUSES; i++)
		statuses[i] = paleo_record_status_name((enum paleo_record_status)i);
	PALEO_TRY(need_word(line, "dtype", &v, &word, err));
	PALEO_TRY(at_place(v, paleo_dtype_parse(word, &f->dtype, err), err));
	PALEO_TRY(need_word(line, "extent", &v, &word, err));
	PALEO_TRY(at_place(v, paleo_extent_parse(word, &f->extent, err), err));
	PALEO_TRY(need_word(line, "optimizer", &v, &word, err));
	PALEO_TRY(find_word(v, rules, (int)(sizeof(rules) / sizeof(rules[0])), word, &rule, err));
	PALEO_TRY(need_word(line, "status", &v, &word, err));
	PALEO_TRY(find_word(v, statuses, PALEO_RECORD_STATUSES, word, &status, err));
	f->rule = (enum paleo_update_rule)rule;
	f->status = (enum paleo_record_status)status;
	return read_layout(line, f, err);
}

static int read_part(const struct paleo_json *line, const char *key,
		     const struct paleo_json_field *fields, void *to, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	int rc = paleo_json_need(line, key, &v, err);

	return rc ? rc : paleo_json_fields_read(v, fields, NULL, to, err);
}

/* One object with the fields of two tables. */
static int read_row(const struct paleo_json *v, struct paleo_graph_record_row *r,
		    struct paleo_error *err)
{
	static const char *const with_times[] = {"pass",     "op",         "in_network_s",
						 "change_s", "isolated_s", NULL};
	static const char *const with_row[] = {"pass", "op", "layer", "kind", NULL};
	const struct paleo_json *place = NULL;
	const char *word = NULL;

	PALEO_TRY(paleo_json_fields_read(v, paleo_row_fields, with_times, &r->row, err));
	PALEO_TRY(paleo_json_fields_read(v, time_fields, with_row, r, err));
	PALEO_TRY(need_word(v, "pass", &place, &word, err));
	PALEO_TRY(at_place(place, paleo_pass_parse(word, &r->row.pass, err), err));
	PALEO_TRY(need_word(v, "op", &place, &word, err));
	return at_place(place, paleo_op_parse(word, &r->row.op, err), err);
}

static int read_rows(const struct paleo_json *line, struct paleo_graph_record *f,
		     struct paleo_error *err)
{
	const struct paleo_json *rows = NULL;

	PALEO_TRY(paleo_json_need(line, "rows", &rows, err));
	if (paleo_json_type(rows) != PALEO_JSON_ARRAY)
		return paleo_json_fail(rows, err, "expected an array of rows");
	f->rows = calloc((size_t)paleo_json_size(rows) + 1, sizeof(*f->rows));
	if (!f->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(rows); v; v = paleo_json_next(v))
		PALEO_TRY(read_row(v, &f->rows[f->count++], err));
	return PALEO_OK;
}

int paleo_graph_record_read(const struct paleo_json *line, struct paleo_graph_record *out,
			    struct paleo_error *err)
{
	static const char *const others[] = {"type",   "dtype",  "extent", "optimizer",
					     "status", "timing", "memory", "predicted_memory",
					     "rows",   "layout", NULL};
	const struct paleo_json *timing = NULL;
	struct paleo_graph_record f = {.batch = 0};

	int rc = paleo_json_fields_read(line, pass_fields, others, &f, err);
	if (!rc)
		rc = read_words(line, &f, err);
	if (!rc && f.status == PALEO_RECORD_OK)
		rc = paleo_json_need(line, "timing", &timing, err);
	if (!rc && timing)
		rc = paleo_json_fields_read(timing, paleo_timing_fields, NULL, &f.timing, err);
	if (!rc && f.status == PALEO_RECORD_OK) {
		rc = read_part(line, "memory", memory_fields, &f.memory, err);
		if (!rc)
			rc = read_part(line, "predicted_memory", memory_fields, &f.predicted, err);
		if (!rc)
			rc = read_rows(line, &f, err);
	}
	if (rc) {
		paleo_graph_record_release(&f);
		return rc;
	}
	*out = f;
	return PALEO_OK;
}
