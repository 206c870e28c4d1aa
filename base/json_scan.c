/* json_scan.c - checks JSON text strictly and notes where each value stands. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_scan.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct scan {
	const char *name;
	const char *at, *end;
	struct paleo_json_place place; /* of `at` */
	int depth;
	struct paleo_json_mark *marks;
	size_t count, room;
	struct paleo_error *err;
};

/* The character at hand, or -1 at the end. */
static int peek(const struct scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

/* Goes on by one character of `bytes` bytes that is not a line end. */
static void step(struct scan *s, int bytes)
{
	s->at += bytes;
	s->place.col++;
}

static void skip_space(struct scan *s)
{
	for (;; s->at++) {
		int c = peek(s);
		if (c == '\n') {
			s->place.line++;
			s->place.col = 1;
		} else if (c == ' ' || c == '\t' || c == '\r') {
			s->place.col++;
		} else {
			return;
		}
	}
}

__attribute__((format(printf, 3, 4))) static int
fail_at(const struct scan *s, struct paleo_json_place place, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return paleo_fail(s->err, PALEO_EINPUT, "%s:%d:%d: %s", s->name, place.line, place.col,
			  text);
}

/* "expected ..., found ...", in which `expected` says what could stand at this place. */
static int unexpected(const struct scan *s, const char *expected)
{
	int c = peek(s);
	int length = paleo_utf8_length(s->at, (size_t)(s->end - s->at));

	if (c < 0)
		return fail_at(s, s->place, "expected %s, found the end of the text", expected);
	if (length == 0 || c < 0x20 || c == 0x7f)
		return fail_at(s, s->place, "expected %s, found the byte 0x%02x", expected,
			       (unsigned)c);
	return fail_at(s, s->place, "expected %s, found '%.*s'", expected, length, s->at);
}

static int add_mark(struct scan *s, struct paleo_json_place key)
{
	if (s->count == PALEO_JSON_VALUES_MAX)
		return fail_at(s, s->place, "more than %d values, expected fewer",
			       PALEO_JSON_VALUES_MAX);
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct paleo_json_mark *marks = realloc(s->marks, room * sizeof(*marks));
		if (!marks)
			return paleo_fail(s->err, PALEO_ENOMEM, "%s: out of memory", s->name);
		s->marks = marks;
		s->room = room;
	}
	s->marks[s->count++] = (struct paleo_json_mark){.value = s->place, .key = key};
	return PALEO_OK;
}

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
		return fail_at(s, s->place, "expected four hex digits after '\\u'");
	if (code == 0)
		return fail_at(s, s->place, "'\\u0000' is not allowed in a string");
	int paired = 0;
	if (code >= 0xd800 && code <= 0xdbff && s->end - s->at >= 11 && s->at[5] == '\\' &&
	    s->at[6] == 'u') {
		int low = hex4(s, s->at + 7);
		paired = low >= 0xdc00 && low <= 0xdfff;
	}
	if (code >= 0xd800 && code <= 0xdfff && !paired)
		return fail_at(s, s->place, "'\\u%04x' is half of a surrogate pair",
			       (unsigned)code);
	int length = paired ? 11 : 5;
	s->at += length;
	s->place.col += length;
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
	step(s, 1);
	return PALEO_OK;
}

static int scan_string(struct scan *s)
{
	struct paleo_json_place opened = s->place;

	step(s, 1);
	for (;;) {
		int c = peek(s);
		int rc = PALEO_OK;
		int length = paleo_utf8_length(s->at, (size_t)(s->end - s->at));
		if (c < 0 || c == '\n' || c == '\r')
			return fail_at(s, opened, "a string has no closing quote in its line");
		if (length == 0)
			return fail_at(s, s->place, "the byte 0x%02x is not UTF-8", (unsigned)c);
		if (c < 0x20)
			return fail_at(s, s->place,
				       "the control character 0x%02x in a string, "
				       "expected it as '\\u%04x'",
				       (unsigned)c, (unsigned)c);
		step(s, length);
		if (c == '"')
			return PALEO_OK;
		if (c == '\\')
			rc = scan_escape(s);
		if (rc)
			return rc;
	}
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

/* Whether at..end is, as a whole, a number of RFC 8259. */
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

static int is_literal(const char *word, size_t length)
{
	static const char *const literals[] = {"null", "true", "false"};

	for (size_t i = 0; i < 3; i++) {
		if (strlen(literals[i]) == length && memcmp(literals[i], word, length) == 0)
			return 1;
	}
	return 0;
}

/* A number, null, true or false. */
static int scan_word(struct scan *s)
{
	const char *word = s->at;
	const char *end = word;

	while (end < s->end && is_word_char((unsigned char)*end))
		end++;
	size_t length = (size_t)(end - word);
	int shown = length > 40 ? 40 : (int)length;
	if (length == 0)
		return unexpected(s, "a value");
	if (is_number(word, end)) {
		if (length > PALEO_JSON_NUMBER_MAX)
			return fail_at(s, s->place, "a number of more than %d characters",
				       PALEO_JSON_NUMBER_MAX);
	} else if (!is_literal(word, length)) {
		return fail_at(s, s->place, "expected a value, found '%.*s'", shown, word);
	}
	s->at = end;
	s->place.col += (int)length;
	return PALEO_OK;
}

static int scan_value(struct scan *s, struct paleo_json_place key);

static int scan_member(struct scan *s)
{
	skip_space(s);
	struct paleo_json_place key = s->place;
	if (peek(s) != '"')
		return unexpected(s, "a key in double quotes");
	int rc = scan_string(s);
	if (rc)
		return rc;
	skip_space(s);
	if (peek(s) != ':')
		return unexpected(s, "':' after the key");
	step(s, 1);
	return scan_value(s, key);
}

/* The members or elements up to the closing bracket, at which it stops. */
static int scan_children(struct scan *s, char close)
{
	skip_space(s);
	if (peek(s) == close)
		return PALEO_OK;
	for (;;) {
		int rc = close == '}' ? scan_member(s)
				      : scan_value(s, (struct paleo_json_place){0, 0});
		if (rc)
			return rc;
		skip_space(s);
		if (peek(s) != ',')
			return PALEO_OK;
		step(s, 1);
	}
}

static int scan_container(struct scan *s)
{
	struct paleo_json_place opened = s->place;
	char close = peek(s) == '{' ? '}' : ']';
	char expected[80];

	if (s->depth == PALEO_JSON_DEPTH_MAX)
		return fail_at(s, s->place, "more than %d arrays and objects inside each other",
			       PALEO_JSON_DEPTH_MAX);
	s->depth++;
	step(s, 1);
	int rc = scan_children(s, close);
	if (rc)
		return rc;
	if (peek(s) != close) {
		snprintf(expected, sizeof(expected), "',' or '%c' for the one opened at %d:%d",
			 close, opened.line, opened.col);
		return unexpected(s, expected);
	}
	step(s, 1);
	s->depth--;
	return PALEO_OK;
}

static int scan_value(struct scan *s, struct paleo_json_place key)
{
	skip_space(s);
	int rc = add_mark(s, key);
	if (rc)
		return rc;
	switch (peek(s)) {
	case '{':
	case '[':
		return scan_container(s);
	case '"':
		return scan_string(s);
	default:
		return scan_word(s);
	}
}

static int scan_text(struct scan *s)
{
	skip_space(s);
	if (peek(s) < 0)
		return fail_at(s, s->place, "expected a JSON value, found nothing");
	int rc = scan_value(s, (struct paleo_json_place){0, 0});
	if (rc)
		return rc;
	skip_space(s);
	return peek(s) < 0 ? PALEO_OK : unexpected(s, "nothing after the value");
}

int paleo_json_scan(const char *name, int first_line, const char *text, size_t size,
		    struct paleo_json_mark **out, size_t *count, struct paleo_error *err)
{
	struct scan s = {
		.name = name,
		.at = text,
		.end = text + size,
		.place = {.line = first_line, .col = 1},
		.err = err,
	};
	int rc = scan_text(&s);

	if (rc) {
		free(s.marks);
		return rc;
	}
	*out = s.marks;
	*count = s.count;
	return PALEO_OK;
}
