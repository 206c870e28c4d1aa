/* answers.h - what tests ask the page's call, and how they look into its answers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_LIBRARY_ANSWERS_H
#define PALEO_TESTS_LIBRARY_ANSWERS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/unit.h"
#include "web/answer.h"

/* The answer to a request; paleo_json_free(). */
static inline struct paleo_json_doc *ask(struct paleo_web *web, const char *request)
{
	char *answer = paleo_web_answer(web, request);
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err;

	assert_non_null(answer);
	if (paleo_json_parse("answer", 1, answer, strlen(answer), &doc, &err))
		fail_msg("%s", err.text);
	free(answer);
	return doc;
}

static inline const struct paleo_json *get(const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = paleo_json_get(object, key);

	if (!v)
		fail_msg("the answer has no '%s'", key);
	return v;
}

/* A number; null is NaN. */
static inline double number(const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = get(object, key);
	struct paleo_error err;
	double x = NAN;

	if (paleo_json_type(v) == PALEO_JSON_NULL)
		return NAN;
	if (paleo_json_to_double(v, -HUGE_VAL, HUGE_VAL, &x, &err))
		fail_msg("%s: %s", key, err.text);
	return x;
}

static inline const char *text(const struct paleo_json *object, const char *key)
{
	struct paleo_error err;
	const char *s = NULL;

	if (paleo_json_to_string(get(object, key), &s, &err))
		fail_msg("%s: %s", key, err.text);
	return s ? s : "";
}

#endif
