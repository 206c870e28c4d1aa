/* common.h - shared by kinds of layers: sizes, shapes, elementwise ops, norms. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_COMMON_H
#define PALEO_MODEL_NET_LAYERS_COMMON_H

#include "model/net/layer.h"
#include "model/op/dtype.h"

enum {
	PALEO_DIM_MAX = 1 << 24, /* largest size of a dimension */
	PALEO_INFERRED = -1      /* the file's value for "infer": allowed where `low` is this */
};

/* An array of exactly `count` sizes, each from `low` to PALEO_DIM_MAX; with `low` PALEO_INFERRED
 * each may be -1, but not 0. */
int paleo_read_ints(const struct paleo_json *v, int count, int low, int *out,
		    struct paleo_error *err);

/*
 * Rows of a kind's table of keys (base/json.h): `at` is a member of its param `T`. A size is from
 * 1, a number from 0, to PALEO_DIM_MAX; a flag is true or false; CUSTOM fields have a reader.
 * Without NEED it is optional, and the member keeps its default. Each table begins with the keys of
 * all layers, or of those that may share the weights of another (paleo_layer.shared).
 */
// clang-format off
#define PALEO_KEYS_OF_ALL {"type", .type = PALEO_FIELD_KNOWN}, {"parents", .type = PALEO_FIELD_KNOWN}
#define PALEO_KEYS_OF_SHARING \
	{"type", .type = PALEO_FIELD_KNOWN}, {"shared", .type = PALEO_FIELD_KNOWN, .optional = 1}, \
	{"parents", .type = PALEO_FIELD_KNOWN}
#define PALEO_KEY_NEED(T, key, at) \
	{key, PALEO_FIELD_INT, offsetof(T, at), .low = 1, .high = PALEO_DIM_MAX}
#define PALEO_KEY_SIZE(T, key, at) \
	{key, PALEO_FIELD_INT, offsetof(T, at), .low = 1, .high = PALEO_DIM_MAX, .optional = 1}
#define PALEO_KEY_NUMBER(T, key, at) \
	{key, PALEO_FIELD_INT, offsetof(T, at), .high = PALEO_DIM_MAX, .optional = 1}
#define PALEO_KEY_FLAG(T, key, at) {key, PALEO_FIELD_FLAG, offsetof(T, at), .optional = 1}
#define PALEO_KEY_NEED_OWN(T, key, at, how) {key, PALEO_FIELD_OWN, offsetof(T, at), .read = (how)}
#define PALEO_KEY_OWN(T, key, at, how) \
	{key, PALEO_FIELD_OWN, offsetof(T, at), .optional = 1, .read = (how)}
// clang-format on

/* Readers: a storage type of weights (struct paleo_weight_type); an int, 1 + a dtype; a double
 * above 0, at most 1; an enum paleo_eltwise_op, by its name ("relu", "swish" ...). */
int paleo_read_weights(const struct paleo_json *v, void *type, struct paleo_error *err);
int paleo_read_cache_type(const struct paleo_json *v, void *kv, struct paleo_error *err);
int paleo_read_keep(const struct paleo_json *v, void *keep, struct paleo_error *err);
int paleo_read_activation(const struct paleo_json *v, void *op, struct paleo_error *err);

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

/* Adds the element-wise op on `count` elements under the name of its operation. */
int paleo_eltwise_list(struct paleo_op_list *list, enum paleo_eltwise_op op, int inputs,
		       double count, enum paleo_pass pass, enum paleo_dtype dtype,
		       struct paleo_error *err);

/*
 * A sum or elementwise product of the layer's output with a smaller tensor of `small` elements that
 * is repeated (op.h), as a row of `pass`. Its gradients are ops of a forward kind: that of the
 * small tensor is a sum over the repetitions, for MUL after multiplying by the input.
 */
int paleo_repeated_op(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
		      enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_op_list *list,
		      struct paleo_error *err);
int paleo_repeated_gradient(const struct paleo_layer *l, enum paleo_eltwise_op op, double small,
			    enum paleo_pass pass, enum paleo_dtype dtype,
			    struct paleo_op_list *list, struct paleo_error *err);

/* Common to Position and Scale: `numbers` learned weights, `elements` of them, with repetitions,
 * for each image; 0: as many as the layer's. */
struct paleo_table {
	int numbers, elements;
};

extern const struct paleo_json_field paleo_table_keys[];
int paleo_table_shape(struct paleo_layer *l, struct paleo_error *err);
double paleo_table_elements(const struct paleo_layer *l, double otherwise);
double paleo_table_weights(const struct paleo_layer *l, double otherwise);

/* Declares the constant of every layer kind in kinds.def. */

#define KIND(name) extern const struct paleo_layer_kind paleo_kind_##name;
#include "model/net/layers/kinds.def"
#undef KIND

/* The ops of normalisations, for their own layers and behind others. */

enum {
	PALEO_LRN_SIZE = 5 /* of AlexNet; the default */
};

/* Normalises a tensor of this shape; of `norm` count mode, scale, shift and add. FWD or BWD_DATA;
 * the latter also gives the gradients of scale and shift. */
int paleo_norm_op(struct paleo_op_list *list, const struct paleo_norm_geom *norm,
		  const struct paleo_shape *shape, enum paleo_pass pass, enum paleo_dtype dtype,
		  struct paleo_error *err);

int paleo_lrn_op(struct paleo_op_list *list, int size, const struct paleo_shape *shape,
		 enum paleo_pass pass, enum paleo_dtype dtype, struct paleo_error *err);

/* The reader of an LRN's size, an odd number, into an int. */
int paleo_lrn_read_size(const struct paleo_json *v, void *size, struct paleo_error *err);

#endif
