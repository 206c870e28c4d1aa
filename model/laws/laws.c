/* laws.c - the table of laws: what each layer of a net costs, at any batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/laws/laws.h"

#include <stdlib.h>
#include <string.h>

#include "model/laws/law_list.h"

struct paleo_costs {
	const struct paleo_law *law;
	int layers;
	void *state;
};

static const struct paleo_law *const laws[] = {
	&paleo_law_paleo2017,
	&paleo_law_paleo,
	&paleo_law_calibrated,
};

enum {
	LAWS = (int)(sizeof(laws) / sizeof(laws[0]))
};

const struct paleo_law *const *paleo_laws(int *count)
{
	*count = LAWS;
	return laws;
}

const struct paleo_law *paleo_law_find(const char *name)
{
	for (int i = 0; i < LAWS; i++)
		if (!strcmp(laws[i]->name, name))
			return laws[i];
	return NULL;
}

int paleo_costs_open(const struct paleo_law *law, const struct paleo_net *net,
		     const struct paleo_law_options *o, struct paleo_costs **out,
		     struct paleo_error *err)
{
	struct paleo_costs *c = malloc(sizeof(*c));

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	*c = (struct paleo_costs){.law = law, .layers = net->count};
	int rc = law->open(net, o, &c->state, err);
	if (rc) {
		free(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

void paleo_costs_close(struct paleo_costs *c)
{
	if (!c)
		return;
	c->law->close(c->state);
	free(c);
}

int paleo_costs_layer(const struct paleo_costs *c, int layer, enum paleo_pass pass, int batch,
		      struct paleo_cost *out, struct paleo_error *err)
{
	return c->law->cost(c->state, layer, pass, batch, out, err);
}

int paleo_costs_net(const struct paleo_costs *c, unsigned passes, int batch, struct paleo_cost *out,
		    struct paleo_error *err)
{
	struct paleo_cost sum = {0}, one;

	if (c->law->sum)
		return c->law->sum(c->state, passes, batch, out, err);
	for (int layer = 0; layer < c->layers; layer++) {
		for (int pass = 0; pass < PALEO_PASSES; pass++) {
			if (!(passes & 1u << pass))
				continue;
			int rc = c->law->cost(c->state, layer, (enum paleo_pass)pass, batch, &one,
					      err);
			if (rc)
				return rc;
			sum.compute_s += one.compute_s;
			sum.memory_s += one.memory_s;
			sum.overhead_s += one.overhead_s;
			sum.total_s += one.total_s;
		}
	}
	*out = sum;
	return PALEO_OK;
}
