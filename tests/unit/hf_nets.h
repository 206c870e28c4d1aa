/* hf_nets.h - for tests of models: nets of a config.json's members, and the ops of a layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_HF_NETS_H
#define PALEO_TESTS_UNIT_HF_NETS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf/hf.h"
#include "import/import.h"
#include "tests/unit/given.h"

/* Small, so that all of it can be worked out: 2 heads of 4 numbers that share one of keys and
 * values: q and what is behind have 64 weights each, k and v 32 each, together 192. A net of three
 * products has 144, of two 96. */
#define TINY                                                                                       \
	"\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 1, "                 \
	"\"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"vocab_size\": 10"

static inline int convert(const char *members, const char *words, struct paleo_net **net,
			  struct paleo_error *err)
{
	struct paleo_hf_options o = {0};
	struct paleo_json_doc *doc = NULL;
	char text[2048], *out = NULL;

	snprintf(text, sizeof(text), "{%s}", members);
	int rc = paleo_hf_options_read(words, &o, err);
	if (!rc)
		rc = paleo_json_parse_python("config.json", text, strlen(text), &doc, err);
	if (!rc)
		rc = paleo_hf_convert(paleo_json_root(doc), NULL, "model", &o, &out, err);
	if (!rc)
		rc = paleo_net_parse("model", out, strlen(out), 0, net, err);
	free(out);
	paleo_json_free(doc);
	return rc;
}

static inline struct paleo_net *model_net(const char *members, const char *words)
{
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};

	if (convert(members, words, &net, &err))
		fail_msg("%s", err.text);
	return net;
}

/* The keys of a layer's ops, forward. */
static inline void check_ops(const struct paleo_net *net, const char *layer,
			     const char *const *keys)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	char key[PALEO_OP_KEY_MAX];
	enum paleo_dtype dtype = (enum paleo_dtype)(net->dtype - 1);

	assert_int_equal(paleo_net_ops(net, dtype, PALEO_PASSES_FWD, &list, &err), PALEO_OK);
	for (int i = 0; i < list.count; i++) {
		if (strcmp(list.items[i].layer->name, layer) != 0)
			continue;
		paleo_op_key(&list.items[i].op, key, sizeof(key));
		assert_string_equal(key, *keys ? *keys : "no more ops");
		keys += *keys != NULL;
	}
	assert_null(*keys);
	paleo_op_list_release(&list);
}

/* Files that are refused, and what is said of each. */
struct refusal {
	const char *members, *words, *says;
};

static inline void check_refusals(const struct refusal *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct paleo_net *net = NULL;
		struct paleo_error err = {0};
		assert_int_equal(convert(all[i].members, all[i].words, &net, &err), PALEO_EINPUT);
		if (!strstr(err.text, all[i].says))
			fail_msg("%zu said: %s", i, err.text);
	}
}

#endif
