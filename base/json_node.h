/* json_node.h - what a JSON document is made of, for the json*.c files alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_NODE_H
#define PALEO_BASE_JSON_NODE_H

#include <stddef.h>

#include "base/json.h"
#include "base/json_scan.h"

struct paleo_json {
	const struct paleo_json_doc *doc;
	const struct paleo_json *parent; /* NULL for the root */
	const struct paleo_json *next;
	const char *key;     /* "" outside an object; belongs to doc->tree, or is a constant */
	const char *written; /* in the file, where the key was renamed; else NULL */
	union {
		double number;                    /* also of a boolean: 0 or 1 */
		const char *string;               /* as the key */
		const struct paleo_json **by_key; /* an object's members, sorted by key */
	} u;
	struct paleo_json_mark mark;
	enum paleo_json_type type;
	int size;
};

struct cJSON;

struct paleo_json_doc {
	char *name;
	struct cJSON *tree;
	struct paleo_json *nodes; /* in the order of the text: a first child follows its parent */
	size_t count;
	const struct paleo_json **by_key; /* room for all u.by_key */
};

/* As paleo_json_complain, but about the key of `v`: its place, and the path of its object. */
int paleo_json_complain_key(const struct paleo_json *v, struct paleo_error *err, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));

/* Puts an object's u.by_key in order, after its keys have changed; others stay as they are. */
void paleo_json_sort(struct paleo_json *v);

/* The same JSON laid out for a reader, with a line end; `text` is well-formed and has no white
 * space between its tokens. Owned by the caller: free(). NULL if memory ran out. */
char *paleo_json_indent(const char *text);

#endif
