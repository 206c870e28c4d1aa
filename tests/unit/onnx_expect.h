/* onnx_expect.h - what a small ONNX model becomes, or why it is refused, for tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_ONNX_EXPECT_H
#define PALEO_TESTS_UNIT_ONNX_EXPECT_H

#include "import/onnx/onnx.h"
#include "model/net/net.h"
#include "tests/unit/onnx_text.h"
#include "tests/unit/unit.h"

static struct onnx_bytes model;

/* Converts the model of these lines; `size` is what --shape would say, NULL: nothing. */
static inline int convert(const char *lines, const char *size, char **json, struct paleo_error *err)
{
	struct paleo_onnx_options o = {.size_count = size != NULL};
	struct paleo_onnx_graph *graph = NULL;
	int rc = size ? paleo_onnx_size_parse(size, &o.sizes[0], err) : PALEO_OK;

	onnx_model(&model, lines);
	if (!rc)
		rc = paleo_onnx_graph_parse("small.onnx", model.at, model.size, &graph, err);
	if (!rc)
		rc = paleo_onnx_convert(graph, &o, json, err);
	paleo_onnx_graph_free(graph);
	return rc;
}

/* Fails unless the model becomes the layers, each as "Type NxHxWxC", and has so many weights.
 * Returns the net file's text. */
static inline char *expect(const char *lines, const char *layers, double weights)
{
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char text[2048] = "", shape[48], *json = NULL;

	if (convert(lines, NULL, &json, &err) ||
	    paleo_net_parse("small", json, strlen(json), 0, &net, &err))
		fail_msg("%s\n%s", err.text, json ? json : "");
	for (int i = 0; i < net->count; i++) {
		paleo_shape_text(&net->layers[i]->out, shape, sizeof(shape));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s", i ? ", " : "",
			 net->layers[i]->kind->type, shape);
	}
	assert_string_equal(text, layers);
	assert_true(paleo_net_weights(net) == weights);
	paleo_net_free(net);
	return json;
}

static inline void refuse(const char *lines, const char *size, const char *part)
{
	struct paleo_error err = {0};
	char *json = NULL;

	assert_int_equal(convert(lines, size, &json, &err), PALEO_EINPUT);
	assert_null(json);
	if (!strstr(err.text, part))
		fail_msg("'%s' lacks '%s'", err.text, part);
}

#endif
