/* unquote.c - decodes a string of protobuf text: quotes, escapes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/unquote.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

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
		return "an escape names no character of Unicode";
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

const char *paleo_caffe_unquote(const char **at, const char *end, char *out)
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
