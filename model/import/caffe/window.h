/* window.h - the window of convolutions and poolings, as Caffe's files say it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_WINDOW_H
#define PALEO_MODEL_IMPORT_CAFFE_WINDOW_H

#include "model/import/caffe/job.h"

/* [0] vertical, [1] horizontal. */
struct paleo_caffe_window {
	int kernel[2], stride[2], pad[2], dilation[2];
};

/* The fields of a window, for lists of fields. */
#define PALEO_CAFFE_WINDOW_FIELDS                                                                  \
	"kernel_size", "kernel_h", "kernel_w", "stride", "stride_h", "stride_w", "pad", "pad_h",   \
		"pad_w"

/* Each is said once for both directions, once for each, or as _h and _w. The kernel must be said;
 * stride and dilation are 1, the padding 0 otherwise. EINPUT. */
int paleo_caffe_read_window(const struct paleo_caffe_layer *l, struct paleo_caffe_window *out,
			    struct paleo_error *err);

/* kernel_size, kernel_h or kernel_w, whichever stands there first; NULL if none does. */
const struct paleo_caffe_field *paleo_caffe_find_kernel(const struct paleo_caffe_layer *l);

/* Writes strides and padding. */
void paleo_caffe_put_window(struct paleo_caffe_job *job, const struct paleo_caffe_window *w);

#endif
