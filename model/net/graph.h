/* graph.h - a whole pass of a net as steps over connected buffers, and the memory it takes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_GRAPH_H
#define PALEO_MODEL_NET_GRAPH_H

#include "model/net/net.h"
#include "model/op/operand.h"

/* Extent of a full pass. */
enum paleo_extent {
	PALEO_EXTENT_FWD,  /* forward, as in training */
	PALEO_EXTENT_BOTH, /* forward and backward */
	PALEO_EXTENT_STEP, /* forward, backward and the update of all weights */
	PALEO_EXTENTS
};

const char *paleo_extent_name(enum paleo_extent e); /* "fwd" "fwd+bwd" "step" */
int paleo_extent_parse(const char *word, enum paleo_extent *out, struct paleo_error *err);

/* Contents of a buffer. */
enum paleo_buffer_use {
	PALEO_USE_DATA,       /* given: the net's input, the gradient of its output */
	PALEO_USE_WEIGHTS,    /* learned: filters, biases, scales */
	PALEO_USE_GRADIENTS,  /* of weights */
	PALEO_USE_STATE,      /* the optimiser's, of a weight */
	PALEO_USE_MASTER,     /* f32 weights, of which 16-bit ones are the rounded copy */
	PALEO_USE_STATISTICS, /* learned, too: mean and variance of a normalisation at inference */
	PALEO_USE_ACTIVATION, /* made forward, perhaps read backward; masks, too */
	PALEO_USE_DELTA,      /* gradient of an activation */
	PALEO_USES
};

/*
 * One tensor that steps hand to one another. A plain value. Its elements lie and are
 * counted in the order of its dims: an activation's are n, c, h, w, a filter's k, c,
 * r, s; where the list's layout has channels innermost n, h, w, c and k, r, s, c.
 * An op without a layout reads an image's elements in that order.
 */
struct paleo_buffer {
	enum paleo_buffer_use use;
	int rank; /* 1 .. 4 */
	double dims[4];
	int elem_bytes;
	double bytes;
	/* Its values before the first run are uniform in [-scale, scale] (optimiser's state and
	 * statistics: in [0, scale]); 0: a step writes it before it is read. */
	double scale;
	/* Lifetime: the first and the last step that use it. Buffers that outlive a run (all but
	 * activations and deltas) have -1 and the number of steps. */
	int first, last;
};

/* One operand of a step, or one of its copies. */
struct paleo_graph_use {
	enum paleo_role role;
	int copy;
	enum paleo_access access;
	int buffer;
};

/*
 * One op of the pass. A row of the net is one step, but an update is one for each
 * tensor of weights. The parts of a copy are as wide as their buffers, however the
 * op divides them; where one use is for all of them they lie one after another in its
 * buffer, all as wide (the heads of attention).
 */
struct paleo_graph_step {
	struct paleo_op op;
	int row;     /* in the list that the program was made from */
	int forward; /* of a gradient: the step it is the gradient of; otherwise, and of
		      * attention's, -1 */
	int first_use, use_count; /* in operand.h's order, copies in theirs */
};

/*
 * The steps in the order in which they run. The gradient of the net's output is
 * given, as is its input: no loss is computed, no labels are read.
 */
struct paleo_graph {
	enum paleo_extent extent;
	enum paleo_dtype dtype;
	struct paleo_graph_step *steps;
	int step_count;
	struct paleo_graph_use *uses;
	int use_count;
	struct paleo_buffer *buffers;
	int buffer_count;
	int output;        /* the buffer that the last forward step writes; kept to the end */
	double peak_bytes; /* of activations and their gradients: the most that live at one step */
};

/* Checks that full passes run in this dtype: EUNSUPPORTED where it is narrow. */
int paleo_graph_check_dtype(enum paleo_dtype dtype, struct paleo_error *err);

/* The same of a row, whose layer may be of a kind that whole passes are not run with. */
int paleo_graph_check_row(const struct paleo_net_op *r, struct paleo_error *err);

/*
 * Connects the rows of `list`, which are all of the net's for this extent
 * (paleo_graph_passes() of it). `rule` is the optimiser's. EUNSUPPORTED where a
 * row's place among the others is not known; ENOMEM. *out is owned by the caller:
 * paleo_graph_release().
 */
int paleo_graph_build(const struct paleo_net *net, const struct paleo_op_list *list,
		      enum paleo_extent extent, enum paleo_update_rule rule,
		      struct paleo_graph *out, struct paleo_error *err);
void paleo_graph_release(struct paleo_graph *p); /* NULL allowed */

/* The passes that an extent lists: PALEO_PASSES_... */
unsigned paleo_graph_passes(enum paleo_extent e);

/* 1 if the step is a copy whose parts lie one after another in one buffer. */
int paleo_graph_is_stacked(const struct paleo_graph *p, int step);

/* The use with this role and copy, or NULL. */
const struct paleo_graph_use *paleo_graph_find(const struct paleo_graph *p, int step,
					       enum paleo_role role, int copy);

/* Puts the op of a step that failed in front of the failure, and returns its status `rc`. */
int paleo_graph_blame(const struct paleo_graph *p, int step, int rc, struct paleo_error *err);

/* The dtype of a buffer's elements: the program's, or f32 (a normalisation's parameters, their
 * gradients and optimiser state). */
enum paleo_dtype paleo_graph_dtype(const struct paleo_graph *p, int buffer);

/* Something to be kept from one step to another, and where it lies. */
struct paleo_span {
	double bytes;
	int first, last; /* steps, both included */
	double offset;   /* out */
};

/* Places spans so that none that live at the same time overlap, each at a multiple of `align`
 * bytes: the largest first, each as low as it can go. Returns the bytes of all. ENOMEM: -1. */
double paleo_spans_place(struct paleo_span *spans, int count, double align);

/* Memory by purpose, in bytes. A plain value. */
struct paleo_graph_memory {
	double data, weights, gradients, optimizer; /* statistics are among the weights */
	double activations; /* with the gradients of activations: the most that live at once */
	double workspace;   /* of the libraries; 0 in a prediction */
};

/* Minimum memory of a pass: no padding, every tensor freed after its last use. */
struct paleo_graph_memory paleo_graph_memory_of(const struct paleo_graph *p);
double paleo_graph_memory_sum(const struct paleo_graph_memory *m);

#endif
