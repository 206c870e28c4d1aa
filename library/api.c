/* api.c - what the functions of include/paleo share; the version. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library/api.h"

#include <stdio.h>
#include <string.h>

#include "paleo/version.h"

const char *paleo_version(void)
{
	return PALEO_VERSION;
}

int paleo_api_word(const char *what, const char *word, const char *const *list, int *out,
		   struct paleo_error *err)
{
	char words[256] = "";

	for (int i = 0; list[i]; i++) {
		size_t at = strlen(words);
		if (!word || !strcmp(word, list[i])) {
			*out = word ? i : 0;
			return PALEO_OK;
		}
		snprintf(words + at, sizeof(words) - at, "%s%s", i ? ", " : "", list[i]);
	}
	return paleo_fail(err, PALEO_EINPUT, "the %s is '%s', expected one of %s", what, word,
			  words);
}

locale_t paleo_api_enter(void)
{
	locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return own ? uselocale(own) : (locale_t)0;
}

void paleo_api_leave(const locale_t *callers)
{
	if (*callers)
		freelocale(uselocale(*callers));
}

int paleo_api_null(const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the %s is NULL", what);
}
