/* costs_2017.c - the law paleo2017 in the table of laws. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/laws/law_list.h"

struct state {
	struct paleo_2017_net *net;
	int *first; /* for each of the net's layers its number in the law's list; -1: dropped */
	int *again; /* for each of the law's the next one of the same layer; -1: none */
	struct paleo_2017_options options;
};

static void close_costs(void *state)
{
	struct state *s = state;

	paleo_2017_close(s->net);
	free(s->first);
	free(s->again);
	free(s);
}

static int number_layers(struct state *s, const struct paleo_net *net, struct paleo_error *err)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(s->net, &count);

	s->first = malloc((size_t)net->count * sizeof(*s->first));
	s->again = malloc(((size_t)count + 1) * sizeof(*s->again));
	if (!s->first || !s->again)
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	for (int i = 0; i < net->count; i++)
		s->first[i] = -1;
	for (int i = count - 1; i >= 0; i--) {
		s->again[i] = s->first[layers[i].layer->index];
		s->first[layers[i].layer->index] = i;
	}
	return PALEO_OK;
}

static int open_costs(const struct paleo_net *net, const struct paleo_law_options *o, void **state,
		      struct paleo_error *err)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	int rc = paleo_2017_open(net, &s->net, err);
	if (!rc)
		rc = number_layers(s, net, err);
	if (rc) {
		close_costs(s);
		return rc;
	}
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
static struct paleo_2017_time update(const struct state *s, int number)
{
	struct paleo_2017_time nothing = {0};
	int count;
	double bytes = paleo_2017_layers(s->net, &count)[number].weights_bytes;

	return bytes > 0 ? paleo_2017_update(s->options.device, bytes) : nothing;
}

static int cost(const void *state, int layer, enum paleo_pass pass, int batch,
		struct paleo_cost *out, struct paleo_error *err)
{
	const struct state *s = state;
	struct paleo_2017_options o = s->options;
	struct paleo_2017_time t, sum = {0};
	enum paleo_2017_pass old = pass == PALEO_FWD        ? PALEO_2017_FWD
				   : pass == PALEO_BWD_DATA ? PALEO_2017_BWD_DATA
							    : PALEO_2017_BWD_FILTER;

	o.batch = batch;
	for (int number = s->first[layer]; number >= 0; number = s->again[number]) {
		if (pass == PALEO_PASS_UPDATE) {
			t = update(s, number);
		} else {
			int rc = paleo_2017_time(s->net, number, old, &o, &t, err);
			if (rc)
				return rc;
		}
		paleo_2017_add(&sum, &t);
	}
	*out = (struct paleo_cost){.compute_s = sum.comp_ms / 1000,
				   .memory_s = sum.comm_ms / 1000,
				   .total_s = sum.total_ms / 1000};
	return PALEO_OK;
}

const struct paleo_law paleo_law_paleo2017 = {
	.name = "paleo2017",
	.what = "the numbers of the original Paleo, its bugs included",
	.open = open_costs,
	.close = close_costs,
	.cost = cost,
};
