/* norms.h - the works of normalisations, for their own layers and behind others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_NORMS_H
#define PALEO_MODEL_NET_LAYERS_NORMS_H

#include "model/net/layer.h"

enum {
	PALEO_LRN_SIZE = 5 /* of AlexNet; the default */
};

/* Normalises a tensor of this shape; of `norm` count mode, scale, shift and add. FWD or BWD_DATA;
 * the latter also gives the gradients of scale and shift. */
int paleo_norm_work(struct paleo_work_list *list, const struct paleo_norm_geom *norm,
		    const struct paleo_shape *shape, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_error *err);

int paleo_lrn_work(struct paleo_work_list *list, int size, const struct paleo_shape *shape,
		   enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_error *err);

/* The optional key "size" of `j`, an odd number; *size stays as it is where it is missing. */
int paleo_lrn_read_size(const struct paleo_json *j, int *size, struct paleo_error *err);

#endif
