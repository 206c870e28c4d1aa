/* text.h - prints text for people: what others wrote stays in its line and steers no terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TEXT_H
#define PALEO_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Names, paths and titles come from files, arguments and libraries. Shown as \x1b or
 * \u202e are: control characters (C0, DEL, C1), what turns the direction of writing or
 * breaks a line (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), and
 * bytes that are not UTF-8. All else is shown as it is.
 */

enum {
	PALEO_TEXT_SHOWN_MAX = 8 /* bytes that show one character, with a NUL */
};

/* How the character at `text`, of which `size` >= 1 bytes can be read, is shown; returns how many
 * bytes it has. */
int paleo_text_show(const char *text, size_t size, char shown[PALEO_TEXT_SHOWN_MAX]);

/* Columns that a NUL-ended text takes when it is shown: its characters, and those of what stands
 * for some. */
int paleo_text_width(const char *text);

/* Prints `text`; "..." in place of what follows its first `most` bytes, 0: all of it. */
void paleo_text_put(const char *text, size_t most, FILE *out);

/*
 * As fprintf(), but what %s and %c stand for is shown as above; the width of %s counts
 * columns. Conversions: d i u x X c s f e g p %, with flags, width, precision, l, ll and z.
 * It is written at once, so that lines of several processes do not mix.
 */
void paleo_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
