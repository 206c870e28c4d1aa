/* tile_device.c - what the law of tiles knows of a GPU: datasheets, and what its power sustains. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile.h"

/* Of their tensor cores' peak even these cards keep but two thirds: large products in f16 and bf16
 * run at 205 of 312 TFLOP/s on an A100 of 250 W and at 460 of 756 on an H100 of 350 W, as users
 * measured them (results/studies/elsewhere.md). */
#define TENSOR_KEPT (2.0 / 3)

double paleo_tile_power_flop_per_s(const struct paleo_tile_device *d)
{
	static const struct {
		int capability;             /* and up to the next */
		const char *plain, *tensor; /* NULL: none in the catalogue */
	} frugal[] = {{100, NULL, NULL},
		      {90, "h100-pcie", "h100-pcie"},
		      {89, "h100-pcie", "rtx-6000-ada"},
		      {80, "a100-40-pcie", "a100-40-pcie"},
		      {70, "v100-pcie", "v100-pcie"},
		      {61, "p40", "p40"},
		      {60, "p100-pcie", "p100-pcie"}};

	for (size_t i = 0; i < sizeof(frugal) / sizeof(frugal[0]); i++) {
		if (d->compute_capability < frugal[i].capability)
			continue;
		if (!frugal[i].plain)
			return 0;
		const struct paleo_device *best =
			paleo_device_find(d->tensor ? frugal[i].tensor : frugal[i].plain);
		double kept = d->tensor ? TENSOR_KEPT : 1;
		return kept * best->flop_per_s[d->dtype] / best->tdp_w * d->tdp_w;
	}
	return 0;
}

/* f16 alone is computed by plain cores as well, at twice their rate in f32 at most; GeForce cards
 * with tensor cores at half their rate, from Ampere on, do not do more. */
static int has_tensor_cores(const struct paleo_device *d, enum paleo_dtype dtype)
{
	return dtype != PALEO_F32 && (dtype != PALEO_F16 || d->compute_capability >= 80 ||
				      d->flop_per_s[dtype] > 3 * d->flop_per_s[PALEO_F32]);
}

int paleo_tile_device_of(const struct paleo_device *d, enum paleo_dtype dtype,
			 struct paleo_tile_device *out, struct paleo_error *err)
{
	if (!(d->flop_per_s[dtype] > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "device '%s' has no peak for %s",
				  d->name, paleo_dtype_name(dtype));
	if (!(d->mem_bytes_per_s > 0 && d->cache_bytes > 0 && d->clock_hz > 0 && d->sm_count > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "device '%s': the law of tiles needs mem_bytes_per_s, "
				  "cache_bytes, clock_hz and sm_count",
				  d->name);
	*out = (struct paleo_tile_device){.flop_per_s = d->flop_per_s[dtype],
					  .fp4_flop_per_s = d->fp4_flop_per_s,
					  .fp8_flop_per_s = d->flop_per_s[PALEO_FP8],
					  .int8_flop_per_s = d->int8_flop_per_s,
					  .mem_bytes_per_s = d->mem_bytes_per_s,
					  .cache_bytes = d->cache_bytes,
					  .clock_hz = d->clock_hz,
					  .sm_count = d->sm_count,
					  .tensor = has_tensor_cores(d, dtype),
					  .tdp_w = d->tdp_w,
					  .compute_capability = d->compute_capability,
					  .dtype = dtype,
					  .vector_flop_per_s = d->flop_per_s[PALEO_F32] > 0
								       ? d->flop_per_s[PALEO_F32]
								       : d->flop_per_s[dtype]};
	return PALEO_OK;
}
