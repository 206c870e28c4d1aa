/* utf8.c - where the characters of a text end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

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

int paleo_utf8_count(const char *text)
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
