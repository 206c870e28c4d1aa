/* layer.h - a layer of a net, its shape, and the interface of a kind of layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYER_H
#define PALEO_MODEL_NET_LAYER_H

#include <stddef.h>

#include "base/json.h"
#include "model/op/op.h"

/*
 * The shape of the tensor that flows between two layers. Rank 4: [n,h,w,c] in net files, named
 * here. Rank 2: [n,c], with h = w = 1. Rank 3: [n,t,c], a sequence of t tokens, with h = t and w =
 * 1; a token's channels lie together in every layout.
 */
struct paleo_shape {
	int rank; /* 2, 3 or 4 */
	int n, c, h, w;
};

/* Bytes of a cache: those that a token adds; of all tokens in it; those by which it grows with the
 * next token, which in a full window takes the place of another. */
enum paleo_cached {
	PALEO_CACHED_TOKEN,
	PALEO_CACHED_ALL,
	PALEO_CACHED_NEXT
};

/* Elements of the whole batch. */
static inline double paleo_shape_count(const struct paleo_shape *s)
{
	return (double)s->n * s->c * s->h * s->w;
}

/* From and to the numbers of net files: `rank` of them. */
struct paleo_shape paleo_shape_of(int rank, const int *dims);
void paleo_shape_dims(const struct paleo_shape *s, int dims[4]);

/* A sequence with each token as a separate image, [n t,c]; other shapes unchanged. */
struct paleo_shape paleo_shape_rows(const struct paleo_shape *s);

/* "64x224x224x3" (n, h, w, c as in net files), "64x512x768" or "64x1000"; 48 bytes hold every
 * shape. */
void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size);

/* The ops of a net: filled by a kind's `op`, read by all others. */
struct paleo_op_list;

/* Adds a finished copy of `w` for the layer's pass `pass`; `what` is the row's kind: "conv",
 * "relu", "batch_norm". Fails as paleo_op_finish() does, with the layer's name in front. */
int paleo_op_list_add(struct paleo_op_list *list, const char *what, enum paleo_pass pass,
		      const struct paleo_op *w, struct paleo_error *err);

/* Memory layout of images in the listed ops; for a kind whose op shapes depend on it.
 * paleo_op_list_add() gives every op its layout. */
enum paleo_layout paleo_op_list_layout(const struct paleo_op_list *list);

/* 1: attention is listed as GEMMs, copies and a softmax, not as one kernel. */
int paleo_op_list_separates(const struct paleo_op_list *list);

struct paleo_layer_kind;

struct paleo_layer {
	char *name; /* full: "Mixed_5b/concat", "parallel_fc67/fc6@1" */
	const struct paleo_layer_kind *kind;
	void *param;                  /* the kind's own struct, param_size bytes */
	struct paleo_layer **parents; /* in file order */
	int parent_count;
	struct paleo_layer **children;
	int child_count;
	struct paleo_shape out;
	int split;      /* of a ModelParallel block: 0 .. splits-1; -1 outside of one */
	int shared;     /* 1: its weights are those of another layer, which learns them */
	int splits;     /* of its ModelParallel block; 1 outside of one */
	int needs_grad; /* 1: it or a layer before it has weights, so its input gradient is wanted
			 */
	int index;      /* in the net's list of layers */
};

/* One kind of layer: a constant, one file in layers/, one line in kinds.def. */
struct paleo_layer_kind {
	const char *type; /* the word in net files: "Convolution" */
	size_t param_size;
	struct {
		int min, max;
	} parents;
	int no_gradient;                     /* 1: no gradient comes out of it (Accuracy) */
	int no_graph;                        /* 1: whole passes are not run with it (graph.h) */
	int index;                           /* 1: its cache is separate from keys and values */
	const struct paleo_json_field *keys; /* into `param`. NULL: type and parents alone */
	const void *initial; /* initial value of `param` before its keys are read. NULL: zeros */
	/* Checks that the table cannot express: combinations of keys. NULL: none. */
	int (*check)(const struct paleo_json *j, void *param, struct paleo_error *err);
	/* Sets l->out from the parents' shapes, checks that they fit; may complete param (cin -1).
	 */
	int (*shape)(struct paleo_layer *l, struct paleo_error *err);
	/* Adds the ops of one pass. PALEO_FWD. PALEO_BWD_FILTER, for layers with weights:
	 * everything that their weights' gradients need, including the gradients of a following
	 * activation and normalisation (rows of BWD_DATA). PALEO_BWD_DATA, afterwards and only
	 * where a parent needs a gradient: the remaining ops for it. NULL: the layer costs
	 * nothing. */
	int (*op)(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		  struct paleo_op_list *out, struct paleo_error *err);
	double (*weights)(const struct paleo_layer *l); /* how many it learns. NULL: none */
	/* Number of weights that one token uses. NULL: all. */
	double (*active)(const struct paleo_layer *l);
	/* Bytes of the weights where GEMMs of a net are in `dtype`. NULL: all in its wide type. */
	double (*weight_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype);
	/* Bytes of a part of the cache. NULL: none. */
	double (*cached_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype,
			       enum paleo_cached part);
	/* Bytes of state per sequence, independent of its length. NULL: none. */
	double (*state_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype);
	/* A short text for summaries: "3x3 64->128 s1 same". NULL: none. */
	void (*describe)(const struct paleo_layer *l, char *buf, size_t size);
};

/* The table of kinds, made from kinds.def. NULL if there is none of this type. */
const struct paleo_layer_kind *paleo_layer_kind_find(const char *type);
const struct paleo_layer_kind *const *paleo_layer_kinds(int *count);

/* Reads the keys of a layer of its kind from `j`, which has a type and parents, into l->param and
 * l->shared. EINPUT for a key that the kind does not have. */
int paleo_layer_read(struct paleo_layer *l, const struct paleo_json *j, struct paleo_error *err);

/* Number of learned weights of a layer; 0 for kinds without. The number that a token uses; their
 * bytes; those of a part of the cache. */
double paleo_layer_weights(const struct paleo_layer *l);
double paleo_layer_active(const struct paleo_layer *l);
double paleo_layer_weight_bytes(const struct paleo_layer *l, enum paleo_dtype dtype);
double paleo_layer_cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype,
				enum paleo_cached part);
/* The bytes of a sequence's state. */
double paleo_layer_state_bytes(const struct paleo_layer *l, enum paleo_dtype dtype);

#endif
