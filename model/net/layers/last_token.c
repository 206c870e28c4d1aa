/* last_token.c - of each sequence the last token alone, as what comes next is asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	l->out = *paleo_layer_in(l);
	if (l->out.rank != 3)
		return paleo_fail(err, PALEO_EINPUT, "'%s' must give sequences, [N, T, C]",
				  l->parents[0]->name);
	l->out.h = 1;
	return PALEO_OK;
}

const struct paleo_layer_kind paleo_kind_last_token = {
	.type = "LastToken",
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = paleo_parse_plain,
	.shape = shape,
};
