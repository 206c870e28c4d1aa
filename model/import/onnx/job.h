/* job.h - a conversion in progress: what is known of each value, and the layers that come out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_JOB_H
#define PALEO_MODEL_IMPORT_ONNX_JOB_H

#include "model/import/onnx/onnx.h"
#include "model/net/shape.h"

/* Only for the files in this folder. */

enum {
	ONNX_ATOMS_MAX = 16,
	ONNX_KEYS_MAX = 12,
	ONNX_SPARE = 3 /* values behind the named ones: of what nobody reads, and two operands */
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
	ONNX_UNKNOWN, /* follows from what was not converted */
	ONNX_NUMBERS, /* known: shapes, constants */
	ONNX_WEIGHT,  /* learned */
	ONNX_SIDE,    /* tokens, masks, positions: whole numbers that come in, and what follows */
	ONNX_TENSOR,  /* a layer's output */
	ONNX_POINT,   /* a function of one number, of each element of a layer's output */
	ONNX_STAT,    /* a step on the way to a normalisation */
	ONNX_SCORES,  /* queries times keys, on their way to a softmax and the values */
	ONNX_PADDED,  /* a layer's output with zeros around it, for the next layer's window */
	ONNX_TURN     /* a part of heads on its way to be turned: turn.h */
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
	double *numbers;             /* of ONNX_NUMBERS, owned; NULL: too many, not read */
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
	int scale;       /* of what is beside: 1 if whole numbers are multiplied with it */
	int tokens;      /* of ONNX_SIDE: 1 + the Input that gives it; 0: none */
	int weighted;    /* of ONNX_SCORES: 1 behind the softmax */
	int source;      /* of what is learned: 1 + the name of the initializer */
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
	const char *shift; /* the flag that says that it has an addend; NULL: it has one anyway */
	int open;          /* what may still become part of it: bit 0 an addend, bit 1 a factor */
};

enum {
	ONNX_OPEN_SHIFT = 1, /* bias of a product, shift of a normalisation */
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
	struct paleo_onnx_value *values; /* of the names of the graph, then ONNX_SPARE */
	struct paleo_onnx_layer *layers;
	int layer_count, layer_room;
	struct paleo_onnx_expression *expressions;
	int expression_count, expression_room;
	struct paleo_onnx_refusal *refusals;
	int refusal_count, refusal_room;
	struct paleo_onnx_used *used;  /* names of layers, by their hash */
	struct paleo_onnx_used *names; /* the same, one after another */
	char first_open[256];          /* the first dimension that has no size, "": none */
	char open_sizes[400];          /* the options that would give all of them one */
	int batch;                     /* of the first input; 0: there was none yet */
	int tokens_first;       /* 1: inputs are [T, N, ...], as recurrent layers want them */
	int no_turns;           /* 1: parts of heads are parts of any value */
	int not_turned;         /* parts of heads were no step of turning them */
	int wants_tokens_first; /* a recurrent layer has seen that it is the other way */
};

typedef int paleo_onnx_convert_node(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				    struct paleo_error *err);

/* ops.def names all of them. NULL if nodes of this type are not known. */
paleo_onnx_convert_node *paleo_onnx_find(const struct paleo_onnx_node *n);

/* job.c */

/* Value of a node's input, or NULL if it is left out. */
struct paleo_onnx_value *paleo_onnx_in(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				       int i);
/* Value of its output; one that nobody reads if it is left out. */
struct paleo_onnx_value *paleo_onnx_out(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
					int i);
/* Notes that the node is not converted, and why, and goes on: PALEO_OK, or ENOMEM. */
int paleo_onnx_refuse(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *why,
		      struct paleo_error *err);
/* Known numbers of an input, with their count; NULL if they are not known. */
const double *paleo_onnx_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
				 int *count);
double paleo_onnx_count(const struct paleo_onnx_value *v);

/* The span's text, shortened if need be, without what would steer a terminal. */
void paleo_onnx_print(struct paleo_onnx_span s, char *out, size_t size);

/* sizes.c */

/* Gives an input the sizes that the file leaves open. 1 if it has no numbers, or a size is not
 * known. */
int paleo_onnx_give_sizes(struct paleo_onnx_job *job, int number);
/* EINPUT if sizes are not known, with all of them. */
int paleo_onnx_tell_open(const struct paleo_onnx_job *job, struct paleo_error *err);

/* branch.c: 0 if the node is in the graph of an If that its condition does not choose. */
int paleo_onnx_is_taken(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n);

/* layers.c: 1 if each of its dimensions is one that a layer may have. */
int paleo_onnx_is_small(const struct paleo_onnx_value *v);
/* Copies everything but the numbers' ownership: they are copied, too. ENOMEM. */
int paleo_onnx_copy(const struct paleo_onnx_value *from, struct paleo_onnx_value *to,
		    struct paleo_error *err);

/* What is known, learned, or on the side: no layer's output. */
int paleo_onnx_is_beside(const struct paleo_onnx_value *v);

/* Notes that a layer has learned the value's numbers: 1 if it is the first. */
int paleo_onnx_learn(struct paleo_onnx_job *job, const struct paleo_onnx_value *v);

/* layers.c */

/* Adds a layer named after the node. Returns its number, or -1: out of memory. */
int paleo_onnx_add_layer(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const int *parents, int count);
/* The same of a layer that the node needs before its own; `behind` is added to its name, up to 15
 * bytes: "/order". */
int paleo_onnx_add_before(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const char *behind, const char *type, const int *parents, int count);
/* Keys of the layer that was added last. */
void paleo_onnx_put_ints(struct paleo_onnx_job *job, const char *name, int count, int a, int b,
			 int c, int d);
void paleo_onnx_put_int(struct paleo_onnx_job *job, const char *name, int value);
void paleo_onnx_put_flag(struct paleo_onnx_job *job, const char *name, int value);
void paleo_onnx_put_double(struct paleo_onnx_job *job, const char *name, double value);
void paleo_onnx_put_word(struct paleo_onnx_job *job, const char *name, const char *word);
/* Changes a flag or number of an earlier layer; a number is added if it has none. */
int paleo_onnx_has(const struct paleo_onnx_job *job, int layer, const char *name);
void paleo_onnx_flag(struct paleo_onnx_job *job, int layer, const char *name);
void paleo_onnx_set(struct paleo_onnx_job *job, int layer, const char *name, int value);
/* Makes `v` the whole output of a layer, with these sizes in ONNX's order of axes. */
void paleo_onnx_is_layer(struct paleo_onnx_job *job, int layer, struct paleo_onnx_value *v);
void paleo_onnx_layers_release(struct paleo_onnx_job *job);
/* Makes `out` what layer `layer` makes of the elements of `v`, in the same places. */
void paleo_onnx_on_layer(const struct paleo_onnx_value *v, int layer, struct paleo_onnx_value *out);
/* The whole net as text. */
int paleo_onnx_write(struct paleo_onnx_job *job, char **json, struct paleo_error *err);

/* Rows of a table of `words`, one for each token of [N, T]: *s is [N, T, C]. ENOMEM. */
int paleo_onnx_embed(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int words,
		     const struct paleo_shape *s, struct paleo_error *err);

/* windows.c: the mean over height and width of the picture *x; with `keep` both stay, of size 1. */
int paleo_onnx_pool_pixels(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *x, int keep, struct paleo_error *err);

/* places.c: gives the node's output these sizes, whose product is that of its input's. */
int paleo_onnx_resize(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const double *dims, int rank, struct paleo_error *err);

/* view.c */

/* 0, or -1 if the elements do not fall into these sizes. */
int paleo_onnx_view_reshape(struct paleo_onnx_view *v, const double *dims, int rank);
void paleo_onnx_view_transpose(struct paleo_onnx_view *v, const double *dims, int rank,
			       const int *perm);
/* The steps that axis `axis` of a value consists of: the first and how many. */
void paleo_onnx_view_axis(const struct paleo_onnx_value *v, int axis, int *first, int *count);
/* 1 if the axis is one whole dimension of the layer. */
int paleo_onnx_axis_is(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int axis,
		       enum paleo_onnx_axis is);
/* Makes the axis that whole dimension, of size 2 or more. */
void paleo_onnx_axis_set(struct paleo_onnx_value *v, int axis, enum paleo_onnx_axis is, int size);
int paleo_onnx_view_same(const struct paleo_onnx_view *a, const struct paleo_onnx_view *b);
/* Merges steps that follow each other. */
void paleo_onnx_view_merge(struct paleo_onnx_view *v);
int paleo_onnx_axis_size(const struct paleo_shape *s, enum paleo_onnx_axis axis);

/* lay.c: makes the value the output of a layer whose height is the axes before `from_w`, its width
 * those before `from_c`, its channels the rest; without a width, [N, rows, features]. The batch
 * goes to the front. A layer is added if need be: Reshape, Permute, or Gather of what is repeated.
 * 0; 1 if it cannot be; ENOMEM. */
int paleo_onnx_lay(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *v, int from_w, int from_c, struct paleo_error *err);
/* Makes features [N, C] among the values sequences of one, [N, 1, C], if others are sequences.
 * ENOMEM. */
int paleo_onnx_alike(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_onnx_value *values, int count, struct paleo_error *err);
/* Makes *layer another layer of the same output, for one that reads it twice. ENOMEM. */
int paleo_onnx_other(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int *layer,
		     struct paleo_error *err);
/* Makes the node's first output a choice of the elements of `v`, of these sizes: a Gather layer. */
int paleo_onnx_choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, const double *dims, int rank,
		      struct paleo_error *err);
/* Makes learned numbers a layer that gives them to each image, where they are computed with. It
 * stays what it is if it cannot be. ENOMEM. */
int paleo_onnx_parameter(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, struct paleo_error *err);
/* The same of what is known or computed beside the layers, where the node multiplies it with the
 * weights `w`. */
int paleo_onnx_multiplied(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const struct paleo_onnx_value *w, struct paleo_error *err);
/* Makes a padded value a layer, for one that has no window. ENOMEM. */
int paleo_onnx_surround(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_onnx_value *v, struct paleo_error *err);
/* Makes the last axis the channels, of another size. */
void paleo_onnx_last_axis(struct paleo_onnx_value *v, int size);

/* batched.c: exchanges the last two axes. */
void paleo_onnx_swap(struct paleo_onnx_value *v);
/* Makes scores what they are without a layer for all of attention: a product, a softmax. ENOMEM. */
int paleo_onnx_unfold(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v, struct paleo_error *err);

/* reduce.c: makes a layer of a mean that is no step of a normalisation. ENOMEM. */
int paleo_onnx_settle_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *v, struct paleo_error *err);

/* meet.c: the shape of both, each dimension the larger one. 0, or -1 if they do not fit. */
int paleo_onnx_broadcast(const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
			 struct paleo_onnx_value *out);
/* 1 if both lie alike, or the second is the gate of a picture's channels or of tokens. */
int paleo_onnx_fits(const struct paleo_onnx_job *job, const struct paleo_onnx_value *a,
		    const struct paleo_onnx_value *b);
/* Lays both out alike; where the second is repeated it has 1. 0; 1 if it cannot be; ENOMEM. */
int paleo_onnx_meet(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *a, struct paleo_onnx_value *b,
		    struct paleo_error *err);

/* places.c: repeats axes of size 1 to these sizes. 0, or -1 if it cannot be. */
int paleo_onnx_repeat(struct paleo_onnx_value *v, const double *dims);

/* shape_as.c: makes the value the output of a layer of that form, by a layer of type Reshape (free)
 * or Permute (a copy) if need be. *v becomes that layer's. Returns 0; 1 if it cannot be; ENOMEM. */
int paleo_onnx_as_picture(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *v, struct paleo_error *err);
int paleo_onnx_as_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_onnx_value *v, struct paleo_error *err);

/* point.c: makes an activation of a function that is waiting. 0; 1 where it is none of ours; or
 * ENOMEM. */
int paleo_onnx_settle(struct paleo_onnx_job *job, struct paleo_onnx_value *v,
		      struct paleo_error *err);

/* 1 if the function is a factor alone. */
int paleo_onnx_is_factor(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v);

/* The input as a layer's output, with functions that were waiting made layers: a copy of the value.
 * 0; 1 if it is none, after paleo_onnx_refuse(); or ENOMEM. */
/* The same of what may be padded; pads are taken out of the dimensions. */
int paleo_onnx_padded(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *out, int pads[4], struct paleo_error *err);
int paleo_onnx_tensor(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		      struct paleo_onnx_value *out, struct paleo_error *err);
/* The same of what may be repeated, as heads that others share: for attention alone. */
int paleo_onnx_repeated(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out, struct paleo_error *err);

#endif
