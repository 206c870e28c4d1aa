/* field.c - finds fields of protobuf text, reads their values, and says where they stand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "model/import/caffe/caffe_text.h"

const struct paleo_caffe_field *paleo_caffe_first(const struct paleo_caffe_field *message,
						  const char *name)
{
	const struct paleo_caffe_field *f = message->first;

	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	return f;
}

const struct paleo_caffe_field *paleo_caffe_again(const struct paleo_caffe_field *field)
{
	const struct paleo_caffe_field *f = field->next;

	while (f && strcmp(f->name, field->name) != 0)
		f = f->next;
	return f;
}

int paleo_caffe_count(const struct paleo_caffe_field *message, const char *name)
{
	const struct paleo_caffe_field *f = message ? paleo_caffe_first(message, name) : NULL;
	int count = 0;

	for (; f; f = paleo_caffe_again(f))
		count++;
	return count;
}

int paleo_caffe_one(const struct paleo_caffe_field *message, const char *name,
		    const struct paleo_caffe_field **out, struct paleo_error *err)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(message, name);
	const struct paleo_caffe_field *second = f ? paleo_caffe_again(f) : NULL;

	if (second)
		return paleo_caffe_fail(second, err, "stands here a second time, first in line %d",
					f->line);
	*out = f;
	return PALEO_OK;
}

static int is_among(const char *name, const char *const *names)
{
	while (*names) {
		if (!strcmp(*names++, name))
			return 1;
	}
	return 0;
}

int paleo_caffe_only(const struct paleo_caffe_field *message, const char *const *names,
		     struct paleo_error *err)
{
	for (const struct paleo_caffe_field *f = message->first; f; f = f->next) {
		if (is_among(f->name, names))
			continue;
		const char *near = paleo_nearest(f->name, names);
		if (near)
			return paleo_caffe_fail(
				f, err, "is not a field that is known here (did you mean '%s'?)",
				near);
		return paleo_caffe_fail(f, err, "is not a field that is known here");
	}
	return PALEO_OK;
}

/* How a value of this type is called in messages. */
static const char *found_word(const struct paleo_caffe_field *f)
{
	switch (f->type) {
	case PALEO_CAFFE_MESSAGE:
		return "a message { ... }";
	case PALEO_CAFFE_STRING:
		return "a string";
	case PALEO_CAFFE_WORD:
		return f->text;
	case PALEO_CAFFE_NUMBER:
		return "a number";
	}
	return "nothing";
}

int paleo_caffe_to_message(const struct paleo_caffe_field *f, struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_MESSAGE)
		return paleo_caffe_fail(f, err, "expected a message { ... }, found %s",
					found_word(f));
	return PALEO_OK;
}

int paleo_caffe_to_int(const struct paleo_caffe_field *f, int low, int high, int *out,
		       struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_NUMBER)
		return paleo_caffe_fail(f, err, "expected an integer, found %s", found_word(f));
	if (!f->integer || !(f->number >= low && f->number <= high))
		return paleo_caffe_fail(f, err, "expected an integer from %d to %d, found %.15g",
					low, high, f->number);
	*out = (int)f->number;
	return PALEO_OK;
}

int paleo_caffe_to_double(const struct paleo_caffe_field *f, double low, double high, double *out,
			  struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_NUMBER)
		return paleo_caffe_fail(f, err, "expected a number, found %s", found_word(f));
	if (!(f->number >= low && f->number <= high))
		return paleo_caffe_fail(f, err, "expected a number from %g to %g, found %.15g", low,
					high, f->number);
	*out = f->number;
	return PALEO_OK;
}

int paleo_caffe_to_bool(const struct paleo_caffe_field *f, int *out, struct paleo_error *err)
{
	static const char *const no[] = {"false", "False", "f", NULL};
	static const char *const yes[] = {"true", "True", "t", NULL};

	if (f->type == PALEO_CAFFE_WORD && (is_among(f->text, no) || is_among(f->text, yes))) {
		*out = is_among(f->text, yes);
		return PALEO_OK;
	}
	if (f->type == PALEO_CAFFE_NUMBER && f->integer && (f->number == 0 || f->number == 1)) {
		*out = f->number == 1;
		return PALEO_OK;
	}
	return paleo_caffe_fail(f, err, "expected true or false, found %s", found_word(f));
}

int paleo_caffe_to_string(const struct paleo_caffe_field *f, const char **out,
			  struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_STRING)
		return paleo_caffe_fail(f, err, "expected a string in quotes, found %s",
					found_word(f));
	*out = f->text;
	return PALEO_OK;
}

int paleo_caffe_to_enum(const struct paleo_caffe_field *f, const char *const *words, int *out,
			struct paleo_error *err)
{
	char list[160] = "";
	int count = 0;

	for (; words[count]; count++) {
		size_t at = strlen(list);
		snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "", words[count]);
		if (f->type == PALEO_CAFFE_WORD && !strcmp(f->text, words[count])) {
			*out = count;
			return PALEO_OK;
		}
	}
	if (f->type == PALEO_CAFFE_NUMBER && f->integer && f->number >= 0 && f->number < count) {
		*out = (int)f->number;
		return PALEO_OK;
	}
	return paleo_caffe_fail(f, err, "expected one of %s, found %s", list, found_word(f));
}

/* The field's path from the outermost message: "layer 'conv1': convolution_param.stride". */
static void put_path(const struct paleo_caffe_field *f, char *buf, size_t size)
{
	buf[0] = '\0';
	if (!f->parent)
		return;
	if (f->parent->parent) {
		put_path(f->parent, buf, size);
		size_t at = strlen(buf);
		const char *between = f->parent->parent->parent ? "." : ": ";
		snprintf(buf + at, size - at, "%s%s", between, f->name);
		return;
	}
	const struct paleo_caffe_field *name =
		f->type == PALEO_CAFFE_MESSAGE ? paleo_caffe_first(f, "name") : NULL;
	if (name && name->type == PALEO_CAFFE_STRING)
		snprintf(buf, size, "layer '%.60s'", name->text);
	else
		snprintf(buf, size, "%.60s", f->name);
}

int paleo_caffe_complain(const struct paleo_caffe_field *f, struct paleo_error *err,
			 const char *format, ...)
{
	const struct paleo_caffe_field *root = f;
	char path[256];
	char text[PALEO_ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while (root->parent)
		root = root->parent;
	put_path(f, path, sizeof(path));
	paleo_error_set(err, PALEO_EINPUT, "%s:%d:%d: %s%s%s", root->name, f->line, f->col, path,
			path[0] ? ": " : "", text);
	return PALEO_EINPUT;
}
