/* sim_memory.c - what a worker must hold: weights, gradients, optimiser, activations. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

#include "model/simulate/sim_parts.h"

double paleo_weight_bytes(const struct paleo_sim *sim)
{
	return paleo_dtype_bytes(paleo_dtype_wide(sim->config.dtype));
}

/* Rajbhandari et al. 2020, 3.1: Adam in mixed precision keeps 12 bytes for a weight, an f32 copy
 * and two moments. */
double paleo_optimizer_bytes(const struct paleo_sim *sim)
{
	double copy = paleo_weight_bytes(sim) < 4 ? 4 : 0;

	switch (sim->config.optimizer) {
	case PALEO_SGD:
		break;
	case PALEO_MOMENTUM:
		return copy + 4;
	case PALEO_ADAM:
		return copy + 8;
	}
	return copy;
}

double paleo_sim_memory_sum(const struct paleo_sim_memory *m)
{
	return m->weights + m->gradients + m->optimizer + m->activations + m->workspace;
}

/*
 * Chen et al. 2016 (Training deep nets with sublinear memory cost): the layers are
 * cut into about sqrt(n) segments. What crosses the cuts is kept; what is inside of
 * a segment is computed again when the backward pass comes to it.
 */
double paleo_kept_bytes(const struct paleo_sim_cost *c, int from, int to, int recompute)
{
	int segments = recompute ? (int)ceil(sqrt(to - from)) : 1;
	double crossing = 0, largest = 0;

	if (!recompute && from == 0 && to == c->count)
		return c->kept_bytes;
	for (int k = 0; k < segments; k++) {
		int first = from + (int)((long long)(to - from) * k / segments);
		int end = from + (int)((long long)(to - from) * (k + 1) / segments);
		double inside = 0;
		for (int i = first; i < end; i++)
			inside += c->layers[i].kept_bytes;
		if (k > 0 || (recompute && from > 0))
			crossing += c->layers[first].cut_bytes;
		largest = fmax(largest, inside);
	}
	return crossing + largest;
}

struct paleo_sim_memory paleo_sim_memory_of(const struct paleo_sim *sim,
					    const struct paleo_sim_cost *c, int recompute)
{
	return (struct paleo_sim_memory){
		.weights = c->weights * paleo_weight_bytes(sim),
		.gradients = c->weights * paleo_weight_bytes(sim),
		.optimizer = c->weights * paleo_optimizer_bytes(sim),
		.activations = paleo_kept_bytes(c, 0, c->count, recompute),
		.workspace = c->grad_bytes,
	};
}
