/* job.h - a conversion in progress: Caffe's layers and blobs, and the net that is written. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_JOB_H
#define PALEO_MODEL_IMPORT_CAFFE_JOB_H

#include "base/json.h"
#include "model/import/caffe/caffe.h"
#include "model/import/caffe/names.h"

/* Only for caffe.c and the files in this folder. */

/* A blob at one time: a layer that works in place makes a new one of the same name. */
struct paleo_caffe_blob {
	const char *name;
	int readers;        /* how often it is read; labels do not count */
	int reader;         /* a layer that reads it */
	const char *source; /* the layer of ours that gives it */
	struct paleo_shape
		shape; /* of rank 0 if it is nothing that a net can hold: labels, a loss */
};

struct paleo_caffe_layer {
	const struct paleo_caffe_field *field; /* layer { ... } */
	const struct paleo_caffe_field *param; /* its kind's message, or NULL */
	const struct paleo_caffe_kind *kind;
	const char *name; /* as in the file; the type if it has none */
	int *bottoms;     /* numbers of the blobs that are read, without labels */
	int *tops;        /* numbers of blobs */
	int bottom_count, top_count;
	int folded; /* 1: a Scale that is part of the BatchNorm before it */
};

struct paleo_caffe_job {
	const struct paleo_caffe_field *root;
	const struct paleo_caffe_options *options;
	struct paleo_caffe_layer *layers;
	int layer_count;
	struct paleo_caffe_blob *blobs;
	int blob_count, blob_capacity;
	struct paleo_caffe_names blob_names;  /* the newest blob of each name */
	struct paleo_caffe_names layer_names; /* names of ours, and how often each was asked for */
	struct paleo_caffe_names param_names; /* of weights that could be shared */
	struct paleo_caffe_names input_names; /* of the inputs that were written */
	int batch;                            /* of these; 0: there are none yet */
	struct paleo_caffe_string *strings;   /* owned */
	struct paleo_json_writer *writer;
};

/* graph.c: fills layers and blobs from the file. */
int paleo_caffe_read_graph(struct paleo_caffe_job *job, struct paleo_error *err);

/* phase.c: *out is 1 if the layer belongs to the net in the phase that is asked for. */
int paleo_caffe_in_phase(const struct paleo_caffe_job *job, const struct paleo_caffe_field *layer,
			 int *out, struct paleo_error *err);

/* weights.c: EINPUT if the layer's weights are shared, frozen, or its gradients are cut off. */
int paleo_caffe_check_weights(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      struct paleo_error *err);

/* input.c: writes the inputs that the net itself names. */
int paleo_caffe_write_inputs(struct paleo_caffe_job *job, struct paleo_error *err);

/* input.c: EINPUT if an input of the options is none of those that were written. */
int paleo_caffe_check_inputs(const struct paleo_caffe_job *job, struct paleo_error *err);

#endif
