/* json_scalar.c - numbers of JSON, correctly rounded, and strings without their escapes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_node.h"

enum {
	DIGITS_MAX = 19 /* that fit into 64 bits */
};

/* A number as its digits and a power of ten. */
struct decimal {
	uint64_t digits;
	int count; /* of digits from the first that is not 0 */
	int exponent;
	int negative;
};

static const char *take_digits(const char *at, struct decimal *d)
{
	for (; *at >= '0' && *at <= '9'; at++) {
		d->count += d->count > 0 || *at != '0';
		if (d->count <= DIGITS_MAX)
			d->digits = d->digits * 10 + (uint64_t)(*at - '0');
	}
	return at;
}

/* 0 if there are too many digits. */
static int take(const char *at, struct decimal *d)
{
	*d = (struct decimal){.negative = *at == '-'};
	at = take_digits(at + d->negative, d);
	if (*at == '.') {
		const char *point = at + 1;
		at = take_digits(point, d);
		d->exponent = (int)(point - at);
	}
	if (*at == 'e' || *at == 'E') {
		int sign = at[1] == '-' ? -1 : 1, exponent = 0;
		at += at[1] == '-' || at[1] == '+' ? 2 : 1;
		for (; *at >= '0' && *at <= '9' && exponent < 10000; at++)
			exponent = exponent * 10 + (*at - '0');
		d->exponent += sign * exponent;
	}
	return d->count <= DIGITS_MAX;
}

/* Both numbers are exact, so that one operation rounds once (Clinger 1990). 0 where they are not.
 */
static int convert_exactly(const struct decimal *d, double *out)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	if (d->digits > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22)
		return 0;
	double x = (double)d->digits;
	*out = d->exponent < 0 ? x / powers[-d->exponent] : x * powers[d->exponent];
	return 1;
}

/* The same with the 64 bits of a longer type, of which 11 are then cut off. 0 unless those tell
 * surely which way to round: one operation errs by half of the last bit. */
static int convert_long(const struct decimal *d, double *out)
{
#if LDBL_MANT_DIG == 64 && DBL_MANT_DIG == 53 && defined(__x86_64__)
	static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
					     1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
					     1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
					     1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
	uint64_t bits;

	if (d->digits == 0 || d->exponent < -27 || d->exponent > 27)
		return 0;
	long double x = (long double)d->digits;
	x = d->exponent < 0 ? x / powers[-d->exponent] : x * powers[d->exponent];
	memcpy(&bits, &x, sizeof(bits)); /* the significand */
	unsigned cut = bits & 0x7ff;
	*out = (double)x;
	return cut < 0x3ff || cut > 0x401;
#else
	(void)d;
	(void)out;
	return 0;
#endif
}

/* By the C library, which wants the point of the user's language. */
static double convert_slowly(const char *text, size_t size)
{
	char buf[PALEO_JSON_NUMBER_MAX + 1];

	memcpy(buf, text, size);
	buf[size] = '\0';
	char *point = strchr(buf, '.');
	if (point)
		*point = *localeconv()->decimal_point;
	return strtod(buf, NULL);
}

double paleo_json_number(const char *text, size_t size)
{
	struct decimal d;
	double x;

	if (!take(text, &d) || !(convert_exactly(&d, &x) || convert_long(&d, &x)))
		return convert_slowly(text, size);
	return d.negative ? -x : x;
}

static unsigned hex4(const char *at)
{
	char digits[5];

	memcpy(digits, at, 4);
	digits[4] = '\0';
	return (unsigned)strtoul(digits, NULL, 16);
}

static char *put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* At the 'u'; *from is behind it afterwards. */
static char *put_unicode(char *to, const char **from)
{
	unsigned code = hex4(*from + 1);

	*from += 5;
	if (code >= 0xd800 && code <= 0xdfff) { /* with its other half */
		code = 0x10000 + ((code & 0x3ff) << 10) + (hex4(*from + 2) & 0x3ff);
		*from += 6;
	}
	return put_utf8(to, code);
}

char *paleo_json_unescape(char *text, const char *end)
{
	static const char escapes[] = "bfnrt", characters[] = "\b\f\n\r\t";
	const char *from = text;
	char *to = text;

	while (from < end) {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		from++;
		const char *escape = strchr(escapes, *from);
		if (*from == 'u') {
			to = put_unicode(to, &from);
		} else {
			*to++ = (char)(escape ? characters[escape - escapes] : *from);
			from++;
		}
	}
	return to;
}
