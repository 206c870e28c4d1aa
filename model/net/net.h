/* net.h - loads a net, owns its layers, lists its ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_NET_H
#define PALEO_MODEL_NET_NET_H

#include "model/net/layer.h"

struct paleo_net {
	char *name;                  /* the file's name without folder and .json */
	char *title;                 /* its "name" key */
	struct paleo_layer **layers; /* in topological order: file order where that is one */
	int count;
	int batch;
	int file_batch; /* in the file, whatever batch was requested */
	int dtype;      /* 1 + enum paleo_dtype that the file names; 0: none */
	int inference;  /* 1: no backward pass and no update */
	char *note;     /* the file's note about its times; NULL: none */
};

/* The dtype that the file names, else f32. */
enum paleo_dtype paleo_net_dtype(const struct paleo_net *net);

/* Nets larger than this are refused. */
#define PALEO_NET_LAYERS_MAX 1000000

/*
 * Reads a net's file. `batch` 0 keeps the file's own; otherwise it replaces the
 * first dimension of every Input, 1 .. 2^24. *out is
 * owned by the caller: paleo_net_free(). EIO; EINPUT with file, line, layer and
 * key; ENOMEM. Recursion depth does not grow with the number of layers.
 */
int paleo_net_load(const char *path, int batch, struct paleo_net **out, struct paleo_error *err);
int paleo_net_parse(const char *name, const char *text, size_t size, int batch,
		    struct paleo_net **out, struct paleo_error *err);
/* The same of a document that is read already; `name` is its file. */
int paleo_net_of_json(const struct paleo_json *root, const char *name, int batch,
		      struct paleo_net **out, struct paleo_error *err);
void paleo_net_free(struct paleo_net *net); /* NULL allowed */

/* A copy of the net at another batch, 1 .. 2^24. *out is owned by the caller. EINPUT where a shape
 * does not fit that batch: a Reshape with a fixed first number. ENOMEM. */
int paleo_net_at_batch(const struct paleo_net *net, int batch, struct paleo_net **out,
		       struct paleo_error *err);

double paleo_net_weights(const struct paleo_net *net);

/* Number of weights a token uses; bytes of all weights, and of a part of the cache, where GEMMs are
 * in `dtype`. */
double paleo_net_active(const struct paleo_net *net);
double paleo_net_weight_bytes(const struct paleo_net *net, enum paleo_dtype dtype);
double paleo_net_cached_bytes(const struct paleo_net *net, enum paleo_dtype dtype,
			      enum paleo_cached part);
/* The same of the keys by which an index chooses. */
double paleo_net_index_bytes(const struct paleo_net *net, enum paleo_dtype dtype,
			     enum paleo_cached part);

/* Bytes of state per sequence, independent of its length: the states of scans and convolutions. */
double paleo_net_state_bytes(const struct paleo_net *net, enum paleo_dtype dtype);

/* Number of items in one batch: images, or tokens of all sequences; *unit names them. */
double paleo_net_items(const struct paleo_net *net, const char **unit);

/* One op of one layer's pass. */
struct paleo_net_op {
	const struct paleo_layer *layer;
	const char *what;     /* "conv", "relu", "batch_norm", "sum of gradients" */
	enum paleo_pass pass; /* the layer's; a deconvolution's FWD is a BWD_DATA op */
	struct paleo_op op;
	/* Of a gradient op of a layer whose weights are narrow: their type, in which training
	 * multiplies gradients, too, where `op` itself is wide. Else {0}. */
	struct paleo_weight_type narrow;
};

struct paleo_op_list {
	struct paleo_net_op *items;
	int count;
	int capacity;
	const struct paleo_layer *layer; /* that is being listed */
	enum paleo_layout layout;        /* of its ops */
	int separate_attention;          /* 1: as in struct paleo_ops_options */
};

/* Passes to list, as bits: 1 << PALEO_FWD ... */
enum {
	PALEO_PASSES_FWD = 1 << PALEO_FWD,
	PALEO_PASSES_BWD = 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER,
	PALEO_PASSES_ALL = PALEO_PASSES_FWD | PALEO_PASSES_BWD | 1 << PALEO_PASS_UPDATE,
};

/*
 * The ops of a training step, the one place that walks a net: forward in
 * topological order, then backward in reverse, then one SGD update per layer with
 * weights. There is no gradient into a layer that needs none. Where several layers read one output,
 * its gradients are summed by an ADD. Release with paleo_op_list_release().
 */
int paleo_net_ops(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		  struct paleo_op_list *out, struct paleo_error *err);

/* Fusions for inference. */
enum paleo_fuse {
	PALEO_FUSE_NOTHING,
	PALEO_FUSE_PRODUCTS, /* normalisation and activation into the GEMM or convolution before
				them */
	PALEO_FUSE_CHAINS    /* and chains of ops that go element by element into one */
};

/* The framework that runs the ops. */
enum paleo_framework {
	PALEO_FRAMEWORK_NONE,    /* a library, each op as it is */
	PALEO_FRAMEWORK_EAGER,   /* PyTorch: a kernel for each operation; autocast in 16 bits */
	PALEO_FRAMEWORK_COMPILED /* torch.compile: elementwise ops are fused */
};

/* Options for listing the ops of a net. A plain value. */
struct paleo_ops_options {
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	unsigned passes;                  /* PALEO_PASSES_... */
	enum paleo_fuse fuse;             /* as for inference; PALEO_PASSES_FWD alone */
	enum paleo_framework framework;   /* inference if only PALEO_PASSES_FWD is requested */
	enum paleo_update_rule optimizer; /* of a framework */
	int separate_attention;           /* 1: GEMMs, copies and a softmax instead of one kernel */
};

/* The same, with all that can be chosen. */
int paleo_net_ops_with(const struct paleo_net *net, const struct paleo_ops_options *o,
		       struct paleo_op_list *out, struct paleo_error *err);

/*
 * Rewrites a list of forward ops for inference. A batch normalisation that is the only reader of a
 * convolution or a GEMM of batch 1 is folded into it and leaves a bias; an activation that is the
 * only reader, in the same layer or the next, is fused ("conv + act"); other batch normalisations
 * use stored statistics. With PALEO_FUSE_CHAINS see below, too.
 */
int paleo_op_list_fuse(struct paleo_op_list *list, enum paleo_fuse fuse, struct paleo_error *err);

/* Fuses a chain of elementwise ops into one, and a sum with its only reader. */
int paleo_op_list_merge(struct paleo_op_list *list, struct paleo_error *err);
/*
 * Rewrites a list of a net's ops, made by the same options, as a framework runs them. Inference
 * uses the stored statistics of batch normalisations. In eager mode a convolution's bias and the
 * gradient of any bias are separate ops. In mixed precision weights, gradients and the optimiser
 * are f32, weights are cast in every step, and so are inputs of ops that autocast computes in f32.
 * Scores of separate attention are scaled and cast to f32 and back. The list is released on
 * failure.
 */
int paleo_op_list_as_framework(const struct paleo_net *net, const struct paleo_ops_options *o,
			       struct paleo_op_list *list, struct paleo_error *err);
void paleo_op_list_release(struct paleo_op_list *list); /* NULL allowed */

#endif
