/* spread.c - puts the same numbers behind those of each head; costs nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

/* The keys of latent attention are made so: each head has numbers of its own, and shares those that
 * are turned by its place. What reads them finds both where they are. */
struct param {
	int heads;
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "heads", NULL};
	struct param *p = param;
	int rc = paleo_json_only(j, keys, err);

	return rc ? rc : paleo_need_dim(j, "heads", &p->heads, err);
}

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
	.min_parents = 2,
	.max_parents = 2,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
};
