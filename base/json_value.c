/* json_value.c - access to a JSON document: children, keys, checked values, its schema. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_node.h"
#include "base/text.h"

enum {
	KEY_LIST_MAX = 400 /* bytes of "expected one of ..." */
};

enum paleo_json_type paleo_json_type(const struct paleo_json *v)
{
	return (enum paleo_json_type)v->type;
}

/* 1 if two words are equal. Most differ in their first character, which is compared without a
 * call. */
static int same(const char *a, const char *b)
{
	return *a == *b && strcmp(a, b) == 0;
}

/* "a number", "an object" ...: for "expected ..., found ...". */
static const char *type_words(enum paleo_json_type type)
{
	switch (type) {
	case PALEO_JSON_NULL:
		return "null";
	case PALEO_JSON_BOOL:
		return "a boolean";
	case PALEO_JSON_NUMBER:
		return "a number";
	case PALEO_JSON_STRING:
		return "a string";
	case PALEO_JSON_ARRAY:
		return "an array";
	case PALEO_JSON_OBJECT:
		return "an object";
	}
	return "a value";
}

const char *paleo_json_key(const struct paleo_json *v)
{
	return v->key;
}

int paleo_json_line(const struct paleo_json *v)
{
	return v->in_key.line ? v->in_key.line : v->value.line;
}

int paleo_json_size(const struct paleo_json *v)
{
	return v->size;
}

const struct paleo_json *paleo_json_first(const struct paleo_json *v)
{
	return v->size > 0 ? v + 1 : NULL;
}

const struct paleo_json *paleo_json_next(const struct paleo_json *v)
{
	return v->next ? v + v->next : NULL;
}

static int compare_key(const void *key, const void *member)
{
	const struct paleo_json *const *m = member;

	return strcmp(key, (*m)->key);
}

const struct paleo_json *paleo_json_get(const struct paleo_json *object, const char *key)
{
	if (object->type != PALEO_JSON_OBJECT)
		return NULL;
	if (object->size <= PALEO_JSON_FEW) {
		const struct paleo_json *m = paleo_json_first(object);
		while (m && !same(m->key, key))
			m = paleo_json_next(m);
		return m;
	}
	const struct paleo_json **found = bsearch(key, object->u.by_key, (size_t)object->size,
						  sizeof(const struct paleo_json *), compare_key);
	return found ? *found : NULL;
}

static int want(const struct paleo_json *v, enum paleo_json_type type, struct paleo_error *err)
{
	if (v->type == type)
		return PALEO_OK;
	return paleo_json_fail(v, err, "expected %s, found %s", type_words(type),
			       type_words(v->type));
}

int paleo_json_need(const struct paleo_json *object, const char *key, const struct paleo_json **out,
		    struct paleo_error *err)
{
	PALEO_TRY(want(object, PALEO_JSON_OBJECT, err));
	const struct paleo_json *found = paleo_json_get(object, key);
	if (!found)
		return paleo_json_fail(object, err, "the key '%s' is missing", key);
	*out = found;
	return PALEO_OK;
}

static int refuse_key(const struct paleo_json *member, const char *const *keys,
		      struct paleo_error *err)
{
	const char *near = paleo_nearest(member->key, keys);
	char list[KEY_LIST_MAX] = "none";
	size_t at = 0;

	if (near)
		return paleo_json_complain_key(member, err, "unknown key '%s' (did you mean '%s'?)",
					       member->key, near);
	for (; *keys && at < sizeof(list); keys++) {
		int n = snprintf(list + at, sizeof(list) - at, "%s'%s'", at ? ", " : "", *keys);
		at += n > 0 ? (size_t)n : 0;
	}
	if (at >= sizeof(list))
		memcpy(list + sizeof(list) - sizeof("..."), "...", sizeof("..."));
	return paleo_json_complain_key(member, err, "unknown key '%s' (expected one of: %s)",
				       member->key, list);
}

int paleo_json_only(const struct paleo_json *object, const char *const *keys,
		    struct paleo_error *err)
{
	PALEO_TRY(want(object, PALEO_JSON_OBJECT, err));
	/* Files mostly have the keys in the order in which a program knows them. */
	const char *const *next = keys;
	for (const struct paleo_json *m = paleo_json_first(object); m; m = paleo_json_next(m)) {
		const char *const *k = next;
		if (!*k || !same(*k, m->key))
			for (k = keys; *k && !same(*k, m->key);)
				k++;
		if (!*k)
			return refuse_key(m, keys, err);
		next = k + 1;
	}
	return PALEO_OK;
}

/* "from 1 to 8", "of at least 0" ...; empty when everything is allowed. */
static void range_words(double low, double high, char *buf, size_t size)
{
	char a[32];
	char b[32];

	paleo_json_number_text(low, a, sizeof(a));
	paleo_json_number_text(high, b, sizeof(b));
	buf[0] = '\0';
	if (isfinite(low) && isfinite(high))
		snprintf(buf, size, " from %s to %s", a, b);
	else if (isfinite(low))
		snprintf(buf, size, " of at least %s", a);
	else if (isfinite(high))
		snprintf(buf, size, " of at most %s", b);
}

static int refuse_number(const struct paleo_json *v, const char *what, double low, double high,
			 struct paleo_error *err)
{
	char range[80];
	char found[32];

	range_words(low, high, range, sizeof(range));
	paleo_json_number_text(v->u.number, found, sizeof(found));
	return paleo_json_complain(v, err, "expected %s%s, found %s", what, range, found);
}

int paleo_json_to_int(const struct paleo_json *v, int low, int high, int *out,
		      struct paleo_error *err)
{
	if (v->type != PALEO_JSON_NUMBER)
		return paleo_json_fail(v, err, "expected an integer, found %s",
				       type_words(v->type));
	if (!(v->u.number >= low && v->u.number <= high) || v->u.number != floor(v->u.number))
		return refuse_number(v, "an integer", low > INT_MIN ? low : -HUGE_VAL,
				     high < INT_MAX ? high : HUGE_VAL, err);
	*out = (int)v->u.number;
	return PALEO_OK;
}

int paleo_json_to_double(const struct paleo_json *v, double low, double high, double *out,
			 struct paleo_error *err)
{
	PALEO_TRY(want(v, PALEO_JSON_NUMBER, err));
	if (!(v->u.number >= low && v->u.number <= high))
		return refuse_number(v, "a number", low, high, err);
	*out = v->u.number;
	return PALEO_OK;
}

int paleo_json_to_bool(const struct paleo_json *v, int *out, struct paleo_error *err)
{
	PALEO_TRY(want(v, PALEO_JSON_BOOL, err));
	*out = v->u.number != 0;
	return PALEO_OK;
}

int paleo_json_to_string(const struct paleo_json *v, const char **out, struct paleo_error *err)
{
	PALEO_TRY(want(v, PALEO_JSON_STRING, err));
	*out = v->u.string;
	return PALEO_OK;
}

/* Numbers of JSON, correctly rounded, and strings without their escapes. */

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

/* The same with a 64-bit significand, of which 11 bits are then cut off. Returns 0 unless the
 * rounding is certain: one operation errs by half of the last bit. */
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

/* Converts with the C library, which expects the locale's decimal point. */
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

/* Distinguishes versions of a format. */

/* The number behind the last '/', if all before it is as in `name`; -1: another format. */
static long version_of(const char *schema, const char *name)
{
	size_t stem = (size_t)(strrchr(name, '/') + 1 - name);
	char *end = NULL;

	if (strncmp(schema, name, stem) != 0)
		return -1;
	long version = strtol(schema + stem, &end, 10);
	return end > schema + stem && !*end ? version : -1;
}

static int refuse(const struct paleo_json *v, const struct paleo_json_schema *s, const char *found,
		  struct paleo_error *err)
{
	long version = version_of(found, s->name);
	int earlier = version >= 0 || (s->former && !strncmp(found, s->former, strlen(s->former)));
	const char *advice = earlier ? s->advice : "this is another kind of file";

	if (version > version_of(s->name, s->name))
		advice = "written by a newer version; update paleo";
	return paleo_json_fail(v, err, "expected the schema '%s', found '%s': %s", s->name, found,
			       advice);
}

int paleo_json_schema_check(const struct paleo_json *root, const struct paleo_json_schema *s,
			    struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *found = NULL;

	PALEO_TRY(paleo_json_need(root, "schema", &v, err));
	PALEO_TRY(paleo_json_to_string(v, &found, err));
	return strcmp(found, s->name) == 0 ? PALEO_OK : refuse(v, s, found, err);
}
