/* text.h - text for people, safe for terminals; characters, numbers, the nearest word. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TEXT_H
#define PALEO_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Names, paths and titles come from files, arguments and libraries. Escaped as \x1b or \u202e are:
 * control characters (C0, DEL, C1), bidirectional controls and line separators (U+061C, U+200E,
 * U+200F, U+2028 to U+202E, U+2066 to U+2069), and bytes that are not UTF-8. All else is shown
 * unchanged.
 */

enum {
	PALEO_TEXT_SHOWN_MAX = 8 /* bytes that show one character, with a NUL */
};

/* Display form of the character at `text`, of which `size` >= 1 bytes can be read; returns its
 * length in bytes. */
int paleo_text_show(const char *text, size_t size, char shown[PALEO_TEXT_SHOWN_MAX]);

/* Width in columns of a NUL-ended text when shown, escapes included. */
int paleo_text_width(const char *text);

/* Prints `text`; after `most` bytes "..." replaces the rest, 0: no limit. */
void paleo_text_put(const char *text, size_t most, FILE *out);

/* Writes 138357544 as "138,357,544"; 32 bytes hold every count. */
void paleo_group_digits(double number, char *buf, size_t size);

/*
 * Like fprintf(), but %s and %c are escaped as above; the width of %s counts columns. Conversions:
 * d i u x X c s f e g p %, with flags, width, precision, l, ll and z. Writes in one call, so that
 * lines of several processes do not interleave.
 */
void paleo_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Finding the end of a character. */

/*
 * Bytes of the character at `text`, 1..4, of which `size` can be read; 0 if there is no well-formed
 * UTF-8 there: a stray or missing continuation, an overlong form, a surrogate, above U+10FFFF
 * (Unicode 15, table 3-7).
 */
int paleo_utf8_length(const char *text, size_t size);

/* Fast number formatting with the results of printf(). */

enum {
	PALEO_WHOLE_MAX = 20, /* digits of a 64-bit number */
	PALEO_FIXED_MAX = 15  /* decimals */
};

/* Writes the digits of a number, and no NUL; returns how many: at most PALEO_WHOLE_MAX. */
int paleo_number_whole(uint64_t value, char *buf);

/* Like snprintf() with "%.*f", correctly rounded, ties to even; `decimals` is 0 to PALEO_FIXED_MAX,
 * and the point is always '.'. Returns the length. */
int paleo_number_fixed(double value, int decimals, char *buf, size_t size);

/* The candidate (NULL-ended list) nearest to `word`, or NULL if none is near: for "did you mean".
 */
const char *paleo_nearest(const char *word, const char *const *candidates);

#endif
