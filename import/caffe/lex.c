/* lex.c - tokenises protobuf text: words, numbers, strings and punctuation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/caffe/lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * The tokens are those of the Protocol Buffers Text Format Language Specification
 * (protobuf.dev), section "Lexical elements".
 */

enum {
	NUMBER_MAX = 63 /* characters */
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The line and column of `to`, which is not before the last queried position. */
static void count_to(struct paleo_caffe_lexer *x, const char *to)
{
	for (; x->counted < to; x->counted++) {
		if (*x->counted == '\n') {
			x->line++;
			x->col = 1;
		} else if (((unsigned char)*x->counted & 0xc0) != 0x80) {
			x->col++;
		}
	}
}

/* EINPUT at the byte `at`. */
static int complain(struct paleo_caffe_lexer *x, const char *at, const char *what,
		    struct paleo_error *err)
{
	count_to(x, at);
	return paleo_fail(err, PALEO_EINPUT, "%s:%d:%d: %s", x->name, x->line, x->col, what);
}

void paleo_caffe_lexer_start(struct paleo_caffe_lexer *x, const char *name, const char *text,
			     size_t size, char *pool)
{
	static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */
	size_t skip = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;

	*x = (struct paleo_caffe_lexer){
		.name = name,
		.at = text + skip,
		.end = text + size,
		.line = 1,
		.counted = text + skip,
		.col = 1,
	};
	x->pool = pool;
}

static void skip_space(struct paleo_caffe_lexer *x)
{
	while (x->at < x->end) {
		if (*x->at == '#') {
			const char *eol = memchr(x->at, '\n', (size_t)(x->end - x->at));
			x->at = eol ? eol : x->end;
		} else if (is_space(*x->at)) {
			x->at++;
		} else {
			return;
		}
	}
}

static void read_word(struct paleo_caffe_lexer *x)
{
	const char *start = x->at;

	while (x->at < x->end && (is_letter(*x->at) || is_digit(*x->at)))
		x->at++;
	size_t size = (size_t)(x->at - start);
	memcpy(x->pool, start, size);
	x->pool[size] = '\0';
	x->token.type = PALEO_CAFFE_TOKEN_WORD;
	x->token.text = x->pool;
	x->pool += size + 1;
}

/* Skips a possible number; it is validated afterwards. */
static void skip_number(struct paleo_caffe_lexer *x)
{
	int hex = x->end - x->at > 1 && x->at[0] == '0' && (x->at[1] | 0x20) == 'x';

	for (; x->at < x->end; x->at++) {
		int sign = (*x->at == '-' || *x->at == '+') && !hex && (x->at[-1] | 0x20) == 'e';
		if (!is_letter(*x->at) && !is_digit(*x->at) && *x->at != '.' && !sign)
			return;
	}
}

/* `text` is letters, digits, points and signs, and begins like a number. */
static int parse_number(const char *text, double *value, int *integer)
{
	static const char dec[] = "0123456789", oct[] = "01234567",
			  hex[] = "0123456789abcdefABCDEF";
	size_t size = strlen(text);
	char *rest;

	*integer = 1;
	if (text[0] == '0' && (text[1] | 0x20) == 'x') {
		*value = strtod(text, &rest);
		return text[2] != '\0' && strspn(text + 2, hex) == size - 2;
	}
	if (strspn(text, dec) == size && (text[0] != '0' || size == 1)) {
		*value = strtod(text, &rest);
		return 1;
	}
	if (text[0] == '0' && is_digit(text[1])) {
		*value = (double)strtoull(text, &rest, 8);
		return strspn(text, oct) == size && size <= 22;
	}
	/* strtod also reads hexadecimal fractions, but an 'x' was looked at above. */
	*integer = 0;
	*value = strtod(text, &rest);
	if (rest != text && (*rest | 0x20) == 'f')
		rest++;
	return rest != text && *rest == '\0';
}

static int read_number(struct paleo_caffe_lexer *x, struct paleo_error *err)
{
	const char *start = x->at;
	char text[NUMBER_MAX + 1];

	skip_number(x);
	size_t size = (size_t)(x->at - start);
	if (size > NUMBER_MAX)
		return complain(x, start, "a number has more than 63 characters", err);
	memcpy(text, start, size);
	text[size] = '\0';
	if (!parse_number(text, &x->token.number, &x->token.integer)) {
		char what[NUMBER_MAX + 32];
		snprintf(what, sizeof(what), "'%s' is not a number", text);
		return complain(x, start, what, err);
	}
	x->token.type = PALEO_CAFFE_TOKEN_NUMBER;
	return PALEO_OK;
}

/* The value of a digit of any base up to 16, or 16. */
static unsigned digit_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

	return found ? (unsigned)(found - digits) : 16;
}

/* Reads up to `most` digits; the result is how many there were. */
static int read_digits(const char **at, const char *end, unsigned base, int most, unsigned *value)
{
	int count = 0;

	*value = 0;
	while (count < most && *at < end && digit_value(**at) < base) {
		*value = *value * base + digit_value(**at);
		(*at)++;
		count++;
	}
	return count;
}

/* Writes the character `code`; at most as many bytes as its escape has. */
static char *put_code(char *out, unsigned code)
{
	if (code < 0x80) {
		*out++ = (char)code;
		return out;
	}
	if (code >= 0x10000) {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
	} else if (code >= 0x800) {
		*out++ = (char)(0xe0 | code >> 12);
	}
	*out++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
	*out++ = (char)(0x80 | (code & 0x3f));
	return out;
}

/* *at is behind the backslash and the letter of \u or \U. */
static const char *decode_code(const char **at, const char *end, int digits, char **out)
{
	unsigned code;

	if (read_digits(at, end, 16, digits, &code) != digits)
		return digits == 4 ? "expected 4 hexadecimal digits after \\u"
				   : "expected 8 hexadecimal digits after \\U";
	if (code == 0)
		return "a string may not hold a zero byte";
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return "an escape is not a Unicode character";
	*out = put_code(*out, code);
	return NULL;
}

/* *at is behind the backslash. */
static const char *decode_escape(const char **at, const char *end, char **out)
{
	static const char letters[] = "abfnrtv?\\'\"";
	static const char values[] = "\a\b\f\n\r\t\v?\\'\"";
	unsigned value;

	if (*at == end)
		return "a string is not closed";
	const char *known = **at ? strchr(letters, **at) : NULL;
	if (known) {
		(*at)++;
		*(*out)++ = values[known - letters];
		return NULL;
	}
	if (**at == 'u' || **at == 'U') {
		int digits = **at == 'u' ? 4 : 8;
		(*at)++;
		return decode_code(at, end, digits, out);
	}
	int hex = (**at | 0x20) == 'x';
	*at += hex;
	if (!read_digits(at, end, hex ? 16 : 8, hex ? 2 : 3, &value))
		return hex ? "expected hexadecimal digits after \\x" : "unknown escape in a string";
	if (value > 0xff)
		return "an octal escape is larger than a byte";
	if (value == 0)
		return "a string may not hold a zero byte";
	*(*out)++ = (char)value;
	return NULL;
}

static int is_utf8(const char *text, size_t size)
{
	while (size > 0) {
		size_t length = (size_t)paleo_utf8_length(text, size);
		if (!length)
			return 0;
		text += length;
		size -= length;
	}
	return 1;
}

/*
 * **at is the opening quote, `end` is the end of the text. Writes the decoded, NUL-ended UTF-8 text
 * to `out`, which needs as many bytes as the string has with its quotes, and moves *at past the
 * closing quote. Returns NULL, or a constant error text with *at at its position.
 */
static const char *unquote(const char **at, const char *end, char *out)
{
	const char *start = *at;
	char quote = *(*at)++;
	char *to = out;

	while (*at < end && **at != quote) {
		if (**at == '\n')
			return "a string is not closed on its line";
		if (**at == '\0')
			return "a string may not hold a zero byte";
		if (**at != '\\') {
			*to++ = *(*at)++;
			continue;
		}
		(*at)++;
		const char *what = decode_escape(at, end, &to);
		if (what)
			return what;
	}
	if (*at == end)
		return "a string is not closed";
	*to = '\0';
	if (!is_utf8(out, (size_t)(to - out))) {
		*at = start;
		return "a string is not UTF-8";
	}
	(*at)++;
	return NULL;
}

static int read_string(struct paleo_caffe_lexer *x, struct paleo_error *err)
{
	const char *what = unquote(&x->at, x->end, x->pool);

	if (what)
		return complain(x, x->at, what, err);
	x->token.type = PALEO_CAFFE_TOKEN_STRING;
	x->token.text = x->pool;
	x->pool += strlen(x->pool) + 1;
	return PALEO_OK;
}

static int read_mark(struct paleo_caffe_lexer *x, struct paleo_error *err)
{
	unsigned char c = (unsigned char)*x->at;
	char what[64];

	if (c && strchr(":{}<>[],;-", c)) {
		x->token.type = PALEO_CAFFE_TOKEN_MARK;
		x->token.mark = *x->at++;
		return PALEO_OK;
	}
	if (c > 0x20 && c < 0x7f)
		snprintf(what, sizeof(what), "unexpected '%c'", c);
	else
		snprintf(what, sizeof(what), "unexpected byte 0x%02x outside of strings", c);
	return complain(x, x->at, what, err);
}

int paleo_caffe_lexer_next(struct paleo_caffe_lexer *x, struct paleo_error *err)
{
	skip_space(x);
	count_to(x, x->at);
	x->token = (struct paleo_caffe_token){.line = x->line, .col = x->col};
	if (x->at == x->end) {
		x->token.type = PALEO_CAFFE_TOKEN_END;
		return PALEO_OK;
	}
	if (is_letter(*x->at)) {
		read_word(x);
		return PALEO_OK;
	}
	if (is_digit(*x->at) || (*x->at == '.' && x->end - x->at > 1 && is_digit(x->at[1])))
		return read_number(x, err);
	if (*x->at == '"' || *x->at == '\'')
		return read_string(x, err);
	return read_mark(x, err);
}

int paleo_caffe_lexer_expected(const struct paleo_caffe_lexer *x, const char *what,
			       struct paleo_error *err)
{
	const struct paleo_caffe_token *t = &x->token;
	char found[80] = "";

	switch (t->type) {
	case PALEO_CAFFE_TOKEN_END:
		snprintf(found, sizeof(found), "the end of the file");
		break;
	case PALEO_CAFFE_TOKEN_WORD:
		snprintf(found, sizeof(found), "'%.60s'", t->text);
		break;
	case PALEO_CAFFE_TOKEN_NUMBER:
		snprintf(found, sizeof(found), "%g", t->number);
		break;
	case PALEO_CAFFE_TOKEN_STRING:
		snprintf(found, sizeof(found), "a string");
		break;
	case PALEO_CAFFE_TOKEN_MARK:
		snprintf(found, sizeof(found), "'%c'", t->mark);
		break;
	}
	return paleo_fail(err, PALEO_EINPUT, "%s:%d:%d: expected %s, found %s", x->name, t->line,
			  t->col, what, found);
}
