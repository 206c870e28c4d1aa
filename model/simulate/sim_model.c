/* sim_model.c - model parallelism: each split of a net's ModelParallel blocks on its own device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/simulate/sim_parts.h"

/*
 * Krizhevsky 2014 (One weird trick for parallelizing convolutional neural networks): split s of a
 * ModelParallel block is on device s, all other layers on device 0. A layer fetches its parents'
 * results from other devices; in the backward pass the parent fetches the gradient. The two bounds
 * are those of the original Paleo: every branch on its own device, or all layers one after the
 * other.
 */
static int device_of(const struct paleo_sim_layer *l, int devices)
{
	return l->layer->split < 0 ? 0 : l->layer->split % devices;
}

int paleo_sim_devices(const struct paleo_sim_cost *c)
{
	int most = 1;

	for (int i = 0; i < c->count; i++)
		if (c->layers[i].layer->splits > most)
			most = c->layers[i].layer->splits;
	return most;
}

/* The output of `parent`, or its gradient, comes to another device. */
static double fetch_s(const struct paleo_sim_cost *c, const struct paleo_path *p, int parent,
		      int child)
{
	const struct paleo_sim_layer *from = &c->layers[parent], *to = &c->layers[child];

	if (device_of(from, p->devices) == device_of(to, p->devices) ||
	    (p->backward && !from->layer->needs_grad))
		return 0;
	return paleo_send_s(p->fabric, p->devices, from->out_bytes);
}

static int taken(const struct paleo_path *p, int i)
{
	return !p->mine || p->mine[i];
}

/* Positions are in topological order, so one sweep does: forward from parents to children; back
 * from children, which are done, to parents. */
static double forward_path(const struct paleo_sim_cost *c, const struct paleo_path *p,
			   double *finish)
{
	double longest = 0;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		double start = 0;
		finish[i] = 0;
		if (!taken(p, i))
			continue;
		for (int k = 0; k < l->layer->parent_count; k++)
			if (taken(p, l->parents[k]))
				start = fmax(start, finish[l->parents[k]] +
							    fetch_s(c, p, l->parents[k], i));
		finish[i] = start + l->fwd_s;
		longest = fmax(longest, finish[i]);
	}
	return longest;
}

static double backward_path(const struct paleo_sim_cost *c, const struct paleo_path *p,
			    double *finish)
{
	double longest = 0;

	for (int i = 0; i < c->count; i++)
		finish[i] = 0; /* for now: when its gradient has arrived */
	for (int i = c->count - 1; i >= 0; i--) {
		const struct paleo_sim_layer *l = &c->layers[i];
		if (!taken(p, i))
			continue;
		finish[i] += l->bwd_s;
		longest = fmax(longest, finish[i]);
		for (int k = 0; k < l->layer->parent_count; k++) {
			int parent = l->parents[k];
			finish[parent] = fmax(finish[parent], finish[i] + fetch_s(c, p, parent, i));
		}
	}
	return longest;
}

double paleo_longest_path(const struct paleo_sim_cost *c, const struct paleo_path *p,
			  double *finish)
{
	return p->backward ? backward_path(c, p, finish) : forward_path(c, p, finish);
}

/* A layer's device fetches its inputs, then computes. */
static void draw(const struct paleo_path *p, const struct paleo_sim_layer *l, double start_s,
		 double fetching_s)
{
	const int worker = device_of(l, p->devices);
	struct paleo_stretch fetch = {.track = PALEO_TRACK_COMM,
				      .worker = worker,
				      .what = p->backward ? "gradients" : "activations",
				      .layer = l->layer,
				      .start_s = p->begin_s + start_s,
				      .duration_s = fetching_s};
	struct paleo_stretch compute = {.track = PALEO_TRACK_COMPUTE,
					.worker = worker,
					.what = p->backward ? "backward" : "forward",
					.layer = l->layer,
					.start_s = p->begin_s + start_s + fetching_s,
					.duration_s = p->backward ? l->bwd_s : l->fwd_s};

	paleo_timeline_add(p->timeline, &fetch);
	paleo_timeline_add(p->timeline, &compute);
}

/* Each device updates its layers when both passes are over. */
static void draw_updates(struct paleo_timeline *t, const struct paleo_sim_cost *c, int devices,
			 double start_s)
{
	for (int d = 0; t && d < devices; d++) {
		double at = start_s;
		for (int i = 0; i < c->count; i++) {
			const struct paleo_sim_layer *l = &c->layers[i];
			if (device_of(l, devices) != d)
				continue;
			paleo_timeline_add(t, &(struct paleo_stretch){.track = PALEO_TRACK_COMPUTE,
								      .worker = d,
								      .what = "update",
								      .layer = l->layer,
								      .start_s = at,
								      .duration_s = l->update_s});
			at += l->update_s;
		}
	}
}

/* The same with as many devices as there are: each does one thing at a time, in the layers' order,
 * and fetches before it computes. `finish` as above, `ready` one for each device. */
static double schedule(const struct paleo_sim_cost *c, const struct paleo_path *p, double *finish,
		       double *ready)
{
	double end = 0;

	for (int d = 0; d < p->devices; d++)
		ready[d] = 0;
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		double start = ready[device_of(l, p->devices)], fetch = 0;
		for (int k = 0; k < l->layer->parent_count; k++) {
			start = fmax(start, finish[l->parents[k]]);
			fetch += fetch_s(c, p, l->parents[k], i);
		}
		draw(p, l, start, fetch);
		finish[i] = ready[device_of(l, p->devices)] = start + fetch + l->fwd_s;
		end = fmax(end, finish[i]);
	}
	return end;
}

static double schedule_back(const struct paleo_sim_cost *c, const struct paleo_path *p,
			    double *finish, double *ready)
{
	double end = 0, *fetch = finish + c->count; /* remaining fetch time of each layer */

	for (int d = 0; d < p->devices; d++)
		ready[d] = 0;
	for (int i = 0; i < 2 * c->count; i++)
		finish[i] = 0;
	for (int i = c->count - 1; i >= 0; i--) {
		const struct paleo_sim_layer *l = &c->layers[i];
		double start = fmax(ready[device_of(l, p->devices)], finish[i]);
		draw(p, l, start, fetch[i]);
		finish[i] = ready[device_of(l, p->devices)] = start + fetch[i] + l->bwd_s;
		end = fmax(end, finish[i]);
		for (int k = 0; k < l->layer->parent_count; k++) {
			int parent = l->parents[k];
			finish[parent] = fmax(finish[parent], finish[i]);
			fetch[parent] += fetch_s(c, p, parent, i);
		}
	}
	return end;
}

/* Sums of everything that is done one after the other. */
static double upper_bound(const struct paleo_sim_cost *c, struct paleo_path p, double *fetched)
{
	double sum = c->fwd_s + c->bwd_s;

	*fetched = 0;
	for (int i = 0; i < c->count; i++)
		for (int k = 0; k < c->layers[i].layer->parent_count; k++)
			for (p.backward = 0; p.backward < 2; p.backward++)
				*fetched += fetch_s(c, &p, c->layers[i].parents[k], i);
	return sum + *fetched;
}

/* The device with most to update, and the one with most to hold. */
static void devices(const struct paleo_sim *sim, const struct paleo_sim_cost *c, int count,
		    struct paleo_sim_step *out)
{
	double most = -1;

	for (int d = 0; d < count; d++) {
		double weights = 0, kept = 0, update = 0, grad = 0;
		for (int i = 0; i < c->count; i++) {
			const struct paleo_sim_layer *l = &c->layers[i];
			if (device_of(l, count) != d)
				continue;
			weights += l->weights;
			kept += l->kept_bytes;
			update += l->update_s;
			if (l->layer->needs_grad)
				grad = fmax(grad, l->out_bytes + l->in_bytes);
		}
		struct paleo_sim_memory m = {
			.weights = weights * sim->weight_bytes,
			.gradients = weights * sim->weight_bytes,
			.optimizer = weights * sim->optimizer_bytes,
			.activations = kept,
			.workspace = grad,
		};
		out->update_s = fmax(out->update_s, update);
		if (paleo_sim_memory_sum(&m) > most) {
			most = paleo_sim_memory_sum(&m);
			out->memory = m;
		}
	}
}

int paleo_step_model(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		     struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_sim_cost *c = NULL;

	PALEO_TRY(paleo_sim_get(sim, s->batch, 1, &c, err));
	struct paleo_path p = {
		.fabric = &s->fabric, .devices = paleo_sim_devices(c), .timeline = s->timeline};
	double *finish = malloc((2 * (size_t)c->count + (size_t)p.devices) * sizeof(*finish));
	if (!finish)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", c->count);
	double *ready = finish + 2 * (size_t)c->count;
	out->lower_s = paleo_longest_path(c, &p, finish);
	out->fwd_s = schedule(c, &p, finish, ready);
	p.backward = 1;
	out->lower_s += paleo_longest_path(c, &p, finish);
	p.begin_s = out->fwd_s;
	out->bwd_s = schedule_back(c, &p, finish, ready);
	free(finish);
	devices(sim, c, p.devices, out);
	draw_updates(s->timeline, c, p.devices, out->fwd_s + out->bwd_s);
	out->upper_s = upper_bound(c, p, &out->comm_s);
	out->exposed_s = NAN; /* included in the times of the passes */
	out->step_s = out->fwd_s + out->bwd_s + out->update_s;
	out->workers = p.devices;
	out->worker_batch = s->batch;
	return PALEO_OK;
}
