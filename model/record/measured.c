/* measured.c - reads a table of measured times: CSV, plain or gzip; its columns; or a trace. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/lines.h"
#include "model/record/traces/trace.h"

#define MAX_BYTES ((size_t)1 << 30)

/* The columns of a table of measured times, and their aliases. */

static const char *const column_names[PALEO_MEASURED_COLUMNS] = {
	[PALEO_MEASURED_GPU] = "gpu",
	[PALEO_MEASURED_OP] = "op",
	[PALEO_MEASURED_DIRECTION] = "direction",
	[PALEO_MEASURED_DTYPE] = "dtype",
	[PALEO_MEASURED_LAYOUT] = "layout",
	[PALEO_MEASURED_ALGO] = "algo",
	[PALEO_MEASURED_NOTE] = "note",
	[PALEO_MEASURED_USABLE] = "usable",
	[PALEO_MEASURED_TIME] = "time_ms",
	[PALEO_MEASURED_TIME_US] = "time_us",
	[PALEO_MEASURED_POWER_W] = "power_w",
	[PALEO_MEASURED_TIME_S] = "time_s",
	[PALEO_MEASURED_TFLOPS] = "tflops",
	[PALEO_MEASURED_GFLOPS] = "gflops",
	[PALEO_MEASURED_CORRECTED] = "time_corr_ms",
	[PALEO_MEASURED_TRANS] = "trans",
	[PALEO_MEASURED_M] = "m",
	[PALEO_MEASURED_N] = "n",
	[PALEO_MEASURED_K] = "k",
	[PALEO_MEASURED_BATCH] = "batch",
	[PALEO_MEASURED_C] = "c",
	[PALEO_MEASURED_H] = "h",
	[PALEO_MEASURED_W] = "w",
	[PALEO_MEASURED_R] = "r",
	[PALEO_MEASURED_S] = "s",
	[PALEO_MEASURED_PAD_H] = "pad_h",
	[PALEO_MEASURED_PAD_W] = "pad_w",
	[PALEO_MEASURED_STRIDE_H] = "stride_h",
	[PALEO_MEASURED_STRIDE_W] = "stride_w",
	[PALEO_MEASURED_DIL] = "dil",
	[PALEO_MEASURED_GROUPS] = "groups",
	[PALEO_MEASURED_ROWS] = "rows",
	[PALEO_MEASURED_COLS] = "cols",
	[PALEO_MEASURED_TOKENS] = "tokens",
	[PALEO_MEASURED_HIDDEN] = "hidden",
	[PALEO_MEASURED_INTER] = "inter",
	[PALEO_MEASURED_EXPERTS] = "experts",
	[PALEO_MEASURED_TOPK] = "topk",
	[PALEO_MEASURED_TP] = "tp",
	[PALEO_MEASURED_EP] = "ep",
	[PALEO_MEASURED_ALPHA] = "alpha",
	[PALEO_MEASURED_GATED] = "gated",
	[PALEO_MEASURED_SEQ_Q] = "seq_q",
	[PALEO_MEASURED_PAST] = "past",
	[PALEO_MEASURED_HEADS] = "heads",
	[PALEO_MEASURED_KV_HEADS] = "kv_heads",
	[PALEO_MEASURED_HEAD_DIM] = "head_dim",
	[PALEO_MEASURED_QK_HEAD_DIM] = "qk_head_dim",
	[PALEO_MEASURED_V_HEAD_DIM] = "v_head_dim",
	[PALEO_MEASURED_WINDOW] = "window",
	[PALEO_MEASURED_CAUSAL] = "causal",
	[PALEO_MEASURED_ROPE] = "rope",
	[PALEO_MEASURED_KV_DTYPE] = "kv_dtype",
	[PALEO_MEASURED_CHANNELS] = "channels",
	[PALEO_MEASURED_TAPS] = "taps",
	[PALEO_MEASURED_RULE] = "rule",
	[PALEO_MEASURED_CHUNK] = "chunk",
	[PALEO_MEASURED_BYTES] = "bytes",
	[PALEO_MEASURED_RANKS] = "ranks",
	[PALEO_MEASURED_SOURCE] = "source",
	[PALEO_MEASURED_LIB] = "lib",
	[PALEO_MEASURED_TIMED_BY] = "timed_by",
};

static const char *name_of(int column)
{
	return column_names[column];
}

/* The column that a table's word means, in any case; -1 if it is none. */
static int column_of(const char *word)
{
	static const struct {
		const char *word;
		enum paleo_measured_column column;
	} also[] = {
		{"device", PALEO_MEASURED_GPU},
		{"gpu_name", PALEO_MEASURED_GPU},
		{"device_name", PALEO_MEASURED_GPU},
		{"op_name", PALEO_MEASURED_OP},
		{"opname", PALEO_MEASURED_OP},
		{"pass", PALEO_MEASURED_DIRECTION},
		{"precision", PALEO_MEASURED_DTYPE},
		{"data_type", PALEO_MEASURED_DTYPE},
		{"gemm_dtype", PALEO_MEASURED_DTYPE},
		{"attn_dtype", PALEO_MEASURED_DTYPE},
		{"seq", PALEO_MEASURED_SEQ_Q},
		{"isl", PALEO_MEASURED_SEQ_Q},
		{"step", PALEO_MEASURED_PAST},
		{"num_heads", PALEO_MEASURED_HEADS},
		{"num_key_value_heads", PALEO_MEASURED_KV_HEADS},
		{"kv_cache_dtype", PALEO_MEASURED_KV_DTYPE},
		{"latency_ms", PALEO_MEASURED_TIME},
		{"latency_us", PALEO_MEASURED_TIME_US},
		{"latency_s", PALEO_MEASURED_TIME_S},
		{"batch_size", PALEO_MEASURED_BATCH},
		{"in_channels", PALEO_MEASURED_C},
		{"out_channels", PALEO_MEASURED_K},
		{"height", PALEO_MEASURED_H},
		{"width", PALEO_MEASURED_W},
		{"kernel_size", PALEO_MEASURED_R},
		{"stride", PALEO_MEASURED_STRIDE_H},
		{"pad", PALEO_MEASURED_PAD_H},
		{"padding", PALEO_MEASURED_PAD_H},
		{"dilation", PALEO_MEASURED_DIL},
	};

	for (int i = 0; i < PALEO_MEASURED_COLUMNS; i++)
		if (!strcasecmp(word, name_of(i)))
			return i;
	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (!strcasecmp(word, also[i].word))
			return also[i].column;
	return -1;
}

/* Skips the byte order mark that some editors write before UTF-8. */
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
	const struct paleo_measured_wish *wish;
	int room, collective_room;
	int place[PALEO_MEASURED_COLUMNS]; /* of each column in the file; -1: not there */
	int columns;                       /* in the file */
};

static int two_columns(const struct reader *r, const char *one, const char *other,
		       const char *meant, struct paleo_error *err)
{
	if (!strcmp(one, other))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:1: there are two columns '%.60s': remove one", r->path, one);
	return paleo_fail(err, PALEO_EINPUT,
			  "%s:1: the columns '%.60s' and '%.60s' both mean %s: remove one", r->path,
			  one, other, meant);
}

/* Finds the place of a column: by its name, or else by another word for it. */
static int find_column(struct reader *r, int column, char *const *names, struct paleo_error *err)
{
	const char *name = name_of(column);
	int *place = &r->place[column];

	*place = -1;
	for (int loose = 0; *place < 0 && loose < 2; loose++) {
		for (int j = 0; j < r->columns; j++) {
			if (loose ? column_of(names[j]) != column : strcmp(names[j], name) != 0)
				continue;
			if (*place >= 0)
				return two_columns(r, names[*place], names[j], name, err);
			*place = j;
		}
	}
	return PALEO_OK;
}

/* The place of a column of this very name, that none of ours has; -1: there is none. */
static int place_of(const struct reader *r, char *const *names, const char *name)
{
	int place = r->columns - 1;

	while (place >= 0 && strcasecmp(names[place], name) != 0)
		place--;
	return place;
}

/* AIConfigurator's tables, known by their column kernel_source, call milliseconds "latency". */
static void find_latency(struct reader *r, char *const *names)
{
	if (r->place[PALEO_MEASURED_TIME] < 0 && place_of(r, names, "kernel_source") >= 0)
		r->place[PALEO_MEASURED_TIME] = place_of(r, names, "latency");
}

/* Finds the columns that are read among the names of the file's. */
static int find_columns(struct reader *r, char *const *names, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < PALEO_MEASURED_COLUMNS; i++)
		rc = find_column(r, i, names, err);
	find_latency(r, names);
	return rc;
}

/* 1 if the file, or who gave it, says what a column is to say. */
static int is_known(const struct reader *r, int column)
{
	return r->place[column] >= 0 || (column == PALEO_MEASURED_GPU && r->wish->gpu) ||
	       (column == PALEO_MEASURED_DTYPE && r->wish->dtype);
}

/* Names all that is missing at once. */
static int check_columns(const struct reader *r, struct paleo_error *err)
{
	static const struct {
		int columns[7];
		const char *text;
	} needed[] = {{{PALEO_MEASURED_GPU, -1}, "'gpu' (or --device)"},
		      {{PALEO_MEASURED_OP, -1}, "'op'"},
		      {{PALEO_MEASURED_DTYPE, -1}, "'dtype' (or --dtype)"},
		      {{PALEO_MEASURED_TIME, PALEO_MEASURED_CORRECTED, PALEO_MEASURED_TIME_US,
			PALEO_MEASURED_TIME_S, PALEO_MEASURED_TFLOPS, PALEO_MEASURED_GFLOPS, -1},
		       "of time: 'time_ms', 'time_us', 'time_s', 'tflops' or 'gflops'"}};
	char missing[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const int *column = needed[i].columns;
		while (*column >= 0 && !is_known(r, *column))
			column++;
		if (*column < 0)
			used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s",
						 used ? ", " : "", needed[i].text);
	}
	if (!used)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "%s:1: there is no column %s (commas separate columns, and "
			  "docs/reference/tables.md lists them)",
			  r->path, missing);
}

static int read_header(struct reader *r, char *line, struct paleo_error *err)
{
	char *names[PALEO_MEASURED_FIELDS_MAX];

	r->columns = paleo_csv_split(line, names, PALEO_MEASURED_FIELDS_MAX);
	if (r->columns == PALEO_CSV_OPEN_QUOTE || r->columns > PALEO_MEASURED_FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:1: %s, expected at most %d column names separated by commas",
				  r->path,
				  r->columns == PALEO_CSV_OPEN_QUOTE ? "a quote is not closed"
								     : "there are too many columns",
				  PALEO_MEASURED_FIELDS_MAX);
	int rc = find_columns(r, names, err);
	if (rc)
		return rc;
	return check_columns(r, err);
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

/* An empty cell is PALEO_TIMED_UNKNOWN, and says nothing against another. */
static int check_timed_by(struct reader *r, const char *word, int line, struct paleo_error *err)
{
	enum paleo_timed_by *known = &r->out->timed_by;
	int by = PALEO_TIMED_UNKNOWN;

	if (!word[0])
		return PALEO_OK;
	while (paleo_timed_by_names[by] && strcmp(paleo_timed_by_names[by], word) != 0)
		by++;
	if (!paleo_timed_by_names[by])
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: timed_by is '%.20s', expected host, events or graph",
				  r->path, line, word);
	if (*known && *known != (enum paleo_timed_by)by)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: timed_by is '%s', expected '%s' as in the rows before: "
				  "split the file by it",
				  r->path, line, word, paleo_timed_by_names[*known]);
	*known = (enum paleo_timed_by)by;
	return PALEO_OK;
}

/* Records the source and its libraries. */
static void take_stack(struct paleo_measured *m, const char *source, const char *lib)
{
	snprintf(m->stack, sizeof(m->stack), "%.40s%s%.50s", source, source[0] && lib[0] ? " " : "",
		 lib);
}

static int keep_op(struct reader *r, const struct paleo_measured_row *row)
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

/* Reason for refusing a row, if a column for a size may be missing. */
static int why_refused(struct reader *r, int refusal, const char *op)
{
	int column = paleo_measured_column_missing(op, r->place);

	if (refusal != PALEO_REFUSED_SHAPE || column < 0)
		return refusal;
	if (!r->out->missing)
		r->out->missing = name_of(column);
	return PALEO_REFUSED_COLUMN;
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
	if (r->place[PALEO_MEASURED_GPU] < 0)
		cells[PALEO_MEASURED_GPU] = r->wish->gpu;
	if (r->place[PALEO_MEASURED_DTYPE] < 0)
		cells[PALEO_MEASURED_DTYPE] = r->wish->dtype;
	int rc = check_gpu(r, cells[PALEO_MEASURED_GPU], number, err);
	if (!rc)
		rc = check_timed_by(r, cells[PALEO_MEASURED_TIMED_BY], number, err);
	if (rc)
		return rc;
	if (!m->stack[0])
		take_stack(m, cells[PALEO_MEASURED_SOURCE], cells[PALEO_MEASURED_LIB]);
	struct paleo_measured_collective collective = {.line = number};
	int refusal = paleo_measured_collective_make(cells, &collective);
	int is_op = refusal == -2;
	if (is_op)
		refusal = paleo_measured_row_make(cells, &row);
	if (refusal >= 0) {
		paleo_measured_refuse(m, why_refused(r, refusal, cells[PALEO_MEASURED_OP]), number);
		return PALEO_OK;
	}
	if (!(is_op ? keep_op(r, &row) : keep_collective(r, &collective)))
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", r->path);
	return PALEO_OK;
}

int paleo_measured_parse(const char *path, const struct paleo_measured_wish *wish, char *text,
			 size_t size, struct paleo_measured *out, struct paleo_error *err)
{
	struct paleo_measured m = {.steps = 1};
	struct reader r = {.out = &m, .path = path, .wish = wish};
	char *line, *rest = without_mark(text);
	int number = 1, rc;

	line = next_line(&rest);
	if (!line)
		rc = rest == text + size ? paleo_fail(err, PALEO_EINPUT,
						      "%s: is empty, expected a CSV table", path)
					 : PALEO_OK; /* an error in it is reported below */
	else
		rc = read_header(&r, line, err);
	while (!rc && (line = next_line(&rest))) {
		number++;
		if (line[0])
			rc = read_row(&r, line, number, err);
	}
	if (!rc && rest != text + size)
		rc = paleo_fail(err, PALEO_EINPUT, "%s:%d: a NUL byte, expected text", path,
				number);
	if (!rc && !m.gpu[0])
		rc = paleo_fail(err, PALEO_EINPUT, "%s: has no rows after its header", path);
	if (rc) {
		paleo_measured_release(&m);
		return rc;
	}
	*out = m;
	return PALEO_OK;
}

int paleo_measured_read(const char *path, const struct paleo_measured_wish *wish,
			struct paleo_measured *out, struct paleo_error *err)
{
	const struct paleo_trace_format *format = NULL;
	char *text = NULL;
	size_t size;

	int rc = paleo_trace_format_of(path, &format, err);
	if (!rc && format)
		return paleo_trace_read(path, format, out, err);
	if (!rc)
		rc = paleo_gzip_read(path, MAX_BYTES, "a CSV table, plain or gzip", &text, &size,
				     err);
	if (rc)
		return rc;
	rc = paleo_measured_parse(path, wish, text, size, out, err);
	free(text);
	return rc;
}

void paleo_measured_release(struct paleo_measured *m)
{
	if (!m)
		return;
	free(m->rows);
	free(m->collectives);
	free(m->others);
	paleo_texts_release(&m->texts);
	*m = (struct paleo_measured){0};
}
