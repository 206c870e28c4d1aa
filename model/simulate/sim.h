/* sim.h - one training step of a net on several workers: strategies, times, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SIM_H
#define PALEO_MODEL_SIMULATE_SIM_H

#include "model/net/net.h"
#include "model/simulate/collective.h"
#include "model/simulate/plan.h"
#include "model/simulate/timeline.h"

/* Who says how long a work takes on one worker. */
struct paleo_sim_law {
	const void *self;
	/* Seconds; a negative status when the law cannot say. */
	int (*work_s)(const void *self, const struct paleo_work *w, double *out,
		      struct paleo_error *err);
};

/* How the works of a layer are divided among the workers of a tensor-parallel group. */
enum paleo_shard {
	PALEO_SHARD_NONE,   /* every worker does all of it */
	PALEO_SHARD_COLUMN, /* by output channels; the outputs are gathered */
	PALEO_SHARD_PAIRED, /* by output channels; the outputs stay divided */
	PALEO_SHARD_INSIDE, /* between a PAIRED and a ROW layer: by channels */
	PALEO_SHARD_ROW,    /* by input channels; the outputs are summed over the workers */
};

/* One layer at one batch on one worker. Bytes are as stored in the net's number type. */
struct paleo_sim_layer {
	const struct paleo_layer *layer;
	enum paleo_shard shard;
	const int *parents; /* positions of its parents */
	int last_reader;    /* position of the last layer that reads its output; its own if none */
	int has_gradient;   /* 1: a gradient flows from it to a parent */
	int is_product;     /* 1: a convolution of one group, or a product with weights */
	int keeps_channels; /* 1: its other works treat every channel alone */
	int joins_branches; /* 1: of several inputs, element by element, or attention */
	int shares_input;   /* 1: its inputs' gradient is summed with another's before it travels */
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
	double grad_bytes; /* most of outputs' and inputs' gradients at one layer */
};

/* A net to be simulated: makes it at every batch that is asked for, once. */
struct paleo_sim;

struct paleo_sim_config {
	/* One net does for several simulations, also in threads. Must outlive them, as law.self. */
	const struct paleo_net *net;
	enum paleo_dtype dtype;
	enum paleo_layout layout; /* of images */
	int merge; /* 1: forward works that go element by element are put together; no framework */
	enum paleo_update_rule optimizer;
	enum paleo_framework framework; /* that runs the works; memory is that of the plain ones */
	double factor;                  /* on every time, fitted to a framework's nets; 0: none */
	struct paleo_sim_law law;
	/* Opens the part of the same net that is divided over tp and ep workers. NULL: it has none.
	 * *out is the caller's. */
	int (*open_part)(const void *open_self, int tp, int ep, struct paleo_net **out,
			 struct paleo_error *err);
	const void *open_self;
};

/* *out is owned by the caller: paleo_sim_close(). Makes nothing yet. ENOMEM. */
int paleo_sim_open(const struct paleo_sim_config *config, struct paleo_sim **out,
		   struct paleo_error *err);
void paleo_sim_close(struct paleo_sim *sim); /* NULL allowed */

/* The net at a batch (0: its own), divided among `shards`. Borrowed from `sim`. Fails as
 * paleo_net_at_batch() and the law do. */
int paleo_sim_get(struct paleo_sim *sim, int batch, int shards, const struct paleo_sim_cost **out,
		  struct paleo_error *err);

/* One configuration. */
struct paleo_sim_setup {
	struct paleo_fabric fabric;
	const struct paleo_scheme *scheme; /* with reduce-scatter and all-gather for ZeRO, tensor */
	int workers;
	int batch;           /* of the step, over all workers */
	int overlap;         /* 1: gradients travel while the backward pass goes on */
	double bucket_bytes; /* gradients wait until so many can go together; 0: layer by layer */
	int micro_batches;   /* of a pipeline; 0: four for each stage, but not more than images */
	int recompute; /* 1: keeps activations at checkpoints only, and computes the rest again */
	struct paleo_timeline *timeline; /* the step is written down there; NULL: nobody asks */
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

/* What a step takes. Times that overlap others are counted in their own field all the same. */
struct paleo_sim_step {
	double fwd_s, bwd_s; /* computing on the slowest worker; recomputation is in bwd_s */
	double update_s;
	double comm_s;    /* all communication */
	double exposed_s; /* the part of it during which nothing is computed */
	double bubble_s;  /* waiting in a pipeline */
	double step_s;
	/* Of model parallelism: the longest path if every branch had a device of its own, and the
	 * sum of all layers; else NaN. */
	double lower_s, upper_s;
	int workers;      /* that take part; of model parallelism as many as the net has splits */
	int worker_batch; /* images that a worker computes at a time */
	struct paleo_sim_memory memory;
	/* Of all workers, under a plan: products and attention, forward and twice that backward, as
	 * in Korthikanti et al. 2022, appendix A; and with what is computed again. Else NaN. */
	double model_flops, hardware_flops;
};

/* One strategy: a constant, one line of the table in sim.c. */
struct paleo_strategy {
	const char *name; /* "data" */
	const char *what; /* one line of help */
	const char *source;
	int has_timeline; /* 1: it writes down when what is done */
	int (*step)(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err);
};

const struct paleo_strategy *paleo_strategies(int *count);
const struct paleo_strategy *paleo_strategy_find(const char *name); /* NULL if there is none */
const struct paleo_strategy *paleo_strategy_plan(void);             /* what a plan says */

/* One step. EINPUT when workers, batch or the scheme do not suit the strategy; EUNSUPPORTED for a
 * timeline of one that has none. */
int paleo_sim_step(struct paleo_sim *sim, const struct paleo_strategy *strategy,
		   const struct paleo_sim_setup *s, struct paleo_sim_step *out,
		   struct paleo_error *err);

#endif
