/* text.c - text for people, safe for terminals; characters, numbers, the nearest word. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Finding the end of a character. */

/* One line of Unicode's table 3-7: the second byte decides overlong forms and surrogates. */
struct form {
	unsigned char first_low, first_high, second_low, second_high;
	int length;
};

static const struct form forms[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const struct form *find_form(unsigned char first)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (first >= forms[i].first_low && first <= forms[i].first_high)
			return &forms[i];
	}
	return NULL;
}

int paleo_utf8_length(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;

	if (size == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	const struct form *form = find_form(s[0]);
	if (!form || size < (size_t)form->length)
		return 0;
	if (s[1] < form->second_low || s[1] > form->second_high)
		return 0;
	for (int i = 2; i < form->length; i++) {
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	}
	return form->length;
}

/* Characters (code points) in a NUL-ended text; a byte that is not UTF-8 counts as one. */
static int characters(const char *text)
{
	size_t left = strlen(text);
	int count = 0;

	while (left > 0) {
		int length = paleo_utf8_length(text, left);
		if (length == 0)
			length = 1;
		text += length;
		left -= (size_t)length;
		count++;
	}
	return count;
}

/* Display of text. */

/* The code point of a well-formed character. */
static uint32_t code_point(const char *text, int length)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};

	assert(length >= 1 && length <= 4);
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

/* Length of the leading run of printable ASCII: nearly all text. */
static size_t plain(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

/* Prints so many bytes of a text, and returns their width in columns; `out` NULL: only the
 * width. */
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
		width += characters(shown);
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

void paleo_group_digits(double number, char *buf, size_t size)
{
	char plain[32];
	size_t at = 0;
	int digits = snprintf(plain, sizeof(plain), "%.0f", number);

	for (int i = 0; i < digits && at + 2 < size; i++) {
		if (i && (digits - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = plain[i];
	}
	buf[at] = '\0';
}

/* One conversion of a format. */
struct conversion {
	char spec[64]; /* as in the format, with the numbers in place of '*' */
	char type;     /* 's' */
	int longs;     /* how many 'l'; 'z' counts as the long it is */
	int left;      /* of %s: 1: to the left in its width */
	int width;
	int precision; /* -1: none */
};

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): it does not follow a va_list by its address */
/* A number, or the argument for '*'; returns the text after it. */
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

/* Reads the conversion after a '%'; returns the text after it. */
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

/* Writes in one call, so that lines of several processes do not interleave; in several calls where
 * memory has run out. */
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

/* Fast number formatting with the results of printf(). */

int paleo_number_whole(uint64_t value, char *buf)
{
	char reversed[PALEO_WHOLE_MAX];
	int n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (int i = 0; i < n; i++)
		buf[i] = reversed[n - 1 - i];
	return n;
}

/* The whole number nearest to value * scale, ties to even, where value * scale is below 2^53: its
 * rounding error is known exactly (Dekker 1971), so it is rounded once. */
static uint64_t scale_exactly(double value, double scale)
{
	double product = value * scale, error = fma(value, scale, -product);
	double whole = floor(product), above_half = product - whole - 0.5 + error;
	uint64_t n = (uint64_t)whole;

	return n + (above_half > 0 || (above_half == 0 && n % 2));
}

int paleo_number_fixed(double value, int decimals, char *buf, size_t size)
{
	static const double scales[PALEO_FIXED_MAX + 1] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
							   1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
							   1e12, 1e13, 1e14, 1e15};
	char digits[PALEO_WHOLE_MAX];
	double amount = fabs(value);

	assert(decimals >= 0 && decimals <= PALEO_FIXED_MAX);
	/* above, halves would not be exact; with a sign, a point and zeros no longer than this */
	if (!(amount * scales[decimals] < 0x1p52) || size < PALEO_WHOLE_MAX + 4)
		return snprintf(buf, size, "%.*f", decimals, value);
	int n = paleo_number_whole(scale_exactly(amount, scales[decimals]), digits);
	int zeros = n <= decimals ? decimals + 1 - n : 0; /* at least one digit before the point */
	char number[PALEO_WHOLE_MAX + PALEO_FIXED_MAX];
	memset(number, '0', (size_t)zeros);
	memcpy(number + zeros, digits, (size_t)n);
	int before = zeros + n - decimals, at = 0;
	if (signbit(value))
		buf[at++] = '-';
	memcpy(buf + at, number, (size_t)before);
	at += before;
	if (decimals) {
		buf[at++] = '.';
		memcpy(buf + at, number + before, (size_t)decimals);
		at += decimals;
	}
	buf[at] = '\0';
	return at;
}

/* Finds the word that was probably meant. */

enum {
	WORD_MAX = 63 /* a longer word gets no hint */
};

/* Compares without letter case. */
static int differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, replacements and swaps of two neighbours that turn `a` into `b`
 * (Damerau-Levenshtein in the form that edits no part twice). Both have at most WORD_MAX bytes.
 */
static int distance(const char *a, const char *b)
{
	int rows[3][WORD_MAX + 1]; /* row i: from the first i bytes of a */
	int m = (int)strlen(a);
	int n = (int)strlen(b);

	for (int j = 0; j <= n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= m; i++) {
		const int *before = rows[(i + 1) % 3];
		const int *above = rows[(i - 1) % 3];
		int *row = rows[i % 3];
		row[0] = i;
		for (int j = 1; j <= n; j++) {
			int replaced = above[j - 1] + differ(a[i - 1], b[j - 1]);
			row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) &&
			    !differ(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

const char *paleo_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	int best_distance = WORD_MAX;
	size_t length = strlen(word);

	if (length > WORD_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		size_t other = strlen(*candidates);
		int longer = (int)(other > length ? other : length);
		if (longer > WORD_MAX)
			continue;
		int d = distance(word, *candidates);
		/* A third of the length, rounded up; but something must be left in common. */
		if (d <= (longer + 2) / 3 && d < longer && d < best_distance) {
			best = *candidates;
			best_distance = d;
		}
	}
	return best;
}
