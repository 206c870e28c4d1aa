/* sim_times.c - what works take: each that a simulation has met is priced by its law once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/simulate/sim_parts.h"

enum {
	TIMES_START = 256 /* a power of two */
};

uint64_t paleo_sim_hash(const struct paleo_work *w)
{
	const double counts[] = {w->flops, w->read_bytes, w->write_bytes};
	uint64_t h = (uint64_t)w->kind << 32 | (uint64_t)w->pass << 16 | (uint64_t)w->dtype;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t bits;
		memcpy(&bits, &counts[i], sizeof(bits));
		h = paleo_hash(h ^ bits);
	}
	return h;
}

/* The work's place, or the free one where it belongs; there is always a free one. */
static struct paleo_sim_time *place_of(struct paleo_sim_time *times, int room,
				       const struct paleo_work *w)
{
	size_t last = (size_t)room - 1, at = paleo_sim_hash(w) & last;

	while (times[at].known && !paleo_work_equal(&times[at].work, w))
		at = (at + 1) & last;
	return &times[at];
}

/* Twice the room where half of it is taken. */
static int make_room(struct paleo_sim *sim, struct paleo_error *err)
{
	int room = sim->time_room ? 2 * sim->time_room : TIMES_START;

	if (2 * sim->time_count < sim->time_room)
		return PALEO_OK;
	struct paleo_sim_time *times = calloc((size_t)room, sizeof(*times));
	if (!times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the times of %d works",
				  room);
	for (int i = 0; i < sim->time_room; i++)
		if (sim->times[i].known)
			*place_of(times, room, &sim->times[i].work) = sim->times[i];
	free(sim->times);
	sim->times = times;
	sim->time_room = room;
	return PALEO_OK;
}

int paleo_sim_work_s(struct paleo_sim *sim, const struct paleo_work *w, double *out,
		     struct paleo_error *err)
{
	int rc = make_room(sim, err);

	if (rc)
		return rc;
	struct paleo_sim_time *t = place_of(sim->times, sim->time_room, w);
	if (!t->known) {
		rc = sim->config.law.work_s(sim->config.law.self, w, &t->time_s, err);
		if (rc)
			return rc;
		t->work = *w;
		t->known = 1;
		sim->time_count++;
	}
	*out = t->time_s;
	return PALEO_OK;
}

int paleo_sim_works(const struct paleo_sim *sim, const struct paleo_net *net, unsigned passes,
		    struct paleo_work_list *out, struct paleo_error *err)
{
	const struct paleo_works_options o = {
		.dtype = sim->config.dtype, .layout = sim->config.layout, .passes = passes};

	return paleo_net_works_with(net, &o, out, err);
}

int paleo_sim_works_as_run(const struct paleo_sim *sim, const struct paleo_net *net,
			   struct paleo_work_list *list, struct paleo_error *err)
{
	const struct paleo_works_options o = {.dtype = sim->config.dtype,
					      .layout = sim->config.layout,
					      .passes = PALEO_PASSES_ALL,
					      .framework = sim->config.framework,
					      .optimizer = sim->config.optimizer};

	if (o.framework)
		return paleo_work_list_as_framework(net, &o, list, err);
	return sim->config.merge ? paleo_work_list_merge(list, err) : PALEO_OK;
}
