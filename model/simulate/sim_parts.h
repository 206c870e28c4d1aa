/* sim_parts.h - shared by the strategies of sim*.c; internal. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SIM_PARTS_H
#define PALEO_MODEL_SIMULATE_SIM_PARTS_H

#include "model/simulate/part.h"

/* Times of a finished op by the simulation's cost model. */
struct paleo_sim_time {
	struct paleo_op op;
	double time_s;
	int known; /* 0: free */
};

/* Ops of a net, and which are alike: equal ops of a pass have the same number below
 * `different`. */
struct paleo_sim_ops {
	struct paleo_op_list list; /* finished; with the optimiser's updates */
	int *like;
	int different;
};

/* A net at one batch, before it is divided. */
struct paleo_sim_batch {
	int batch;
	const struct paleo_net *net;    /* the config's, or: */
	struct paleo_net *at_batch;     /* owned; NULL where the config's has this batch */
	struct paleo_sim_layer *layers; /* without times and saved bytes */
	int *edges;                     /* storage of the layers' `parents` */
	struct paleo_sim_ops plain;
	int runs_others; /* 1: `run` are those of a framework, or merged; 0: it is empty */
	struct paleo_sim_ops run;
};

struct paleo_sim {
	struct paleo_sim_config config;
	double sustained;                     /* rate of GEMMs over that of the cost model */
	double weight_bytes, optimizer_bytes; /* stored, of a weight, and of its optimiser state */
	struct paleo_sim_batch **batches;     /* made so far */
	int batch_count, batch_capacity;
	struct paleo_sim_cost **costs; /* made so far */
	int count;
	struct paleo_part **parts; /* of plans, made so far */
	int part_count, part_capacity;
	struct paleo_sim_time *times; /* of the ops met so far, by their hashes */
	int time_count, time_room;
};

/* sim_batch.c: borrowed from `sim`, which makes it once. */
int paleo_sim_batch_get(struct paleo_sim *sim, int batch, const struct paleo_sim_batch **out,
			struct paleo_error *err);
void paleo_sim_batch_free(struct paleo_sim_batch *b); /* NULL allowed */

/* sim_cost.c: 1: a unary op, which writes where it reads. */
int paleo_writes_in_place(const struct paleo_op *w);

/* sim_batch.c: the time of a finished op, computed by the cost model once. */
int paleo_sim_op_s(struct paleo_sim *sim, const struct paleo_op *w, double *out,
		   struct paleo_error *err);

/* trained.c: its time in a training step, where weights of its layer are of type `narrow`. */
int paleo_trained_op_s(struct paleo_sim *sim, const struct paleo_op *w,
		       const struct paleo_weight_type *narrow, double *out,
		       struct paleo_error *err);

/* The same of attention whose keys go around a ring of `cp` workers: a kernel for the keys of each,
 * of which a mask leaves as many pairs of others' as of its own, and sums of what they give. */
int paleo_trained_ring_s(struct paleo_sim *sim, const struct paleo_op *w, int cp, double *out,
			 struct paleo_error *err);

/* sim_batch.c: the ops of the net, or of a part of it, as its layers have them; and the same as
 * they are run: by a framework, or merged. The first list is the caller's to release; the second
 * function releases it on failure. */
int paleo_sim_ops(const struct paleo_sim *sim, const struct paleo_net *net, unsigned passes,
		  struct paleo_op_list *out, struct paleo_error *err);
int paleo_sim_ops_as_run(const struct paleo_sim *sim, const struct paleo_net *net,
			 struct paleo_op_list *list, struct paleo_error *err);

/* Draws a span of worker 0; does nothing where `t` is NULL. */
static inline void paleo_timeline_comm(struct paleo_timeline *t, const char *what,
				       const struct paleo_layer *layer, double start_s,
				       double duration_s)
{
	if (t)
		paleo_timeline_add(t, &(struct paleo_stretch){.track = PALEO_TRACK_COMM,
							      .what = what,
							      .layer = layer,
							      .start_s = start_s,
							      .duration_s = duration_s});
}

static inline void paleo_timeline_compute(struct paleo_timeline *t, const char *what,
					  const struct paleo_layer *layer, double start_s,
					  double duration_s)
{
	if (t)
		paleo_timeline_add(t, &(struct paleo_stretch){.track = PALEO_TRACK_COMPUTE,
							      .what = what,
							      .layer = layer,
							      .start_s = start_s,
							      .duration_s = duration_s});
}

/* schedule.c: the spans of a pass, layer by layer, from `start_s` on; both return when it is done.
 */
double paleo_timeline_forward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			      const char *what, double start_s);
double paleo_timeline_backward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			       double start_s);
/* Each of `sharers` updates its part of every layer. */
void paleo_timeline_update(struct paleo_timeline *t, const struct paleo_sim_cost *c, double start_s,
			   int sharers);

/* sim_shard.c: assigns the tensor-parallel division of each layer, whose is_product,
 * keeps_channels, joins_branches, parents and last_reader are filled, and divides an op of it. */
void paleo_shards_assign(struct paleo_sim_layer *layers, int count);
struct paleo_op paleo_shard_op(const struct paleo_net_op *item, enum paleo_shard shard, int shards);
int paleo_shard_divides(enum paleo_shard shard); /* 1: weights and ops are divided */
/* 1: how the op is divided depends on its layer. */
int paleo_shard_of_layer(const struct paleo_op *w, enum paleo_shard shard);

/* sim_pipeline.c: frees a list. */
void paleo_sim_stages_free(struct paleo_sim_stages *stages);

/* ceil(batch / workers). */
int paleo_sim_share(const struct paleo_sim_setup *s);

/* Memory of a worker that holds all of `c`. */
struct paleo_sim_memory paleo_sim_memory_of(const struct paleo_sim *sim,
					    const struct paleo_sim_cost *c, int recompute);

/* Activations kept by layers [from, to), whole or at checkpoints; see sim_cost.c. */
double paleo_kept_bytes(const struct paleo_sim_cost *c, int from, int to, int recompute);

/*
 * The exchange of gradients after and during a backward pass: `collective` of the scheme, in
 * buckets. `mine` NULL takes all layers, else those with mine[i] 1. *comm_s is all of it,
 * *exposed_s the part after the end of the backward pass.
 */
typedef double paleo_collective(const struct paleo_fabric *f, int workers, double bytes);
void paleo_exchange(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		    const struct paleo_sim_setup *s, paleo_collective *collective, const char *mine,
		    double *comm_s, double *exposed_s);

/*
 * The longest path through the net's graph, communication included, if every branch had its own
 * device. In seconds. `finish` has an element for each layer, and receives when it is done.
 */
struct paleo_path {
	const struct paleo_fabric *fabric;
	int devices;      /* how many there are in all; split s is on device s mod devices */
	int backward;     /* 1: the backward pass, from the net's end to its beginning */
	const char *mine; /* NULL: all layers; else those with mine[i] 1 */
	struct paleo_timeline *timeline; /* of a schedule, which begins there; NULL: none */
	double begin_s;
};
double paleo_longest_path(const struct paleo_sim_cost *c, const struct paleo_path *p,
			  double *finish);

/* Number of devices a net needs: the largest number of splits. */
int paleo_sim_devices(const struct paleo_sim_cost *c);

int paleo_step_data(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_model(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_hybrid(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		      struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_tensor(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		      struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_plan(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_pipeline(struct paleo_sim *sim, const struct paleo_sim_setup *s,
			struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_zero1(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_zero2(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err);
int paleo_step_zero3(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err);

#endif
