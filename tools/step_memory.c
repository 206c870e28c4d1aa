/* step_memory.c - whether a net's passes fit into the memory of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/step_memory.h"

#include "base/text.h"
#include "model/simulate/sim.h"

/* Memory does not depend on times. */
static int no_time(const void *self, const struct paleo_work *w, double *out,
		   struct paleo_error *err)
{
	(void)self;
	(void)w;
	(void)err;
	*out = 0;
	return PALEO_OK;
}

static int memory_of(const struct paleo_sim_config *config, struct paleo_sim_memory *out)
{
	const struct paleo_sim_setup setup = {
		.scheme = paleo_scheme_find("ring"), .workers = 1, .batch = config->net->batch};
	struct paleo_sim *sim = NULL;
	struct paleo_sim_step step;
	struct paleo_error err;

	int rc = paleo_sim_open(config, &sim, &err);
	if (!rc)
		rc = paleo_sim_step(sim, paleo_strategy_find("data"), &setup, &step, &err);
	if (!rc)
		*out = step.memory;
	paleo_sim_close(sim);
	return rc;
}

void step_memory_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       enum paleo_update_rule optimizer, int training,
		       const struct paleo_device *device, FILE *out)
{
	const struct paleo_sim_config config = {
		.net = net, .dtype = dtype, .optimizer = optimizer, .law = {.work_s = no_time}};
	struct paleo_sim_memory m;

	if (net->inference || !(device->mem_bytes > 0) || memory_of(&config, &m))
		return;
	/* forward, what one layer reads and writes is there at a time */
	double sum = training ? paleo_sim_memory_sum(&m) : m.weights + m.workspace;
	if (sum <= device->mem_bytes)
		return;
	paleo_print(out, "does not fit: %s take %.1f GB of the %.1f GB of %s\n",
		    training ? "weights, gradients, optimizer, activations and workspace"
			     : "weights and a layer's tensors",
		    sum * 1e-9, device->mem_bytes * 1e-9, device->name);
}
