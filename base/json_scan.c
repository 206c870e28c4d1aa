/* json_scan.c - parses JSON text strictly into nodes with their positions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_node.h"
#include "base/text.h"

struct scan {
	struct paleo_json_doc *doc;
	char *at, *end;
	int line;
	const char *line_start; /* where the line would begin were each character one byte */
	int depth;
	int python;  /* 1: infinite numbers and those that are none count as null */
	size_t room; /* for nodes */
	struct paleo_error *err;
};

/* The character at hand, or -1 at the end. */
static int peek(const struct scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

static struct paleo_json_place place(const struct scan *s)
{
	return (struct paleo_json_place){s->line, (int)(s->at - s->line_start) + 1};
}

static void skip_space(struct scan *s)
{
	for (;; s->at++) {
		if (*s->at == '\n') {
			s->line++;
			s->line_start = s->at + 1;
		} else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r') {
			return;
		}
	}
}

__attribute__((format(printf, 3, 4))) static int
fail_at(const struct scan *s, struct paleo_json_place at, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return paleo_fail(s->err, PALEO_EINPUT, "%s:%d:%d: %s", s->doc->name, at.line, at.col,
			  text);
}

/* "expected ..., found ...", where `expected` lists what is valid here. */
static int unexpected(const struct scan *s, const char *expected)
{
	int c = peek(s);
	int length = paleo_utf8_length(s->at, (size_t)(s->end - s->at));

	if (c < 0)
		return fail_at(s, place(s), "expected %s, found the end of the text", expected);
	if (length == 0 || c < 0x20 || c == 0x7f)
		return fail_at(s, place(s), "expected %s, found the byte 0x%02x", expected,
			       (unsigned)c);
	return fail_at(s, place(s), "expected %s, found '%.*s'", expected, length, s->at);
}

/* Makes room for one more node. */
static int grow(struct scan *s)
{
	struct paleo_json_doc *doc = s->doc;

	if (doc->count == PALEO_JSON_VALUES_MAX)
		return fail_at(s, place(s), "more than %d values, expected fewer",
			       PALEO_JSON_VALUES_MAX);
	size_t room = s->room ? 2 * s->room : 16 + (size_t)(s->end - s->at) / 16;
	room = room < PALEO_JSON_VALUES_MAX ? room : PALEO_JSON_VALUES_MAX;
	struct paleo_json *head = realloc(doc->head, (room + 1) * sizeof(*head));
	if (!head)
		return paleo_fail(s->err, PALEO_ENOMEM, "%s: out of memory", doc->name);
	doc->head = head;
	doc->nodes = head + 1;
	s->room = room;
	return PALEO_OK;
}

/* Context of a value, inherited from its parent. */
struct within {
	size_t parent, before; /* nodes; the former is the value's own where it is the root */
	const char *key;
	struct paleo_json_place in_key;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Value of the four hex digits at `at`, or -1. */
static int hex4(const struct scan *s, const char *at)
{
	int value = 0;

	if (s->end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(at[i]);
		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/* At the 'u' of \uXXXX, or of a surrogate pair of two such. */
static int scan_unicode_escape(struct scan *s)
{
	int code = hex4(s, s->at + 1);

	if (code < 0)
		return fail_at(s, place(s), "expected four hex digits after '\\u'");
	if (code == 0)
		return fail_at(s, place(s), "'\\u0000' is not allowed in a string");
	int paired = 0;
	if (code >= 0xd800 && code <= 0xdbff && s->end - s->at >= 11 && s->at[5] == '\\' &&
	    s->at[6] == 'u') {
		int low = hex4(s, s->at + 7);
		paired = low >= 0xdc00 && low <= 0xdfff;
	}
	if (code >= 0xd800 && code <= 0xdfff && !paired)
		return fail_at(s, place(s), "'\\u%04x' is half of a surrogate pair",
			       (unsigned)code);
	s->at += paired ? 11 : 5;
	return PALEO_OK;
}

/* Behind a backslash. */
static int scan_escape(struct scan *s)
{
	int c = peek(s);

	if (c == 'u')
		return scan_unicode_escape(s);
	if (c <= 0 || !strchr("\"\\/bfnrt", c))
		return unexpected(s, "one of \"\\/bfnrtu after a backslash in a string");
	s->at++;
	return PALEO_OK;
}

/* Skips plain characters, eight at a time: none of them a quote, a backslash, a control character
 * or a part of a longer one. */
static char *skip_plain(char *at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t eight;

	for (;; at += sizeof(eight)) {
		memcpy(&eight, at, sizeof(eight)); /* the text is followed by zeros */
		uint64_t quote = eight ^ ones * '"', slash = eight ^ ones * '\\';
		uint64_t found = (quote - ones) | (slash - ones) | (eight - ones * ' ') | eight;
		if (found & high)
			break;
	}
	while (*at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* A character that is not plain. 0 at the closing quote. */
static int scan_character(struct scan *s, struct paleo_json_place opened, int *rc)
{
	int c = peek(s);
	int length = paleo_utf8_length(s->at, (size_t)(s->end - s->at));

	if (c < 0 || c == '\n' || c == '\r')
		*rc = fail_at(s, opened, "a string has no closing quote in its line");
	else if (length == 0)
		*rc = fail_at(s, place(s), "the byte 0x%02x is not UTF-8", (unsigned)c);
	else if (c < 0x20)
		*rc = fail_at(s, place(s),
			      "the control character 0x%02x in a string, expected it as '\\u%04x'",
			      (unsigned)c, (unsigned)c);
	if (*rc)
		return 0;
	s->at += length;
	s->line_start += length - 1;
	if (c == '\\')
		*rc = scan_escape(s);
	return !*rc && c != '"';
}

/* *out is the string decoded in place, with a NUL for the closing quote. */
static int scan_string(struct scan *s, const char **out)
{
	struct paleo_json_place opened = place(s);
	char *first = ++s->at;
	int rc = PALEO_OK, escapes = 0;

	for (;;) {
		s->at = skip_plain(s->at);
		escapes |= *s->at == '\\';
		if (*s->at == '"')
			s->at++;
		else if (scan_character(s, opened, &rc))
			continue;
		if (rc)
			return rc;
		break;
	}
	char *closing = s->at - 1;
	*(escapes ? paleo_json_unescape(first, closing) : closing) = '\0';
	*out = first;
	return PALEO_OK;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* Returns 1 if at..end as a whole is an RFC 8259 number. */
static int is_number(const char *at, const char *end)
{
	if (at < end && *at == '-')
		at++;
	if (at == end || !is_digit(*at))
		return 0;
	at = *at == '0' ? at + 1 : skip_digits(at, end);
	if (at < end && *at == '.') {
		const char *digits = ++at;
		at = skip_digits(at, end);
		if (at == digits)
			return 0;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		const char *digits = at;
		at = skip_digits(at, end);
		if (at == digits)
			return 0;
	}
	return at == end;
}

static int is_word_char(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '+' || c == '-' || c == '.' || c == '_';
}

static int is_word(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Python's spelling of non-finite numbers. */
static int is_not_finite(const char *word, size_t length)
{
	return is_word(word, length, "Infinity") || is_word(word, length, "-Infinity") ||
	       is_word(word, length, "NaN");
}

/* A number, null, true or false. */
static int scan_word(struct scan *s, struct paleo_json *v)
{
	const char *word = s->at;
	const char *end = word;

	while (is_word_char((unsigned char)*end))
		end++;
	size_t length = (size_t)(end - word);
	int shown = length > 40 ? 40 : (int)length;
	if (length == 0)
		return unexpected(s, "a value");
	if (is_number(word, end)) {
		if (length > PALEO_JSON_NUMBER_MAX)
			return fail_at(s, place(s), "a number of more than %d characters",
				       PALEO_JSON_NUMBER_MAX);
		v->type = PALEO_JSON_NUMBER;
		v->u.number = paleo_json_number(word, length);
	} else if (is_word(word, length, "null") || (s->python && is_not_finite(word, length))) {
		v->type = PALEO_JSON_NULL;
	} else if (is_word(word, length, "true") || is_word(word, length, "false")) {
		v->type = PALEO_JSON_BOOL;
		v->u.number = *word == 't';
	} else {
		return fail_at(s, place(s), "expected a value, found '%.*s'", shown, word);
	}
	s->at += length;
	return PALEO_OK;
}

static int scan_value(struct scan *s, struct within *in);

static int scan_member(struct scan *s, struct within *in)
{
	skip_space(s);
	in->in_key = place(s);
	if (peek(s) != '"')
		return unexpected(s, "a key in double quotes");
	PALEO_TRY(scan_string(s, &in->key));
	skip_space(s);
	if (peek(s) != ':')
		return unexpected(s, "':' after the key");
	s->at++;
	return scan_value(s, in);
}

/* The members or elements of a node up to the closing bracket, at which it stops. */
static int scan_children(struct scan *s, size_t node, char close)
{
	struct within in = {.parent = node, .before = node, .key = ""};

	skip_space(s);
	if (peek(s) == close)
		return PALEO_OK;
	for (;;) {
		int rc = close == '}' ? scan_member(s, &in) : scan_value(s, &in);
		if (rc)
			return rc;
		skip_space(s);
		if (peek(s) != ',')
			return PALEO_OK;
		s->at++;
	}
}

static int scan_container(struct scan *s, size_t node)
{
	struct paleo_json_place opened = place(s);
	char close = peek(s) == '{' ? '}' : ']';
	char expected[80];

	if (s->depth == PALEO_JSON_DEPTH_MAX)
		return fail_at(s, place(s), "more than %d arrays and objects inside each other",
			       PALEO_JSON_DEPTH_MAX);
	s->doc->nodes[node].type = close == '}' ? PALEO_JSON_OBJECT : PALEO_JSON_ARRAY;
	s->depth++;
	s->at++;
	int rc = scan_children(s, node, close);
	if (rc)
		return rc;
	if (peek(s) != close) {
		snprintf(expected, sizeof(expected), "',' or '%c' for the one opened at %d:%d",
			 close, opened.line, opened.col);
		return unexpected(s, expected);
	}
	s->at++;
	s->depth--;
	return PALEO_OK;
}

/* The place of a new node, joined to those around it. */
static size_t add_node(struct scan *s, struct within *in)
{
	struct paleo_json *nodes = s->doc->nodes;
	size_t node = s->doc->count++;

	nodes[node] = (struct paleo_json){.key = in->key,
					  .value = place(s),
					  .in_key = in->in_key,
					  .up = (uint32_t)(node - in->parent)};
	if (in->parent != node)
		nodes[in->parent].size++;
	if (in->before != in->parent)
		nodes[in->before].next = (uint32_t)(node - in->before);
	in->before = node;
	return node;
}

static int scan_value(struct scan *s, struct within *in)
{
	skip_space(s);
	PALEO_TRY(s->doc->count < s->room ? PALEO_OK : grow(s));
	size_t node = add_node(s, in);
	struct paleo_json *v = &s->doc->nodes[node];
	switch (peek(s)) {
	case '{':
	case '[':
		return scan_container(s, node);
	case '"':
		v->type = PALEO_JSON_STRING;
		return scan_string(s, &v->u.string);
	default:
		return scan_word(s, v);
	}
}

static int scan_text(struct scan *s)
{
	struct within root = {.key = ""};

	skip_space(s);
	if (peek(s) < 0)
		return fail_at(s, place(s), "expected a JSON value, found nothing");
	int rc = scan_value(s, &root);
	if (rc)
		return rc;
	skip_space(s);
	return peek(s) < 0 ? PALEO_OK : unexpected(s, "nothing after the value");
}

int paleo_json_scan(struct paleo_json_doc *doc, int first_line, size_t size, int python,
		    struct paleo_error *err)
{
	struct scan s = {
		.doc = doc,
		.at = doc->text,
		.end = doc->text + size,
		.line = first_line,
		.line_start = doc->text,
		.python = python,
		.err = err,
	};

	PALEO_TRY(scan_text(&s));
	doc->head->u.doc = doc;
	return PALEO_OK;
}
