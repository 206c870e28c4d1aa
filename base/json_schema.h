/* json_schema.h - which version of a format a file is in, and the words of the earlier one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_SCHEMA_H
#define PALEO_BASE_JSON_SCHEMA_H

#include "base/json.h"

/* A word that has another name now. Tables end with a NULL `old`. */
struct paleo_json_word {
	const char *under; /* NULL: a key of any object; else a text below this key, or its value */
	const char *old, *now; /* `under` is a word of now */
};

/* A format, as the key "schema" names it. */
struct paleo_json_schema {
	const char *name;                    /* "paleo-results/2": written, and read */
	const char *earlier;                 /* "paleo-results/1": read; NULL: none */
	const struct paleo_json_word *words; /* that the earlier one has; NULL: none */
	const char *advice; /* to who has a version before these: "measure again" */
};

/* Reads the key "schema" of `root`: *is_earlier is 1 if it names the earlier one. EINPUT for any
 * other, with what to do. */
int paleo_json_schema_read(const struct paleo_json *root, const struct paleo_json_schema *s,
			   int *is_earlier, struct paleo_error *err);

/* Puts the words of now into a document of the earlier version; messages keep saying the keys of
 * the file. EINPUT where a word of now stands there already: the document is then half changed. */
int paleo_json_schema_renew(struct paleo_json_doc *doc, const struct paleo_json_schema *s,
			    struct paleo_error *err);

#endif
