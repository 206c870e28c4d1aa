/* json.c - parses JSON with cJSON and joins its values to their places in the text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_node.h"

static enum paleo_json_type type_of(const cJSON *item)
{
	if (cJSON_IsNull(item))
		return PALEO_JSON_NULL;
	if (cJSON_IsBool(item))
		return PALEO_JSON_BOOL;
	if (cJSON_IsNumber(item))
		return PALEO_JSON_NUMBER;
	if (cJSON_IsString(item))
		return PALEO_JSON_STRING;
	return cJSON_IsArray(item) ? PALEO_JSON_ARRAY : PALEO_JSON_OBJECT;
}

static void set_value(struct paleo_json *v, const cJSON *item)
{
	v->type = type_of(item);
	v->key = item->string ? item->string : "";
	if (v->type == PALEO_JSON_NUMBER)
		v->u.number = item->valuedouble; /* valueint saturates */
	else if (v->type == PALEO_JSON_BOOL)
		v->u.number = cJSON_IsTrue(item);
	else if (v->type == PALEO_JSON_STRING)
		v->u.string = item->valuestring;
}

/* Makes the nodes of `item` and what is in it. Both this and the scan go in the order of the text,
 * so the n-th node has the n-th mark. Recursion is bounded by PALEO_JSON_DEPTH_MAX. */
static struct paleo_json *add_nodes(struct paleo_json_doc *doc, const cJSON *item,
				    const struct paleo_json *parent,
				    const struct paleo_json_mark *marks)
{
	struct paleo_json *v = &doc->nodes[doc->count];
	struct paleo_json *last = NULL;
	const cJSON *child = NULL;

	*v = (struct paleo_json){.doc = doc, .parent = parent, .mark = marks[doc->count]};
	doc->count++;
	set_value(v, item);
	cJSON_ArrayForEach(child, item)
	{
		struct paleo_json *node = add_nodes(doc, child, v, marks);
		if (last)
			last->next = node;
		last = node;
		v->size++;
	}
	return v;
}

/* By key; equal keys in the order of the text. */
static int compare_keys(const void *a, const void *b)
{
	const struct paleo_json *const *x = a;
	const struct paleo_json *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	return order ? order : (*x > *y) - (*x < *y);
}

void paleo_json_sort(struct paleo_json *v)
{
	if (v->type == PALEO_JSON_OBJECT && v->size > 1)
		qsort(v->u.by_key, (size_t)v->size, sizeof(const struct paleo_json *),
		      compare_keys);
}

/* Sorts an object's members into `by_key` and refuses the first one whose key stood before. */
static int index_object(struct paleo_json *v, const struct paleo_json **by_key,
			struct paleo_error *err)
{
	const struct paleo_json *second = NULL;
	const struct paleo_json *first = NULL;
	int n = 0;

	for (const struct paleo_json *m = paleo_json_first(v); m; m = m->next)
		by_key[n++] = m;
	v->u.by_key = by_key;
	paleo_json_sort(v);
	for (int i = 1; i < n; i++) {
		if (strcmp(by_key[i - 1]->key, by_key[i]->key) == 0 &&
		    (!second || by_key[i] < second)) {
			first = by_key[i - 1];
			second = by_key[i];
		}
	}
	if (!second)
		return PALEO_OK;
	return paleo_json_complain_key(second, err,
				       "the key '%s' stands twice, expected it once: it is also at "
				       "%d:%d",
				       second->key, first->mark.key.line, first->mark.key.col);
}

/* What cJSON lets pass and the scan cannot see. */
static int check_nodes(struct paleo_json_doc *doc, struct paleo_error *err)
{
	const struct paleo_json **by_key = doc->by_key;
	int rc = PALEO_OK;

	for (size_t i = 0; i < doc->count && !rc; i++) {
		struct paleo_json *v = &doc->nodes[i];
		if (v->type == PALEO_JSON_OBJECT) {
			rc = index_object(v, by_key, err);
			by_key += v->size;
		} else if (v->type == PALEO_JSON_NUMBER && !isfinite(v->u.number)) {
			rc = paleo_json_fail(v, err, "the number is too large for a double");
		}
	}
	return rc;
}

static int fill(struct paleo_json_doc *doc, const char *name, const char *text, size_t size,
		const struct paleo_json_mark *marks, size_t count)
{
	doc->name = malloc(strlen(name) + 1);
	doc->nodes = malloc(count * sizeof(*doc->nodes));
	doc->by_key = malloc(count * sizeof(const struct paleo_json *));
	doc->tree = cJSON_ParseWithLengthOpts(text, size, NULL, 0);
	if (!doc->name || !doc->nodes || !doc->by_key || !doc->tree)
		return PALEO_ENOMEM;
	memcpy(doc->name, name, strlen(name) + 1);
	add_nodes(doc, doc->tree, NULL, marks);
	assert(doc->count == count);
	return PALEO_OK;
}

int paleo_json_parse(const char *name, int first_line, const char *text, size_t size,
		     struct paleo_json_doc **out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_json_mark *marks = NULL;
	size_t count = 0;

	assert(first_line >= 1);
	if (size > PALEO_JSON_FILE_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s: %zu bytes of JSON, expected at most %u",
				  name, size, PALEO_JSON_FILE_MAX);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		text += 3;
		size -= 3;
	}
	int rc = paleo_json_scan(name, first_line, text, size, &marks, &count, err);
	if (rc)
		goto out;
	doc = calloc(1, sizeof(*doc));
	rc = doc ? fill(doc, name, text, size, marks, count) : PALEO_ENOMEM;
	if (rc) { /* the scan found the text good, so only memory can be missing */
		rc = paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
		goto out;
	}
	rc = check_nodes(doc, err);
	if (rc)
		goto out;
	*out = doc;
	doc = NULL;
out:
	paleo_json_free(doc);
	free(marks);
	return rc;
}

void paleo_json_free(struct paleo_json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->tree);
	free(doc->nodes);
	free(doc->by_key);
	free(doc->name);
	free(doc);
}

const struct paleo_json *paleo_json_root(const struct paleo_json_doc *doc)
{
	return doc->nodes;
}
