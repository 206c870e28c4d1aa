/* params.h - parameters of layers, for code that counts otherwise than by ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYERS_PARAMS_H
#define PALEO_MODEL_NET_LAYERS_PARAMS_H

#include "model/net/layer.h"
#include "model/net/layers/tail.h"
#include "model/net/layers/window.h"
#include "model/op/dtype.h"

/*
 * The `param` of a layer (layer.h) whose kind is the one named. Complete once the net is loaded.
 * Kinds not listed here have no public param.
 */
struct paleo_convolution_param {
	struct paleo_window window;
	struct paleo_window_fit fit;
	int in, out; /* channels of the whole filter; `in` may be PALEO_INFERRED until shaped */
	int groups;
	struct paleo_tail tail;
};

struct paleo_deconvolution_param {
	struct paleo_window window;
	struct paleo_window_fit fit; /* of the convolution that it reverses, on its output */
	int out, in;                 /* channels of this layer */
	int groups;
	int batch;         /* the first number of "output_shape"; PALEO_INFERRED: any */
	int height, width; /* of this layer's output */
	struct paleo_tail tail;
};

struct paleo_inner_product_param {
	int outputs;                      /* of all splits together */
	int tied;                         /* 1: its matrix is another layer's, which learns it */
	struct paleo_weight_type weights; /* of its matrix */
	int codes; /* 1: where its GEMM quantises its inputs, they come quantised */
	struct paleo_tail tail;
};

/* The first member of the param of Attention and of FusedAttention. */
struct paleo_attention_param {
	int heads, kv_heads; /* of all splits together */
	double keep;         /* of the weights behind the softmax, in training; 1: all */
	int table;           /* learned numbers that are added to scores by place; 0: none */
};

/* 1: a layer of one of these two kinds. */
int paleo_layer_attends(const struct paleo_layer *l);

struct paleo_rms_norm_param {
	int heads; /* that are normalised apart, with the same weights */
	int sum;   /* 1: its op does the sum of its parent, too, forward */
	int scale; /* 1: learns a factor for each channel */
};

struct paleo_elementwise_param {
	enum paleo_eltwise_op op; /* PALEO_ADD, PALEO_MUL, PALEO_MAX or PALEO_SILU_MUL */
	struct paleo_tail tail;   /* an activation, or nothing */
	int small;                /* 1: the second parent has one number a channel; set by shape */
};

struct paleo_dropout_param {
	double keep; /* the time does not depend on it */
};

struct paleo_concatenate_param {
	int dim; /* of [N, H, W, C] or of [N, C] */
};

struct paleo_reshape_param {
	int rank;
	int dims[4]; /* as in the file; one may be PALEO_INFERRED */
};

struct paleo_softmax_param {
	int classes; /* 0: as many as the parent has channels */
};

struct paleo_upsampling_param {
	int scale[2]; /* vertical, horizontal */
};

/* Maximum and average pooling. */
struct paleo_pool_param {
	int mode;                   /* enum paleo_pool_mode */
	int global;                 /* 1: the window is the whole picture */
	struct paleo_window window; /* completed by the shape, if global */
	struct paleo_window_fit fit;
};

#endif
