/* common.h - what several kinds of layers share: reading sizes, shapes, element-wise works. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_COMMON_H
#define PALEO_MODEL_NET_LAYERS_COMMON_H

#include "model/net/layer.h"
#include "model/work/weight_type.h"

enum {
	PALEO_DIM_MAX = 1 << 24, /* largest size of a dimension */
	PALEO_INFERRED = -1      /* how a file says "find out": allowed where `low` is this */
};

/* An array of exactly `count` sizes, each from `low` to PALEO_DIM_MAX; with `low` PALEO_INFERRED
 * each may be -1, but not 0. */
int paleo_read_ints(const struct paleo_json *v, int count, int low, int *out,
		    struct paleo_error *err);

/* The optional key `key` of `j`: *out stays as it is where the key is missing. */
int paleo_read_flag(const struct paleo_json *j, const char *key, int *out, struct paleo_error *err);

/* The key `key` of `j`, a size from 1 (a number from 0 where it may be left out) to PALEO_DIM_MAX.
 */
int paleo_need_dim(const struct paleo_json *j, const char *key, int *out, struct paleo_error *err);
int paleo_read_dim(const struct paleo_json *j, const char *key, int *out, struct paleo_error *err);

/* The optional key "weights", what they are stored in. */
int paleo_read_weights(const struct paleo_json *j, struct paleo_weight_type *out,
		       struct paleo_error *err);

/* The optional key "cache_type": *kv is 1 + a number type; it stays as it is without. */
int paleo_read_cache_type(const struct paleo_json *j, int *kv, struct paleo_error *err);

/* The parse hook of kinds that have no keys of their own. */
int paleo_parse_plain(const struct paleo_json *j, void *param, struct paleo_error *err);

/* The shape of the first parent. */
const struct paleo_shape *paleo_layer_in(const struct paleo_layer *l);

/* Elements of the parent for one image, h * w * c; of a sequence for one token, c. */
double paleo_layer_features(const struct paleo_layer *l);

/* The shape hook of kinds whose output is shaped as their parent. */
int paleo_shape_as_parent(struct paleo_layer *l, struct paleo_error *err);

/* EINPUT unless the first parent has height and width. */
int paleo_need_picture(const struct paleo_layer *l, struct paleo_error *err);

/* EINPUT unless the first parent gives sequences. */
int paleo_need_sequence(const struct paleo_layer *l, struct paleo_error *err);

/* EINPUT if the layer gives sequences whose tokens together are more than PALEO_DIM_MAX. */
int paleo_check_tokens(const struct paleo_layer *l, struct paleo_error *err);

/* EINPUT unless 1 <= size <= PALEO_DIM_MAX; `what` names it in the message. */
int paleo_check_dim(double size, const char *what, struct paleo_error *err);

/* Adds the element-wise work on `count` elements under the name of its operation. */
int paleo_eltwise_work(struct paleo_work_list *list, enum paleo_eltwise_op op, int inputs,
		       double count, enum paleo_pass pass, enum paleo_dtype dtype,
		       struct paleo_error *err);

/*
 * A sum or product of the layer's output with a smaller tensor of `small` elements that is repeated
 * (work.h), as a row of `pass`. Its gradients are works of a forward kind: that of the small tensor
 * a sum over the repetitions, of a product behind a product with what went in.
 */
int paleo_repeated_work(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_work_list *list,
			struct paleo_error *err);
int paleo_repeated_gradient(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			    enum paleo_pass pass, enum paleo_dtype dtype,
			    struct paleo_work_list *list, struct paleo_error *err);

/* What Position and Scale have: `numbers` are learned, `elements` of them, with repetitions, go
 * with an image; 0: as many as the layer says. */
struct paleo_table {
	int numbers, elements;
};

int paleo_table_parse(const struct paleo_json *j, void *param, struct paleo_error *err);
int paleo_table_shape(struct paleo_layer *l, struct paleo_error *err);
double paleo_table_elements(const struct paleo_layer *l, double otherwise);
double paleo_table_weights(const struct paleo_layer *l, double otherwise);

/* The name of an activation ("relu", "swish" ...). EINPUT for others, with a hint. */
int paleo_read_activation(const struct paleo_json *v, enum paleo_eltwise_op *out,
			  struct paleo_error *err);

#endif
