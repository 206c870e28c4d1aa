/* caffe.h - turns a network of Caffe's into the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CAFFE_CAFFE_H
#define PALEO_IMPORT_CAFFE_CAFFE_H

#include "import/caffe/caffe_text.h"
#include "model/net/layer.h"

/* The shape of an input, where the file has none or another. */
struct paleo_caffe_input {
	char name[64]; /* of the blob; "" for the only input of the net */
	struct paleo_shape shape;
};

struct paleo_caffe_options {
	int test; /* 1: the layers of Caffe's phase TEST; 0: of TRAIN */
	const struct paleo_caffe_input *inputs;
	int input_count;
};

/* Reads "64x3x224x224" or "data=64x3x224x224", sizes in Caffe's order n, c, h, w; or n, c alone.
 * EINPUT. */
int paleo_caffe_input_parse(const char *text, struct paleo_caffe_input *out,
			    struct paleo_error *err);

/*
 * *json is a net file's text, owned by the caller: free(). Every layer of the phase is converted or
 * refused; docs/reference/caffe.md lists the conversions. EINPUT with file, line, layer and field;
 * ENOMEM.
 */
int paleo_caffe_convert(const struct paleo_caffe_doc *doc,
			const struct paleo_caffe_options *options, char **json,
			struct paleo_error *err);

#endif
