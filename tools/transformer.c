/* transformer.c - what a transformer holds: weights, those a token uses, its cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/transformer.h"

#include "base/text.h"
#include "tools/words.h"

enum {
	NOTE_MAX = 400
};

static void print_fit(double weights, double cache, const struct paleo_device *d, FILE *out)
{
	double all = weights + cache;

	if (!(d->mem_bytes > 0))
		return;
	if (all > d->mem_bytes)
		paleo_print(out,
			    "does not fit: weights and cache take %.1f GB of the %.1f GB of %s\n",
			    all * 1e-9, d->mem_bytes * 1e-9, d->name);
	else
		paleo_print(out, "weights and cache take %.1f GB of the %.1f GB of %s\n",
			    all * 1e-9, d->mem_bytes * 1e-9, d->name);
}

void transformer_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       const struct paleo_device *device, FILE *out)
{
	double active = paleo_net_active(net), weights = paleo_net_weight_bytes(net, dtype);
	double a_token = paleo_net_cached_bytes(net, dtype, 0);
	double index = paleo_net_index_bytes(net, dtype, 0);
	double cache = paleo_net_cached_bytes(net, dtype, 1) + paleo_net_index_bytes(net, dtype, 1);
	double state = paleo_net_state_bytes(net, dtype);
	char digits[32], more[32];

	if (a_token > 0 || state > 0 || net->inference) {
		words_group_digits(active, digits, sizeof(digits));
		paleo_print(out, "weights %.3f GB, %s of them active", weights * 1e-9, digits);
		words_group_digits(a_token, digits, sizeof(digits));
		words_group_digits(index, more, sizeof(more));
		if (a_token > 0)
			paleo_print(out, "; cache %s bytes per token%s%s%s, %.3f GB in all", digits,
				    index > 0 ? " and " : "", index > 0 ? more : "",
				    index > 0 ? " of its index" : "", cache * 1e-9);
		words_group_digits(state, digits, sizeof(digits));
		if (state > 0)
			paleo_print(out, "; state %s bytes per sequence", digits);
		fputc('\n', out);
		if (device)
			print_fit(weights, cache + net->batch * state, device, out);
	}
	if (net->note) {
		paleo_text_put(net->note, NOTE_MAX, out);
		fputc('\n', out);
	}
}
