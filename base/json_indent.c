/* json_indent.c - lays JSON text out for a reader: one member a line, plain arrays in one line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collect.h"
#include "base/json_node.h"

/* From the opening quote to behind the closing one. */
static const char *skip_string(const char *at)
{
	for (at++; *at != '"'; at++) {
		if (*at == '\\')
			at++;
	}
	return at + 1;
}

/* Whether the array that opens at `at` holds no array or object. */
static int is_plain(const char *at)
{
	at++;
	while (*at != ']') {
		if (*at == '[' || *at == '{')
			return 0;
		at = *at == '"' ? skip_string(at) : at + 1;
	}
	return 1;
}

static void new_line(FILE *out, int depth)
{
	fputc('\n', out);
	for (int i = 0; i < depth; i++)
		fputs("  ", out);
}

/* One token of the text at `at`; the result points behind it. */
static const char *put_token(FILE *out, const char *at, int *depth, int *in_line)
{
	const char *end = *at == '"' ? skip_string(at) : at + 1;

	if ((*at == '}' || *at == ']') && !*in_line)
		new_line(out, --*depth);
	fwrite(at, 1, (size_t)(end - at), out);
	switch (*at) {
	case '{':
	case '[':
		*in_line = *at == '[' ? is_plain(at) : at[1] == '}';
		if (!*in_line)
			new_line(out, ++*depth);
		break;
	case '}':
	case ']':
		*in_line = 0;
		break;
	case ':':
		fputc(' ', out);
		break;
	case ',':
		if (*in_line)
			fputc(' ', out);
		else
			new_line(out, *depth);
		break;
	default:
		break;
	}
	return end;
}

char *paleo_json_indent(const char *text)
{
	struct paleo_collected result = {0};
	FILE *out = paleo_collect(&result);
	int depth = 0;
	int in_line = 0;

	if (!out)
		return NULL;
	while (*text)
		text = put_token(out, text, &depth, &in_line);
	fputc('\n', out);
	if (paleo_collect_close(out)) {
		free(result.text);
		return NULL;
	}
	return result.text;
}
