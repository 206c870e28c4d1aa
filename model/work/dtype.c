/* dtype.c - the number types: their names, the bytes of an element. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/dtype.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const paleo_dtype_names[PALEO_DTYPES + 1] = {
#define DTYPE(constant, name, ...) [PALEO_##constant] = (name),
#include "model/work/dtypes.def"
#undef DTYPE
};

enum {
	WORDS_MAX = 8
};

static const struct {
	int bytes;
	enum paleo_dtype wide;
	const char *words[WORDS_MAX]; /* of tables, NULL-ended */
} types[PALEO_DTYPES] = {
#define DTYPE(constant, name, bytes, wide, ...)                                                    \
	[PALEO_##constant] = {bytes, PALEO_##wide, {name, __VA_ARGS__}},
#include "model/work/dtypes.def"
#undef DTYPE
};

const char *paleo_dtype_name(enum paleo_dtype dtype)
{
	return paleo_dtype_names[dtype];
}

int paleo_dtype_bytes(enum paleo_dtype dtype)
{
	return types[dtype].bytes;
}

enum paleo_dtype paleo_dtype_wide(enum paleo_dtype dtype)
{
	return types[dtype].wide;
}

int paleo_dtype_is_narrow(enum paleo_dtype dtype)
{
	return types[dtype].wide != dtype;
}

int paleo_dtype_parse(const char *word, enum paleo_dtype *out, struct paleo_error *err)
{
	char list[64];
	size_t used = 0;

	for (int i = 0; i < PALEO_DTYPES; i++) {
		if (!strcmp(word, paleo_dtype_names[i])) {
			*out = (enum paleo_dtype)i;
			return PALEO_OK;
		}
		const char *join = i == 0 ? "" : i == PALEO_DTYPES - 1 ? " or " : ", ";
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", join,
					 paleo_dtype_names[i]);
	}
	return paleo_fail(err, PALEO_EINPUT, "unknown number type '%s', expected %s", word, list);
}

int paleo_dtype_of_table(const char *word, enum paleo_dtype *out)
{
	for (int t = 0; t < PALEO_DTYPES; t++) {
		for (const char *const *w = types[t].words; *w; w++) {
			if (!strcasecmp(word, *w)) {
				*out = (enum paleo_dtype)t;
				return 1;
			}
		}
	}
	return 0;
}
