/* json_write.c - builds JSON text: no digit lost, always readable by json.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/json_node.h"
#include "base/text.h"

struct paleo_json_writer {
	cJSON *root;
	cJSON *open[PALEO_JSON_DEPTH_MAX];
	int depth;
	int failed; /* memory ran out: later calls are ignored */
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
		paleo_number_fixed(value, 0, buf, size);
		return;
	}
	do {
		snprintf(buf, size, "%.*g", digits, value);
	} while (paleo_json_number(buf, strlen(buf)) != value && ++digits <= DBL_DECIMAL_DIG);
}

struct paleo_json_writer *paleo_json_writer_new(void)
{
	return calloc(1, sizeof(struct paleo_json_writer));
}

void paleo_json_writer_free(struct paleo_json_writer *w)
{
	if (!w)
		return;
	cJSON_Delete(w->root);
	free(w);
}

/* Takes `item`, NULL if memory ran out. */
static void add(struct paleo_json_writer *w, const char *key, cJSON *item)
{
	if (w->failed || !item) {
		cJSON_Delete(item);
		w->failed = 1;
		return;
	}
	if (w->depth == 0) {
		assert(!w->root && !key);
		w->root = item;
		return;
	}
	cJSON *top = w->open[w->depth - 1];
	assert(cJSON_IsObject(top) == (key != NULL));
	if (!(key ? cJSON_AddItemToObject(top, key, item) : cJSON_AddItemToArray(top, item))) {
		cJSON_Delete(item);
		w->failed = 1;
	}
}

static void open_item(struct paleo_json_writer *w, const char *key, cJSON *item)
{
	add(w, key, item);
	if (w->failed)
		return;
	assert(w->depth < PALEO_JSON_DEPTH_MAX);
	w->open[w->depth++] = item;
}

void paleo_json_open_object(struct paleo_json_writer *w, const char *key)
{
	open_item(w, key, cJSON_CreateObject());
}

void paleo_json_open_array(struct paleo_json_writer *w, const char *key)
{
	open_item(w, key, cJSON_CreateArray());
}

void paleo_json_close(struct paleo_json_writer *w)
{
	if (w->failed)
		return;
	assert(w->depth > 0);
	w->depth--;
}

void paleo_json_put_double(struct paleo_json_writer *w, const char *key, double value)
{
	char text[32];

	paleo_json_number_text(value, text, sizeof(text));
	add(w, key, cJSON_CreateRaw(text)); /* cJSON itself loses digits */
}

void paleo_json_put_int(struct paleo_json_writer *w, const char *key, int value)
{
	paleo_json_put_double(w, key, value);
}

void paleo_json_put_bool(struct paleo_json_writer *w, const char *key, int value)
{
	add(w, key, cJSON_CreateBool(value != 0));
}

/* A copy with U+FFFD for each byte that is not UTF-8; NULL if memory ran out. */
static char *copy_utf8(const char *text)
{
	size_t left = strlen(text);
	char *copy = malloc(3 * left + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (left > 0) {
		int length = paleo_utf8_length(text, left);
		const char *from = length ? text : "\xef\xbf\xbd";
		size_t bytes = length ? (size_t)length : 3;
		memcpy(to, from, bytes);
		to += bytes;
		text += length ? length : 1;
		left -= length ? (size_t)length : 1;
	}
	*to = '\0';
	return copy;
}

void paleo_json_put_string(struct paleo_json_writer *w, const char *key, const char *value)
{
	if (!value) {
		add(w, key, cJSON_CreateNull());
		return;
	}
	char *copy = copy_utf8(value);
	add(w, key, copy ? cJSON_CreateString(copy) : NULL);
	free(copy);
}

/* The same JSON with an escape for each character of a string that a terminal would not show as it
 * is, such as U+009B, spaces for the tabs of the layout, and `end` after it; frees `text`. NULL if
 * memory ran out. */
static char *escape_hidden(char *text, const char *end)
{
	struct paleo_collected result = {0};
	FILE *out = paleo_collect(&result);

	for (char *part = text; out && *part;) {
		char *stop = part + strcspn(part, "\x7f\t\n"), last = *stop;
		*stop = '\0';
		paleo_text_put(part, 0, out); /* escapes as JSON does */
		if (last == '\x7f')
			fputs("\\u007f", out);
		else if (last == '\t')
			fputs(stop > part && stop[-1] == ':' ? " " : "  ", out);
		else if (last)
			fputc(last, out);
		part = stop + (last != '\0');
	}
	free(text);
	if (out)
		fputs(end, out);
	if (out && paleo_collect_close(out)) {
		free(result.text);
		return NULL;
	}
	return result.text;
}

int paleo_json_writer_text(struct paleo_json_writer *w, int pretty, char **out,
			   struct paleo_error *err)
{
	assert(w->failed || (w->root && w->depth == 0));
	char *text = w->failed ? NULL : (pretty ? cJSON_Print : cJSON_PrintUnformatted)(w->root);
	text = text ? escape_hidden(text, pretty ? "\n" : "") : NULL;
	if (!text)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory while writing JSON");
	*out = text;
	return PALEO_OK;
}
