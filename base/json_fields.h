/* json_fields.h - plain structs to and from JSON objects, by one table of their fields. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_FIELDS_H
#define PALEO_BASE_JSON_FIELDS_H

#include "base/json.h"

enum paleo_json_field_type {
	PALEO_FIELD_TEXT,   /* char[size] */
	PALEO_FIELD_NUMBER, /* double */
	PALEO_FIELD_INT,    /* int */
};

/* One member of a struct that has a key of the same meaning. Tables end with a NULL name. */
struct paleo_json_field {
	const char *name;
	enum paleo_json_field_type type;
	size_t offset;
	size_t size;      /* of a text, with its NUL */
	double low, high; /* of a number; high 0 with low 0: any finite */
	int optional; /* may be missing: the member keeps what it has; a 0 or "" is not written */
	int nullable; /* a number that may be null, which is NaN here */
};

enum {
	PALEO_JSON_FIELDS_MAX = 32 /* in one table, with the keys that stand beside it */
};

/* Reads the members of `object` into the struct at `to`. Keys that are neither in the table nor in
 * `others` (NULL-ended, NULL: none) are refused. EINPUT; *to may then be half filled. */
int paleo_json_fields_read(const struct paleo_json *object, const struct paleo_json_field *fields,
			   const char *const *others, void *to, struct paleo_error *err);

/* Adds a member for each field to the writer's open object. */
void paleo_json_fields_write(struct paleo_json_writer *w, const struct paleo_json_field *fields,
			     const void *from);

#endif
