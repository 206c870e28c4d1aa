/* given.h - works and nets written down in a test; the test fails where they are wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_GIVEN_H
#define PALEO_TESTS_GIVEN_H

#include <stdio.h>

#include "model/net/net.h"
#include "tests/unit/unit.h"

/* The work of a key: "gemm fwd f32 m=64 n=64 k=64". */
static inline struct paleo_work given_work(const char *key)
{
	struct paleo_work w;
	struct paleo_error err;

	if (paleo_work_parse(key, &w, &err))
		fail_msg("%s", err.text);
	return w;
}

/* A net of these members of "layers"; free it with paleo_net_free(). */
static inline struct paleo_net *given_net(const char *layers)
{
	struct paleo_net *net = NULL;
	struct paleo_error err;
	char text[16384];
	int size = snprintf(text, sizeof(text), "{\"name\": \"t\", \"layers\": {%s}}", layers);

	assert_in_range(size, 1, sizeof(text) - 1);
	if (paleo_net_parse("t.json", text, (size_t)size, 0, &net, &err))
		fail_msg("%s", err.text);
	return net;
}

#endif
