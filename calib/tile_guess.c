/* tile_guess.c - what the presets of other GPUs say of a device without a measurement. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_tile.h"

/* Bytes of an element of the number types that presets have. */
static double preset_bytes(const struct paleo_tile_preset *preset)
{
	return !strcmp(preset->dtype, "fp32") ? 4 : strcmp(preset->dtype, "fp8") != 0 ? 2 : 1;
}

/* FLOP per multiprocessor and clock: 128 or 256 of plain cores, 1024 and more of tensor cores. */
static int has_tensor_cores(double flop_per_s, double sm_count, double clock_hz)
{
	return flop_per_s / (sm_count * clock_hz) > 512;
}

int paleo_tile_preset_suits(const struct paleo_tile_preset *preset,
			    const struct paleo_tile_device *d, double element_bytes,
			    const char *except_gpu)
{
	const struct paleo_device *its = paleo_device_find(preset->gpu);
	double its_peak = its ? its->flop_per_s[element_bytes < 4 ? PALEO_F16 : PALEO_F32] : 0;

	if (!its || preset_bytes(preset) != element_bytes ||
	    (except_gpu && paleo_device_same_chip(preset->gpu, except_gpu)))
		return 0;
	return has_tensor_cores(its_peak, its->sm_count, its->clock_hz) ==
	       has_tensor_cores(d->flop_per_s, d->sm_count, d->clock_hz);
}

/* Adds the logarithms of a preset's parameters. */
static void add_logs(const struct paleo_tile_preset *preset, double *sums)
{
	for (int j = 0; j < PALEO_TILE_QUANTISED; j++)
		sums[j] +=
			log(paleo_parameter_get(&paleo_tile_parameters[j], &preset->model.params));
}

int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out)
{
	int count, used = 0;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);
	double sums[PALEO_TILE_QUANTISED] = {0};
	struct paleo_tile_model m = {.params = paleo_tile_params_init(dtype)};

	for (int any_op = 0; !used && any_op < 2; any_op++) {
		for (int i = 0; i < count; i++) {
			int same_op = batched == !strcmp(presets[i].op, "bmm");
			if ((!same_op && !any_op) ||
			    !paleo_tile_preset_suits(&presets[i], d, paleo_dtype_bytes(dtype),
						     except_gpu))
				continue;
			add_logs(&presets[i], sums);
			m.tiles |= presets[i].model.tiles;
			used++;
		}
	}
	for (int j = 0; used && j < PALEO_TILE_QUANTISED; j++)
		paleo_parameter_set(&paleo_tile_parameters[j], &m.params, exp(sums[j] / used));
	if (!used)
		m.tiles = PALEO_TILES_ALL;
	*out = m;
	return used;
}
