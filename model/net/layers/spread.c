/* spread.c - puts the same numbers behind those of each head; costs nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"

/* The keys of latent attention: per-head parts, each followed by the rotary part that all heads
 * share. The result is contiguous for its readers. */
struct param {
	int heads;
};

static const struct paleo_json_field fields[] = {
	PALEO_KEYS_OF_ALL,
	PALEO_KEY_NEED(struct param, "heads", heads),
	{0},
};

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape *own = paleo_layer_in(l), *shared = &l->parents[1]->out;

	if (own->rank != 3 || shared->rank != 3 || own->n != shared->n || own->h != shared->h ||
	    own->c % p->heads)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' and '%s' must give sequences of one length, the first of "
				  "%d heads",
				  l->parents[0]->name, l->parents[1]->name, p->heads);
	int rc = paleo_check_dim(own->c + (double)p->heads * shared->c, "the number of channels",
				 err);
	l->out = *own;
	l->out.c = rc ? own->c : own->c + p->heads * shared->c;
	return rc;
}

const struct paleo_layer_kind paleo_kind_spread = {
	.type = "Spread",
	.param_size = sizeof(struct param),
	.parents = {2, 2},
	.no_graph = 1,
	.keys = fields,
	.shape = shape,
};
