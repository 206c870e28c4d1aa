/* result.c - a record as a set holds it: each distinct text of the set is in memory once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "model/record/record.h"

#define TEXT(name)                                                                                 \
	{                                                                                          \
		offsetof(struct paleo_record, name), sizeof(((struct paleo_record *)0)->name),     \
			offsetof(struct paleo_result, name)                                        \
	}

/* Fields common to both. */
#define COMMON(r)                                                                                  \
	.op = (r)->op, .status = (r)->status, .rank = (r)->rank, .is_fallback = (r)->is_fallback,  \
	.has_bias = (r)->has_bias, .has_act = (r)->has_act,                                        \
	.workspace_bytes = (r)->workspace_bytes, .verify_error = (r)->verify_error,                \
	.verify_tolerance = (r)->verify_tolerance, .least_s = (r)->least_s, .timing = (r)->timing, \
	.state = (r)->state

/* The texts: an array in a record, a pointer in a result. */
static const struct {
	size_t array, size, pointer;
} texts[] = {TEXT(reason), TEXT(mode),  TEXT(regime), TEXT(algorithm), TEXT(engine),
	     TEXT(knobs),  TEXT(notes), TEXT(tags),   TEXT(behaviour), TEXT(device)};

enum {
	TEXTS = sizeof(texts) / sizeof(*texts)
};

int paleo_result_of(const struct paleo_record *r, struct paleo_texts *to, struct paleo_result *out,
		    struct paleo_error *err)
{
	struct paleo_result result = {COMMON(r)};

	for (int i = 0; i < TEXTS; i++) {
		const char *kept = paleo_texts_keep(to, (const char *)r + texts[i].array);
		if (!kept)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		memcpy((char *)&result + texts[i].pointer, &kept, sizeof(const char *));
	}
	*out = result;
	return PALEO_OK;
}

struct paleo_record paleo_result_record(const struct paleo_result *r)
{
	struct paleo_record record = {COMMON(r)};

	for (int i = 0; i < TEXTS; i++) {
		const char *text;
		memcpy(&text, (const char *)r + texts[i].pointer, sizeof(const char *));
		assert(strlen(text) < texts[i].size);
		memcpy((char *)&record + texts[i].array, text, strlen(text) + 1);
	}
	return record;
}
