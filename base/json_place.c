/* json_place.c - says where in its file a JSON value stands: "file:line:col: path.to.key: ". */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_node.h"

enum {
	PATH_MAX_BYTES = 256
};

static int index_of(const struct paleo_json *v)
{
	int index = 0;

	for (const struct paleo_json *e = paleo_json_first(paleo_json_parent(v)); e != v;
	     e = paleo_json_next(e))
		index++;
	return index;
}

/* Writes what fits; the result is the bytes written, size - 1 if it was cut. */
static size_t put_path(const struct paleo_json *v, char *buf, size_t size)
{
	const struct paleo_json *parent = paleo_json_parent(v);

	buf[0] = '\0';
	if (!parent)
		return 0;
	size_t at = put_path(parent, buf, size);
	size_t left = size - at;
	int n = parent->type == PALEO_JSON_ARRAY ? snprintf(buf + at, left, "[%d]", index_of(v))
						 : snprintf(buf + at, left, "%s%s", at ? "." : "",
							    v->written ? v->written : v->key);
	return n >= 0 && (size_t)n < left ? at + (size_t)n : size - 1;
}

/* The root follows the head, which knows the document. */
static const char *name_of(const struct paleo_json *v)
{
	while (v->up)
		v -= v->up;
	return v[-1].u.doc->name;
}

__attribute__((format(printf, 4, 0))) static void write_sentence(const struct paleo_json *path_of,
								 struct paleo_json_place place,
								 struct paleo_error *err,
								 const char *format, va_list args)
{
	char path[PATH_MAX_BYTES];
	char text[PALEO_ERROR_MAX];

	if (put_path(path_of, path, sizeof(path)) == sizeof(path) - 1)
		memcpy(path + sizeof(path) - sizeof("..."), "...", sizeof("..."));
	vsnprintf(text, sizeof(text), format, args);
	paleo_error_set(err, PALEO_EINPUT, "%s:%d:%d: %s%s%s", name_of(path_of), place.line,
			place.col, path, path[0] ? ": " : "", text);
}

int paleo_json_complain(const struct paleo_json *v, struct paleo_error *err, const char *format,
			...)
{
	va_list args;

	va_start(args, format);
	write_sentence(v, v->value, err, format, args);
	va_end(args);
	return PALEO_EINPUT;
}

int paleo_json_complain_key(const struct paleo_json *v, struct paleo_error *err, const char *format,
			    ...)
{
	va_list args;

	va_start(args, format);
	write_sentence(paleo_json_parent(v), v->in_key, err, format, args);
	va_end(args);
	return PALEO_EINPUT;
}
