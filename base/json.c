/* json.c - a JSON document: read from text or a file, freed, and its places in messages. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_node.h"

/* A member with the first bytes of its key, as a number that is compared at once. */
struct keyed {
	uint64_t bytes;
	const struct paleo_json *member;
};

static uint64_t first_bytes(const char *key)
{
	uint64_t bytes = 0;

	for (int i = 0; i < 8; i++) {
		bytes = bytes << 8 | (unsigned char)*key;
		key += *key != '\0';
	}
	return bytes;
}

/* By key; equal keys in the order of the text. */
static int compare_keys(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	int order = strcmp(x->member->key, y->member->key);
	return order ? order : (x->member > y->member) - (x->member < y->member);
}

/* Puts an object's u.by_key in order; others stay as they are. ENOMEM. */
static int sort_members(struct paleo_json *v, struct paleo_error *err)
{
	int n = 0;

	if (v->type != PALEO_JSON_OBJECT || v->size <= PALEO_JSON_FEW)
		return PALEO_OK;
	struct keyed *sorted = malloc((size_t)v->size * sizeof(*sorted));
	if (!sorted)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *m = paleo_json_first(v); m; m = paleo_json_next(m))
		sorted[n++] = (struct keyed){first_bytes(m->key), m};
	qsort(sorted, (size_t)n, sizeof(*sorted), compare_keys);
	for (int i = 0; i < n; i++)
		v->u.by_key[i] = sorted[i].member;
	free(sorted);
	return PALEO_OK;
}

/* The first duplicate member, with its first occurrence in *first; NULL if there is none. */
static const struct paleo_json *find_second(const struct paleo_json *v,
					    const struct paleo_json **first)
{
	const struct paleo_json *second = NULL;

	for (int i = 1; v->size > PALEO_JSON_FEW && i < v->size; i++) {
		const struct paleo_json *const *m = &v->u.by_key[i];
		if ((!second || *m < second) && strcmp(m[-1]->key, m[0]->key) == 0) {
			*first = m[-1];
			second = *m;
		}
	}
	if (v->size > PALEO_JSON_FEW)
		return second;
	uint64_t seen = 0; /* by the hash of their keys: most have one of their own */
	for (const struct paleo_json *m = paleo_json_first(v); m; m = paleo_json_next(m)) {
		uint64_t hash = paleo_hash_bytes(0, m->key, strlen(m->key));
		uint64_t bit = UINT64_C(1) << (hash & 63);
		if (!(seen & bit)) {
			seen |= bit;
			continue;
		}
		for (*first = paleo_json_first(v); *first != m; *first = paleo_json_next(*first))
			if (strcmp((*first)->key, m->key) == 0)
				return m;
	}
	return NULL;
}

/* Refuses the first member whose key stood before. */
static int check_object(struct paleo_json *v, const struct paleo_json **by_key,
			struct paleo_error *err)
{
	const struct paleo_json *first = NULL;

	v->u.by_key = by_key;
	int rc = sort_members(v, err);
	const struct paleo_json *second = rc ? NULL : find_second(v, &first);
	if (!second)
		return rc;
	return paleo_json_complain_key(second, err, "duplicate key '%s': it is also at %d:%d",
				       second->key, first->in_key.line, first->in_key.col);
}

/* Checks the syntax tree for errors that the scanner leaves to the caller. */
static int check_nodes(struct paleo_json_doc *doc, struct paleo_error *err)
{
	size_t many = 0;

	for (size_t i = 0; i < doc->count; i++)
		if (doc->nodes[i].type == PALEO_JSON_OBJECT && doc->nodes[i].size > PALEO_JSON_FEW)
			many += (size_t)doc->nodes[i].size;
	doc->by_key = malloc((many + 1) * sizeof(*doc->by_key));
	if (!doc->by_key)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", doc->name);
	many = 0;
	for (size_t i = 0; i < doc->count; i++) {
		struct paleo_json *v = &doc->nodes[i];
		if (v->type == PALEO_JSON_OBJECT) {
			PALEO_TRY(check_object(v, doc->by_key + many, err));
			many += v->size > PALEO_JSON_FEW ? (size_t)v->size : 0;
		} else if (v->type == PALEO_JSON_NUMBER && !isfinite(v->u.number))
			return paleo_json_fail(v, err, "the number is too large for a double");
	}
	return PALEO_OK;
}

/* An empty document, which owns the text. */
static struct paleo_json_doc *new_doc(const char *name, char *text)
{
	struct paleo_json_doc *doc = calloc(1, sizeof(*doc));

	if (!doc || !(doc->name = strdup(name))) {
		free(doc);
		free(text);
		return NULL;
	}
	doc->text = text;
	return doc;
}

/* The text becomes the document's, or is freed. */
static int adopt(const char *name, int first_line, char *text, size_t size, int python,
		 struct paleo_json_doc **out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = new_doc(name, text);

	if (!doc)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		size -= 3;
		memmove(text, text + 3, size + PALEO_FILE_SLACK);
	}
	int rc = paleo_json_scan(doc, first_line, size, python, err);
	if (!rc)
		rc = check_nodes(doc, err);
	if (rc) {
		paleo_json_free(doc);
		return rc;
	}
	*out = doc;
	return PALEO_OK;
}

static int parse(const char *name, int first_line, const char *text, size_t size, int python,
		 struct paleo_json_doc **out, struct paleo_error *err)
{
	if (size > PALEO_JSON_FILE_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s: %zu bytes of JSON, expected at most %u",
				  name, size, PALEO_JSON_FILE_MAX);
	char *copy = malloc(size + PALEO_FILE_SLACK);
	if (!copy)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
	memcpy(copy, text, size);
	memset(copy + size, 0, PALEO_FILE_SLACK);
	return adopt(name, first_line, copy, size, python, out, err);
}

int paleo_json_parse(const char *name, int first_line, const char *text, size_t size,
		     struct paleo_json_doc **out, struct paleo_error *err)
{
	assert(first_line >= 1);
	return parse(name, first_line, text, size, 0, out, err);
}

int paleo_json_parse_python(const char *name, const char *text, size_t size,
			    struct paleo_json_doc **out, struct paleo_error *err)
{
	return parse(name, 1, text, size, 1, out, err);
}

void paleo_json_free(struct paleo_json_doc *doc)
{
	if (!doc)
		return;
	free(doc->head);
	free(doc->by_key);
	free(doc->text);
	free(doc->name);
	free(doc);
}

const struct paleo_json *paleo_json_root(const struct paleo_json_doc *doc)
{
	return doc->nodes;
}

/* Reads a JSON file. */

int paleo_json_adopt(const char *name, char *text, size_t size, struct paleo_json_doc **out,
		     struct paleo_error *err)
{
	return adopt(name, 1, text, size, 0, out, err);
}

static int load(const char *path, int python, struct paleo_json_doc **out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;

	PALEO_TRY(paleo_file_read(path, PALEO_JSON_FILE_MAX, "a JSON file", &text, &size, err));
	return adopt(path, 1, text, size, python, out, err);
}

int paleo_json_load_python(const char *path, struct paleo_json_doc **out, struct paleo_error *err)
{
	return load(path, 1, out, err);
}

int paleo_json_load(const char *path, struct paleo_json_doc **out, struct paleo_error *err)
{
	return load(path, 0, out, err);
}

/* The object or array that `v` is in; NULL for the root. */
static const struct paleo_json *parent_of(const struct paleo_json *v)
{
	return v->up ? v - v->up : NULL;
}

/* Position of a JSON value in its file: "file:line:col: path.to.key: ". */

enum {
	PATH_MAX_BYTES = 256
};

static int index_of(const struct paleo_json *v)
{
	int index = 0;

	for (const struct paleo_json *e = paleo_json_first(parent_of(v)); e != v;
	     e = paleo_json_next(e))
		index++;
	return index;
}

/* Writes what fits; the result is the bytes written, size - 1 if it was cut. */
static size_t put_path(const struct paleo_json *v, char *buf, size_t size)
{
	const struct paleo_json *parent = parent_of(v);

	buf[0] = '\0';
	if (!parent)
		return 0;
	size_t at = put_path(parent, buf, size);
	size_t left = size - at;
	int n = parent->type == PALEO_JSON_ARRAY
			? snprintf(buf + at, left, "[%d]", index_of(v))
			: snprintf(buf + at, left, "%s%s", at ? "." : "", v->key);
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
	write_sentence(parent_of(v), v->in_key, err, format, args);
	va_end(args);
	return PALEO_EINPUT;
}
