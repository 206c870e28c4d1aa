/* json_node.h - nodes of a JSON document; internal to the json*.c files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_NODE_H
#define PALEO_BASE_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

enum {
	PALEO_JSON_DEPTH_MAX = 64,               /* arrays and objects inside each other */
	PALEO_JSON_NUMBER_MAX = 63,              /* characters */
	PALEO_JSON_VALUES_MAX = 4 * 1024 * 1024, /* bounds memory: about 50 bytes a value */
	PALEO_JSON_FEW = 32 /* members that are looked through; more are sorted by key */
};

struct paleo_json_place {
	int line, col; /* from 1; columns count characters, not bytes; 0 if there is none */
};

/* Nodes are in the order of the text, so that a first child follows its parent. Links are relative
 * offsets, which stay valid when the array is reallocated. */
struct paleo_json {
	const char *key; /* "" outside an object; in the document's text, or a constant */
	union {
		double number;      /* also of a boolean: 0 or 1 */
		const char *string; /* as the key */
		const struct paleo_json *
			*by_key; /* of an object of more than a few members, sorted */
		const struct paleo_json_doc *doc; /* of the head */
	} u;
	struct paleo_json_place value, in_key; /* their positions; the latter 0, 0 without a key */
	uint32_t up, next; /* nodes from its parent to it, from it to the next child; 0: none */
	int size;
	unsigned char type;
};

struct paleo_json_doc {
	char *name;
	char *text;              /* with decoded strings in their places */
	struct paleo_json *head; /* before the root: links to the document; owns the nodes */
	struct paleo_json *nodes;
	size_t count;
	const struct paleo_json **by_key; /* room for all u.by_key */
};

/*
 * Reads doc->text of the given size, followed by PALEO_FILE_SLACK zeros, into nodes: the texts of
 * RFC 8259 that are UTF-8 and have no U+0000 in a string and no more depth, values and digits than
 * above. Duplicate keys and numbers too large for a double are left for the caller. EINPUT, ENOMEM;
 * nodes made so far belong to the document. Python's NaN and Infinity count as null if `python`
 * is 1.
 */
int paleo_json_scan(struct paleo_json_doc *doc, int first_line, size_t size, int python,
		    struct paleo_error *err);

/* The number of RFC 8259 that begins here and has so many characters, correctly rounded; infinite
 * if it is too large. */
double paleo_json_number(const char *text, size_t size);

/* Decodes the escapes of a string, text..end, which are right, in place. Returns the new end. */
char *paleo_json_unescape(char *text, const char *end);

/* Like paleo_json_complain, but about the key of `v`: its position, and the path of its object. */
int paleo_json_complain_key(const struct paleo_json *v, struct paleo_error *err, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));

#endif
