/* json.h - strict JSON with places in messages, exact numbers, structs as tables of fields. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_H
#define PALEO_BASE_JSON_H

#include <stddef.h>

#include "base/error.h"

/*
 * Reading. Strict: keys are case-sensitive, a key may occur only once in its object, numbers are
 * finite, nesting is limited, nothing may follow the value, text is UTF-8 without embedded NUL.
 * Every message starts "file:line:col: path.to.key: "; one about the syntax has no path.
 */
enum paleo_json_type {
	PALEO_JSON_NULL,
	PALEO_JSON_BOOL,
	PALEO_JSON_NUMBER,
	PALEO_JSON_STRING,
	PALEO_JSON_ARRAY,
	PALEO_JSON_OBJECT,
};

struct paleo_json_doc; /* a document and everything in it */
struct paleo_json;     /* one value in it; lives as long as the document */

/* Largest file that is read, in bytes; a larger one is refused before it is read. */
#define PALEO_JSON_FILE_MAX (64u << 20)

/* Reads a whole file. *out is owned by the caller: paleo_json_free(). EIO, EINPUT, ENOMEM. */
int paleo_json_load(const char *path, struct paleo_json_doc **out, struct paleo_error *err);

/* Parses `size` bytes of text; `name` is the file's name in messages and is copied. `first_line` is
 * the line number of the text's first line (1 for a whole file; the line of a JSON-lines file). */
int paleo_json_parse(const char *name, int first_line, const char *text, size_t size,
		     struct paleo_json_doc **out, struct paleo_error *err);

/* The same of a whole file's text as paleo_file_read() gave it, which becomes the document's, or is
 * freed. */
int paleo_json_adopt(const char *name, char *text, size_t size, struct paleo_json_doc **out,
		     struct paleo_error *err);

/* Loads JSON written by Python, which has Infinity, -Infinity and NaN: these count as null. */
int paleo_json_load_python(const char *path, struct paleo_json_doc **out, struct paleo_error *err);
int paleo_json_parse_python(const char *name, const char *text, size_t size,
			    struct paleo_json_doc **out, struct paleo_error *err);

/* Frees a document and every value in it; NULL is allowed. */
void paleo_json_free(struct paleo_json_doc *doc);

const struct paleo_json *paleo_json_root(const struct paleo_json_doc *doc);

enum paleo_json_type paleo_json_type(const struct paleo_json *v);
const char *paleo_json_key(const struct paleo_json *v); /* its key in its object, else "" */
int paleo_json_line(const struct paleo_json *v);        /* the line of its key or value, from 1 */
int paleo_json_size(const struct paleo_json *v);        /* members or elements; 0 for others */
const struct paleo_json *paleo_json_first(const struct paleo_json *v); /* first child, or NULL */
const struct paleo_json *paleo_json_next(const struct paleo_json *v);  /* next sibling, or NULL */
const struct paleo_json *paleo_json_get(const struct paleo_json *object,
					const char *key); /* or NULL */

/* Like get, but a missing key is an error that names the object and the key. */
int paleo_json_need(const struct paleo_json *object, const char *key, const struct paleo_json **out,
		    struct paleo_error *err);

/* Refuses a key of `object` that is not among `keys` (NULL-ended), with the nearest one as a hint.
 */
int paleo_json_only(const struct paleo_json *object, const char *const *keys,
		    struct paleo_error *err);

/* Typed values; a wrong type or a value outside [low, high] is an error that says what was
 * expected. */
int paleo_json_to_int(const struct paleo_json *v, int low, int high, int *out,
		      struct paleo_error *err);
int paleo_json_to_double(const struct paleo_json *v, double low, double high, double *out,
			 struct paleo_error *err);
int paleo_json_to_bool(const struct paleo_json *v, int *out, struct paleo_error *err);
int paleo_json_to_string(const struct paleo_json *v, const char **out, struct paleo_error *err);

/* EINPUT with the value's position in front; for checks that only the caller can make. Returns
 * `PALEO_EINPUT`. */
int paleo_json_complain(const struct paleo_json *v, struct paleo_error *err, const char *format,
			...) __attribute__((format(printf, 3, 4)));
#define paleo_json_fail(v, err, ...) (paleo_json_complain((v), (err), __VA_ARGS__), PALEO_EINPUT)

/*
 * Writing. A writer builds one value; numbers are written with the fewest digits
 * that read back to the same double, NaN and infinities as null. `key` is NULL
 * inside an array and for the root. Failure (memory) is kept and reported by
 * paleo_json_writer_text().
 */
struct paleo_json_writer;

struct paleo_json_writer *paleo_json_writer_new(void);    /* NULL if memory ran out */
void paleo_json_writer_free(struct paleo_json_writer *w); /* NULL is allowed */
void paleo_json_open_object(struct paleo_json_writer *w, const char *key);
void paleo_json_open_array(struct paleo_json_writer *w, const char *key);
void paleo_json_close(struct paleo_json_writer *w); /* the innermost open object or array */
void paleo_json_put_double(struct paleo_json_writer *w, const char *key, double value);
void paleo_json_put_int(struct paleo_json_writer *w, const char *key, int value);
void paleo_json_put_bool(struct paleo_json_writer *w, const char *key, int value);
void paleo_json_put_string(struct paleo_json_writer *w, const char *key,
			   const char *value); /* NULL: null */

/* The finished text; `pretty` 0 gives one line without a line end, 1 an indented text that ends in
 * one. *out is owned by the caller: free(). */
int paleo_json_writer_text(struct paleo_json_writer *w, int pretty, char **out,
			   struct paleo_error *err);

/* Shortest decimal text that reads back as `value`; `buf` has at least 32 bytes. */
void paleo_json_number_text(double value, char *buf, size_t size);

/* Plain structs to and from JSON objects, by one table of their fields. */

enum paleo_json_field_type {
	PALEO_FIELD_TEXT,   /* char[size] */
	PALEO_FIELD_NUMBER, /* double */
	PALEO_FIELD_INT,    /* int */
	PALEO_FIELD_WORD,   /* int or enum: index of a word in `words`, counted from `low` */
	/* These are only read. */
	PALEO_FIELD_FLAG,  /* int: 1 for true, 0 for false */
	PALEO_FIELD_OWN,   /* converted by `read` */
	PALEO_FIELD_KNOWN, /* none: the key may be there, and is read elsewhere */
};

/* One member of a struct that has a key of the same meaning. Tables end with a NULL name. */
struct paleo_json_field {
	const char *name;
	enum paleo_json_field_type type;
	size_t offset;
	size_t size;      /* of a text, with its NUL */
	double low, high; /* of a number; high 0 with low 0: any finite */
	int optional;     /* optional: the member keeps its value; a 0 or "" is not written */
	int nullable;     /* a number that may be null, which is NaN here */
	const char *const *words; /* NULL-ended */
	const char *expected;     /* the words, for error messages */
	int (*read)(const struct paleo_json *v, void *member, struct paleo_error *err);
};

enum {
	PALEO_JSON_FIELDS_MAX = 32 /* in one table, including extra keys */
};

/* Reads the members of `object` into the struct at `to`, in the order of the table. Keys that are
 * neither in it nor in `others` (NULL-ended, NULL: none) are refused. EINPUT; *to may then be half
 * filled. */
int paleo_json_fields_read(const struct paleo_json *object, const struct paleo_json_field *fields,
			   const char *const *others, void *to, struct paleo_error *err);

/* Adds a member for each field to the writer's open object. */
void paleo_json_fields_write(struct paleo_json_writer *w, const struct paleo_json_field *fields,
			     const void *from);

/* A format and its version, as the key "schema" names it. */
struct paleo_json_schema {
	const char *name;   /* "paleo-records/4": written, and read */
	const char *advice; /* for readers of an earlier version: "measure again" */
	const char *former; /* earlier prefix of the name, "paleo-results/"; NULL: never renamed */
};

/* Checks that the key "schema" of `root` has this name. EINPUT for any other, with a remedy. */
int paleo_json_schema_check(const struct paleo_json *root, const struct paleo_json_schema *s,
			    struct paleo_error *err);

#endif
