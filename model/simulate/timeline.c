/* timeline.c - what workers do during a simulated step, and when. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/timeline.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/simulate/sim_parts.h"

void paleo_timeline_add(struct paleo_timeline *t, const struct paleo_stretch *span)
{
	if (!t || t->failed || !(span->duration_s > 0))
		return;
	struct paleo_stretch *spans = paleo_grow(t->spans, t->count, &t->capacity, sizeof(*spans));
	if (!spans) {
		t->failed = 1;
		return;
	}
	t->spans = spans;
	t->spans[t->count++] = *span;
}

void paleo_timeline_release(struct paleo_timeline *t)
{
	free(t->spans);
	*t = (struct paleo_timeline){0};
}

void paleo_timeline_comm(struct paleo_timeline *t, const char *what,
			 const struct paleo_layer *layer, double start_s, double duration_s)
{
	if (t)
		paleo_timeline_add(t, &(struct paleo_stretch){.track = PALEO_TRACK_COMM,
							      .what = what,
							      .layer = layer,
							      .start_s = start_s,
							      .duration_s = duration_s});
}

void paleo_timeline_compute(struct paleo_timeline *t, const char *what,
			    const struct paleo_layer *layer, double start_s, double duration_s)
{
	if (t)
		paleo_timeline_add(t, &(struct paleo_stretch){.track = PALEO_TRACK_COMPUTE,
							      .what = what,
							      .layer = layer,
							      .start_s = start_s,
							      .duration_s = duration_s});
}

double paleo_timeline_forward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			      const char *what, double start_s)
{
	for (int i = 0; i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, what, l->layer, start_s, l->fwd_s);
		start_s += l->fwd_s;
	}
	return start_s;
}

double paleo_timeline_backward(struct paleo_timeline *t, const struct paleo_sim_cost *c,
			       double start_s)
{
	for (int i = c->count - 1; i >= 0; i--) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, "backward", l->layer, start_s, l->bwd_s);
		start_s += l->bwd_s;
	}
	return start_s;
}

void paleo_timeline_update(struct paleo_timeline *t, const struct paleo_sim_cost *c, double start_s,
			   int sharers)
{
	for (int i = 0; t && i < c->count; i++) {
		const struct paleo_sim_layer *l = &c->layers[i];
		paleo_timeline_compute(t, "update", l->layer, start_s, l->update_s / sharers);
		start_s += l->update_s / sharers;
	}
}
