/* text.c - prints text for people: what others wrote stays in its line and steers no terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/collect.h"
#include "base/utf8.h"

/* The code point of a well-formed character. */
static uint32_t code_point(const char *text, int length)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t code = (unsigned char)text[0] & first[length];

	for (int i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

static int is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
		      {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return 1;
	return 0;
}

int paleo_text_show(const char *text, size_t size, char shown[PALEO_TEXT_SHOWN_MAX])
{
	int length = paleo_utf8_length(text, size);

	if (length == 0 || (length == 1 && is_hidden((unsigned char)text[0]))) {
		snprintf(shown, PALEO_TEXT_SHOWN_MAX, "\\x%02x", (unsigned)(unsigned char)text[0]);
		return 1;
	}
	uint32_t code = code_point(text, length);
	if (is_hidden(code)) {
		snprintf(shown, PALEO_TEXT_SHOWN_MAX, "\\u%04x", (unsigned)(code & 0xffff));
	} else {
		memcpy(shown, text, (size_t)length);
		shown[length] = '\0';
	}
	return length;
}

/* The bytes of a text that are printed: at most `most`, and no part of a character. */
static size_t cut(const char *text, size_t most)
{
	size_t size = strnlen(text, most), at = 0;

	if (!text[size] || size < most)
		return size;
	while (at < size) {
		int length = paleo_utf8_length(text + at, strnlen(text + at, 4));
		length = length ? length : 1;
		if (at + (size_t)length > size)
			break;
		at += (size_t)length;
	}
	return at;
}

/* How many characters at the beginning are of ASCII, and print: nearly all are. */
static size_t plain(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

/* Prints so many bytes of a text, and tells the columns they take; `out` NULL: only that. */
static int put(const char *text, size_t size, FILE *out)
{
	char shown[PALEO_TEXT_SHOWN_MAX];
	int width = 0;

	for (size_t at = 0; at < size;) {
		size_t n = plain(text + at, size - at);
		if (n && out)
			fwrite(text + at, 1, n, out);
		width += (int)n;
		at += n;
		if (at == size)
			break;
		at += (size_t)paleo_text_show(text + at, size - at, shown);
		width += paleo_utf8_count(shown);
		if (out)
			fputs(shown, out);
	}
	return width;
}

int paleo_text_width(const char *text)
{
	return put(text, strlen(text), NULL);
}

void paleo_text_put(const char *text, size_t most, FILE *out)
{
	size_t size = cut(text, most ? most : SIZE_MAX);

	put(text, size, out);
	if (text[size])
		fputs("...", out);
}

/* One conversion of a format. */
struct conversion {
	char spec[64]; /* as it stands in the format, with the numbers in place of '*' */
	char type;     /* 's' */
	int longs;     /* how many 'l'; 'z' counts as the long it is */
	int left;      /* of %s: 1: to the left in its width */
	int width;
	int precision; /* -1: none */
};

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): it does not follow a va_list by its address */
/* A number, or what '*' stands for; returns what follows it. */
static const char *read_number(const char *at, va_list *args, int *out)
{
	char *end;

	if (*at == '*') {
		*out = va_arg(*args, int);
		return at + 1;
	}
	*out = (int)strtol(at, &end, 10);
	return end;
}

/* Reads the conversion behind a '%'; returns what follows it. */
static const char *read_conversion(const char *at, va_list *args, struct conversion *c)
{
	size_t flags = strspn(at, "-+ #0");
	char precision[16] = "", width[16] = "";

	*c = (struct conversion){.precision = -1};
	const char *rest = read_number(at + flags, args, &c->width);
	c->left = memchr(at, '-', flags) != NULL || c->width < 0;
	c->width = abs(c->width);
	if (c->width)
		snprintf(width, sizeof(width), "%d", c->width);
	if (*rest == '.') {
		rest = read_number(rest + 1, args, &c->precision);
		if (c->precision >= 0)
			snprintf(precision, sizeof(precision), ".%d", c->precision);
	}
	for (; *rest == 'l' || *rest == 'z'; rest++)
		c->longs++;
	c->type = *rest;
	assert(flags < 5 && c->longs <= 2 && c->type);
	snprintf(c->spec, sizeof(c->spec), "%%%.*s%s%s%s%.*s%c", (int)flags, at,
		 c->left && !memchr(at, '-', flags) ? "-" : "", width, precision, c->longs, "ll",
		 c->type);
	return rest + 1;
}

static void put_text(const struct conversion *c, const char *text, FILE *out)
{
	size_t size = c->precision < 0 ? strlen(text) : cut(text, (size_t)c->precision);
	int blanks = c->width - put(text, size, NULL);

	if (!c->left && blanks > 0)
		fprintf(out, "%*s", blanks, "");
	put(text, size, out);
	if (c->left && blanks > 0)
		fprintf(out, "%*s", blanks, "");
}

/* The specs are those of formats that the compiler has checked. */
/* NOLINTBEGIN(bugprone-branch-clone): the branches take arguments of different types */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_value(const struct conversion *c, va_list *args, FILE *out)
{
	char letter[2] = "";

	switch (c->type) {
	case 's':
		put_text(c, va_arg(*args, const char *), out);
		break;
	case 'c':
		letter[0] = (char)va_arg(*args, int);
		put_text(c, letter, out);
		break;
	case 'f':
	case 'e':
	case 'g':
		fprintf(out, c->spec, va_arg(*args, double));
		break;
	case 'p':
		fprintf(out, c->spec, va_arg(*args, void *));
		break;
	default:
		assert(strchr("diuxX", c->type));
		if (c->longs == 2)
			fprintf(out, c->spec, va_arg(*args, long long));
		else if (c->longs == 1)
			fprintf(out, c->spec, va_arg(*args, long));
		else
			fprintf(out, c->spec, va_arg(*args, int));
		break;
	}
}
#pragma GCC diagnostic pop
/* NOLINTEND(bugprone-branch-clone) */
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

static void print(FILE *out, const char *format, va_list *args)
{
	struct conversion c;

	while (*format) {
		size_t plain = strcspn(format, "%");
		fwrite(format, 1, plain, out);
		format += plain;
		if (format[0] == '%' && format[1] == '%') {
			fputc('%', out);
			format += 2;
		} else if (format[0] == '%') {
			format = read_conversion(format + 1, args, &c);
			put_value(&c, args, out);
		}
	}
}

/* In one piece, so that what other processes write to the same terminal does not come into the
 * middle of a line; in many where memory has run out. */
void paleo_print(FILE *out, const char *format, ...)
{
	struct paleo_collected text = {0};
	FILE *whole = paleo_collect(&text);
	va_list args;

	if (whole) {
		va_start(args, format);
		print(whole, format, &args);
		va_end(args);
	}
	if (whole && paleo_collect_close(whole) == 0) {
		if (text.size)
			fwrite(text.text, 1, text.size, out);
	} else {
		va_start(args, format);
		print(out, format, &args);
		va_end(args);
	}
	free(text.text);
}
