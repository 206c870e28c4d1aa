/* fuzz_onnx.c - any bytes as an ONNX model; what is converted is a net or refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"
#include "model/net/net.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct paleo_onnx_options options = {0};
	struct paleo_onnx_graph *graph = NULL;
	struct paleo_net *net = NULL;
	struct paleo_error err;
	char *json = NULL;

	if (paleo_onnx_graph_parse("fuzz", data, size, &graph, &err)) {
		demand(graph == NULL);
		check_shown(&err);
		return 0;
	}
	if (paleo_onnx_convert(graph, &options, &json, &err)) {
		demand(json == NULL);
		check_shown(&err);
	} else if (paleo_net_parse("fuzz", json, strlen(json), 0, &net, &err)) {
		demand(net == NULL);
		check_shown(&err); /* a layer too large, say */
	}
	paleo_net_free(net);
	free(json);
	paleo_onnx_graph_free(graph);
	return 0;
}
