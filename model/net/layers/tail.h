/* tail.h - what may follow a layer's main work: bias, normalisation, activation. */
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

/* The keys, for lists of allowed keys. */
#define PALEO_TAIL_KEYS "bias", "normalizer_fn", "normalizer_params", "activation_fn"

/* Reads these keys of a layer with `outputs` output channels. */
int paleo_tail_parse(const struct paleo_json *j, int outputs, struct paleo_tail *t,
		     struct paleo_error *err);

/* The key "activation_fn" alone, for layers that have no other. */
int paleo_tail_parse_activation(const struct paleo_json *j, struct paleo_tail *t,
				struct paleo_error *err);

/* Normalisation and activation of l->out: forward in this order, backward the other way round. */
int paleo_tail_forward(const struct paleo_tail *t, const struct paleo_layer *l,
		       enum paleo_dtype dtype, struct paleo_work_list *list,
		       struct paleo_error *err);
int paleo_tail_backward(const struct paleo_tail *t, const struct paleo_layer *l,
			enum paleo_dtype dtype, struct paleo_work_list *list,
			struct paleo_error *err);

/* How many weights bias and normalisation learn for `outputs` channels. */
double paleo_tail_weights(const struct paleo_tail *t, int outputs);

#endif
