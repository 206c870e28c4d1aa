/* json_fields.c - plain structs to and from JSON objects, by one table of their fields. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"

static int check_keys(const struct paleo_json *object, const struct paleo_json_field *fields,
		      const char *const *others, struct paleo_error *err)
{
	const char *keys[PALEO_JSON_FIELDS_MAX + 1];
	int n = 0;

	for (; fields->name; fields++) {
		assert(n < PALEO_JSON_FIELDS_MAX);
		keys[n++] = fields->name;
	}
	for (; others && *others; others++) {
		assert(n < PALEO_JSON_FIELDS_MAX);
		keys[n++] = *others;
	}
	keys[n] = NULL;
	return paleo_json_only(object, keys, err);
}

static int read_text(const struct paleo_json *v, const struct paleo_json_field *f, char *to,
		     struct paleo_error *err)
{
	const char *text = NULL;

	PALEO_TRY(paleo_json_to_string(v, &text, err));
	if (strlen(text) >= f->size)
		return paleo_json_fail(v, err, "expected at most %zu bytes of text, found %zu",
				       f->size - 1, strlen(text));
	memcpy(to, text, strlen(text) + 1);
	return PALEO_OK;
}

static int read_number(const struct paleo_json *v, const struct paleo_json_field *f, double *to,
		       struct paleo_error *err)
{
	int bounded = f->low != 0 || f->high != 0;

	if (f->nullable && paleo_json_type(v) == PALEO_JSON_NULL) {
		*to = NAN;
		return PALEO_OK;
	}
	return paleo_json_to_double(v, bounded ? f->low : -HUGE_VAL, bounded ? f->high : HUGE_VAL,
				    to, err);
}

static int read_int(const struct paleo_json *v, const struct paleo_json_field *f, int *to,
		    struct paleo_error *err)
{
	int bounded = f->low != 0 || f->high != 0;

	return paleo_json_to_int(v, bounded ? (int)f->low : INT_MIN,
				 bounded ? (int)f->high : INT_MAX, to, err);
}

static int read_word(const struct paleo_json *v, const struct paleo_json_field *f, int *to,
		     struct paleo_error *err)
{
	const char *word = NULL;

	PALEO_TRY(paleo_json_to_string(v, &word, err));
	for (int i = 0; f->words[i]; i++) {
		if (!strcmp(f->words[i], word)) {
			*to = (int)f->low + i;
			return PALEO_OK;
		}
	}
	return paleo_json_fail(v, err, "unknown %s '%s', expected %s", f->name, word, f->expected);
}

static int read_field(const struct paleo_json *v, const struct paleo_json_field *f, char *to,
		      struct paleo_error *err)
{
	if (f->type == PALEO_FIELD_KNOWN)
		return PALEO_OK;
	assert(to);
	/* Through void: the table promises that a member of this type is there. */
	void *member = to + f->offset;

	switch (f->type) {
	case PALEO_FIELD_TEXT:
		return read_text(v, f, member, err);
	case PALEO_FIELD_NUMBER:
		return read_number(v, f, member, err);
	case PALEO_FIELD_INT:
		return read_int(v, f, member, err);
	case PALEO_FIELD_FLAG:
		return paleo_json_to_bool(v, member, err);
	case PALEO_FIELD_WORD:
		return read_word(v, f, member, err);
	case PALEO_FIELD_OWN:
		return f->read(v, member, err);
	case PALEO_FIELD_KNOWN:
		break;
	}
	return PALEO_EINPUT;
}

int paleo_json_fields_read(const struct paleo_json *object, const struct paleo_json_field *fields,
			   const char *const *others, void *to, struct paleo_error *err)
{
	int rc = check_keys(object, fields, others, err);
	/* Members are mostly in the order of the table. */
	const struct paleo_json *next = rc ? NULL : paleo_json_first(object);

	for (; !rc && fields->name; fields++) {
		const struct paleo_json *v = next && !strcmp(paleo_json_key(next), fields->name)
						     ? next
						     : paleo_json_get(object, fields->name);
		next = v ? paleo_json_next(v) : next;
		if (!v && fields->optional)
			continue;
		rc = v ? PALEO_OK : paleo_json_need(object, fields->name, &v, err);
		if (!rc)
			rc = read_field(v, fields, to, err);
	}
	return rc;
}

static void write_text(struct paleo_json_writer *w, const struct paleo_json_field *f,
		       const char *text)
{
	if (!f->optional || text[0])
		paleo_json_put_string(w, f->name, text);
}

static void write_number(struct paleo_json_writer *w, const struct paleo_json_field *f,
			 double value)
{
	if (!f->optional || value != 0)
		paleo_json_put_double(w, f->name, value);
}

static void write_word(struct paleo_json_writer *w, const struct paleo_json_field *f, int index)
{
	if (!f->optional || index != (int)f->low)
		paleo_json_put_string(w, f->name, f->words[index - (int)f->low]);
}

void paleo_json_fields_write(struct paleo_json_writer *w, const struct paleo_json_field *fields,
			     const void *from)
{
	for (; fields->name; fields++) {
		const void *member = (const char *)from + fields->offset;
		switch (fields->type) {
		case PALEO_FIELD_TEXT:
			write_text(w, fields, member);
			break;
		case PALEO_FIELD_NUMBER:
			write_number(w, fields, *(const double *)member);
			break;
		case PALEO_FIELD_INT:
			write_number(w, fields, *(const int *)member);
			break;
		case PALEO_FIELD_WORD:
			write_word(w, fields, *(const int *)member);
			break;
		case PALEO_FIELD_FLAG:
		case PALEO_FIELD_OWN:
		case PALEO_FIELD_KNOWN:
			assert(0 && "a field that is only read");
			break;
		}
	}
}
