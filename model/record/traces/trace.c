/* trace.c - traces of others: their formats, and what all readers yield. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "model/record/traces/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "base/stats.h"

enum {
	HEAD_BYTES = 4096, /* by which a format is known */
	LINE_BYTES_MAX = 1 << 20,
	INTERVAL_SAMPLES = 6 /* fewer have no interval of their median */
};

static const struct paleo_trace_format formats[] = {
#define FORMAT(name, words, has_sizes)                                                             \
	{words, has_sizes, paleo_trace_is_##name, paleo_trace_read_##name},
#include "model/record/traces/formats.def"
#undef FORMAT
};

int paleo_trace_has(const char *head, size_t size, const char *word)
{
	return memmem(head, size, word, strlen(word)) != NULL;
}

int paleo_trace_format_of(const char *path, const struct paleo_trace_format **out,
			  struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	const char *head;
	size_t size = 0;
	int rc = paleo_lines_open(path, LINE_BYTES_MAX, "records, a table or a trace", &lines, err);

	*out = NULL;
	if (!rc)
		rc = paleo_lines_peek(lines, HEAD_BYTES, &head, &size, err);
	size = size < HEAD_BYTES ? size : HEAD_BYTES;
	if (!rc && paleo_trace_has(head, size, "# nThread") && paleo_trace_has(head, size, "busbw"))
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: is a log of nccl-tests, expected records, a table or a trace; "
				"'paleo calibrate --link NAME FILE' reads it",
				path);
	for (size_t i = 0; !rc && !*out && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].is(head, size))
			*out = &formats[i];
	paleo_lines_close(lines);
	return rc;
}

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for a trace");
}

/* The row of an op, a new one where there is none. NULL: out of memory. */
static struct paleo_trace_row *row_of(struct paleo_trace *t, const struct paleo_op *w,
				      const char *name)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
	int at = paleo_intern(&t->keys, key);
	if (at < 0 || at < t->count)
		return at < 0 ? NULL : &t->rows[at];
	struct paleo_trace_row *rows = paleo_grow(t->rows, t->count, &t->room, sizeof(*rows));
	if (!rows)
		return NULL;
	t->rows = rows;
	rows[t->count] = (struct paleo_trace_row){.op = *w};
	snprintf(rows[t->count].name, sizeof(rows[0].name), "%s", name);
	return &rows[t->count++];
}

int paleo_trace_add(struct paleo_trace *t, const struct paleo_op *w, const char *name,
		    const double *times_s, int count, struct paleo_error *err)
{
	struct paleo_trace_row *row = row_of(t, w, name);

	if (!row)
		return no_memory(err);
	for (int i = 0; i < count; i++) {
		double *times = paleo_grow(row->times_s, row->count, &row->room, sizeof(*times));
		if (!times)
			return no_memory(err);
		row->times_s = times;
		times[row->count++] = times_s[i];
	}
	return PALEO_OK;
}

int paleo_trace_add_unmatched(struct paleo_trace *t, const char *name, double time_s, double calls,
			      const char *why, struct paleo_error *err)
{
	struct paleo_measured *m = t->out;
	int at = paleo_intern(&t->names, name);

	if (at < 0)
		return no_memory(err);
	if (at == m->other_count) {
		struct paleo_unmatched *others =
			paleo_grow(m->others, m->other_count, &t->other_room, sizeof(*others));
		const char *kept = paleo_texts_keep(&m->texts, name);
		if (others)
			m->others = others;
		if (!others || !kept)
			return no_memory(err);
		others[m->other_count++] = (struct paleo_unmatched){.name = kept, .why = why};
	}
	m->others[at].time_s += time_s;
	m->others[at].calls += calls;
	return PALEO_OK;
}

static int longest_first(const void *a, const void *b)
{
	const struct paleo_unmatched *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* A row with the median of its times and what is known of that. */
static void sum_up(struct paleo_trace_row *from, int steps, struct paleo_measured_row *out)
{
	const size_t n = (size_t)from->count;

	paleo_sort(from->times_s, n);
	*out = (struct paleo_measured_row){.op = from->op,
					   .time_s = paleo_quantile_sorted(from->times_s, n, 0.5),
					   .calls = (double)from->count / steps,
					   .samples = from->count,
					   .low_s = NAN,
					   .high_s = NAN,
					   .min_s = from->times_s[0],
					   .mean_s = paleo_mean(from->times_s, n)};
	if (from->count >= INTERVAL_SAMPLES)
		paleo_median_interval_sorted(from->times_s, n, 0.95, &out->low_s, &out->high_s);
	memcpy(out->name, from->name, sizeof(out->name));
}

static int common_divisor(int a, int b)
{
	while (b) {
		int rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* 1 if all steps run it equally often. */
static int is_regular(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_ATTENTION;
}

/* Where no mark says it: what the calls of all convolutions, GEMMs and attention are a multiple of.
 */
static int steps_of(const struct paleo_trace *t)
{
	int steps = 0;

	for (int i = 0; i < t->count; i++)
		if (is_regular(&t->rows[i].op))
			steps = common_divisor(t->rows[i].count, steps);
	return steps ? steps : 1;
}

static int finish(struct paleo_trace *t, struct paleo_error *err)
{
	struct paleo_measured *m = t->out;

	if (!m->steps)
		m->steps = steps_of(t);
	m->rows = calloc((size_t)t->count + 1, sizeof(*m->rows));
	if (!m->rows)
		return no_memory(err);
	for (int i = 0; i < t->count; i++)
		if (t->rows[i].count)
			sum_up(&t->rows[i], m->steps, &m->rows[m->count++]);
	if (m->other_count)
		qsort(m->others, (size_t)m->other_count, sizeof(*m->others), longest_first);
	return PALEO_OK;
}

int paleo_trace_read(const char *path, const struct paleo_trace_format *format,
		     struct paleo_measured *out, struct paleo_error *err)
{
	struct paleo_measured m = {.format = format->what};
	struct paleo_trace t = {.out = &m};
	int rc = format->read(path, &t, err);

	if (!rc)
		rc = finish(&t, err);
	for (int i = 0; i < t.count; i++)
		free(t.rows[i].times_s);
	free(t.rows);
	paleo_intern_release(&t.keys);
	paleo_intern_release(&t.names);
	if (rc)
		paleo_measured_release(&m);
	else
		*out = m;
	return rc;
}
