/* fuzz_config.c - any bytes as a model's config.json; what is converted is a net or refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "import/hf/hf.h"
#include "tests/fuzz/fuzz.h"

enum {
	WORDS_MAX = 200
};

/* What stands before the first '{' are the words behind a model's name, as "phase=decode,past=9".
 */
static size_t read_words(const uint8_t *data, size_t size, struct paleo_hf_options *o)
{
	char words[WORDS_MAX];
	struct paleo_error err;
	size_t n = 0;

	for (; n < size && n + 1 < WORDS_MAX && data[n] != '{'; n++)
		words[n] = (char)data[n];
	words[n] = '\0';
	if (n && paleo_hf_options_read(words, o, &err)) {
		demand(err.status == PALEO_EINPUT && err.text[0]);
		*o = (struct paleo_hf_options){0};
	}
	return n;
}

/* The text of a net: the rest of the way is that of any net file. */
static void read_net(const char *text)
{
	struct paleo_net *net = NULL;
	struct paleo_error err;

	if (paleo_net_parse("fuzz", text, strlen(text), 0, &net, &err)) {
		demand(net == NULL);
		check_shown(&err); /* a layer too large, say */
	}
	paleo_net_free(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_hf_options options = {0};
	size_t words = read_words(data, size, &options);
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err;
	char *text = NULL;

	if (paleo_json_parse("fuzz", 1, (const char *)data + words, size - words, &doc, &err)) {
		demand(doc == NULL);
		return 0;
	}
	if (paleo_hf_is_config(paleo_json_root(doc))) {
		if (paleo_hf_convert(paleo_json_root(doc), NULL, "fuzz", &options, &text, &err)) {
			demand(text == NULL);
			demand(err.status == PALEO_EINPUT && err.text[0]);
		} else {
			read_net(text);
		}
	}
	free(text);
	paleo_json_free(doc);
	return 0;
}
