/* fits.c - whether a net fits a device's memory, in a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/fits.h"

#include <stdio.h>

/* Memory does not depend on times. */
static int no_time(const void *self, const struct paleo_op *w, double *out, struct paleo_error *err)
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

int paleo_fits_step(const struct paleo_net *net, enum paleo_dtype dtype,
		    enum paleo_update_rule optimizer, int training,
		    const struct paleo_device *device, char text[PALEO_FITS_MAX])
{
	const struct paleo_sim_config config = {.net = net,
						.dtype = dtype,
						.optimizer = optimizer,
						.cost_model = {.op_s = no_time}};
	struct paleo_sim_memory m;

	text[0] = '\0';
	if (net->inference || !(device->mem_bytes > 0) || memory_of(&config, &m))
		return 1;
	/* forward, what one layer reads and writes is there at a time */
	double sum = training ? paleo_sim_memory_sum(&m) : m.weights + m.workspace;
	if (sum <= device->mem_bytes)
		return 1;
	snprintf(text, PALEO_FITS_MAX, "Does not fit: %s need %.1f GB, %s has %.1f GB",
		 training ? "weights, gradients, optimizer, activations and workspace"
			  : "weights and a layer's tensors",
		 sum * 1e-9, device->name, device->mem_bytes * 1e-9);
	return 0;
}

int paleo_fits_cache(const struct paleo_net *net, enum paleo_dtype dtype,
		     const struct paleo_device *device, char text[PALEO_FITS_MAX])
{
	double a_token = paleo_net_cached_bytes(net, dtype, PALEO_CACHED_TOKEN);
	double state = paleo_net_state_bytes(net, dtype);
	double all = paleo_net_weight_bytes(net, dtype) +
		     paleo_net_cached_bytes(net, dtype, PALEO_CACHED_ALL) +
		     paleo_net_index_bytes(net, dtype, PALEO_CACHED_ALL) + net->batch * state;
	int fits = all <= device->mem_bytes;

	text[0] = '\0';
	if (!(device->mem_bytes > 0) || !(a_token > 0 || state > 0 || net->inference))
		return -1;
	snprintf(text, PALEO_FITS_MAX, "%s %.1f GB, %s has %.1f GB",
		 fits ? "weights and KV cache:" : "Does not fit: weights and KV cache need",
		 all * 1e-9, device->name, device->mem_bytes * 1e-9);
	return fits;
}
