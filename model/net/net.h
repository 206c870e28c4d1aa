/* net.h - loads a net, owns its layers, lists its works. */
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
	int file_batch;  /* what the file says, whatever was asked for */
	int number_type; /* 1 + enum paleo_dtype that the file names; 0: none */
	int inference;   /* 1: it has no backward pass and no update */
	char *note;      /* what the file says of its times; NULL: nothing */
};

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

/* How many weights a token goes through; bytes of all weights, and bytes that a token leaves in
 * a cache, or all tokens have left there, where products are in `dtype`. */
double paleo_net_active(const struct paleo_net *net);
double paleo_net_weight_bytes(const struct paleo_net *net, enum paleo_dtype dtype);
double paleo_net_cached_bytes(const struct paleo_net *net, enum paleo_dtype dtype, int whole);
/* The same of the keys by which an index chooses. */
double paleo_net_index_bytes(const struct paleo_net *net, enum paleo_dtype dtype, int whole);

/* What a sequence keeps besides, however long it is: the states of scans and convolutions. */
double paleo_net_state_bytes(const struct paleo_net *net, enum paleo_dtype dtype);

/* What goes through the net at once: images, or of sequences all tokens; *unit names them. */
double paleo_net_items(const struct paleo_net *net, const char **unit);

/* One work of one layer's pass. */
struct paleo_net_work {
	const struct paleo_layer *layer;
	const char *what;     /* "conv", "relu", "batch_norm", "sum of gradients" */
	enum paleo_pass pass; /* the layer's; a deconvolution's FWD is a BWD_DATA work */
	struct paleo_work work;
};

struct paleo_work_list {
	struct paleo_net_work *items;
	int count;
	int capacity;
	const struct paleo_layer *layer; /* that is being listed */
	enum paleo_layout layout;        /* of its works */
};

/* Which passes to list, as bits: 1 << PALEO_FWD ... */
enum {
	PALEO_PASSES_FWD = 1 << PALEO_FWD,
	PALEO_PASSES_BWD = 1 << PALEO_BWD_DATA | 1 << PALEO_BWD_FILTER,
	PALEO_PASSES_ALL = PALEO_PASSES_FWD | PALEO_PASSES_BWD | 1 << PALEO_PASS_UPDATE,
};

/*
 * The works of a training step, the one place that walks a net: forward in
 * topological order, then backward in reverse, then one SGD update per layer with
 * weights. There is no gradient into a layer that needs none. Where several layers read one output,
 * its gradients are summed by an ADD. Release with paleo_work_list_release().
 */
int paleo_net_works(const struct paleo_net *net, enum paleo_dtype dtype, unsigned passes,
		    struct paleo_work_list *out, struct paleo_error *err);

/* What is put together for inference. */
enum paleo_fuse {
	PALEO_FUSE_NOTHING,
	PALEO_FUSE_PRODUCTS, /* normalisation and activation into the product before them */
	PALEO_FUSE_CHAINS    /* and chains of works that go element by element into one */
};

/* Who runs the works. */
enum paleo_framework {
	PALEO_FRAMEWORK_NONE,    /* a library, each work as it is */
	PALEO_FRAMEWORK_EAGER,   /* PyTorch: a kernel for each operation; autocast in 16 bits */
	PALEO_FRAMEWORK_COMPILED /* torch.compile: what goes element by element is merged */
};

/* How the works of a net are to be listed. A plain value. */
struct paleo_works_options {
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	unsigned passes;                  /* PALEO_PASSES_... */
	enum paleo_fuse fuse;             /* as for inference; PALEO_PASSES_FWD alone */
	enum paleo_framework framework;   /* inference where PALEO_PASSES_FWD is asked for */
	enum paleo_update_rule optimizer; /* of a framework */
	int separate_attention;           /* of a framework: products, softmax and copies apart */
};

/* The same, with all that can be chosen. */
int paleo_net_works_with(const struct paleo_net *net, const struct paleo_works_options *o,
			 struct paleo_work_list *out, struct paleo_error *err);

/*
 * Rewrites a list of forward works for inference. A batch normalisation that alone reads a
 * convolution or a product of batch 1 is folded into it and leaves a bias; an activation that alone
 * reads one, in the same layer or the next, becomes part of it ("conv + act"); other batch
 * normalisations take the statistics they have. With PALEO_FUSE_CHAINS see below, too.
 */
int paleo_work_list_fuse(struct paleo_work_list *list, enum paleo_fuse fuse,
			 struct paleo_error *err);

/* Makes one work of a chain that goes element by element, and of a sum and what it alone reads. */
int paleo_work_list_merge(struct paleo_work_list *list, struct paleo_error *err);
/*
 * Rewrites a list of a net's works, made by the same options, as a framework runs them. Inference
 * takes the statistics that batch normalisations have. In eager mode a convolution's bias and the
 * gradient of any bias are works of their own. In 16 bits weights, gradients and the optimiser are
 * f32, weights are cast in every step, and so is what autocast computes in f32. The list is
 * released on failure. Attention is taken for one kernel in what it copies and casts, unless it is
 * asked for apart.
 */
int paleo_work_list_as_framework(const struct paleo_net *net, const struct paleo_works_options *o,
				 struct paleo_work_list *list, struct paleo_error *err);
void paleo_work_list_release(struct paleo_work_list *list); /* NULL allowed */

#endif
