/* paleo2017.c - the law of the original Paleo (2017): nets, their layers and bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/paleo2017/paleo2017.h"

#include <math.h>
#include <stdlib.h>

#include "model/paleo2017/net.h"

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while reading a net as the original");
}

void paleo_2017_close(struct paleo_2017_net *net)
{
	if (!net)
		return;
	free(net->layers);
	free(net->prices);
	free(net->parents);
	free(net->dropped);
	free(net->nest);
	free(net);
}

/* Numbers the parents. The original ends where one was not met before its child. */
static int link_parents(struct paleo_2017_net *net, struct paleo_error *err)
{
	size_t edges = 0;
	int *numbers = malloc((size_t)net->source->count * sizeof(*numbers));

	for (int i = 0; i < net->count; i++)
		edges += (size_t)net->layers[i].layer->parent_count;
	net->parents = malloc((edges + 1) * sizeof(*net->parents));
	if (!numbers || !net->parents) {
		free(numbers);
		return out_of_memory(err);
	}
	for (int i = 0; i < net->source->count; i++)
		numbers[i] = -1;
	int *at = net->parents, rc = PALEO_OK;
	for (int i = 0; !rc && i < net->count; i++) {
		struct paleo_2017_layer *l = &net->layers[i];
		l->parents = at;
		l->parent_count = l->layer->parent_count;
		for (int p = 0; !rc && p < l->parent_count; p++, at++) {
			*at = numbers[l->layer->parents[p]->index];
			if (*at < 0)
				rc = paleo_fail(err, PALEO_EUNSUPPORTED,
						"the original comes to layer '%s' before its "
						"parent '%s', and ends",
						l->layer->name, l->layer->parents[p]->name);
		}
		numbers[l->layer->index] = i;
	}
	free(numbers);
	return rc;
}

int paleo_2017_open(const struct paleo_net *net, struct paleo_2017_net **out,
		    struct paleo_error *err)
{
	struct paleo_2017_net *n = calloc(1, sizeof(*n));

	if (!n)
		return out_of_memory(err);
	n->source = net;
	int rc = paleo_2017_walk(n, err);
	if (!rc)
		rc = link_parents(n, err);
	if (!rc) {
		n->prices = calloc((size_t)n->count, sizeof(*n->prices));
		rc = n->prices ? PALEO_OK : out_of_memory(err);
	}
	for (int i = 0; !rc && i < n->count; i++) {
		rc = paleo_2017_shape(n, i, err);
		if (!rc)
			paleo_2017_count(n, i);
	}
	if (rc) {
		paleo_2017_close(n);
		return rc;
	}
	*out = n;
	return PALEO_OK;
}

const struct paleo_2017_layer *paleo_2017_layers(const struct paleo_2017_net *net, int *count)
{
	*count = net->count;
	return net->layers;
}

const struct paleo_layer *const *paleo_2017_dropped(const struct paleo_2017_net *net, int *count)
{
	*count = net->dropped_count;
	return net->dropped;
}

const struct paleo_2017_nest *paleo_2017_nested(const struct paleo_2017_net *net, int *count)
{
	*count = net->nest_count;
	return net->nest;
}

int paleo_2017_bounds(const struct paleo_2017_net *net, const double *ms, double *lower,
		      double *upper, struct paleo_error *err)
{
	double low = 0, high = 0, longest = 0, sum = 0, branch = 0;
	int depth = 0;

	for (int i = 0; i < net->nest_count; i++) {
		const struct paleo_2017_nest *n = &net->nest[i];
		switch (n->mark) {
		case PALEO_2017_LAYER:
			if (depth) {
				branch += ms[n->layer];
			} else {
				low += ms[n->layer];
				high += ms[n->layer];
			}
			break;
		case PALEO_2017_FORK:
			if (depth++)
				return paleo_fail(err, PALEO_EUNSUPPORTED,
						  "a fork stands within a branch of another one, "
						  "where the original ends in model parallelism");
			longest = sum = 0;
			break;
		case PALEO_2017_BRANCH:
			branch = 0;
			break;
		case PALEO_2017_BRANCH_END:
			longest = fmax(longest, branch);
			sum += branch;
			break;
		case PALEO_2017_FORK_END:
			depth--;
			low += longest;
			high += sum;
			break;
		}
	}
	*lower = low;
	*upper = high;
	return PALEO_OK;
}
