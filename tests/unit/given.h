/* given.h - ops and nets written down in a test; the test fails where they are wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_GIVEN_H
#define PALEO_TESTS_GIVEN_H

#include <stdio.h>

#include "model/net/net.h"
#include "tests/unit/unit.h"

/* The op of a key: "gemm fwd f32 m=64 n=64 k=64". */
static inline struct paleo_op given_op(const char *key)
{
	struct paleo_op w;
	struct paleo_error err;

	if (paleo_op_parse(key, &w, &err))
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

/* The ops of a net as lines "layer, what, pass: key"; `passes` 0: without the pass. */
static inline void write_ops(const struct paleo_net *net, const struct paleo_ops_options *o,
			     int passes, char *text, size_t size)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	char key[PALEO_OP_KEY_MAX];
	size_t at = 0;

	if (paleo_net_ops_with(net, o, &list, &err))
		fail_msg("%s", err.text);
	text[0] = '\0';
	for (int i = 0; i < list.count; i++) {
		const struct paleo_net_op *w = &list.items[i];
		paleo_op_key(&w->op, key, sizeof(key));
		at += (size_t)snprintf(text + at, size - at, "%s, %s%s%s: %s\n", w->layer->name,
				       w->what, passes ? ", " : "",
				       passes ? paleo_pass_name(w->pass) : "", key);
		assert_true(at < size);
	}
	paleo_op_list_release(&list);
}

/* The same of the net of these layers. */
static inline void expect_ops_with(const char *layers, const struct paleo_ops_options *o,
				   int passes, const char *expected)
{
	struct paleo_net *net = given_net(layers);
	char text[8192];

	write_ops(net, o, passes, text, sizeof(text));
	assert_string_equal(text, expected);
	paleo_net_free(net);
}

#endif
