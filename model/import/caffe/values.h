/* values.h - optional fields of a layer's message, and checks of sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_VALUES_H
#define PALEO_MODEL_IMPORT_CAFFE_VALUES_H

#include "model/import/caffe/job.h"

enum {
	PALEO_CAFFE_DIM_MAX = 1 << 24, /* of the net format */
	PALEO_CAFFE_PAD_MAX = 65536    /* of our works */
};

/* The field `name` of `message`, which may be NULL. *out stays as it is where the field is missing;
 * EINPUT if it is there twice, of another type, or out of its range. */
int paleo_caffe_get_int(const struct paleo_caffe_field *message, const char *name, int low,
			int high, int *out, struct paleo_error *err);
int paleo_caffe_get_double(const struct paleo_caffe_field *message, const char *name, double low,
			   double high, double *out, struct paleo_error *err);
int paleo_caffe_get_bool(const struct paleo_caffe_field *message, const char *name, int *out,
			 struct paleo_error *err);
int paleo_caffe_get_enum(const struct paleo_caffe_field *message, const char *name,
			 const char *const *words, int *out, struct paleo_error *err);

/* The field `name` of the layer's message, an axis of its first bottom, counted from the end if it
 * is negative. */
int paleo_caffe_get_axis(const struct paleo_caffe_layer *l, const char *name, int rank, int *out,
			 struct paleo_error *err);

/* The layer's num_output, which must be there. */
int paleo_caffe_need_outputs(const struct paleo_caffe_layer *l, int *out, struct paleo_error *err);

/* EINPUT at the layer unless 1 <= size <= PALEO_CAFFE_DIM_MAX; `what` names it. */
int paleo_caffe_check_dim(const struct paleo_caffe_layer *l, double size, const char *what,
			  struct paleo_error *err);

/* The shape of the layer's bottom `i`. */
const struct paleo_shape *paleo_caffe_in(const struct paleo_caffe_job *job,
					 const struct paleo_caffe_layer *l, int i);

/* "4x3x8x8", in Caffe's order n, c, h, w; 48 bytes hold every shape. */
void paleo_caffe_shape_text(const struct paleo_shape *s, char *buf, size_t size);

#endif
