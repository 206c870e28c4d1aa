/* net.h - nets: loaded from files, or shipped ones by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_NET_H
#define PALEO_NET_H

#include "paleo/api.h"
#include "paleo/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A net: layers in topological order, at one batch. It never changes. */
struct paleo_net;

/*
 * Loads a net. `name` is a file's path, or a bare name such as "vgg16", which is looked for here,
 * in ./nets and among the shipped nets. A file that ends in .prototxt is a network of Caffe's,
 * which must say the shapes of its inputs (`paleo convert` adds those that are missing); all else
 * has the format of nets/README.md. `batch` is in images, 1 .. 2^24; 0 keeps the file's own.
 * PALEO_EINPUT with file, line, layer and key, or the nearest name; PALEO_EIO; PALEO_ENOMEM.
 */
PALEO_API int paleo_net_open(const char *name, int batch, struct paleo_net **out,
			     struct paleo_error *err);

/* A copy of the net at another batch, 1 .. 2^24. PALEO_EINPUT where a layer's shape is fixed to
 * another batch; PALEO_ENOMEM. */
PALEO_API int paleo_net_with_batch(const struct paleo_net *net, int batch, struct paleo_net **out,
				   struct paleo_error *err);
PALEO_API void paleo_net_close(struct paleo_net *net);

PALEO_API const char *paleo_net_name(const struct paleo_net *net);  /* the file's, no folder */
PALEO_API const char *paleo_net_title(const struct paleo_net *net); /* title in the file */
PALEO_API int paleo_net_batch(const struct paleo_net *net);
PALEO_API const char *paleo_net_dtype_name(const struct paleo_net *net); /* its own, else "f32" */
PALEO_API double paleo_net_weight_count(const struct paleo_net *net);    /* number of parameters */

PALEO_API int paleo_net_layer_count(const struct paleo_net *net);
/* Full name and kind ("Convolution") of a layer; NULL where there is no layer `i`, 0 .. count - 1.
 */
PALEO_API const char *paleo_net_layer_name(const struct paleo_net *net, int i);
PALEO_API const char *paleo_net_layer_kind(const struct paleo_net *net, int i);

#ifdef __cplusplus
}
#endif

#endif
