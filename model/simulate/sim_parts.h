/* sim_parts.h - what the strategies of sim*.c share; for these files alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_SIM_PARTS_H
#define PALEO_MODEL_SIMULATE_SIM_PARTS_H

#include <stdint.h>

#include "model/simulate/part.h"

/* What a finished work takes by the simulation's law. */
struct paleo_sim_time {
	struct paleo_work work;
	double time_s;
	int known; /* 0: free */
};

/* Works of a net, and which are alike: equal works of a pass have the same number below
 * `different`. */
struct paleo_sim_works {
	struct paleo_work_list list; /* finished; with the optimiser's updates */
	int *like;
	int different;
};

/* A net at one batch, before it is divided. */
struct paleo_sim_batch {
	int batch;
	const struct paleo_net *net;    /* the config's, or: */
	struct paleo_net *at_batch;     /* owned; NULL where the config's has this batch */
	struct paleo_sim_layer *layers; /* without times and what is kept */
	int *edges;                     /* what the layers' `parents` point into */
	struct paleo_sim_works plain;
	int runs_others; /* 1: `run` are those of a framework, or merged; 0: it is empty */
	struct paleo_sim_works run;
};

struct paleo_sim {
	struct paleo_sim_config config;
	struct paleo_sim_batch **batches; /* made so far */
	int batch_count, batch_capacity;
	struct paleo_sim_cost **costs; /* made so far */
	int count;
	struct paleo_part **parts; /* of plans, made so far */
	int part_count, part_capacity;
	struct paleo_sim_time *times; /* of the works met so far, by their hashes */
	int time_count, time_room;
};

/* sim_batch.c: borrowed from `sim`, which makes it once. */
int paleo_sim_batch_get(struct paleo_sim *sim, int batch, const struct paleo_sim_batch **out,
			struct paleo_error *err);
void paleo_sim_batch_free(struct paleo_sim_batch *b); /* NULL allowed */

/* sim_cost.c: 1: a unary work, which writes where it reads. */
int paleo_writes_in_place(const struct paleo_work *w);

/* sim_times.c: of a finished work; and its time, which the law is asked for once. */
uint64_t paleo_sim_hash(const struct paleo_work *w);
int paleo_sim_work_s(struct paleo_sim *sim, const struct paleo_work *w, double *out,
		     struct paleo_error *err);

/* sim_times.c: the works of the net, or of a part of it, as its layers have them; and the same as
 * they are run: by a framework, or merged. The first list is the caller's to release; the second
 * function releases it on failure. */
int paleo_sim_works(const struct paleo_sim *sim, const struct paleo_net *net, unsigned passes,
		    struct paleo_work_list *out, struct paleo_error *err);
int paleo_sim_works_as_run(const struct paleo_sim *sim, const struct paleo_net *net,
			   struct paleo_work_list *list, struct paleo_error *err);

/* timeline.c: what worker 0 does, and what it does layer by layer, from `start_s` on; passes return
 * when they are done. Nothing is written where `t` is NULL. */
void paleo_timeline_compute(struct paleo_timeline *t, const char *what,
			    const struct paleo_layer *layer, double start_s, double duration_s);
void paleo_timeline_comm(struct paleo_timeline *t, const char *what,
			 const struct paleo_layer *layer, double start_s, double duration_s);
double paleo_timeline_forward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			      const char *what, double start_s);
double paleo_timeline_backward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			       double start_s);
/* Each of `sharers` updates its part of every layer. */
void paleo_timeline_update(struct paleo_timeline *t, const struct paleo_sim_cost *c, double start_s,
			   int sharers);

/* sim_shard.c: what tensor parallelism does with each layer, whose is_product, keeps_channels,
 * joins_branches, parents and last_reader are filled, and with a work of it. */
void paleo_shards_assign(struct paleo_sim_layer *layers, int count);
struct paleo_work paleo_shard_work(const struct paleo_net_work *item, enum paleo_shard shard,
				   int shards);
int paleo_shard_divides(enum paleo_shard shard); /* 1: weights and works are divided */
/* 1: how the work is divided depends on its layer. */
int paleo_shard_of_layer(const struct paleo_work *w, enum paleo_shard shard);

/* ceil(batch / workers). */
int paleo_sim_share(const struct paleo_sim_setup *s);

/* Stored bytes of a weight, and of what the optimiser keeps for it. */
double paleo_weight_bytes(const struct paleo_sim *sim);
double paleo_optimizer_bytes(const struct paleo_sim *sim);

/* Memory of a worker that holds all of `c`. */
struct paleo_sim_memory paleo_sim_memory_of(const struct paleo_sim *sim,
					    const struct paleo_sim_cost *c, int recompute);

/* Activations kept by layers [from, to), whole or at checkpoints; see sim_memory.c. */
double paleo_kept_bytes(const struct paleo_sim_cost *c, int from, int to, int recompute);

/*
 * The exchange of gradients after and during a backward pass: `collective` of the
 * scheme, in buckets. `mine` NULL takes all layers, else those with mine[i] 1. *comm_s
 * is all of it, *exposed_s what is left when the backward pass is over.
 */
typedef double paleo_collective(const struct paleo_fabric *f, int workers, double bytes);
void paleo_exchange(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		    const struct paleo_sim_setup *s, paleo_collective *collective, const char *mine,
		    double *comm_s, double *exposed_s);

/*
 * The longest path through the net's graph, with what travels between devices, if
 * every branch had a device of its own. In seconds. `finish` has room for a number
 * for each layer, and is left with when each one is done.
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

/* How many devices a net wants: the largest number of splits. */
int paleo_sim_devices(const struct paleo_sim_cost *c);

/* Draws both passes of worker 0, as which all others do; what is computed again comes between
 * them. */
double paleo_draw_passes(const struct paleo_sim_cost *c, const struct paleo_sim_setup *s);

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
