/* fuzz_ceilings.c - any bytes as a file of ceilings; the peaks that follow are usable. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/record/record.h"
#include "tests/fuzz/fuzz.h"

static void demand_ceiling(const struct paleo_results *all, const struct paleo_ceiling *c)
{
	demand(paleo_ceiling_find(all->ceilings, all->ceiling_count, c->name) == c);
	demand(isfinite(c->value) && c->value > 0);
	demand(isnan(c->spread) || (isfinite(c->spread) && c->spread >= 0));
	demand(!strcmp(c->unit, "s") || !strcmp(c->unit, "B/s") || !strcmp(c->unit, "FLOP/s"));
}

static void demand_peaks(const struct paleo_results *all)
{
	struct paleo_device d = *paleo_device_find("t4"), before = d;

	paleo_ceilings_apply(all->ceilings, all->ceiling_count, &d);
	demand(isfinite(d.mem_bytes_per_s) && d.mem_bytes_per_s > 0);
	for (int t = 0; t < PALEO_DTYPES; t++)
		demand(isfinite(d.flop_per_s[t]) && d.flop_per_s[t] >= 0);
	demand(d.mem_bytes == before.mem_bytes && !strcmp(d.name, before.name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_results all;
	struct paleo_error err;

	if (paleo_results_parse("fuzz", (const char *)data, size, &all, &err)) {
		demand(strncmp(err.text, "fuzz:", 5) == 0);
		return 0;
	}
	for (int i = 0; i < all.ceiling_count; i++)
		demand_ceiling(&all, &all.ceilings[i]);
	demand_peaks(&all);
	paleo_results_release(&all);
	return 0;
}
