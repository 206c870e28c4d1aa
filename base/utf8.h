/* utf8.h - where the characters of a text end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_UTF8_H
#define PALEO_BASE_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at `text`, 1..4, of which `size` can be read; 0 if there is no well-formed
 * UTF-8 there: a stray or missing continuation, an overlong form, a surrogate, above U+10FFFF
 * (Unicode 15, table 3-7).
 */
int paleo_utf8_length(const char *text, size_t size);

/* Characters (code points) in a NUL-ended text; a byte that is not UTF-8 counts as one. */
int paleo_utf8_count(const char *text);

#endif
