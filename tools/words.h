/* words.h - numbers and names as people read them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_WORDS_H
#define PALEO_TOOLS_WORDS_H

#include <stddef.h>

/* 138357544 as "138,357,544"; 32 bytes hold every count. */
void words_group_digits(double number, char *buf, size_t size);

#endif
