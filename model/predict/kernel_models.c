/* kernel_models.c - the table of kernel models, and functions common to all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/predict/kernel_model.h"

static const struct paleo_kernel_model *const models[] = {
#define KERNEL(name) &paleo_kernel_##name,
#include "model/predict/kernel_models.def"
#undef KERNEL
};

enum {
	MODELS = sizeof(models) / sizeof(models[0])
};

const double paleo_onednn_lanes[] = {8, 16, 0};

unsigned long long paleo_kernel_uses_all(const struct paleo_op *w)
{
	(void)w;
	return ~0ULL;
}

double paleo_kernel_model_footprint(const struct paleo_tile_product *g,
				    const struct paleo_tile_device *d, int operand_sets)
{
	double weights = g->element_bytes * g->k * g->n;

	if (operand_sets <= 1)
		return g->bytes;
	double turns = fmax(1, fmin(operand_sets, ceil(d->cache_bytes / weights)));

	return g->bytes + (turns - 1) * weights;
}

const struct paleo_kernel_model *const *paleo_kernel_models(int *count)
{
	*count = MODELS;
	return models;
}

const struct paleo_kernel_model *paleo_kernel_model_find(const char *name)
{
	for (int i = 0; i < MODELS; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const struct paleo_kernel_model *paleo_kernel_model_for(const struct paleo_op *w, int host)
{
	for (int i = 0; i < MODELS; i++)
		if (models[i]->host == host && models[i]->applies(w))
			return models[i];
	return NULL;
}

void paleo_kernel_model_init(const struct paleo_kernel_model *f, enum paleo_dtype dtype,
			     struct paleo_fitted_kernel *out)
{
	*out = (struct paleo_fitted_kernel){.kernel = f};
	for (const struct paleo_parameter *q = f->parameters; q->name; q++)
		paleo_parameter_set(q, out->params, q->init);
	if (f->init)
		f->init(out, dtype);
	for (int s = 0; s < PALEO_KERNEL_SETS_MAX && f->sets[s].name; s++)
		for (int i = 0; f->sets[s].item(i); i++)
			out->sets[s] |= 1U << i;
	for (int i = 0; i < PALEO_KERNEL_PARAMETERS_MAX; i++)
		out->se[i] = NAN;
}

/* Checks the device data that CPU kernel models need. */
static int host_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
		       enum paleo_dtype dtype, struct paleo_tile_device *out,
		       struct paleo_error *err)
{
	if (!(d->flop_per_s[dtype] > 0 && d->mem_bytes_per_s > 0 && d->sm_count > 0))
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"device '%s': the kernel model '%s' needs mem_bytes_per_s, sm_count and a "
			"peak for %s",
			d->name, kernel->name, paleo_dtype_name(dtype));
	*out = (struct paleo_tile_device){.flop_per_s = d->flop_per_s[dtype],
					  .mem_bytes_per_s = d->mem_bytes_per_s,
					  .cache_bytes = d->cache_bytes,
					  .sm_count = d->sm_count};
	return PALEO_OK;
}

int paleo_kernel_model_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
			      enum paleo_dtype dtype, int operand_sets,
			      struct paleo_tile_device *out, struct paleo_error *err)
{
	int rc = kernel->host ? host_device(kernel, d, dtype, out, err)
			      : paleo_tile_device_of(d, dtype, out, err);

	double peak = paleo_device_cores_peak(d, kernel->cores);
	if (!rc && peak > 0)
		out->flop_per_s = peak;
	/* Small enough that nothing stays in the cache: all accesses miss. A CPU's models account
	 * for reuse themselves. */
	if (!rc && operand_sets == 0 && !kernel->host)
		out->cache_bytes = 1;
	return rc;
}

double paleo_kernel_model_time(const struct paleo_fitted_kernel *m,
			       const struct paleo_tile_device *d, const struct paleo_op *w)
{
	struct paleo_parts parts;

	m->kernel->price(m, d, w, &parts);
	return parts.total_s;
}
