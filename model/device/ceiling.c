/* ceiling.c - the most that a device does of something, measured: a list of named numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"

enum {
	QUARTILES = 4 /* samples that a spread takes at least */
};

/* Those that read or write the whole memory. */
static const char *const memory_names[] = {"copy", "read", "write", "add"};

int paleo_ceilings_add(struct paleo_ceilings *list, const char *name, const char *unit,
		       double *samples, int n, const char *how, struct paleo_error *err)
{
	struct paleo_ceiling c = {.spread = NAN};
	size_t count = (size_t)n;

	paleo_sort(samples, count);
	snprintf(c.name, sizeof(c.name), "%s", name);
	snprintf(c.unit, sizeof(c.unit), "%s", unit);
	snprintf(c.how, sizeof(c.how), "%s", how);
	snprintf(c.regime, sizeof(c.regime), "%s", paleo_regime_name(list->regime));
	c.value = strcmp(unit, "s") == 0 ? samples[0] : samples[count - 1];
	if (n >= QUARTILES)
		c.spread = (paleo_quantile_sorted(samples, count, 0.75) -
			    paleo_quantile_sorted(samples, count, 0.25)) /
			   paleo_quantile_sorted(samples, count, 0.5);
	return paleo_ceilings_put(list, &c, err);
}

int paleo_ceilings_put(struct paleo_ceilings *list, const struct paleo_ceiling *c,
		       struct paleo_error *err)
{
	if (list->count == PALEO_CEILINGS_MAX)
		return paleo_fail(err, PALEO_ENOMEM, "'%s': more than %d ceilings", c->name,
				  PALEO_CEILINGS_MAX);
	list->items[list->count++] = *c;
	return list->on_add ? list->on_add(c, list->listener, err) : PALEO_OK;
}

int paleo_ceilings_skip(struct paleo_ceilings *list, const char *name, int rc,
			const struct paleo_error *err)
{
	if (rc == PALEO_OK || rc == PALEO_ECRASH)
		return rc;
	if (list->skipped++ == 0)
		snprintf(list->why, sizeof(list->why), "%s: %.200s", name, err->text);
	return PALEO_OK;
}

const struct paleo_ceiling *paleo_ceiling_find(const struct paleo_ceiling *items, int count,
					       const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

/* The larger of `so_far` and the burst ceiling of this name; sustained ones do not limit it. */
static double larger(const struct paleo_ceiling *items, int count, const char *name, double so_far)
{
	const struct paleo_ceiling *c = paleo_ceiling_find(items, count, name);

	if (!c || !strcmp(c->regime, paleo_regime_name(PALEO_SUSTAINED)))
		return so_far;
	return fmax(so_far, c->value);
}

void paleo_ceilings_apply(const struct paleo_ceiling *items, int count, struct paleo_device *d)
{
	double memory = 0;
	int taken = 0;

	for (int t = 0; t < PALEO_DTYPES; t++) {
		const char *type = paleo_dtype_name((enum paleo_dtype)t);
		char gemm[32], fma[32];
		snprintf(gemm, sizeof(gemm), "gemm_%s", type);
		snprintf(fma, sizeof(fma), "fma_%s", type);
		double flops = larger(items, count, fma, larger(items, count, gemm, 0));
		if (flops > 0) {
			d->flop_per_s[t] = flops;
			taken = 1;
		}
	}
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(*memory_names); i++)
		memory = larger(items, count, memory_names[i], memory);
	if (memory > 0) {
		d->mem_bytes_per_s = memory;
		taken = 1;
	}
	if (!taken)
		return;
	d->measured = 1;
	snprintf(d->source, sizeof(d->source),
		 "measured by paleo ceilings, which prints the method of each");
}
