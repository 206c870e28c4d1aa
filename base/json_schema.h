/* json_schema.h - which version of a format a file is in, and the words of earlier ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_SCHEMA_H
#define PALEO_BASE_JSON_SCHEMA_H

#include "base/json.h"

/* A word that has another name now. Tables end with a NULL `old`. */
struct paleo_json_word {
	const char *under; /* NULL: a key of any object; else a text below this key, or its value */
	const char *old, *now; /* `under` is a word of now */
};

/* A version that is read, and its words that the next one has others for. */
struct paleo_json_earlier {
	const char *name; /* "paleo-results/1" */
	const struct paleo_json_word *words;
};

/* A format, as the key "schema" names it. */
struct paleo_json_schema {
	const char *name;                         /* "paleo-results/3": written, and read */
	const struct paleo_json_earlier *earlier; /* the latest first, a NULL name at the end */
	const char *advice; /* to who has a version before these: "measure again" */
};

/* Reads the key "schema" of `root`: *behind is how many versions ago it was, 0: that of now. EINPUT
 * for any that is not read, with what to do. */
int paleo_json_schema_read(const struct paleo_json *root, const struct paleo_json_schema *s,
			   int *behind, struct paleo_error *err);

/* Puts the words of now into a document that is `behind` by so many versions; messages keep saying
 * the keys of the file. EINPUT where a word of now stands there already: the document is then half
 * changed. */
int paleo_json_schema_renew(struct paleo_json_doc *doc, const struct paleo_json_schema *s,
			    int behind, struct paleo_error *err);

#endif
