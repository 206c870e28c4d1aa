/* fake_words.c - reads the words of PALEO_FAKE. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/fake/fake_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int paleo_fake_asked(const char *word, const char *key)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	while (at && *at) {
		size_t size = strcspn(at, ",");
		char text[PALEO_FAKE_KEY_MAX];
		if (!strncmp(at, word, length) && (size == length || at[length] == '=')) {
			size_t from = size == length ? length : length + 1;
			snprintf(text, sizeof(text), "%.*s", (int)(size - from), at + from);
			if (!key || strstr(key, text))
				return 1;
		}
		at += size;
		at += *at == ',';
	}
	return 0;
}

void paleo_fake_value(const char *word, char *text, size_t size)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	text[0] = '\0';
	while (at && *at) {
		size_t end = strcspn(at, ",");
		if (!strncmp(at, word, length) && at[length] == '=')
			snprintf(text, size, "%.*s", (int)(end - length - 1), at + length + 1);
		at += end;
		at += *at == ',';
	}
}

void paleo_fake_delay(const char *word, int times)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	while (at && *at) {
		if (!strncmp(at, word, length) && at[length] == '=') {
			double s = times * strtod(at + length + 1, NULL);
			struct timespec t = {.tv_sec = (time_t)s,
					     .tv_nsec = (long)((s - floor(s)) * 1e9)};
			nanosleep(&t, NULL);
		}
		at += strcspn(at, ",");
		at += *at == ',';
	}
}
