/* pool.h - what maximum and average pooling share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_POOL_H
#define PALEO_MODEL_NET_LAYERS_POOL_H

#include "model/net/layer.h"
#include "model/net/layers/window.h"

struct paleo_pool_param {
	int mode;                   /* enum paleo_pool_mode */
	int global;                 /* 1: the window is the whole picture */
	struct paleo_window window; /* completed by the shape, if global */
	struct paleo_window_fit fit;
};

/* Reads all but the mode. */
int paleo_pool_parse(const struct paleo_json *j, struct paleo_pool_param *p,
		     struct paleo_error *err);

/* Hooks of both kinds. */
int paleo_pool_shape(struct paleo_layer *l, struct paleo_error *err);
int paleo_pool_work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_work_list *out, struct paleo_error *err);
void paleo_pool_describe(const struct paleo_layer *l, char *buf, size_t size);

#endif
