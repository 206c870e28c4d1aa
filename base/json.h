/* json.h - strict reading of JSON with places in messages, and writing that loses no digit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_H
#define PALEO_BASE_JSON_H

#include <stddef.h>

#include "base/error.h"

/*
 * Reading. Strict: keys are case-sensitive, a key may stand only once in its object, numbers are
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

/* Parses `size` bytes of text; `name` stands for the file in messages and is copied. `first_line`
 * is the line number of the text's first line (1 for a whole file; the line of a JSON-lines file).
 */
int paleo_json_parse(const char *name, int first_line, const char *text, size_t size,
		     struct paleo_json_doc **out, struct paleo_error *err);

/* The same of the root's members before the key `until`; what is behind is not looked at, and need
 * not be there. */
int paleo_json_parse_head(const char *name, const char *text, size_t size, const char *until,
			  struct paleo_json_doc **out, struct paleo_error *err);

/* The same of what Python wrote, which has Infinity, -Infinity and NaN: these count as null. */
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

/* As get, but a missing key is an error that names the object and the key. */
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

/* EINPUT with the value's place in front; for what only the caller can judge. Returns
 * `PALEO_EINPUT`. */
int paleo_json_complain(const struct paleo_json *v, struct paleo_error *err, const char *format,
			...) __attribute__((format(printf, 3, 4)));
#define paleo_json_fail(v, err, ...) (paleo_json_complain((v), (err), __VA_ARGS__), PALEO_EINPUT)

/* The candidate (NULL-ended list) nearest to `word`, or NULL if none is near: for "did you mean".
 */
const char *paleo_nearest(const char *word, const char *const *candidates);

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

#endif
