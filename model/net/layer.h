/* layer.h - a layer of a net, and what a kind of layer must provide. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_LAYER_H
#define PALEO_MODEL_NET_LAYER_H

#include <stddef.h>

#include "base/json.h"
#include "model/net/shape.h"
#include "model/work/work.h"

/* What a net's works are: filled by a kind's `work`, read by everyone else. */
struct paleo_work_list;

/* Adds a finished copy of `w` for the layer's pass `pass`; `what` is the row's kind: "conv",
 * "relu", "batch_norm". Fails as paleo_work_finish() does, with the layer's name in front. */
int paleo_work_list_add(struct paleo_work_list *list, const char *what, enum paleo_pass pass,
			const struct paleo_work *w, struct paleo_error *err);

/* How images lie in memory in the works that are listed; for a kind whose shape of work depends on
 * it. paleo_work_list_add() gives every work its layout. */
enum paleo_layout paleo_work_list_layout(const struct paleo_work_list *list);

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
	int min_parents, max_parents;
	int no_gradient; /* 1: no gradient comes out of it (Accuracy) */
	int no_graph;    /* 1: whole passes are not run with it (graph.h) */
	int index;       /* 1: what it caches is apart from keys and values */
	/* Reads the keys of its own (parents and type are read already), refusing unknown ones. */
	int (*parse)(const struct paleo_json *j, void *param, struct paleo_error *err);
	/* Sets l->out from the parents' shapes, checks that they fit; may complete param (cin -1).
	 */
	int (*shape)(struct paleo_layer *l, struct paleo_error *err);
	/* Adds the works of one pass. PALEO_FWD. PALEO_BWD_FILTER, asked of layers with weights:
	 * all that their weights' gradients need, so the gradients of an activation and a
	 * normalisation behind them, too (rows of BWD_DATA). PALEO_BWD_DATA, asked after that and
	 * only where a parent needs a gradient: what is left to do for it. NULL: the layer costs
	 * nothing. */
	int (*work)(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		    struct paleo_work_list *out, struct paleo_error *err);
	double (*weights)(const struct paleo_layer *l); /* how many it learns. NULL: none */
	/* How many of them one token goes through. NULL: all. */
	double (*active)(const struct paleo_layer *l);
	/* What they take where products of a net are in `dtype`. NULL: all in its wide type. */
	double (*weight_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype);
	/* What a token leaves in a cache; `whole`: what all tokens have left that it keeps.
	 * NULL: nothing. */
	double (*cached_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype, int whole);
	/* What a sequence keeps besides, however long it is. NULL: nothing. */
	double (*state_bytes)(const struct paleo_layer *l, enum paleo_dtype dtype);
	/* A short text for summaries: "3x3 64->128 s1 same". NULL: none. */
	void (*describe)(const struct paleo_layer *l, char *buf, size_t size);
};

/* The table of kinds, made from kinds.def. NULL if there is none of this type. */
const struct paleo_layer_kind *paleo_layer_kind_find(const char *type);
const struct paleo_layer_kind *const *paleo_layer_kinds(int *count);

/* How many weights a layer learns; 0 for kinds without. Those of them that a token goes through;
 * their bytes; the bytes that a token, or all of them, left in a cache. */
double paleo_layer_weights(const struct paleo_layer *l);
double paleo_layer_active(const struct paleo_layer *l);
double paleo_layer_weight_bytes(const struct paleo_layer *l, enum paleo_dtype dtype);
double paleo_layer_cached_bytes(const struct paleo_layer *l, enum paleo_dtype dtype, int whole);
/* The bytes of a sequence's state. */
double paleo_layer_state_bytes(const struct paleo_layer *l, enum paleo_dtype dtype);

#endif
