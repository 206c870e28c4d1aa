/* words.c - numbers and names as people read them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/words.h"

#include <stdio.h>
void words_group_digits(double number, char *buf, size_t size)
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
