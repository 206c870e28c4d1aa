/* import.h - reads a net from a file of any format: a path in, a net out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_IMPORT_H
#define PALEO_IMPORT_IMPORT_H

#include "model/net/net.h"

/* Values that a file of another format may leave open. A zero struct leaves them to the format. */
struct paleo_import_options {
	int test;                  /* of Caffe: 1: the layers of phase TEST; 0: of TRAIN */
	const char *const *shapes; /* of Caffe: "[NAME=]NxCxHxW", of inputs; of ONNX: "NAME=SIZE" */
	int shape_count;
	const char *words; /* more of them; of a config.json options of the model (hf/hf.h) */
};

/*
 * The format follows from the path's extension: ".prototxt" is a network of Caffe's, whose layers
 * of the phase TRAIN are taken; ".onnx" an ONNX model; a config.json of Hugging Face, or its
 * folder, a transformer, with options in `words` (NULL: none); all else is a net file. `batch` and
 * *out as paleo_net_load(). EIO; EINPUT with file, line, layer and key where there are such;
 * ENOMEM.
 */
int paleo_import_net(const char *path, const char *words, int batch, struct paleo_net **out,
		     struct paleo_error *err);

struct paleo_hf_model;
struct paleo_hf_options;

/*
 * Reads the model of a config.json, from which many nets can be made. `words` as above, into *o;
 * `name` receives the net's name, of PATH_MAX bytes. EINPUT where the file is not a config.json; as
 * paleo_import_net().
 */
int paleo_import_model(const char *path, const char *words, struct paleo_hf_options *o,
		       struct paleo_hf_model *out, char *name, struct paleo_error *err);

/* Start of the words in "PATH:WORDS", after the colon; NULL if there are none. */
const char *paleo_import_words(const char *name);

/*
 * The net file's text that a file of another format becomes, owned by the caller: free(). A file of
 * an ending that is not known is read as Caffe's. Fails as paleo_import_net() does, and with EINPUT
 * for options that the format does not have.
 */
int paleo_import_convert(const char *path, const struct paleo_import_options *o, char **json,
			 struct paleo_error *err);

#endif
