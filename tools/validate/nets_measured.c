/* nets_measured.c - reads tables of whole nets that others measured as frameworks ran them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "tools/validate/study.h"

enum {
	MODEL,
	GPU,
	MODE,
	BATCH,
	STEP,
	NEEDED, /* the columns before this one */
	IMAGE = NEEDED,
	PHASE,
	PRECISION,
	LAYOUT,
	RELEASE,
	COLUMNS,
	FIELDS_MAX = 64,
	LINE_MAX_BYTES = 1 << 16
};

static const char *const columns[COLUMNS] = {
	[MODEL] = "model",   [GPU] = "device",    [MODE] = "mode",   [BATCH] = "batch",
	[STEP] = "step_ms",  [IMAGE] = "img",     [PHASE] = "phase", [PRECISION] = "precision",
	[LAYOUT] = "layout", [RELEASE] = "torch",
};

/* Words of a table with their meaning; an empty cell is the first. */
struct word {
	const char *text;
	int column;
	int value;
};

static const struct word words[] = {
	{"eager", MODE, PALEO_FRAMEWORK_EAGER},
	{"torch.compile", MODE, PALEO_FRAMEWORK_COMPILED},
	{"compiled", MODE, PALEO_FRAMEWORK_COMPILED},
	{"infer", PHASE, 0},
	{"train", PHASE, 1},
	{"f32", PRECISION, PALEO_F32},
	{"amp_f16", PRECISION, PALEO_F16},
	{"amp_bf16", PRECISION, PALEO_BF16},
	{"nchw", LAYOUT, PALEO_NCHW},
	{"nhwc", LAYOUT, PALEO_NHWC},
};

struct reader {
	const char *path;
	int line, fields;
	int place[COLUMNS]; /* -1: the table does not have it */
	char *texts[FIELDS_MAX];
};

static const char *text_of(const struct reader *r, int column)
{
	return r->place[column] < 0 ? "" : r->texts[r->place[column]];
}

static int fail(const struct reader *r, int column, const char *expected, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "%s:%d: column '%s': '%.60s', expected %s", r->path,
			  r->line, columns[column], text_of(r, column), expected);
}

static int read_word(const struct reader *r, int column, int *out, struct paleo_error *err)
{
	const char *text = text_of(r, column);
	char expected[128] = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct word *w = &words[i];
		if (w->column != column)
			continue;
		if (!*text || !strcmp(text, w->text)) {
			*out = w->value;
			return PALEO_OK;
		}
		size_t at = strlen(expected);
		snprintf(expected + at, sizeof(expected) - at, "%s%s", at ? " or " : "", w->text);
	}
	return fail(r, column, expected, err);
}

static int read_number(const struct reader *r, int column, double least, double most, double *out,
		       struct paleo_error *err)
{
	const char *text = text_of(r, column);
	char expected[96], *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out >= least && *out <= most)
		return PALEO_OK;
	snprintf(expected, sizeof(expected), "a number from %g to %g", least, most);
	return fail(r, column, expected, err);
}

static int read_whole(const struct reader *r, int column, int *out, struct paleo_error *err)
{
	double number;

	PALEO_TRY(read_number(r, column, 1, 1 << 24, &number, err));
	*out = (int)number;
	return number > floor(number) ? fail(r, column, "a whole number", err) : PALEO_OK;
}

static int read_name(const struct reader *r, int column, char name[64], struct paleo_error *err)
{
	const char *text = text_of(r, column);
	int length = snprintf(name, 64, "%s", text);

	return length > 0 && length < 64 && !strchr(text, '/')
		       ? PALEO_OK
		       : fail(r, column, "a name of at most 63 bytes without '/'", err);
}

static int read_row(const struct reader *r, struct nets_measured *out, struct paleo_error *err)
{
	struct net_measured row = {0};
	int framework = 0, layout = 0, dtype = 0;
	double ms = 0;

	PALEO_TRY(read_name(r, MODEL, row.model, err));
	PALEO_TRY(read_name(r, GPU, row.device, err));
	PALEO_TRY(read_word(r, MODE, &framework, err));
	PALEO_TRY(read_word(r, LAYOUT, &layout, err));
	PALEO_TRY(read_word(r, PRECISION, &dtype, err));
	PALEO_TRY(read_word(r, PHASE, &row.training, err));
	PALEO_TRY(read_whole(r, BATCH, &row.batch, err));
	if (*text_of(r, IMAGE))
		PALEO_TRY(read_whole(r, IMAGE, &row.image, err));
	PALEO_TRY(read_number(r, STEP, 1e-6, 3.6e6, &ms, err));
	row.framework = (enum paleo_framework)framework;
	row.layout = (enum paleo_layout)layout;
	row.dtype = (enum paleo_dtype)dtype;
	row.step_s = ms / 1e3;
	/* Before PyTorch 2 attention was no fused kernel. */
	row.separate_attention = !strncmp(text_of(r, RELEASE), "1.", 2);
	struct net_measured *items = paleo_grow(out->items, out->count, &out->room, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table of nets");
	out->items = items;
	items[out->count++] = row;
	return PALEO_OK;
}

static int read_header(struct reader *r, struct paleo_error *err)
{
	for (int i = 0; i < COLUMNS; i++) {
		r->place[i] = -1;
		for (int j = 0; j < r->fields; j++)
			if (!strcmp(columns[i], r->texts[j]))
				r->place[i] = j;
		if (i < NEEDED && r->place[i] < 0)
			return paleo_fail(err, PALEO_EINPUT,
					  "%s:1: no column '%s', required of a table of networks "
					  "(docs/reference/tables.md)",
					  r->path, columns[i]);
	}
	return PALEO_OK;
}

static int read_line(struct reader *r, char *text, struct nets_measured *out,
		     struct paleo_error *err)
{
	size_t size = strlen(text);

	r->line++;
	if (size && text[size - 1] == '\r')
		text[size - 1] = '\0';
	if (!*text)
		return PALEO_OK;
	int fields = paleo_csv_split(text, r->texts, FIELDS_MAX);
	if (fields == PALEO_CSV_OPEN_QUOTE || fields > FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: %s", r->path, r->line,
				  fields > FIELDS_MAX ? "more than 64 columns" : "unclosed quote");
	if (r->fields && fields != r->fields)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: %d fields, expected %d as in the first line", r->path,
				  r->line, fields, r->fields);
	if (r->fields)
		return read_row(r, out, err);
	r->fields = fields;
	return read_header(r, err);
}

int nets_measured_read(const char *path, struct nets_measured *out, struct paleo_error *err)
{
	struct reader r = {.path = path};
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	int is_there = 1;
	int rc = paleo_lines_open(path, LINE_MAX_BYTES, "a table of networks", &lines, err);

	while (!rc && is_there) {
		rc = paleo_lines_next(lines, &line, &is_there, err);
		if (!rc && is_there)
			rc = read_line(&r, line.text, out, err);
	}
	paleo_lines_close(lines);
	if (!rc && !r.fields)
		rc = paleo_fail(err, PALEO_EINPUT, "%s: empty, expected a table of networks", path);
	return rc;
}
