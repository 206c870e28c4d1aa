/* json_node.h - what a JSON document is made of, for the json*.c files alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_NODE_H
#define PALEO_BASE_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"

enum {
	PALEO_JSON_DEPTH_MAX = 64,               /* arrays and objects inside each other */
	PALEO_JSON_NUMBER_MAX = 63,              /* characters */
	PALEO_JSON_VALUES_MAX = 4 * 1024 * 1024, /* bounds memory: about 60 bytes a value */
	PALEO_JSON_FEW = 32 /* members that are looked through; more are sorted by key */
};

struct paleo_json_place {
	int line, col; /* from 1; columns count characters, not bytes; 0 if there is none */
};

/* Nodes lie in the order of the text, so that a first child follows its parent. Others are told by
 * how far they are, which stays when the array moves. */
struct paleo_json {
	const char *key;     /* "" outside an object; in the document's text, or a constant */
	const char *written; /* in the file, where the key was renamed; else NULL */
	union {
		double number;      /* also of a boolean: 0 or 1 */
		const char *string; /* as the key */
		const struct paleo_json *
			*by_key; /* of an object of more than a few members, sorted */
		const struct paleo_json_doc *doc; /* of the head */
	} u;
	struct paleo_json_place value, in_key; /* where they stand; the latter 0, 0 without a key */
	uint32_t up, next; /* nodes from its parent to it, from it to the next child; 0: none */
	int size;
	unsigned char type;
};

struct paleo_json_doc {
	char *name;
	char *text;              /* with decoded strings in their places */
	struct paleo_json *head; /* before the root: what leads to the document; owns the nodes */
	struct paleo_json *nodes;
	size_t count;
	const struct paleo_json **by_key; /* room for all u.by_key */
};

/* What is read otherwise than RFC 8259 says; zeros: nothing. */
struct paleo_json_how {
	const char *until; /* a key of the root at which reading ends, as if the text did */
	int python;        /* 1: infinite numbers and those that are none count as null */
};

/*
 * Reads doc->text of so many bytes, behind which PALEO_JSON_SLACK zeros stand, into nodes: the
 * texts of RFC 8259 that are UTF-8 and have no U+0000 in a string and no more depth, values and
 * digits than above. Duplicate keys and numbers too large for a double are left for the caller.
 * EINPUT, ENOMEM; what was made stays the document's.
 */
int paleo_json_scan(struct paleo_json_doc *doc, int first_line, size_t size,
		    const struct paleo_json_how *how, struct paleo_error *err);

enum {
	PALEO_JSON_SLACK = 8
};

/* The number of RFC 8259 that begins here and has so many characters, correctly rounded; infinite
 * if it is too large. */
double paleo_json_number(const char *text, size_t size);

/* Decodes the escapes of a string, text..end, which are right, in place. Returns the new end. */
char *paleo_json_unescape(char *text, const char *end);

/* As paleo_json_complain, but about the key of `v`: its place, and the path of its object. */
int paleo_json_complain_key(const struct paleo_json *v, struct paleo_error *err, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));

/* 1 if two words are the same. Most differ in their first character, which wants no call. */
static inline int paleo_json_same(const char *a, const char *b)
{
	return *a == *b && strcmp(a, b) == 0;
}

/* The object or array that `v` is in; NULL for the root. */
static inline const struct paleo_json *paleo_json_parent(const struct paleo_json *v)
{
	return v->up ? v - v->up : NULL;
}

/* Puts an object's u.by_key in order, after its keys have changed; others stay as they are. ENOMEM.
 */
int paleo_json_sort(struct paleo_json *v, struct paleo_error *err);

/* The same JSON laid out for a reader, with a line end; `text` is well-formed and has no white
 * space between its tokens. Owned by the caller: free(). NULL if memory ran out. */
char *paleo_json_indent(const char *text);

#endif
