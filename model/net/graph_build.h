/* graph_build.h - a graph while it is built; for the graph*.c files alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_GRAPH_BUILD_H
#define PALEO_MODEL_NET_GRAPH_BUILD_H

#include "model/net/graph.h"

/* Build state of a layer. */
struct paleo_layer_state {
	int out;                 /* the buffer of its result */
	int step, step_count;    /* its forward steps */
	int buffer, buffers_end; /* buffers made by these, weights included */
	int *deltas;             /* gradients that its children gave; room for all of them */
	int delta_count;
};

/* A program being built. */
struct paleo_graph_builder {
	const struct paleo_net *net;
	const struct paleo_op_list *list;
	enum paleo_update_rule rule;
	struct paleo_graph p;
	int step_room, use_room, buffer_room;
	int *gradient_of; /* of each buffer: that of its gradient, or -1 */
	struct paleo_layer_state *layers;
	int next; /* row of the list */
};

/* ENOMEM. */
int paleo_build_no_memory(struct paleo_error *err);

/* Each adds a buffer and yields its number, or -1 if memory ran out. `dims` has `rank` numbers. */
int paleo_build_buffer(struct paleo_graph_builder *b, enum paleo_buffer_use use, int rank,
		       const double *dims, int elem_bytes);
int paleo_build_like(struct paleo_graph_builder *b, enum paleo_buffer_use use,
		     const struct paleo_operand *o);
int paleo_build_shaped(struct paleo_graph_builder *b, enum paleo_buffer_use use,
		       const struct paleo_shape *s);

/* The gradient of an activation, new at each call; of weights, one for all calls. */
int paleo_build_delta(struct paleo_graph_builder *b, int of);
int paleo_build_gradient(struct paleo_graph_builder *b, int weights);

/* Weights that operand `o` of `w` is. */
int paleo_build_weights(struct paleo_graph_builder *b, const struct paleo_operand *o,
			const struct paleo_op *w);

/* Statistics that operand `o` is. */
int paleo_build_statistics(struct paleo_graph_builder *b, const struct paleo_operand *o);

/* Begins a step; its number, or -1. Its uses are added next. */
int paleo_build_step(struct paleo_graph_builder *b, const struct paleo_op *w, int row, int forward);

/* Adds a use to the last step; 0 if memory ran out now or before: `buffer` is -1. */
int paleo_build_use(struct paleo_graph_builder *b, const struct paleo_operand *o, int copy,
		    int buffer);

/* The rows of an attention layer: forward, whose parents' results are `in`, yielding its own in
 * *out; and backward, g[0] being the gradient that arrives, which those of the parents replace,
 * *count of them. */
int paleo_build_attention(struct paleo_graph_builder *b, const struct paleo_layer *l, const int *in,
			  int *out, struct paleo_error *err);
int paleo_build_attention_back(struct paleo_graph_builder *b, const struct paleo_layer *l, int *g,
			       int *count, struct paleo_error *err);

/* The buffer of a step's operand; -1 if it has none. */
int paleo_build_buffer_of(const struct paleo_graph_builder *b, int step, enum paleo_role role,
			  int copy);

#endif
