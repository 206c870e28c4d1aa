/* memory.c - whether a net fits into a device's memory, and what a transformer holds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "library/fits.h"
#include "tools/print/print.h"

void step_memory_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       enum paleo_update_rule optimizer, int training,
		       const struct paleo_device *device, FILE *out)
{
	char text[PALEO_FITS_MAX];

	if (!paleo_fits_step(net, dtype, optimizer, training, device, text))
		paleo_print(out, "%s\n", text);
}

enum {
	TITLE_MAX = 200,
	NOTE_MAX = 400
};

static void put_line(const char *text, FILE *out)
{
	paleo_text_put(text, NOTE_MAX, out);
	fputc('\n', out);
}

void transformer_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       const struct paleo_device *device, FILE *out)
{
	double active = paleo_net_active(net), weights = paleo_net_weight_bytes(net, dtype);
	double a_token = paleo_net_cached_bytes(net, dtype, PALEO_CACHED_TOKEN);
	double next = paleo_net_cached_bytes(net, dtype, PALEO_CACHED_NEXT);
	double index = paleo_net_index_bytes(net, dtype, PALEO_CACHED_TOKEN);
	double cache = paleo_net_cached_bytes(net, dtype, PALEO_CACHED_ALL) +
		       paleo_net_index_bytes(net, dtype, PALEO_CACHED_ALL);
	double state = paleo_net_state_bytes(net, dtype);
	char digits[32], more[32], text[PALEO_FITS_MAX];

	if (a_token > 0 || state > 0 || net->inference) {
		paleo_group_digits(active, digits, sizeof(digits));
		paleo_print(out, "weights %.3f GB, %s of them active", weights * 1e-9, digits);
		paleo_group_digits(a_token, digits, sizeof(digits));
		paleo_group_digits(index, more, sizeof(more));
		if (a_token > 0)
			paleo_print(out, "; cache %s bytes per token%s%s%s", digits,
				    index > 0 ? " and " : "", index > 0 ? more : "",
				    index > 0 ? " of its index" : "");
		paleo_group_digits(next, digits, sizeof(digits));
		if (next < a_token)
			paleo_print(out, ", %s of the next one, as windows are full", digits);
		if (a_token > 0)
			paleo_print(out, ", %.3f GB in all", cache * 1e-9);
		paleo_group_digits(state, digits, sizeof(digits));
		if (state > 0)
			paleo_print(out, "; state %s bytes per sequence", digits);
		fputc('\n', out);
		if (device && paleo_fits_cache(net, dtype, device, text) >= 0)
			paleo_print(out, "%s\n", text);
	}
	if (net->note)
		put_line(net->note, out);
}

void net_note_print(const struct paleo_net *net, FILE *out)
{
	if (!net->note)
		return;
	paleo_text_put(net->title, TITLE_MAX, out);
	fputs(": ", out);
	put_line(net->note, out);
}
