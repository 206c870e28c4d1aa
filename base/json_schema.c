/* json_schema.c - tells versions of a format apart, and renames the words of earlier ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_node.h"

/* The number behind the last '/', if all before it is as in `name`; -1: another format. */
static long version_of(const char *schema, const char *name)
{
	size_t stem = (size_t)(strrchr(name, '/') + 1 - name);
	char *end = NULL;

	if (strncmp(schema, name, stem) != 0)
		return -1;
	long version = strtol(schema + stem, &end, 10);
	return end > schema + stem && !*end ? version : -1;
}

/* "'a/3', 'a/2' or 'a/1'": all versions that are read. */
static void list_versions(const struct paleo_json_schema *s, char *text, size_t size)
{
	const struct paleo_json_earlier *e = s->earlier;
	size_t at = (size_t)snprintf(text, size, "'%s'", s->name);

	for (; e && e->name && at < size; e++)
		at += (size_t)snprintf(text + at, size - at, "%s'%s'", e[1].name ? ", " : " or ",
				       e->name);
}

static int refuse(const struct paleo_json *v, const struct paleo_json_schema *s, const char *found,
		  struct paleo_error *err)
{
	long version = version_of(found, s->name);
	const char *advice =
		version < 0 ? "this is another kind of file, give one of that schema" : s->advice;
	char versions[160];

	if (version > version_of(s->name, s->name))
		advice = "a later paleo wrote it, update this one";
	list_versions(s, versions, sizeof(versions));
	return paleo_json_fail(v, err, "expected the schema %s, found '%s': %s", versions, found,
			       advice);
}

int paleo_json_schema_read(const struct paleo_json *root, const struct paleo_json_schema *s,
			   int *behind, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *found = NULL;
	int rc = paleo_json_need(root, "schema", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &found, err);
	if (rc)
		return rc;
	const char *name = s->name;
	int i = 0;
	do {
		if (strcmp(found, name) == 0) {
			*behind = i;
			return PALEO_OK;
		}
		name = s->earlier ? s->earlier[i++].name : NULL;
	} while (name);
	return refuse(v, s, found, err);
}

/* 1 if `v` or what it is in has this key. */
static int is_under(const struct paleo_json *v, const char *key)
{
	while (v && strcmp(v->key, key) != 0)
		v = paleo_json_parent(v);
	return v != NULL;
}

static int renew_key(struct paleo_json *v, const char *schema, const struct paleo_json_word *w,
		     struct paleo_error *err)
{
	if (paleo_json_same(v->key, w->now))
		return paleo_json_complain_key(
			v, err, "unknown key '%s' in the schema '%s' (did you mean '%s'?)", w->now,
			schema, w->old);
	if (paleo_json_same(v->key, w->old)) {
		v->written = v->written ? v->written : v->key;
		v->key = w->now;
	}
	return PALEO_OK;
}

static int renew_text(struct paleo_json *v, const char *schema, const struct paleo_json_word *w,
		      struct paleo_error *err)
{
	if (v->type != PALEO_JSON_STRING || !is_under(v, w->under))
		return PALEO_OK;
	if (paleo_json_same(v->u.string, w->now))
		return paleo_json_fail(v, err,
				       "unknown name '%s' in the schema '%s' (did you mean '%s'?)",
				       w->now, schema, w->old);
	if (paleo_json_same(v->u.string, w->old))
		v->u.string = w->now;
	return PALEO_OK;
}

/* A value comes behind those it is in, whose keys are new already. One word at most fits a key, and
 * one a text: what is new is no old word. `schema` is the file's, for messages. */
static int renew_value(struct paleo_json *v, const struct paleo_json_earlier *e, const char *schema,
		       struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (const struct paleo_json_word *w = e->words; !rc && w->old; w++)
		rc = w->under ? renew_text(v, schema, w, err) : renew_key(v, schema, w, err);
	return rc;
}

int paleo_json_schema_renew(struct paleo_json_doc *doc, const struct paleo_json_schema *s,
			    int behind, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int k = behind - 1; k >= 0; k--)
		for (size_t i = 0; !rc && i < doc->count; i++)
			rc = renew_value(&doc->nodes[i], &s->earlier[k],
					 s->earlier[behind - 1].name, err);
	for (size_t i = 0; !rc && i < doc->count; i++)
		rc = paleo_json_sort(&doc->nodes[i], err);
	return rc;
}
