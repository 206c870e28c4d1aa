/* sim.h - the original Paleo's simulation of several workers, number for number. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PALEO2017_SIM_H
#define PALEO_MODEL_PALEO2017_SIM_H

#include "model/paleo2017/paleo2017.h"

/* The original's command `simulate`, its peculiarities included. Times in milliseconds. */

struct paleo_2017_sim {
	struct paleo_2017_options options; /* of layers; batch and link_gb_per_s are not read */
	double gbit_per_s;                 /* of the network */
	int use_pipeline;                  /* 1: layers take the larger of computing and memory */
};

/* All-reduce algorithm. */
enum paleo_2017_scheme {
	PALEO_2017_ONE_TO_ALL,
	PALEO_2017_TREE_ALL_REDUCE,
	PALEO_2017_BUTTERFLY_ALL_REDUCE,
	PALEO_2017_BUTTERFLY_MIXING,
	PALEO_2017_SCHEMES
};

/* A vector of `bytes` over `workers` >= 1, over a network of so many Gbit/s. */
double paleo_2017_sync_ms(enum paleo_2017_scheme scheme, double gbit_per_s, double ppp_comm,
			  double bytes, int workers);

/* A row of data parallelism. */
struct paleo_2017_data {
	int workers;
	double batch; /* images of all workers: the weak one grows */
	double fwd_ms, bwd_ms, apply_ms, comp_ms;
	double sync_ms[PALEO_2017_SCHEMES];
};

/* `batch` images a step (strong), or for each worker (weak). Fails as paleo_2017_time() does. */
int paleo_2017_data(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		    int workers, int strong, struct paleo_2017_data *out, struct paleo_error *err);

/* Model parallelism: bounds of one pass, PALEO_2017_FWD or PALEO_2017_BWD. Fails as
 * paleo_2017_time() and paleo_2017_bounds() do. */
int paleo_2017_model(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		     enum paleo_2017_pass pass, double *lower_ms, double *upper_ms,
		     struct paleo_error *err);

/* A row of hybrid parallelism: of the layers outside of ModelParallel blocks, or inside. */
struct paleo_2017_hybrid {
	double batch;
	double fwd_ms, bwd_ms, apply_ms, sync_ms;
	int whole; /* 1: the original prints fwd and bwd as whole numbers, there being no layers */
};

int paleo_2017_hybrid(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		      int workers, struct paleo_2017_hybrid *data, struct paleo_2017_hybrid *model,
		      struct paleo_error *err);

#endif
