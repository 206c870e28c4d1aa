/* json.c - a JSON document: its text, its values, and that no key stands twice in an object. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int paleo_json_sort(struct paleo_json *v, struct paleo_error *err)
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

/* The first member whose key stood before, in *first; NULL if there is none. */
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
	int rc = paleo_json_sort(v, err);
	const struct paleo_json *second = rc ? NULL : find_second(v, &first);
	if (!second)
		return rc;
	return paleo_json_complain_key(second, err,
				       "the key '%s' stands twice, expected it once: it is also at "
				       "%d:%d",
				       second->key, first->in_key.line, first->in_key.col);
}

/* What the scan leaves. */
static int check_nodes(struct paleo_json_doc *doc, struct paleo_error *err)
{
	size_t many = 0;
	int rc = PALEO_OK;

	for (size_t i = 0; i < doc->count; i++)
		if (doc->nodes[i].type == PALEO_JSON_OBJECT && doc->nodes[i].size > PALEO_JSON_FEW)
			many += (size_t)doc->nodes[i].size;
	doc->by_key = malloc((many + 1) * sizeof(*doc->by_key));
	if (!doc->by_key)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", doc->name);
	many = 0;
	for (size_t i = 0; i < doc->count && !rc; i++) {
		struct paleo_json *v = &doc->nodes[i];
		if (v->type == PALEO_JSON_OBJECT) {
			rc = check_object(v, doc->by_key + many, err);
			many += v->size > PALEO_JSON_FEW ? (size_t)v->size : 0;
		} else if (v->type == PALEO_JSON_NUMBER && !isfinite(v->u.number)) {
			rc = paleo_json_fail(v, err, "the number is too large for a double");
		}
	}
	return rc;
}

/* An empty document with copies of both. */
static struct paleo_json_doc *new_doc(const char *name, const char *text, size_t size)
{
	struct paleo_json_doc *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc->name = malloc(strlen(name) + 1);
	doc->text = malloc(size + PALEO_JSON_SLACK);
	if (!doc->name || !doc->text) {
		paleo_json_free(doc);
		return NULL;
	}
	memcpy(doc->name, name, strlen(name) + 1);
	memcpy(doc->text, text, size);
	memset(doc->text + size, 0, PALEO_JSON_SLACK);
	return doc;
}

static int parse(const char *name, int first_line, const char *text, size_t size,
		 const struct paleo_json_how *how, struct paleo_json_doc **out,
		 struct paleo_error *err)
{
	if (size > PALEO_JSON_FILE_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s: %zu bytes of JSON, expected at most %u",
				  name, size, PALEO_JSON_FILE_MAX);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		text += 3;
		size -= 3;
	}
	struct paleo_json_doc *doc = new_doc(name, text, size);
	if (!doc)
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
	int rc = paleo_json_scan(doc, first_line, size, how, err);
	if (!rc)
		rc = check_nodes(doc, err);
	if (rc) {
		paleo_json_free(doc);
		return rc;
	}
	*out = doc;
	return PALEO_OK;
}

int paleo_json_parse(const char *name, int first_line, const char *text, size_t size,
		     struct paleo_json_doc **out, struct paleo_error *err)
{
	const struct paleo_json_how plain = {0};

	assert(first_line >= 1);
	return parse(name, first_line, text, size, &plain, out, err);
}

int paleo_json_parse_head(const char *name, const char *text, size_t size, const char *until,
			  struct paleo_json_doc **out, struct paleo_error *err)
{
	const struct paleo_json_how how = {.until = until};

	return parse(name, 1, text, size, &how, out, err);
}

int paleo_json_parse_python(const char *name, const char *text, size_t size,
			    struct paleo_json_doc **out, struct paleo_error *err)
{
	const struct paleo_json_how how = {.python = 1};

	return parse(name, 1, text, size, &how, out, err);
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
