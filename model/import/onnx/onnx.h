/* onnx.h - turns an ONNX file into the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_ONNX_H
#define PALEO_MODEL_IMPORT_ONNX_ONNX_H

#include "model/import/onnx/graph.h"

enum {
	ONNX_SIZES_MAX = 16
};

/* A size that the file leaves open: of the dimensions with this name, or of those without one. */
struct paleo_onnx_size {
	const char *name; /* "batch", "sequence"; "" for those without a name */
	int size;
};

struct paleo_onnx_options {
	struct paleo_onnx_size sizes[ONNX_SIZES_MAX];
	int size_count;
};

/* Reads "sequence=128", or "128" for dimensions without a name. EINPUT. `text` must stay. */
int paleo_onnx_size_parse(const char *text, struct paleo_onnx_size *out, struct paleo_error *err);

/*
 * The net file's text, owned by the caller: free(). What becomes of what is in
 * docs/reference/onnx.md. EINPUT names the file and every kind of node that cannot be converted,
 * with its count and the first node; or the dimension whose size is missing. ENOMEM.
 */
int paleo_onnx_convert(const struct paleo_onnx_graph *graph, const struct paleo_onnx_options *o,
		       char **json, struct paleo_error *err);

#endif
