/* fuzz_net.c - any bytes as a net; what is accepted must become ops that can be counted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/net/layer.h"
#include "model/net/net.h"
#include "tests/fuzz/fuzz.h"

/* A parent stands before its children, and knows them. */
static void demand_order(const struct paleo_net *net)
{
	for (int i = 0; i < net->count; i++) {
		const struct paleo_layer *layer = net->layers[i];

		demand(layer->name && layer->kind && layer->out.rank > 0);
		for (int j = 0; j < layer->parent_count; j++) {
			int before = 0;
			for (int k = 0; k < i && !before; k++)
				before = net->layers[k] == layer->parents[j];
			demand(before);
		}
	}
}

static void demand_ops(const struct paleo_net *net)
{
	struct paleo_op_list ops;
	struct paleo_error err;

	/* A net can be read and yet have a layer whose op is out of every range. */
	if (paleo_net_ops(net, PALEO_F32, PALEO_PASSES_ALL, &ops, &err)) {
		demand(err.text[0] != '\0');
		return;
	}
	for (int i = 0; i < ops.count; i++) {
		const struct paleo_op *w = &ops.items[i].op;
		demand(isfinite(w->flops) && w->flops >= 0);
		demand(isfinite(w->read_bytes) && w->read_bytes >= 0);
		demand(isfinite(w->write_bytes) && w->write_bytes >= 0);
	}
	paleo_op_list_release(&ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_net *net = NULL;
	struct paleo_error err;

	if (paleo_net_parse("fuzz", (const char *)data, size, 0, &net, &err)) {
		demand(net == NULL);
		demand(strncmp(err.text, "fuzz:", 5) == 0);
		return 0;
	}
	demand(isfinite(paleo_net_weights(net)));
	demand_order(net);
	demand_ops(net);
	paleo_net_free(net);
	return 0;
}
