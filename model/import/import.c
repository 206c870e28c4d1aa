/* import.c - reads a net from a file of any format: the path's ending says which. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "model/import/caffe/caffe.h"
#include "model/import/onnx/onnx.h"

enum {
	INPUTS_MAX = 64
};

static int convert_caffe(const char *path, const struct paleo_import_options *o, char **json,
			 struct paleo_error *err)
{
	struct paleo_caffe_input inputs[INPUTS_MAX];
	struct paleo_caffe_options options = {.test = o->test, .inputs = inputs};
	struct paleo_caffe_doc *doc = NULL;
	int rc = PALEO_OK;

	if (o->size_count || o->input_count > INPUTS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: a network of Caffe's has inputs with shapes (--input), at "
				  "most %d, and no sizes with names",
				  path, INPUTS_MAX);
	for (; !rc && options.input_count < o->input_count; options.input_count++)
		rc = paleo_caffe_input_parse(o->inputs[options.input_count],
					     &inputs[options.input_count], err);
	if (!rc)
		rc = paleo_caffe_doc_load(path, &doc, err);
	if (!rc)
		rc = paleo_caffe_convert(doc, &options, json, err);
	paleo_caffe_doc_free(doc);
	return rc;
}

static int convert_onnx(const char *path, const struct paleo_import_options *o, char **json,
			struct paleo_error *err)
{
	struct paleo_onnx_options options = {0};
	struct paleo_onnx_graph *graph = NULL;
	int rc = PALEO_OK;

	if (o->input_count || o->test || o->size_count > ONNX_SIZES_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: an ONNX model has sizes with names (--size), at most %d, "
				  "and no phases and shapes of inputs",
				  path, ONNX_SIZES_MAX);
	for (; !rc && options.size_count < o->size_count; options.size_count++)
		rc = paleo_onnx_size_parse(o->sizes[options.size_count],
					   &options.sizes[options.size_count], err);
	if (!rc)
		rc = paleo_onnx_graph_load(path, &graph, err);
	if (!rc)
		rc = paleo_onnx_convert(graph, &options, json, err);
	paleo_onnx_graph_free(graph);
	return rc;
}

static const struct format {
	const char *ending;
	int (*convert)(const char *path, const struct paleo_import_options *o, char **json,
		       struct paleo_error *err);
} formats[] = {
	{".onnx", convert_onnx},
	{".prototxt", convert_caffe},
};

/* The format of this path, or NULL. */
static const struct format *find(const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t length = strlen(path), size = strlen(formats[i].ending);
		if (length >= size && !strcmp(path + length - size, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

int paleo_import_convert(const char *path, const struct paleo_import_options *o, char **json,
			 struct paleo_error *err)
{
	const struct format *f = find(path);

	return (f ? f->convert : convert_caffe)(path, o, json, err);
}

int paleo_import_net(const char *path, int batch, struct paleo_net **out, struct paleo_error *err)
{
	const struct paleo_import_options options = {0};
	const struct format *f = find(path);
	char *json = NULL;

	if (!f)
		return paleo_net_load(path, batch, out, err);
	int rc = f->convert(path, &options, &json, err);
	if (!rc) {
		rc = paleo_net_parse(path, json, strlen(json), batch, out, err);
		if (rc == PALEO_EINPUT)
			paleo_error_prefix(err, "in the net that 'paleo convert' makes of it");
	}
	free(json);
	return rc;
}
