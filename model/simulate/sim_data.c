/* sim_data.c - data parallelism: every worker has the whole net; gradients are summed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/simulate/sim_parts.h"

int paleo_sim_share(const struct paleo_sim_setup *s)
{
	return (s->batch + s->workers - 1) / s->workers;
}

/*
 * Li et al. 2020 (PyTorch Distributed): the backward pass fills buckets, in the order
 * in which gradients become ready; a full bucket leaves when the one before it has
 * arrived. Without overlap there is one bucket, which leaves in the end.
 */
void paleo_exchange(const struct paleo_sim *sim, const struct paleo_sim_cost *c,
		    const struct paleo_sim_setup *s, paleo_collective *collective, const char *mine,
		    double *comm_s, double *exposed_s)
{
	/* as paleo_draw_passes() has it */
	const double begin = c->fwd_s * (s->recompute ? 2 : 1), end = begin + c->bwd_s;
	const double each = paleo_weight_bytes(sim);
	double ready = 0, arrived = 0, bucket = 0, comm = 0;
	int first = 0; /* the last layer of the backward pass that has weights */

	if (s->workers == 1) {
		*comm_s = *exposed_s = 0;
		return;
	}
	while (first < c->count && !(c->layers[first].weights > 0 && (!mine || mine[first])))
		first++;
	for (int i = c->count - 1; i >= 0; i--) {
		if (mine && !mine[i])
			continue;
		ready += c->layers[i].bwd_s;
		bucket += c->layers[i].weights * each;
		int full = s->overlap && bucket >= s->bucket_bytes && bucket > 0;
		if (bucket > 0 && (full || i == first)) {
			double time = collective(&s->fabric, s->workers, bucket);
			double start = fmax(arrived, ready);
			paleo_timeline_comm(s->timeline, "gradients", NULL,
					    s->overlap ? begin + start : end, time);
			arrived = start + time;
			comm += time;
			bucket = 0;
		}
	}
	*comm_s = comm;
	*exposed_s = s->overlap ? fmax(0, arrived - ready) : comm;
}

double paleo_draw_passes(const struct paleo_sim_cost *c, const struct paleo_sim_setup *s)
{
	struct paleo_timeline *t = s->timeline;

	if (!t)
		return 0;
	t->alike = s->workers;
	double end = paleo_timeline_forward(t, c, "forward", 0);
	if (s->recompute)
		end = paleo_timeline_forward(t, c, "again forward", end);
	return paleo_timeline_backward(t, c, end);
}

int paleo_step_data(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;
	int rc = paleo_sim_get(sim, paleo_sim_share(s), 1, &c, err);

	if (rc)
		return rc;
	paleo_exchange(sim, c, s, s->scheme->all_reduce_s, NULL, &out->comm_s, &out->exposed_s);
	out->fwd_s = c->fwd_s;
	out->bwd_s = c->bwd_s + (s->recompute ? c->fwd_s : 0);
	out->update_s = c->update_s;
	out->step_s = out->fwd_s + out->bwd_s + out->update_s + out->exposed_s;
	paleo_draw_passes(c, s);
	paleo_timeline_update(s->timeline, c, out->step_s - out->update_s, 1);
	out->worker_batch = c->batch;
	out->memory = paleo_sim_memory_of(sim, c, s->recompute);
	return PALEO_OK;
}
