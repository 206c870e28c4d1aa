/* tail.h - epilogue of a layer: bias, normalisation, activation. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_TAIL_H
#define PALEO_MODEL_NET_LAYERS_TAIL_H

#include "model/net/layer.h"

struct paleo_tail {
	int bias; /* 1: the main work adds one to each output channel */
	enum {
		PALEO_TAIL_NO_NORM,
		PALEO_TAIL_BATCH_NORM,
		PALEO_TAIL_LRN
	} norm;
	int scale;          /* of batch normalisation: 1 if it learns one; it always shifts */
	int lrn_size;       /* neighbouring channels of local response normalisation */
	int has_activation; /* 1: `activation` follows */
	enum paleo_eltwise_op activation;
};

/* Readers of keys (common.h) into a bias, else into a whole tail. */
int paleo_tail_read_bias(const struct paleo_json *v, void *bias, struct paleo_error *err);
int paleo_tail_read_norm(const struct paleo_json *v, void *tail, struct paleo_error *err);
int paleo_tail_read_norm_params(const struct paleo_json *v, void *tail, struct paleo_error *err);
int paleo_tail_read_activation(const struct paleo_json *v, void *tail, struct paleo_error *err);

/* The keys of a param `T` with a member `tail`: all, or an activation alone. */
// clang-format off
#define PALEO_TAIL_ACTIVATION_KEY(T) \
	PALEO_KEY_OWN(T, "activation_fn", tail, paleo_tail_read_activation)
#define PALEO_TAIL_KEYS(T) \
	PALEO_KEY_OWN(T, "bias", tail.bias, paleo_tail_read_bias), \
	PALEO_KEY_OWN(T, "normalizer_fn", tail, paleo_tail_read_norm), \
	PALEO_KEY_OWN(T, "normalizer_params", tail, paleo_tail_read_norm_params), \
	PALEO_TAIL_ACTIVATION_KEY(T)
// clang-format on

/* Checks common to all kinds, for a layer with `outputs` output channels. */
int paleo_tail_check(const struct paleo_json *j, int outputs, struct paleo_tail *t,
		     struct paleo_error *err);

/* Normalisation and activation of l->out: forward in this order, backward the other way round. */
int paleo_tail_forward(const struct paleo_tail *t, const struct paleo_layer *l,
		       enum paleo_dtype dtype, struct paleo_op_list *list, struct paleo_error *err);
int paleo_tail_backward(const struct paleo_tail *t, const struct paleo_layer *l,
			enum paleo_dtype dtype, struct paleo_op_list *list,
			struct paleo_error *err);

/* Number of weights of bias and normalisation for `outputs` channels. */
double paleo_tail_weights(const struct paleo_tail *t, int outputs);

#endif
