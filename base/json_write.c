/* json_write.c - builds JSON text: no digit lost, always readable by json.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collect.h"
#include "base/json.h"
#include "base/json_node.h"
#include "base/text.h"
#include "base/utf8.h"

struct paleo_json_writer {
	struct paleo_collected written;
	FILE *out;
	char closing[PALEO_JSON_DEPTH_MAX]; /* of what is open: '}' or ']' */
	int depth;
	int filled; /* 1: a member of the innermost one, or the root, was written */
};

void paleo_json_number_text(double value, char *buf, size_t size)
{
	/* 15 digits always survive, and %g drops their zeros; subnormals have fewer. */
	int digits = fabs(value) < DBL_MIN ? 1 : 15;

	if (!isfinite(value)) {
		snprintf(buf, size, "null");
		return;
	}
	if (fabs(value) <= 0x1p53 && value == floor(value)) {
		snprintf(buf, size, "%.0f", value);
		return;
	}
	do {
		snprintf(buf, size, "%.*g", digits, value);
	} while (strtod(buf, NULL) != value && ++digits <= DBL_DECIMAL_DIG);
}

struct paleo_json_writer *paleo_json_writer_new(void)
{
	struct paleo_json_writer *w = calloc(1, sizeof(*w));

	if (w)
		w->out = paleo_collect(&w->written);
	if (w && !w->out) {
		free(w);
		return NULL;
	}
	return w;
}

void paleo_json_writer_free(struct paleo_json_writer *w)
{
	if (!w)
		return;
	fclose(w->out);
	free(w->written.text);
	free(w);
}

/* JSON's own short way to escape a character, or 0. */
static char short_escape(char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	return (char)(at ? to[at - from] : 0);
}

/* A string in quotes. U+FFFD stands for each byte that is not UTF-8; what paleo_print() would not
 * show as it is, is escaped. */
static void put_quoted(FILE *out, const char *text)
{
	char shown[PALEO_TEXT_SHOWN_MAX];
	size_t left = strlen(text);

	fputc('"', out);
	while (left > 0) {
		int length = paleo_utf8_length(text, left);
		char escape = short_escape(*text);
		if (escape)
			fprintf(out, "\\%c", escape);
		else if (length == 1 && ((unsigned char)*text < 0x20 || *text == 0x7f))
			fprintf(out, "\\u%04x", (unsigned)*text);
		else if (length && paleo_text_show(text, left, shown))
			fputs(shown, out);
		else
			fputs("\xef\xbf\xbd", out);
		text += length ? length : 1;
		left -= length ? (size_t)length : 1;
	}
	fputc('"', out);
}

/* What stands before a value: a comma behind another one, its key in an object. */
static void begin_value(struct paleo_json_writer *w, const char *key)
{
	assert(w->depth > 0 || (!w->filled && !key));
	assert(w->depth == 0 || (w->closing[w->depth - 1] == '}') == (key != NULL));
	if (w->filled)
		fputc(',', w->out);
	if (key) {
		put_quoted(w->out, key);
		fputc(':', w->out);
	}
	w->filled = 1;
}

static void open_item(struct paleo_json_writer *w, const char *key, char opening, char closing)
{
	begin_value(w, key);
	assert(w->depth < PALEO_JSON_DEPTH_MAX);
	fputc(opening, w->out);
	w->closing[w->depth++] = closing;
	w->filled = 0;
}

void paleo_json_open_object(struct paleo_json_writer *w, const char *key)
{
	open_item(w, key, '{', '}');
}

void paleo_json_open_array(struct paleo_json_writer *w, const char *key)
{
	open_item(w, key, '[', ']');
}

void paleo_json_close(struct paleo_json_writer *w)
{
	assert(w->depth > 0);
	fputc(w->closing[--w->depth], w->out);
	w->filled = 1;
}

void paleo_json_put_double(struct paleo_json_writer *w, const char *key, double value)
{
	char text[32];

	paleo_json_number_text(value, text, sizeof(text));
	begin_value(w, key);
	fputs(text, w->out);
}

void paleo_json_put_int(struct paleo_json_writer *w, const char *key, int value)
{
	paleo_json_put_double(w, key, value);
}

void paleo_json_put_bool(struct paleo_json_writer *w, const char *key, int value)
{
	begin_value(w, key);
	fputs(value ? "true" : "false", w->out);
}

void paleo_json_put_string(struct paleo_json_writer *w, const char *key, const char *value)
{
	begin_value(w, key);
	if (value)
		put_quoted(w->out, value);
	else
		fputs("null", w->out);
}

int paleo_json_writer_text(struct paleo_json_writer *w, int pretty, char **out,
			   struct paleo_error *err)
{
	assert(w->filled && w->depth == 0);
	int failed = fflush(w->out) || ferror(w->out);
	char *text = failed   ? NULL
		     : pretty ? paleo_json_indent(w->written.text)
			      : strdup(w->written.text);

	if (!text)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while writing JSON");
	*out = text;
	return PALEO_OK;
}
