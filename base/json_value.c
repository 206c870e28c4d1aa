/* json_value.c - looks into a JSON document: children, keys, values of a wanted type and range. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_node.h"

enum {
	KEY_LIST_MAX = 400 /* bytes of "expected one of ..." */
};

enum paleo_json_type paleo_json_type(const struct paleo_json *v)
{
	return (enum paleo_json_type)v->type;
}

/* "a number", "an object" ...: for "expected ..., found ...". */
static const char *type_words(enum paleo_json_type type)
{
	switch (type) {
	case PALEO_JSON_NULL:
		return "null";
	case PALEO_JSON_BOOL:
		return "a boolean";
	case PALEO_JSON_NUMBER:
		return "a number";
	case PALEO_JSON_STRING:
		return "a string";
	case PALEO_JSON_ARRAY:
		return "an array";
	case PALEO_JSON_OBJECT:
		return "an object";
	}
	return "a value";
}

const char *paleo_json_key(const struct paleo_json *v)
{
	return v->key;
}

int paleo_json_line(const struct paleo_json *v)
{
	return v->in_key.line ? v->in_key.line : v->value.line;
}

int paleo_json_size(const struct paleo_json *v)
{
	return v->size;
}

const struct paleo_json *paleo_json_first(const struct paleo_json *v)
{
	return v->size > 0 ? v + 1 : NULL;
}

const struct paleo_json *paleo_json_next(const struct paleo_json *v)
{
	return v->next ? v + v->next : NULL;
}

static int compare_key(const void *key, const void *member)
{
	const struct paleo_json *const *m = member;

	return strcmp(key, (*m)->key);
}

const struct paleo_json *paleo_json_get(const struct paleo_json *object, const char *key)
{
	if (object->type != PALEO_JSON_OBJECT)
		return NULL;
	if (object->size <= PALEO_JSON_FEW) {
		const struct paleo_json *m = paleo_json_first(object);
		while (m && !paleo_json_same(m->key, key))
			m = paleo_json_next(m);
		return m;
	}
	const struct paleo_json **found = bsearch(key, object->u.by_key, (size_t)object->size,
						  sizeof(const struct paleo_json *), compare_key);
	return found ? *found : NULL;
}

static int want(const struct paleo_json *v, enum paleo_json_type type, struct paleo_error *err)
{
	if (v->type == type)
		return PALEO_OK;
	return paleo_json_fail(v, err, "expected %s, found %s", type_words(type),
			       type_words(v->type));
}

int paleo_json_need(const struct paleo_json *object, const char *key, const struct paleo_json **out,
		    struct paleo_error *err)
{
	int rc = want(object, PALEO_JSON_OBJECT, err);

	if (rc)
		return rc;
	const struct paleo_json *found = paleo_json_get(object, key);
	if (!found)
		return paleo_json_fail(object, err, "the key '%s' is missing", key);
	*out = found;
	return PALEO_OK;
}

static int refuse_key(const struct paleo_json *member, const char *const *keys,
		      struct paleo_error *err)
{
	const char *near = paleo_nearest(member->key, keys);
	char list[KEY_LIST_MAX] = "none";
	size_t at = 0;

	if (near)
		return paleo_json_complain_key(member, err, "unknown key '%s' (did you mean '%s'?)",
					       member->key, near);
	for (; *keys && at < sizeof(list); keys++) {
		int n = snprintf(list + at, sizeof(list) - at, "%s'%s'", at ? ", " : "", *keys);
		at += n > 0 ? (size_t)n : 0;
	}
	if (at >= sizeof(list))
		memcpy(list + sizeof(list) - sizeof("..."), "...", sizeof("..."));
	return paleo_json_complain_key(member, err, "unknown key '%s' (expected one of: %s)",
				       member->key, list);
}

int paleo_json_only(const struct paleo_json *object, const char *const *keys,
		    struct paleo_error *err)
{
	int rc = want(object, PALEO_JSON_OBJECT, err);

	if (rc)
		return rc;
	/* Files mostly have the keys in the order in which a program knows them. */
	const char *const *next = keys;
	for (const struct paleo_json *m = paleo_json_first(object); m; m = paleo_json_next(m)) {
		const char *const *k = next;
		if (!*k || !paleo_json_same(*k, m->key))
			for (k = keys; *k && !paleo_json_same(*k, m->key);)
				k++;
		if (!*k)
			return refuse_key(m, keys, err);
		next = k + 1;
	}
	return PALEO_OK;
}

/* "from 1 to 8", "of at least 0" ...; empty when everything is allowed. */
static void range_words(double low, double high, char *buf, size_t size)
{
	char a[32];
	char b[32];

	paleo_json_number_text(low, a, sizeof(a));
	paleo_json_number_text(high, b, sizeof(b));
	buf[0] = '\0';
	if (isfinite(low) && isfinite(high))
		snprintf(buf, size, " from %s to %s", a, b);
	else if (isfinite(low))
		snprintf(buf, size, " of at least %s", a);
	else if (isfinite(high))
		snprintf(buf, size, " of at most %s", b);
}

static int refuse_number(const struct paleo_json *v, const char *what, double low, double high,
			 struct paleo_error *err)
{
	char range[80];
	char found[32];

	range_words(low, high, range, sizeof(range));
	paleo_json_number_text(v->u.number, found, sizeof(found));
	return paleo_json_complain(v, err, "expected %s%s, found %s", what, range, found);
}

int paleo_json_to_int(const struct paleo_json *v, int low, int high, int *out,
		      struct paleo_error *err)
{
	if (v->type != PALEO_JSON_NUMBER)
		return paleo_json_fail(v, err, "expected an integer, found %s",
				       type_words(v->type));
	if (!(v->u.number >= low && v->u.number <= high) || v->u.number != floor(v->u.number))
		return refuse_number(v, "an integer", low > INT_MIN ? low : -HUGE_VAL,
				     high < INT_MAX ? high : HUGE_VAL, err);
	*out = (int)v->u.number;
	return PALEO_OK;
}

int paleo_json_to_double(const struct paleo_json *v, double low, double high, double *out,
			 struct paleo_error *err)
{
	int rc = want(v, PALEO_JSON_NUMBER, err);

	if (rc)
		return rc;
	if (!(v->u.number >= low && v->u.number <= high))
		return refuse_number(v, "a number", low, high, err);
	*out = v->u.number;
	return PALEO_OK;
}

int paleo_json_to_bool(const struct paleo_json *v, int *out, struct paleo_error *err)
{
	int rc = want(v, PALEO_JSON_BOOL, err);

	if (rc)
		return rc;
	*out = v->u.number != 0;
	return PALEO_OK;
}

int paleo_json_to_string(const struct paleo_json *v, const char **out, struct paleo_error *err)
{
	int rc = want(v, PALEO_JSON_STRING, err);

	if (rc)
		return rc;
	*out = v->u.string;
	return PALEO_OK;
}
