/* job.h - a conversion in progress: the state of each value, and the resulting layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_ONNX_JOB_H
#define PALEO_IMPORT_ONNX_JOB_H

#include "import/onnx/onnx.h"
#include "model/net/layer.h"
#include "model/net/layers/common.h"

/*
 * Only for the files in this folder.
 *
 * A function that can fail returns 0, or 1 where it is not supported: then the node's outputs stay
 * unknown, and paleo_onnx_refuse() has been called. Where memory runs out job->rc is set; later
 * results are not used, and need only be safe.
 */

enum {
	ONNX_ATOMS_MAX = 16,
	ONNX_KEYS_MAX = 12,
	ONNX_SPARE = 3 /* values after the named ones: for unused outputs, and two operands */
};

/* The dimensions of a layer's output. A sequence's tokens are its height, as in struct paleo_shape.
 */
enum paleo_onnx_axis {
	ONNX_N,
	ONNX_H,
	ONNX_W,
	ONNX_C,
	ONNX_AXES /* of a step of a value: the same elements again, as where heads share keys */
};

/* `size` steps along one dimension of a layer's output, each of `stride` elements of it. */
struct paleo_onnx_atom {
	enum paleo_onnx_axis axis;
	int size, stride;
};

/*
 * Reshaped and transposed, a layer's output is still the same numbers. So a value is described by
 * the steps, in row-major order, that lead through the output; those of one size are left out. An
 * axis of the value is as many of them as multiply to its size.
 */
struct paleo_onnx_view {
	int layer;
	int count;
	struct paleo_onnx_atom atoms[ONNX_ATOMS_MAX];
};

enum paleo_onnx_state {
	ONNX_UNKNOWN, /* derived from an unconverted value */
	ONNX_NUMBERS, /* known: shapes, constants */
	ONNX_WEIGHT,  /* learned */
	ONNX_SIDE,    /* tokens, masks, positions: integer inputs, and values derived from them */
	ONNX_TENSOR,  /* a layer's output */
	ONNX_POINT,   /* a function of one number, of each element of a layer's output */
	ONNX_STAT,    /* a step on the way to a normalisation */
	ONNX_SCORES,  /* queries times keys, on their way to a softmax and the values */
	ONNX_PADDED,  /* a layer's output with zeros around it, for the next layer's window */
	ONNX_TURN     /* a part of heads on its way to be turned: rope.c */
};

/* Steps of layer and RMS normalisation, of x, over its channels. */
enum paleo_onnx_stat {
	STAT_MEAN,        /* mean of x */
	STAT_CENTRED,     /* x - mean */
	STAT_SQUARE,      /* (x - mean)^2 */
	STAT_VARIANCE,    /* mean of it, with and without epsilon */
	STAT_DEVIATION,   /* its root */
	STAT_INVERSE,     /* 1 / the root */
	STAT_MEAN_SQUARE, /* mean of x^2, with and without epsilon */
	STAT_RMS,         /* its root */
	STAT_INVERSE_RMS,
	STAT_NEGATIVE, /* - mean */
	STAT_FACTOR,   /* 1 / the root, times learned factors */
	STAT_SCALED,   /* x times that, with factors or without */
	STAT_OFFSET    /* mean times that, with a learned shift or without */
};

struct paleo_onnx_value {
	enum paleo_onnx_state state;
	int type; /* enum paleo_onnx_type */
	int rank;
	double dims[ONNX_RANK_MAX];
	double *numbers;             /* of ONNX_NUMBERS; NULL: too many, not read */
	double learned;              /* of ONNX_WEIGHT: how many; a repeated one counts once */
	struct paleo_onnx_view view; /* of ONNX_TENSOR and those after it */
	double whole[4];             /* of ONNX_TURN: the sizes of the heads */
	const char *stored;          /* of ONNX_WEIGHT: the type it is stored in; NULL: the net's */
	int expression;              /* of ONNX_POINT */
	int by;                      /* of ONNX_POINT: number of the last node of it */
	enum paleo_onnx_stat stat;   /* of ONNX_STAT */
	struct paleo_onnx_view key_view; /* of ONNX_SCORES: its keys; the view is the queries */
	int key_rank;
	double key_dims[ONNX_RANK_MAX];
	int heads, kv_heads, windows; /* of ONNX_SCORES */
	int score_table;              /* of ONNX_SCORES: learned numbers that are added by place */
	int scale;       /* of auxiliary values: 1 if integers are multiplied with it */
	int tokens;      /* of ONNX_SIDE: 1 + the Input that gives it; 0: none */
	int weighted;    /* of ONNX_SCORES: 1 behind the softmax */
	int source;      /* of parameters: 1 + the name of the initializer */
	int counted;     /* of an initializer: 1 if a layer has learned it */
	int mean_axis;   /* of ONNX_STAT: the axis of the last mean */
	int with_factor; /* of ONNX_STAT: 1 + the value that is its factor or shift; 0: none */
	int pads[4];     /* of ONNX_PADDED: top, left, bottom, right; dims have them */
};

struct paleo_onnx_key {
	const char *name;
	const char *word; /* a text; or NULL */
	int is_flag;
	int count; /* of numbers in an array; 0: one number */
	int numbers[4];
	double real; /* a number that is not whole; 0: none */
};

struct paleo_onnx_layer {
	char *name;
	const char *type; /* of ours */
	int *parents;
	int parent_count;
	struct paleo_onnx_key keys[ONNX_KEYS_MAX];
	int key_count;
	struct paleo_shape out;
	const char *shift; /* the flag for an optional addend; NULL: always has one */
	int open;          /* possible later additions: bit 0 an addend, bit 1 a factor */
};

enum {
	ONNX_OPEN_SHIFT = 1, /* bias of a GEMM, shift of a normalisation */
	ONNX_OPEN_SCALE = 2  /* factor of a normalisation */
};

/* A kind of node that could not be converted. */
struct paleo_onnx_refusal {
	char type[48];
	char first[80]; /* node */
	char why[96];
	int count;
};

struct paleo_onnx_job {
	const struct paleo_onnx_graph *graph;
	const struct paleo_onnx_options *options;
	struct paleo_error *err;
	int rc;                          /* PALEO_ENOMEM once memory has run out, else 0 */
	struct paleo_onnx_block *blocks; /* of numbers, names and parents */
	struct paleo_onnx_value *values; /* of the names of the graph, then ONNX_SPARE */
	struct paleo_onnx_layer *layers; /* room for one more than there are */
	int layer_count, layer_room;
	int last; /* the layer that was added last: keys are put into it */
	struct paleo_onnx_expression *expressions; /* the first is OP_X */
	int expression_count, expression_room;
	struct paleo_onnx_refusal *refusals;
	int refusal_count, refusal_room;
	struct paleo_names used; /* names of layers, and how often each was used */
	char first_open[256];    /* the first dimension without a size, "": none */
	char open_sizes[400];    /* the words that would give all of them one */
	int batch;               /* of the first input; 0: there was none yet */
	int learns_constants;    /* 1: most floats of the file are in Constant nodes: learned */
	unsigned said;           /* which of the options' sizes something has: bits */
	int tokens_first;        /* 1: inputs are [T, N, ...], as for recurrent layers */
	int no_turns;            /* 1: parts of heads are parts of any value */
	int not_turned;          /* parts of heads were no step of turning them */
	int wants_tokens_first;  /* a recurrent layer has seen that it is the other way */
};

typedef int paleo_onnx_convert_node(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);

/* ops.def names all of them. NULL if nodes of this type are not known. */
paleo_onnx_convert_node *paleo_onnx_find(const struct paleo_onnx_node *n);

/* job.c */

/* `count` items of zeros, which live as long as the job. NULL without memory. */
void *paleo_onnx_new(struct paleo_onnx_job *job, size_t count, size_t size);
/* The same of as many numbers; NULL also where they are too many to be known. */
double *paleo_onnx_new_numbers(struct paleo_onnx_job *job, double count);
/* Notes that memory has run out. */
int paleo_onnx_no_memory(struct paleo_onnx_job *job);

/* Value of a node's input, or NULL if it is left out. */
struct paleo_onnx_value *paleo_onnx_in(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				       int i);
/* Value of its output; a dummy if it is omitted. */
struct paleo_onnx_value *paleo_onnx_out(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
					int i);
/* Makes the node's output this value. Numbers are shared and immutable. */
int paleo_onnx_put(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		   const struct paleo_onnx_value *v);
/* Notes that the node is not converted, and why: 1. */
int paleo_onnx_refuse(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *why);
/* Known numbers of an input, with their count; NULL if they are not known. */
const double *paleo_onnx_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
				 int *count);
/* Numbers of an input, or of an attribute where there is no such input: their count; -1 without
 * both; -2 if they are not known, or more than `room`. */
int paleo_onnx_list(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		    const char *name, double *out, int room);
/* The attribute "axis" of a value of this rank, counted from the end if it is negative; -1: none.
 */
int paleo_onnx_axis(const struct paleo_onnx_node *n, int fallback, int rank);
double paleo_onnx_count(const struct paleo_onnx_value *v);

/* The first of the known numbers, if there is one. */
double paleo_onnx_first(const struct paleo_onnx_value *v, double fallback);

/* Returns 1 for constants, parameters and auxiliary values: not a layer's output. */
int paleo_onnx_is_aux(const struct paleo_onnx_value *v);
/* 1 for a layer's output, or a function of its elements. */
int paleo_onnx_is_output(const struct paleo_onnx_value *v);
/* 1 if each of its dimensions is one that a layer may have. */
int paleo_onnx_is_small(const struct paleo_onnx_value *v);

/* The span's text, shortened if need be, without terminal control characters. */
void paleo_onnx_print(struct paleo_onnx_span s, char *out, size_t size);

/* learned.c */

/* Notes that a layer has learned the value's numbers: 1 if it is the first. */
int paleo_onnx_learn(struct paleo_onnx_job *job, const struct paleo_onnx_value *v);
/* Makes known numbers learned ones, which this name of the graph has. */
void paleo_onnx_make_learned(struct paleo_onnx_value *v, int name);
/* The same where a node's input is of such. */
void paleo_onnx_learn_inputs(struct paleo_onnx_job *job, const struct paleo_onnx_node *n);
/* 1 if an operator takes this value for its weights. */
int paleo_onnx_has_learner(const struct paleo_onnx_graph *g, int number);
/* auxiliary.c: the tensor of an attribute. 0 if there is none. */
int paleo_onnx_tensor_of(const struct paleo_onnx_node *n, const char *name,
			 struct paleo_onnx_tensor *out);

/* start.c */

/* Sets the states of inputs and initializers. PALEO_OK, or EINPUT where a size is not known. */
int paleo_onnx_start(struct paleo_onnx_job *job);
/* The numbers of a tensor; NULL if they are too many, or not in the file. */
double *paleo_onnx_tensor_new(struct paleo_onnx_job *job, const struct paleo_onnx_tensor *t);

/* layers.c */

/* Adds a layer named after the node, with the shape of its first parent until set otherwise.
 * Returns its number. */
int paleo_onnx_add_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const int *parents, int count);
/* The same of a layer that the node needs before its own; `behind` is added to its name, up to 15
 * bytes: "/order". */
int paleo_onnx_add_before(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, const int *parents, int count);
/* The same of one parent, with an "output_shape". */
int paleo_onnx_add_shaped(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, int parent,
			  const struct paleo_shape *s);
/* Keys of the layer that was added last. */
void paleo_onnx_put_ints(struct paleo_onnx_job *job, const char *name, int count, int a, int b,
			 int c, int d);
void paleo_onnx_put_int(struct paleo_onnx_job *job, const char *name, int value);
void paleo_onnx_put_flag(struct paleo_onnx_job *job, const char *name, int value);
void paleo_onnx_put_double(struct paleo_onnx_job *job, const char *name, double value);
void paleo_onnx_put_word(struct paleo_onnx_job *job, const char *name, const char *word);
/* It learns these weights: they are "shared" unless it is the first. */
void paleo_onnx_put_learned(struct paleo_onnx_job *job, const struct paleo_onnx_value *w);
/* Changes a flag or number of an earlier layer; a number is added if it has none. */
int paleo_onnx_has(const struct paleo_onnx_job *job, int layer, const char *name);
void paleo_onnx_flag(struct paleo_onnx_job *job, int layer, const char *name, int value);
void paleo_onnx_set(struct paleo_onnx_job *job, int layer, const char *name, int value);
/* Makes `v` the whole output of a layer, with these sizes in ONNX's order of axes. */
void paleo_onnx_is_layer(struct paleo_onnx_job *job, int layer, struct paleo_onnx_value *v);
void paleo_onnx_layers_release(struct paleo_onnx_job *job);
/* Makes the node's first output the layer's elementwise result of `v`. */
int paleo_onnx_on_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const struct paleo_onnx_value *v, int layer);
/* Makes the node's first output the layer's, of which the first axes are these; the rest are 1. */
int paleo_onnx_put_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int layer,
			 int rank);
/* The whole net as text. */
int paleo_onnx_write(struct paleo_onnx_job *job, char **json);

/* view.c */

/* The shape [N, T, C]. */
struct paleo_shape paleo_onnx_sequence(int n, int tokens, int features);
/* 0, or -1 if the elements do not fall into these sizes. */
int paleo_onnx_view_reshape(struct paleo_onnx_view *v, const double *dims, int rank);
/* Puts the value's axes into another order. */
void paleo_onnx_transpose(struct paleo_onnx_value *v, const int *perm);
/* Takes these axes, as flags, out of the sizes, or puts 1 in their place. */
void paleo_onnx_drop_axes(struct paleo_onnx_value *v, int flags, int keep);
/* Exchanges two axes. */
void paleo_onnx_swap(struct paleo_onnx_value *v, int a, int b);
/* The steps that axis `axis` of a value consists of: the first and how many. */
void paleo_onnx_view_axis(const struct paleo_onnx_value *v, int axis, int *first, int *count);
/* 1 if the axis is one whole dimension of the layer. */
int paleo_onnx_axis_is(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int axis,
		       enum paleo_onnx_axis is);
/* Makes the axis that whole dimension, of size 2 or more. */
void paleo_onnx_axis_set(struct paleo_onnx_value *v, int axis, enum paleo_onnx_axis is, int size);
/* Makes the last axis the channels, of another size. */
void paleo_onnx_last_axis(struct paleo_onnx_value *v, int size);
int paleo_onnx_view_same(const struct paleo_onnx_view *a, const struct paleo_onnx_view *b);
/* 1 if the steps lead through dimensions as they lie. */
int paleo_onnx_in_order(const struct paleo_onnx_view *v, const struct paleo_shape *s);
int paleo_onnx_axis_size(const struct paleo_shape *s, enum paleo_onnx_axis axis);
/* The dimension as net files count it. */
int paleo_onnx_file_dim(const struct paleo_shape *s, enum paleo_onnx_axis axis);
/* Repeats axes of size 1 to these sizes. 0, or -1 if it cannot be. */
int paleo_onnx_repeat(struct paleo_onnx_value *v, const double *dims);
/* The shape of both, each dimension the larger one. 0, or -1 if they do not fit. */
int paleo_onnx_broadcast(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
			 struct paleo_onnx_value *out);

#endif
