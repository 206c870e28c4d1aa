/* write.h - writes the layers of the net. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_WRITE_H
#define PALEO_MODEL_IMPORT_CAFFE_WRITE_H

#include "model/import/caffe/job.h"

/*
 * Begins a layer of ours of this type, named after `name`, with these parents. Its other keys
 * follow, then paleo_caffe_end(). *source is its name, owned by the job: `name` without '@' and
 * control characters, and with a number behind it if there is one of that name. ENOMEM.
 */
int paleo_caffe_begin(struct paleo_caffe_job *job, const char *name, const char *type,
		      const char *const *parents, int count, const char **source,
		      struct paleo_error *err);

/* The same for layer `l`, with its name and its bottoms. EINPUT if one stands there twice. */
int paleo_caffe_begin_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type, const char **source, struct paleo_error *err);

void paleo_caffe_end(struct paleo_caffe_job *job);

/* Ends it, and says that it gives the first top of layer `l`, of this shape. */
void paleo_caffe_end_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			   const char *source, const struct paleo_shape *shape);

/* A whole layer without keys of its own, whose output is shaped as its input. */
int paleo_caffe_write_plain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type, struct paleo_error *err);

/* "key": [a, b, ...] */
void paleo_caffe_put_ints(struct paleo_caffe_job *job, const char *key, const int *values,
			  int count);

/* Blob `to` is the same as blob `from`. */
void paleo_caffe_alias(struct paleo_caffe_job *job, int from, int to);

/* EINPUT at the layer if two of its bottoms are the same output of one layer. */
int paleo_caffe_check_parents(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      struct paleo_error *err);

void paleo_caffe_strings_release(struct paleo_caffe_job *job);

#endif
