/* api_simulate.c - the functions of paleo/simulate.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "library/api.h"
#include "model/simulate/sim.h"
#include "paleo/simulate.h"

const char *const paleo_api_optimizers[] = {"sgd", "momentum", "adam", NULL};

static int read_links(const struct paleo_cluster *c, const struct paleo_device *d,
		      struct paleo_fabric *f, struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	int count = 0;

	if (!c->link && !c->link_file && !c->node_link && c->workers_per_node <= 1) {
		paleo_fabric_usual(f, d->name);
		return PALEO_OK;
	}
	int rc = c->link_file ? paleo_links_load(c->link_file, &mine, &count, err) : PALEO_OK;

	if (!rc)
		rc = paleo_link_choose(mine, count, c->link ? c->link : "ethernet", &f->between,
				       err);
	if (!rc && c->node_link)
		rc = paleo_link_choose(mine, count, c->node_link, &f->within, err);
	if (!rc && !c->node_link && c->workers_per_node > 1)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%d workers_per_node need node_link, the link within a node",
				c->workers_per_node);
	free(mine);
	return rc;
}

static int check_numbers(const struct paleo_cluster *c, int batch, struct paleo_error *err)
{
	if (c->workers < 0 || c->workers > PALEO_WORKERS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "workers is %d, expected 1 to %d", c->workers,
				  PALEO_WORKERS_MAX);
	if ((double)batch * c->workers > 1 << 24)
		return paleo_fail(err, PALEO_EINPUT, "%d workers with %d images each are too many",
				  c->workers, batch);
	if (c->workers_per_node < 0 || c->workers_per_node > 1024)
		return paleo_fail(err, PALEO_EINPUT, "workers_per_node is %d, expected 1 to 1024",
				  c->workers_per_node);
	if (!(c->bucket_bytes >= 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "bucket_bytes is %g, expected a positive number, or 0 for 25 MiB",
				  c->bucket_bytes);
	return PALEO_OK;
}

/* The cluster in the terms of the model. */
static int read_cluster(const struct paleo_cluster *c, const struct paleo_device *d, int batch,
			struct paleo_sim_setup *s, const struct paleo_strategy **strategy,
			struct paleo_error *err)
{
	int workers = c->workers ? c->workers : 1;

	*s = (struct paleo_sim_setup){
		.fabric = {.per_host = c->workers_per_node ? c->workers_per_node : 1,
			   .servers = 1,
			   .reached = 1,
			   /* reads two numbers and writes one */
			   .reduce_s_per_byte =
				   d->mem_bytes_per_s > 0 ? 3 / d->mem_bytes_per_s : 0},
		.scheme = paleo_scheme_find(c->all_reduce ? c->all_reduce : "ring"),
		.workers = workers,
		.batch = batch * workers,
		.overlap = c->overlap != 0,
		.bucket_bytes = c->bucket_bytes > 0 ? c->bucket_bytes : PALEO_API_BUCKET_BYTES,
	};
	*strategy = paleo_strategy_find(c->strategy ? c->strategy : "data");
	if (!*strategy)
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no strategy '%s' (paleo simulate --help lists them)",
				  c->strategy);
	if (!s->scheme)
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no all_reduce '%s' (paleo simulate --help lists them)",
				  c->all_reduce);
	return read_links(c, d, &s->fabric, err);
}

/* Images per second of one worker with the net's batch. */
static int single_rate(struct paleo_sim *sim, const struct paleo_sim_setup *like, int batch,
		       double *out, struct paleo_error *err)
{
	struct paleo_sim_setup s = *like;
	struct paleo_sim_step step;

	s.workers = 1;
	s.batch = batch;
	PALEO_TRY(paleo_sim_step(sim, paleo_strategy_find("data"), &s, &step, err));
	*out = batch / step.step_s;
	return PALEO_OK;
}

static int simulate(struct paleo_sim *sim, const struct paleo_strategy *strategy,
		    const struct paleo_sim_setup *s, int batch, struct paleo_cluster_step *out,
		    struct paleo_error *err)
{
	struct paleo_sim_step step;
	double single;

	PALEO_TRY(single_rate(sim, s, batch, &single, err));
	PALEO_TRY(paleo_sim_step(sim, strategy, s, &step, err));
	*out = (struct paleo_cluster_step){
		.step_s = step.step_s,
		.fwd_s = step.fwd_s,
		.bwd_s = step.bwd_s,
		.update_s = step.update_s,
		.comm_s = step.comm_s,
		.exposed_s = step.exposed_s,
		.bubble_s = step.bubble_s,
		.images_per_s = s->batch / step.step_s,
		.speedup = s->batch / step.step_s / single,
		.memory_bytes = paleo_sim_memory_sum(&step.memory),
	};
	return PALEO_OK;
}

int paleo_net_simulate(const struct paleo_predictor *predictor, const struct paleo_net *net,
		       const struct paleo_cluster *cluster, struct paleo_cluster_step *out,
		       struct paleo_error *err)
{
	const struct paleo_strategy *strategy;
	struct paleo_sim_setup setup;
	struct paleo_sim *sim = NULL;
	int rule = 0;
	PALEO_API_BEGIN(err);

	if (!predictor || !net || !cluster || !out)
		return paleo_api_null(!predictor ? "predictor"
				      : !net     ? "net"
				      : !cluster ? "cluster"
						 : "place for a step",
				      err);
	const struct paleo_calibration *c = &predictor->source.calibration;
	int rc = check_numbers(cluster, net->batch, err);
	if (!rc)
		rc = read_cluster(cluster, &c->device, net->batch, &setup, &strategy, err);
	if (!rc)
		rc = paleo_api_word("optimizer", cluster->optimizer, paleo_api_optimizers, &rule,
				    err);
	if (rc)
		return rc;
	const struct paleo_sim_config config = {
		.net = net,
		.dtype = predictor->dtype,
		.optimizer = (enum paleo_update_rule)rule,
		.device = paleo_calibration_timed(c),
		.cost_model = {.self = c, .op_s = paleo_predict_op_s},
	};
	rc = paleo_sim_open(&config, &sim, err);
	if (!rc)
		rc = simulate(sim, strategy, &setup, net->batch, out, err);
	paleo_sim_close(sim);
	return rc;
}
