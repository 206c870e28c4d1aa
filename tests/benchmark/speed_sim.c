/* speed_sim.c - how fast configurations of several workers are simulated, new and remembered. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "model/source/presets.h"
#include "tests/benchmark/speed.h"

enum {
	BATCHES = 8,   /* 64, 128 ... */
	WORKERS = 6,   /* 2, 4 ... */
	REPEATS = 2000 /* of all configurations */
};

static const char *const strategies[] = {"data", "zero1", "zero2", "zero3", "tensor", "pipeline"};

enum {
	STRATEGIES = sizeof(strategies) / sizeof(*strategies)
};

static long ops; /* priced by the cost model */

static int op_s(const void *self, const struct paleo_op *w, double *out, struct paleo_error *err)
{
	struct paleo_prediction p;
	int rc = paleo_predict_op(self, w, &p, err);

	ops++;
	*out = rc ? 0 : p.parts.total_s;
	return rc;
}

/* As explore does it: links between hosts, gradients that travel in buckets of 25 MiB. */
static struct paleo_sim_setup setup_of(const struct paleo_device *d)
{
	return (struct paleo_sim_setup){
		.fabric = {.within = *paleo_link_find("nvlink2"),
			   .between = *paleo_link_find("infiniband-ndr"),
			   .per_host = 8,
			   .servers = 1,
			   .reached = 1,
			   .reduce_s_per_byte = 3 / d->mem_bytes_per_s},
		.scheme = paleo_scheme_find("ring"),
		.overlap = 1,
		.bucket_bytes = 25 * 1048576.0,
	};
}

/* One pass over all configurations of a strategy; adds the steps' times up. */
static double simulate(struct paleo_sim *sim, struct paleo_sim_setup *s, const char *name,
		       double *sum)
{
	const struct paleo_strategy *strategy = paleo_strategy_find(name);
	struct paleo_sim_step step;
	struct paleo_error err;
	double count = 0;

	for (int b = 0; b < BATCHES; b++) {
		for (int w = 0; w < WORKERS; w++) {
			s->batch = 64 << b;
			s->workers = 2 << w;
			if (paleo_sim_step(sim, strategy, s, &step, &err))
				continue; /* too few channels or layers for so many workers */
			*sum += step.step_s;
			count++;
		}
	}
	return count;
}

/* The first time every batch and division of the net is made and priced; then it is remembered. */
static void print_strategy(const struct paleo_sim_config *config, const struct paleo_device *d,
			   const char *name)
{
	struct paleo_sim_setup s = setup_of(d);
	struct paleo_sim *sim;
	struct paleo_error err;
	double sum = 0, again = 0;

	if (paleo_sim_open(config, &sim, &err))
		speed_stop(&err);
	ops = 0;
	double start = speed_cpu_s(), count = simulate(sim, &s, name, &sum);
	double first_s = speed_cpu_s() - start;
	if (!(count > 0 && sum > 0))
		exit(1);
	start = speed_cpu_s();
	for (int i = 0; i < REPEATS / 20; i++)
		again += simulate(sim, &s, name, &sum);
	printf("explore, %-8s  %7.2f us for a configuration that nothing remembers (%.0f ops "
	       "priced), %6.3f us for one of known batches\n",
	       name, 1e6 * first_s / count, (double)ops / count,
	       1e6 * (speed_cpu_s() - start) / again);
	paleo_sim_close(sim);
}

/* All strategies in turn, as explore goes through them. */
static void print_mixed(const struct paleo_sim_config *config, const struct paleo_device *d)
{
	struct paleo_sim_setup s = setup_of(d);
	struct paleo_sim *sim;
	struct paleo_error err;
	double sum = 0, count = 0, start = speed_cpu_s();

	if (paleo_sim_open(config, &sim, &err))
		speed_stop(&err);
	for (int i = 0; i < REPEATS; i++)
		count += simulate(sim, &s, strategies[i % STRATEGIES], &sum);
	printf("explore, all of these in turn, with what has to be made: %.2f million "
	       "configurations a second\n",
	       1e-6 * count / (speed_cpu_s() - start));
	paleo_sim_close(sim);
}

void speed_print_sim(void)
{
	const struct paleo_presets_for of = {.device = paleo_device_find("v100-pcie")};
	struct paleo_calibration c;
	struct paleo_net *net;
	struct paleo_error err;

	if (paleo_calibration_presets(&of, &c, &err) ||
	    paleo_net_load("nets/resnet50.json", 0, &net, &err))
		speed_stop(&err);
	const struct paleo_sim_config config = {.net = net,
						.cost_model = {.self = &c, .op_s = op_s}};
	for (int i = 0; i < STRATEGIES; i++)
		print_strategy(&config, of.device, strategies[i]);
	print_mixed(&config, of.device);
	paleo_net_free(net);
	paleo_calibration_release(&c);
}
