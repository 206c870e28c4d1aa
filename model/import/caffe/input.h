/* input.h - writes the inputs of a net, whose shapes a file may say in part. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_INPUT_H
#define PALEO_MODEL_IMPORT_CAFFE_INPUT_H

#include "model/import/caffe/job.h"

/* A shape; 0 stands for what the file does not say. */
struct paleo_caffe_known {
	int n, c, h, w;
	int flat; /* 1: it is n, c alone */
};

/* Reads a shape { dim: 64 dim: 3 ... } of 2 or 4 sizes. EINPUT. */
int paleo_caffe_read_shape(const struct paleo_caffe_field *shape, struct paleo_caffe_known *out,
			   struct paleo_error *err);

/* Writes the blob as an input of the net. What the options say of it comes first; what then is
 * still not known is EINPUT at `place`. ENOMEM. */
int paleo_caffe_write_input(struct paleo_caffe_job *job, const struct paleo_caffe_field *place,
			    int blob, const struct paleo_caffe_known *said,
			    struct paleo_error *err);

#endif
