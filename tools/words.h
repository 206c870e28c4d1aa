/* words.h - numbers and names as people read them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_WORDS_H
#define PALEO_TOOLS_WORDS_H

#include <stddef.h>
#include <stdio.h>

/* 138357544 as "138,357,544"; 32 bytes hold every count. */
void words_group_digits(double number, char *buf, size_t size);

/* Prints a name from a file, which may hold anything: control characters become '?', and what is
 * beyond `most` bytes "..." (0: nothing is cut). */
void words_print_name(const char *name, size_t most, FILE *out);

#endif
