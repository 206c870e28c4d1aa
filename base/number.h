/* number.h - numbers as text: what printf() writes, without its detours. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_NUMBER_H
#define PALEO_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum {
	PALEO_WHOLE_MAX = 20, /* digits of a 64-bit number */
	PALEO_FIXED_MAX = 15  /* decimals */
};

/* Writes the digits of a number, and no NUL; returns how many: at most PALEO_WHOLE_MAX. */
int paleo_number_whole(uint64_t value, char *buf);

/* As snprintf() with "%.*f", correctly rounded, ties to even; `decimals` is 0 to PALEO_FIXED_MAX,
 * and the point is always '.'. Returns the length. */
int paleo_number_fixed(double value, int decimals, char *buf, size_t size);

#endif
