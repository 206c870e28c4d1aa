/* sim.h - a training step on several workers: strategies, times, memory, Pareto front. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SIM_H
#define PALEO_MODEL_SIMULATE_SIM_H

#include "base/error.h"
#include "model/device/device.h"
#include "model/net/net.h"
#include "model/simulate/collective.h"
#include "model/simulate/schedule.h"

/* Several ways to work in parallel at once, as in "tp8+sp+pp12+v6+zero1". */

enum paleo_recompute {
	PALEO_RECOMPUTE_NOTHING,
	PALEO_RECOMPUTE_FULL,      /* keeps the inputs of blocks alone */
	PALEO_RECOMPUTE_ATTENTION, /* only the internals of attention: "selective" */
	PALEO_RECOMPUTE_OPS        /* all but attention and every second GEMM: "selective-op" */
};

enum {
	PALEO_PLAN_TEXT = 64
};

/* Parallel strategy of a step. The remaining factor of the workers is data parallel. A plain value;
 * 0 means unset: 1 or none. */
/* CUDA graphs, by which the host starts few kernels. */
enum paleo_graphs {
	PALEO_GRAPHS_NONE,
	PALEO_GRAPHS_PARTS, /* of what does not depend on the tokens that experts are sent */
	PALEO_GRAPHS_STEP   /* of all, with room for as many tokens as an expert may be sent */
};

struct paleo_plan {
	int tp, cp, pp, ep; /* workers that divide GEMMs, tokens, layers, experts */
	int hidden;         /* 1: tokens for experts travel while others are computed */
	int etp;            /* of tp, those that divide an expert; 0: all */
	int sequence;       /* 1: parts repeated by tensor parallelism are divided by tokens */
	int exposed;        /* 1: its sends wait for GEMMs, and these for them, despite overlap */
	int gather;         /* 1: keys and values are gathered; 0: they go around a ring */
	int chunks;         /* of each stage */
	int schedule;       /* 1 + position in paleo_schedules() */
	int zero;           /* sharding: 1 optimiser, 2 gradients, 3 weights */
	int group;          /* workers over which it is; 0: all that have the same */
	int recompute;      /* enum paleo_recompute */
	int blocks;         /* blocks of a chunk that are recomputed in full; 0: all */
	int graphs;         /* enum paleo_graphs */
	int norms, acts;    /* 1: normalisations, activation functions are recomputed, too */
	int wide_logits;    /* 1: the loss reads a copy of the logits in f32 */
	int micro;          /* sequences or images of a micro-batch */
	int data;           /* 1: given, for a plan without other words */
	char text[PALEO_PLAN_TEXT];
};

/* Reads words separated by "+". EINPUT names the word. */
int paleo_plan_read(const char *text, struct paleo_plan *out, struct paleo_error *err);

/* Cost of an op on one worker. */
struct paleo_sim_cost_model {
	const void *self;
	/* Seconds; a negative status when the cost model cannot say. */
	int (*op_s)(const void *self, const struct paleo_op *w, double *out,
		    struct paleo_error *err);
};

/* Division of a layer's ops among the workers of a tensor-parallel group. */
enum paleo_shard {
	PALEO_SHARD_NONE,   /* every worker does all of it */
	PALEO_SHARD_COLUMN, /* by output channels; the outputs are gathered */
	PALEO_SHARD_PAIRED, /* by output channels; the outputs stay divided */
	PALEO_SHARD_INSIDE, /* between a PAIRED and a ROW layer: by channels */
	PALEO_SHARD_ROW,    /* by input channels; the outputs are summed over the workers */
};

/* One layer at one batch on one worker. Bytes are as stored in the net's dtype. */
struct paleo_sim_layer {
	const struct paleo_layer *layer;
	enum paleo_shard shard;
	const int *parents; /* positions of its parents */
	int last_reader;    /* position of the last layer that reads its output; its own if none */
	int has_gradient;   /* 1: a gradient flows from it to a parent */
	int is_product;     /* 1: a convolution of one group, or a GEMM with weights */
	int keeps_channels; /* 1: its other ops treat every channel alone */
	int joins_branches; /* 1: of several inputs, element by element, or attention */
	int shares_input;   /* 1: its inputs' gradient is summed with another's before it is
			       communicated */
	double fwd_s, bwd_s, update_s;
	double weights;    /* numbers it learns that are on this worker */
	double out_bytes;  /* its whole output */
	double in_bytes;   /* its whole inputs */
	double kept_bytes; /* on this worker from forward to backward */
	double cut_bytes;  /* outputs of layers before it that it or later ones read */
	int like_weights;  /* position of a near layer before it with as many weights; or its own */
};

/* A net at one batch, divided among `shards` workers (1: whole). Layers in topological order. */
struct paleo_sim_cost {
	int batch, shards;
	struct paleo_sim_layer *layers;
	int count;
	double fwd_s, bwd_s, update_s, weights, kept_bytes; /* sums */
	double grad_bytes;                /* most of outputs' and inputs' gradients at one layer */
	struct paleo_sim_stages **stages; /* of pipelines, made so far: a list */
};

/* A worker's part of a net. */
struct paleo_part_key {
	int batch;      /* of a micro-batch */
	int tp, ep, cp; /* over which it is divided */
	int etp;        /* and an expert: tp or 1 */
	int ring;       /* 1: of cp, keys and values go around */
	int wide_loss;  /* 1: of logits in f32 */
	int priced;     /* 0: no times, and nothing that the backward pass needs */
};

/* A net to simulate: listed once at every batch used. */
struct paleo_sim;

struct paleo_sim_config {
	/* One net does for several simulations, also in threads. Must outlive them, as cost
	 * model.self. */
	const struct paleo_net *net;
	enum paleo_dtype dtype;
	enum paleo_layout layout; /* of images */
	int merge; /* 1: forward ops that go element by element are put together; no framework */
	enum paleo_update_rule optimizer;
	int separate_attention;         /* 1: as in struct paleo_ops_options */
	enum paleo_framework framework; /* that runs the ops; memory is that of the plain ones */
	double factor; /* on times of all but GEMMs, fitted to a framework's nets; 0: none */
	/* The device of the kernels' times; NULL: the cost model gives the times of steps as they
	 * are. */
	const struct paleo_device *device;
	struct paleo_sim_cost_model cost_model;
	/* Opens the same net divided over tp, ep and etp workers, at any batch. NULL: it has none.
	 * *out is the caller's. */
	int (*open_part)(const void *open_self, const struct paleo_part_key *key,
			 struct paleo_net **out, struct paleo_error *err);
	const void *open_self;
};

/* *out is owned by the caller: paleo_sim_close(). Makes nothing yet. ENOMEM. */
int paleo_sim_open(const struct paleo_sim_config *config, struct paleo_sim **out,
		   struct paleo_error *err);
void paleo_sim_close(struct paleo_sim *sim); /* NULL allowed */

/* The net at a batch (0: its own), divided among `shards`. Borrowed from `sim`. Fails as
 * paleo_net_at_batch() and the cost model do. */
int paleo_sim_get(struct paleo_sim *sim, int batch, int shards, const struct paleo_sim_cost **out,
		  struct paleo_error *err);

/* One configuration. */
struct paleo_sim_setup {
	struct paleo_fabric fabric;
	const struct paleo_scheme *scheme; /* with reduce-scatter and all-gather for ZeRO, tensor */
	int workers;
	int batch;           /* of the step, over all workers */
	int overlap;         /* 1: gradients are communicated during the backward pass */
	double bucket_bytes; /* gradients wait until so many can go together; 0: layer by layer */
	int micro_batches;   /* of a pipeline; 0: four for each stage, but not more than images */
	int recompute; /* 1: keeps activations at checkpoints only, and computes the rest again */
	struct paleo_timeline *timeline; /* records the step; NULL: not wanted */
	const struct paleo_plan *plan;   /* of paleo_strategy_plan() */
};

/* One worker's memory, of the one that needs most, in bytes. */
struct paleo_sim_memory {
	double weights, gradients;
	double optimizer;   /* its state, and an f32 copy of weights that are stored shorter */
	double activations; /* kept from the forward pass for the backward pass */
	double workspace;   /* gradients of activations; gathered weights of ZeRO-3 */
};

double paleo_sim_memory_sum(const struct paleo_sim_memory *m);

/* Result of a simulated step. Overlapped times are counted in full in their own field. */
struct paleo_sim_step {
	double fwd_s, bwd_s; /* computing on the slowest worker; recomputation is in bwd_s */
	double update_s;
	double comm_s;    /* all communication */
	double exposed_s; /* the part of it during which nothing is computed */
	double bubble_s;  /* waiting in a pipeline */
	double step_s;
	double low_s, high_s; /* 90 % interval of step_s; NaN: not known */
	/* For model parallelism: the longest path if every branch had its own device, and the sum
	 * of all layers; else NaN. */
	double lower_s, upper_s;
	int workers;      /* that take part; of model parallelism as many as the net has splits */
	int worker_batch; /* images that a worker computes at a time */
	struct paleo_sim_memory memory;
	/* For all workers, under a plan: GEMMs and attention, forward and twice that backward, as
	 * in Korthikanti et al. 2022, appendix A; the same with attention's mask; without it and
	 * including recomputation. Else NaN. */
	double model_flops, masked_flops, hardware_flops;
};

/* One strategy: a constant, one line of the table in sim.c. */
struct paleo_strategy {
	const char *name; /* "data" */
	const char *what; /* one line of help */
	const char *source;
	int has_timeline; /* 1: it records a timeline */
	int (*step)(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err);
};

const struct paleo_strategy *paleo_strategies(int *count);
const struct paleo_strategy *paleo_strategy_find(const char *name); /* NULL if there is none */
const struct paleo_strategy *paleo_strategy_plan(void);             /* strategy of a plan */

/* One step. EINPUT when workers, batch or the scheme do not suit the strategy; EUNSUPPORTED for a
 * timeline of one that has none. */
int paleo_sim_step(struct paleo_sim *sim, const struct paleo_strategy *strategy,
		   const struct paleo_sim_setup *s, struct paleo_sim_step *out,
		   struct paleo_error *err);

/* The best of many points where several goals count: those that none beats. */

enum {
	PALEO_GOALS = 3
};

struct paleo_pareto_point {
	double goals[PALEO_GOALS]; /* less is better; not NaN; 0 in all points: does not count */
	long long id;              /* of two points with the same goals the lower one stays */
};

/*
 * The Pareto front of the points so far: p dominates q if no goal of p is greater, and one is less,
 * or all are equal and its id is lower. The set does not depend on the order of insertion; the
 * order within it does. Initialise with zeros.
 */
struct paleo_pareto {
	struct paleo_pareto_point *points; /* owned */
	int count, capacity;
};

/* Adds a point if none beats it, and drops those it beats. ENOMEM. */
int paleo_pareto_add(struct paleo_pareto *front, const struct paleo_pareto_point *p,
		     struct paleo_error *err);

/* Orders the points by their first goal, then the second, the third, the id. */
void paleo_pareto_sort(struct paleo_pareto *front);
void paleo_pareto_release(struct paleo_pareto *front); /* NULL allowed */

#endif
