/* reproduce_laws.c - one point of a published case under the original's law, and under ours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "calib/presets.h"
#include "model/paleo2017/sim.h"
#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "tools/reproduce.h"

double reproduce_batch(const struct reproduce_point *p)
{
	return p->curve->strong ? p->curve->batch : (double)p->curve->batch * p->workers;
}

/* Computing and summing gradients, which the original prints side by side, one after the other. */
static int data_2017(const struct reproduce_point *p, const struct paleo_2017_net *net,
		     const struct paleo_2017_sim *sim, struct reproduce_answer *out,
		     struct paleo_error *err)
{
	static const char *const schemes[PALEO_2017_SCHEMES] = {"one-to-all", "tree", "butterfly",
								"mixing"};
	struct paleo_2017_data d;
	int k = 0;

	while (k < PALEO_2017_SCHEMES && strcmp(schemes[k], p->scheme) != 0)
		k++;
	if (k == PALEO_2017_SCHEMES)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "the original knows no scheme '%s'",
				  p->scheme);
	int rc = paleo_2017_data(net, sim, p->curve->batch, p->workers, p->curve->strong, &d, err);
	if (rc)
		return rc;
	out->comm_s = d.sync_ms[k] / 1000;
	out->step_s = (d.comp_ms + d.sync_ms[k]) / 1000;
	return PALEO_OK;
}

/* The layers outside of the blocks, then those inside; gradients go by the tree. */
static int hybrid_2017(const struct reproduce_point *p, const struct paleo_2017_net *net,
		       const struct paleo_2017_sim *sim, struct reproduce_answer *out,
		       struct paleo_error *err)
{
	struct paleo_2017_hybrid d, m;
	int rc = paleo_2017_hybrid(net, sim, p->curve->batch, p->workers, &d, &m, err);

	if (rc)
		return rc;
	out->comm_s = d.sync_ms / 1000;
	out->step_s =
		(d.fwd_ms + d.bwd_ms + d.apply_ms + d.sync_ms + m.fwd_ms + m.bwd_ms + m.apply_ms) /
		1000;
	return PALEO_OK;
}

int reproduce_2017(const struct reproduce_point *p, const struct paleo_net *net,
		   struct reproduce_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct paleo_2017_device *device = paleo_2017_device_find(c->device);
	const struct paleo_2017_network *network = paleo_2017_network_find(c->network);
	struct paleo_2017_net *original = NULL;

	if (!device || !network)
		return paleo_fail(err, PALEO_EINPUT, "the original has no device '%s' over '%s'",
				  c->device, c->network);
	struct paleo_2017_sim sim = {
		.options = {.device = device, .ppp_comp = c->ppp_comp, .ppp_comm = c->ppp_comm},
		.gbit_per_s = network->gbit_per_s,
	};
	int rc = paleo_2017_open(net, &original, err);
	if (!rc && !strcmp(c->parallel, "hybrid"))
		rc = hybrid_2017(p, original, &sim, out, err);
	else if (!rc)
		rc = data_2017(p, original, &sim, out, err);
	paleo_2017_close(original);
	return rc;
}

static int step(const struct reproduce_point *p, const struct paleo_net *net,
		const struct paleo_device *device, const struct paleo_sim_law *law,
		struct reproduce_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	struct paleo_sim_config config = {.net = net, .law = *law};
	struct paleo_sim_setup setup = {
		.fabric = {.between = *paleo_link_find(c->network),
			   .per_host = 1,
			   .servers = 1,
			   .reached = c->ppp_comm,
			   /* reads two numbers and writes one */
			   .reduce_s_per_byte = 3 / device->mem_bytes_per_s},
		.scheme = paleo_scheme_find(p->scheme),
		.workers = p->workers,
		.batch = (int)reproduce_batch(p),
	};
	struct paleo_sim *sim = NULL;
	struct paleo_sim_step s;

	int rc = paleo_sim_open(&config, &sim, err);
	if (!rc)
		rc = paleo_sim_step(sim, paleo_strategy_find(c->parallel), &setup, &s, err);
	if (!rc)
		*out = (struct reproduce_answer){.step_s = s.step_s, .comm_s = s.comm_s};
	paleo_sim_close(sim);
	return rc;
}

/* The device of a case of which everything is known here; NULL with a sentence otherwise. */
static const struct paleo_device *device_of(const struct published_curve *c, const char *scheme,
					    struct paleo_error *err)
{
	const struct paleo_device *device = paleo_device_find(c->device);

	if (device && paleo_link_find(c->network) && paleo_scheme_find(scheme) &&
	    paleo_strategy_find(c->parallel))
		return device;
	paleo_error_set(err, PALEO_EINPUT, "the case '%s' names what is not known here", c->of);
	return NULL;
}

int reproduce_paleo(const struct reproduce_point *p, const struct paleo_net *net,
		    struct reproduce_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct paleo_device *device = device_of(c, p->scheme, err);
	struct paleo_calibration calibration = {0};

	if (!device)
		return PALEO_EINPUT;
	int rc = paleo_calibration_datasheet(device, c->ppp_comp, c->ppp_comp, &calibration, err);
	if (rc)
		return rc;
	struct paleo_sim_law law = {.self = &calibration, .work_s = paleo_predict_work_s};
	rc = step(p, net, device, &law, out, err);
	paleo_calibration_release(&calibration);
	return rc;
}

int reproduce_presets(const struct reproduce_point *p, const struct paleo_net *net,
		      struct reproduce_answer *out, struct paleo_error *err)
{
	const struct paleo_device *device = device_of(p->curve, p->scheme, err);
	struct paleo_calibration calibration = {0};

	if (!device)
		return PALEO_EINPUT;
	const struct paleo_presets_for of = {.device = device, .dtype = PALEO_F32};
	int rc = paleo_calibration_presets(&of, &calibration, err);
	if (rc)
		return rc;
	struct paleo_sim_law law = {.self = &calibration, .work_s = paleo_predict_work_s};
	rc = step(p, net, device, &law, out, err);
	paleo_calibration_release(&calibration);
	return rc;
}
