/* costs_2017.c - the law paleo2017 in the table of laws. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/laws/law_list.h"

struct state {
	struct paleo_2017_net *net;
	int *numbers; /* of the net's layers in the law's list; -1: dropped */
	struct paleo_2017_options options;
};

static void close_costs(void *state)
{
	struct state *s = state;

	paleo_2017_close(s->net);
	free(s->numbers);
	free(s);
}

static int open_costs(const struct paleo_net *net, const struct paleo_law_options *o, void **state,
		      struct paleo_error *err)
{
	struct state *s = calloc(1, sizeof(*s));
	int count;

	if (!s || !(s->numbers = malloc((size_t)net->count * sizeof(*s->numbers)))) {
		free(s);
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	}
	int rc = paleo_2017_open(net, &s->net, err);
	if (rc) {
		close_costs(s);
		return rc;
	}
	for (int i = 0; i < net->count; i++)
		s->numbers[i] = -1;
	const struct paleo_2017_layer *layers = paleo_2017_layers(s->net, &count);
	for (int i = 0; i < count; i++)
		s->numbers[layers[i].layer->index] = i;
	s->options = (struct paleo_2017_options){
		.device = o->device_2017,
		.ppp_comp = o->ppp_comp > 0 ? o->ppp_comp : 1,
		.ppp_comm = 1,
		.algorithms = o->algorithms,
		.no_fetch = 1,
	};
	*state = s;
	return PALEO_OK;
}

/* The original updates all weights at once, which a simulation does, too; layer by layer each has
 * its own smallest times. */
static int cost(const void *state, int layer, enum paleo_pass pass, int batch,
		struct paleo_cost *out, struct paleo_error *err)
{
	const struct state *s = state;
	struct paleo_2017_options o = s->options;
	struct paleo_2017_time t = {0};
	int number = s->numbers[layer], count, rc = PALEO_OK;

	o.batch = batch;
	if (number >= 0 && pass == PALEO_PASS_UPDATE) {
		double bytes = paleo_2017_layers(s->net, &count)[number].weights_bytes;
		if (bytes > 0)
			t = paleo_2017_update(o.device, bytes);
	} else if (number >= 0) {
		enum paleo_2017_pass p = pass == PALEO_FWD        ? PALEO_2017_FWD
					 : pass == PALEO_BWD_DATA ? PALEO_2017_BWD_DATA
								  : PALEO_2017_BWD_FILTER;
		rc = paleo_2017_time(s->net, number, p, &o, &t, err);
	}
	if (rc)
		return rc;
	*out = (struct paleo_cost){.compute_s = t.comp_ms / 1000,
				   .memory_s = t.comm_ms / 1000,
				   .total_s = t.total_ms / 1000};
	return PALEO_OK;
}

const struct paleo_law paleo_law_paleo2017 = {
	.name = "paleo2017",
	.what = "the numbers of the original Paleo, its bugs included",
	.open = open_costs,
	.close = close_costs,
	.cost = cost,
};
