/* caffe_text.h - reads protobuf's text format, in which Caffe's networks are written, as a tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CAFFE_CAFFE_TEXT_H
#define PALEO_IMPORT_CAFFE_CAFFE_TEXT_H

#include <stddef.h>

#include "base/error.h"

/*
 * The reader knows the syntax but no field of Caffe's: field names and types are the caller's.
 * Every message starts "file:line:col: " and names the layer and the field: "layer 'conv1':
 * convolution_param.stride: ...".
 */

/* Largest file that is read, in bytes. */
#define PALEO_CAFFE_FILE_MAX (64u << 20)

enum {
	PALEO_CAFFE_DEPTH_MAX = 32,              /* messages inside each other */
	PALEO_CAFFE_FIELDS_MAX = 4 * 1024 * 1024 /* bounds memory: about 100 bytes a field */
};

enum paleo_caffe_field_type {
	PALEO_CAFFE_MESSAGE, /* name { ... } */
	PALEO_CAFFE_STRING,  /* name: "text", adjacent strings put together */
	PALEO_CAFFE_WORD,    /* name: MAX, name: true */
	PALEO_CAFFE_NUMBER,
};

/* One value. A list, name: [1, 2], is as many fields of the same name. Read only. */
struct paleo_caffe_field {
	const char *name; /* of the root: the file */
	enum paleo_caffe_field_type type;
	const char *text; /* of a string or word */
	double number;    /* of a number, with its sign */
	int integer;      /* 1: a number written as an integer */
	int line, col;    /* position of its name; for an element of a list, of the element */
	const struct paleo_caffe_field *parent; /* NULL: the root */
	struct paleo_caffe_field *first, *last; /* members of a message, in the order of the file */
	struct paleo_caffe_field *next;
};

struct paleo_caffe_doc; /* a file and every field in it */

/* Reads a whole file. *out is owned by the caller: paleo_caffe_doc_free(). EIO, EINPUT, ENOMEM. */
int paleo_caffe_doc_load(const char *path, struct paleo_caffe_doc **out, struct paleo_error *err);

/* The same from `size` bytes; `name` is the file's name in messages and is copied. */
int paleo_caffe_doc_parse(const char *name, const char *text, size_t size,
			  struct paleo_caffe_doc **out, struct paleo_error *err);
void paleo_caffe_doc_free(struct paleo_caffe_doc *doc); /* NULL allowed */

/* A message that holds the fields of the file; lives as long as the document. */
const struct paleo_caffe_field *paleo_caffe_doc_root(const struct paleo_caffe_doc *doc);

/* The first field `name` of a message, or NULL; for fields that may be repeated. */
const struct paleo_caffe_field *paleo_caffe_first(const struct paleo_caffe_field *message,
						  const char *name);

/* The next field of the same name in the same message, or NULL. */
const struct paleo_caffe_field *paleo_caffe_again(const struct paleo_caffe_field *field);

/* Number of fields `name` in a message; 0 if `message` is NULL. */
int paleo_caffe_count(const struct paleo_caffe_field *message, const char *name);

/* *out is the only field `name` of a message, NULL if it has none. EINPUT if there are more. */
int paleo_caffe_one(const struct paleo_caffe_field *message, const char *name,
		    const struct paleo_caffe_field **out, struct paleo_error *err);

/* EINPUT, with the nearest name as a hint, if a field is not among `names` (NULL-ended). */
int paleo_caffe_only(const struct paleo_caffe_field *message, const char *const *names,
		     struct paleo_error *err);

/* Typed values; another type, or a value outside of [low, high], is EINPUT. */
int paleo_caffe_to_message(const struct paleo_caffe_field *f, struct paleo_error *err);
int paleo_caffe_to_int(const struct paleo_caffe_field *f, int low, int high, int *out,
		       struct paleo_error *err);
int paleo_caffe_to_double(const struct paleo_caffe_field *f, double low, double high, double *out,
			  struct paleo_error *err);
int paleo_caffe_to_bool(const struct paleo_caffe_field *f, int *out, struct paleo_error *err);
int paleo_caffe_to_string(const struct paleo_caffe_field *f, const char **out,
			  struct paleo_error *err);

/* *out is the position of a word, or of its number, in `words` (NULL-ended, as in the enum). */
int paleo_caffe_to_enum(const struct paleo_caffe_field *f, const char *const *words, int *out,
			struct paleo_error *err);

/* EINPUT with the field's position in front, for checks that only the caller can make. */
int paleo_caffe_complain(const struct paleo_caffe_field *f, struct paleo_error *err,
			 const char *format, ...) __attribute__((format(printf, 3, 4)));
#define paleo_caffe_fail(f, err, ...) (paleo_caffe_complain((f), (err), __VA_ARGS__), PALEO_EINPUT)

#endif
