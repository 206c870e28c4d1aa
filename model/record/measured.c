/* measured.c - reads a table of times that somebody measured: CSV, plain or gzip. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/grow.h"
#include "base/gzip.h"
#include "model/record/measured_row.h"

#define MAX_BYTES ((size_t)1 << 30)

const char *paleo_measured_refusal_text(enum paleo_measured_refusal why)
{
	static const char other_op[] =
		"an operation that is not read (gemm, bmm, conv2d, "
		"elementwise, softmax, layernorm, attention, moe, causal_conv, "
		"scan)";
	static const char *const texts[PALEO_REFUSALS] = {
		[PALEO_REFUSED_OP] = other_op,
		[PALEO_REFUSED_DTYPE] = "a number type that works of this kind do not have",
		[PALEO_REFUSED_SHAPE] = "sizes that make no work",
		[PALEO_REFUSED_COLUMN] = "there is no column",
		[PALEO_REFUSED_TIME] = "a time that is not above zero and at most an hour",
		[PALEO_REFUSED_UNUSABLE] = "the file calls it unusable",
		[PALEO_REFUSED_TOO_FAST] = "above the device's peak FLOP/s",
		[PALEO_REFUSED_TOO_DENSE] = "above the memory's bandwidth",
	};

	return texts[why];
}

/* What some editors put in front of UTF-8. */
static char *without_mark(char *text)
{
	return strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
}

/* Cuts the text's first line off; NULL at its end. */
static char *next_line(char **text)
{
	char *line = *text;

	if (!*line)
		return NULL;
	size_t length = strcspn(line, "\n");
	*text = line + length + (line[length] == '\n');
	line[length] = '\0';
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	return line;
}

struct reader {
	struct paleo_measured *out;
	const char *path;
	int room, collective_room;
	int place[PALEO_MEASURED_COLUMNS]; /* of each column in the file; -1: not there */
	int columns;                       /* in the file */
};

static int two_columns(const struct reader *r, const char *one, const char *other,
		       const char *meant, struct paleo_error *err)
{
	if (!strcmp(one, other))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:1: there are two columns '%.60s': take one out", r->path,
				  one);
	return paleo_fail(err, PALEO_EINPUT,
			  "%s:1: the columns '%.60s' and '%.60s' both mean %s: take one out",
			  r->path, one, other, meant);
}

/* Finds the place of a column: by its name, or else by another word for it. */
static int find_column(struct reader *r, int column, char *const *names, struct paleo_error *err)
{
	const char *name = paleo_measured_column_name(column);
	int *place = &r->place[column];

	*place = -1;
	for (int loose = 0; *place < 0 && loose < 2; loose++) {
		for (int j = 0; j < r->columns; j++) {
			if (loose ? paleo_measured_column_find(names[j]) != column
				  : strcmp(names[j], name) != 0)
				continue;
			if (*place >= 0)
				return two_columns(r, names[*place], names[j], name, err);
			*place = j;
		}
	}
	return PALEO_OK;
}

/* Finds the columns that are read among the names of the file's. */
static int find_columns(struct reader *r, char *const *names, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < PALEO_MEASURED_COLUMNS; i++)
		rc = find_column(r, i, names, err);
	return rc;
}

static int read_header(struct reader *r, char *line, struct paleo_error *err)
{
	char *names[PALEO_MEASURED_FIELDS_MAX];

	r->columns = paleo_csv_split(line, names, PALEO_MEASURED_FIELDS_MAX);
	if (r->columns == PALEO_CSV_OPEN_QUOTE || r->columns > PALEO_MEASURED_FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:1: %s, expected at most %d names of columns between commas",
				  r->path,
				  r->columns == PALEO_CSV_OPEN_QUOTE ? "a quote is not closed"
								     : "there are too many columns",
				  PALEO_MEASURED_FIELDS_MAX);
	int rc = find_columns(r, names, err);
	if (rc)
		return rc;
	static const int needed[] = {PALEO_MEASURED_GPU, PALEO_MEASURED_OP, PALEO_MEASURED_DTYPE};
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (r->place[needed[i]] < 0)
			return paleo_fail(
				err, PALEO_EINPUT,
				"%s:1: there is no column '%s' (commas separate columns, and "
				"docs/reference/tables.md lists them)",
				r->path, paleo_measured_column_name(needed[i]));
	static const int times[] = {PALEO_MEASURED_TIME,    PALEO_MEASURED_CORRECTED,
				    PALEO_MEASURED_TIME_US, PALEO_MEASURED_TIME_S,
				    PALEO_MEASURED_TFLOPS,  PALEO_MEASURED_GFLOPS};
	size_t time = 0;
	while (time < sizeof(times) / sizeof(times[0]) && r->place[times[time]] < 0)
		time++;
	if (time == sizeof(times) / sizeof(times[0]))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:1: there is no column 'time_ms', 'time_us', 'time_s', "
				  "'tflops' or 'gflops', expected one of them",
				  r->path);
	return PALEO_OK;
}

static int check_gpu(struct reader *r, const char *gpu, int line, struct paleo_error *err)
{
	char *known = r->out->gpu;

	if (!gpu[0])
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: gpu is empty, expected a device",
				  r->path, line);
	if (!known[0])
		snprintf(known, sizeof(r->out->gpu), "%s", gpu);
	if (strncmp(known, gpu, sizeof(r->out->gpu) - 1) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: gpu is '%.60s', expected '%s' as in the rows before: "
				  "split the file by device",
				  r->path, line, gpu, known);
	return PALEO_OK;
}

/* Who measured, by which libraries. */
static void take_stack(struct paleo_measured *m, const char *source, const char *lib)
{
	snprintf(m->stack, sizeof(m->stack), "%.40s%s%.50s", source, source[0] && lib[0] ? " " : "",
		 lib);
}

static int keep_work(struct reader *r, const struct paleo_measured_row *row)
{
	struct paleo_measured *m = r->out;
	struct paleo_measured_row *rows = paleo_grow(m->rows, m->count, &r->room, sizeof(*row));

	if (rows) {
		m->rows = rows;
		rows[m->count++] = *row;
	}
	return rows != NULL;
}

static int keep_collective(struct reader *r, const struct paleo_measured_collective *row)
{
	struct paleo_measured *m = r->out;
	struct paleo_measured_collective *rows =
		paleo_grow(m->collectives, m->collective_count, &r->collective_room, sizeof(*row));

	if (rows) {
		m->collectives = rows;
		rows[m->collective_count++] = *row;
	}
	return rows != NULL;
}

/* Why a row was refused, if a size may just have no column. */
static int why_refused(struct reader *r, int refusal, const char *op)
{
	int column = paleo_measured_column_missing(op, r->place);

	if (refusal != PALEO_REFUSED_SHAPE || column < 0)
		return refusal;
	if (!r->out->missing)
		r->out->missing = paleo_measured_column_name(column);
	return PALEO_REFUSED_COLUMN;
}

static void refuse(struct paleo_measured *m, int why, int line)
{
	if (m->refused[why]++ == 0)
		m->refused_line[why] = line;
}

static int read_row(struct reader *r, char *line, int number, struct paleo_error *err)
{
	char *fields[PALEO_MEASURED_FIELDS_MAX];
	const char *cells[PALEO_MEASURED_COLUMNS];
	struct paleo_measured *m = r->out;
	struct paleo_measured_row row = {.line = number};
	int count = paleo_csv_split(line, fields, PALEO_MEASURED_FIELDS_MAX);

	if (count == PALEO_CSV_OPEN_QUOTE)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: a quote is not closed, expected one row on each line",
				  r->path, number);
	if (count > PALEO_MEASURED_FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: more fields than the %d of line 1",
				  r->path, number, r->columns);
	if (count != r->columns)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: %d fields, expected %d as in line 1",
				  r->path, number, count, r->columns);
	for (int i = 0; i < PALEO_MEASURED_COLUMNS; i++)
		cells[i] = r->place[i] < 0 ? "" : fields[r->place[i]];
	int rc = check_gpu(r, cells[PALEO_MEASURED_GPU], number, err);
	if (rc)
		return rc;
	if (!m->stack[0])
		take_stack(m, cells[PALEO_MEASURED_SOURCE], cells[PALEO_MEASURED_LIB]);
	struct paleo_measured_collective collective = {.line = number};
	int refusal = paleo_measured_collective_make(cells, &collective);
	int is_work = refusal == -2;
	if (is_work)
		refusal = paleo_measured_row_make(cells, &row);
	if (refusal >= 0) {
		refuse(m, why_refused(r, refusal, cells[PALEO_MEASURED_OP]), number);
		return PALEO_OK;
	}
	if (!(is_work ? keep_work(r, &row) : keep_collective(r, &collective)))
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", r->path);
	return PALEO_OK;
}

int paleo_measured_parse(const char *path, char *text, size_t size, struct paleo_measured *out,
			 struct paleo_error *err)
{
	struct paleo_measured m = {0};
	struct reader r = {.out = &m, .path = path};
	char *line, *rest = without_mark(text);
	int number = 1, rc;

	line = next_line(&rest);
	if (!line)
		rc = rest == text + size ? paleo_fail(err, PALEO_EINPUT,
						      "%s: is empty, expected a CSV table", path)
					 : PALEO_OK; /* the byte of zero is told below */
	else
		rc = read_header(&r, line, err);
	while (!rc && (line = next_line(&rest))) {
		number++;
		if (line[0])
			rc = read_row(&r, line, number, err);
	}
	if (!rc && rest != text + size)
		rc = paleo_fail(err, PALEO_EINPUT, "%s:%d: there is a byte of zero, expected text",
				path, number);
	if (!rc && !m.gpu[0])
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: ends behind its header, expected a row of a measured time",
				path);
	if (rc) {
		paleo_measured_release(&m);
		return rc;
	}
	*out = m;
	return PALEO_OK;
}

int paleo_measured_read(const char *path, struct paleo_measured *out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size;

	int rc = paleo_gzip_read(path, MAX_BYTES, "a CSV table, plain or gzip", &text, &size, err);
	if (rc)
		return rc;
	rc = paleo_measured_parse(path, text, size, out, err);
	free(text);
	return rc;
}

void paleo_measured_release(struct paleo_measured *m)
{
	if (!m)
		return;
	free(m->rows);
	free(m->collectives);
	*m = (struct paleo_measured){0};
}

/* Which limit of the device a row breaks; -1: none. */
static int impossible(const struct paleo_measured_row *row, const struct paleo_device *d)
{
	const struct paleo_work *w = &row->work;
	const struct paleo_conv_geom *g = &w->geom.conv;
	double peak = paleo_device_peak(d, w), bytes = w->read_bytes + w->write_bytes;
	double factor = w->kind == PALEO_CONV && (double)g->r * g->s >= 9 ? 6 : 1.1;
	int computes = w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_ATTENTION;

	/* who has the busiest experts has other pairs than are counted */
	if (w->kind == PALEO_MOE && w->geom.moe.skew)
		return -1;
	if (peak > 0 && computes && w->flops / row->time_s > factor * peak)
		return PALEO_REFUSED_TOO_FAST;
	if (d->mem_bytes_per_s > 0 && d->cache_bytes > 0 && bytes > 3 * d->cache_bytes &&
	    bytes / row->time_s > 1.1 * d->mem_bytes_per_s)
		return PALEO_REFUSED_TOO_DENSE;
	return -1;
}

void paleo_measured_check(struct paleo_measured *m, const struct paleo_device *d)
{
	int kept = 0;

	for (int i = 0; i < m->count; i++) {
		int why = impossible(&m->rows[i], d);
		if (why >= 0)
			refuse(m, why, m->rows[i].line);
		else
			m->rows[kept++] = m->rows[i];
	}
	m->count = kept;
}
