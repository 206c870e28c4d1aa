/* fuzz_caffe.c - any bytes as a network of Caffe's; what is converted must load as a net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/caffe/caffe.h"
#include "model/net/net.h"
#include "tests/fuzz/fuzz.h"

/* The converter knows every shape, so it refuses with Caffe's line what the net's reader would
 * refuse with the line of a file that nobody wrote. */
static void check_net(const char *json)
{
	struct paleo_net *net = NULL;
	struct paleo_error err;

	if (paleo_net_parse("net", json, strlen(json), 0, &net, &err)) {
		fprintf(stderr, "%s\n%s", err.text, json);
		demand(0);
	}
	paleo_net_free(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_caffe_options options = {0};
	struct paleo_caffe_doc *doc = NULL;
	struct paleo_error err;

	if (paleo_caffe_doc_parse("fuzz", (const char *)data, size, &doc, &err)) {
		demand(doc == NULL);
		check_shown(&err);
		return 0;
	}
	for (options.test = 0; options.test < 2; options.test++) {
		char *json = NULL;
		if (paleo_caffe_convert(doc, &options, &json, &err)) {
			demand(json == NULL);
			check_shown(&err);
			continue;
		}
		check_net(json);
		free(json);
	}
	paleo_caffe_doc_free(doc);
	return 0;
}
