/* window.h - the sliding window of convolutions and poolings: keys, paddings, output size. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_WINDOW_H
#define PALEO_MODEL_NET_LAYERS_WINDOW_H

#include "base/json.h"
#include "model/net/layer.h"

/* Index 0 is vertical (height), 1 is horizontal (width). */
struct paleo_window {
	int size[2];
	int stride[2];
	int dilation[2];
	enum {
		PALEO_PADDING_VALID,
		PALEO_PADDING_SAME,
		PALEO_PADDING_LIST
	} padding;
	int before[2], after[2]; /* of a list */
	int ceil_mode;           /* the output size rounds up; not with SAME */
};

/* Geometry of a window on an input: output size and padding (top and left; bottom and right). */
struct paleo_window_fit {
	int out[2], before[2], after[2];
};

/* Readers of keys (common.h): [1, vertical, horizontal, 1] into two numbers; a padding into a
 * window. */
int paleo_window_read_pair(const struct paleo_json *v, void *two, struct paleo_error *err);
/* A dilation of both sides, or of each. */
int paleo_window_read_dilation(const struct paleo_json *v, void *two, struct paleo_error *err);
int paleo_window_read_padding(const struct paleo_json *v, void *window, struct paleo_error *err);

/* The keys that a param `T` with a member `window` needs. */
// clang-format off
#define PALEO_WINDOW_KEYS(T) \
	PALEO_KEY_NEED_OWN(T, "strides", window.stride, paleo_window_read_pair), \
	PALEO_KEY_NEED_OWN(T, "padding", window, paleo_window_read_padding)
#define PALEO_DILATION_KEY(T) \
	PALEO_KEY_OWN(T, "dilation", window.dilation, paleo_window_read_dilation)
// clang-format on

/*
 * Lays the window on an input of h x w. SAME is TensorFlow's rule: the output is
 * ceil(h / stride), and of an odd padding the larger part is at the bottom and the
 * right (tf.nn, "Notes on padding"). A last window that rounding up would begin
 * beyond the input and the padding before it is left out, as Caffe and PyTorch do.
 * EINPUT when the window is larger than the padded input.
 */
int paleo_window_fit(const struct paleo_window *w, int height, int width,
		     struct paleo_window_fit *out, struct paleo_error *err);

/* "3x3 s2 same", for summaries. */
void paleo_window_describe(const struct paleo_window *w, char *buf, size_t size);

#endif
