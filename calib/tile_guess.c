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

/* Its elements are as long, and it has not seen the device that is left out. */
static int is_told(const struct paleo_tile_preset *preset, double element_bytes,
		   const char *except_gpu)
{
	return preset_bytes(preset) == element_bytes &&
	       !(except_gpu && paleo_device_same_chip(preset->gpu, except_gpu));
}

/* The number type that a preset was fitted to, of those with as long elements. */
static enum paleo_dtype preset_dtype(const struct paleo_tile_preset *preset)
{
	double bytes = preset_bytes(preset);

	return bytes == 4 ? PALEO_F32 : bytes == 2 ? PALEO_F16 : PALEO_FP8;
}

/* Of plain cores, or of tensor cores, as the device's peak is. tf32 has no preset of its own:
 * those of f16 and bf16 stand for it, for the same cores compute them. */
static int suits(const struct paleo_tile_preset *preset, const struct paleo_tile_device *d,
		 enum paleo_dtype dtype, const char *except_gpu)
{
	const struct paleo_device *its = paleo_device_find(preset->gpu);
	double element_bytes = paleo_dtype_bytes(dtype == PALEO_TF32 ? PALEO_F16 : dtype);
	struct paleo_tile_device other;
	struct paleo_error none;

	return is_told(preset, element_bytes, except_gpu) &&
	       !paleo_tile_device_of(its, preset_dtype(preset), &other, &none) &&
	       other.tensor == d->tensor;
}

double paleo_tile_power_droop(const struct paleo_tile_device *d)
{
	double sustained = paleo_tile_power_flop_per_s(d);

	return sustained > 0 ? fmax(d->flop_per_s / sustained - 1, 0) : 0;
}

static int is_droop(const struct paleo_parameter *q)
{
	return q->offset == offsetof(struct paleo_tile_params, droop);
}

/* Sums of the logarithms of presets' parameters, and how many say something of each. */
struct logs {
	double sum[PALEO_TILE_QUANTISED];
	int count[PALEO_TILE_QUANTISED];
};

/* The droop of a card that its power limits is its own: it says nothing of others. */
static void add_logs(const struct paleo_tile_preset *preset, struct logs *logs)
{
	const struct paleo_device *its = paleo_device_find(preset->gpu);
	struct paleo_tile_device d;
	struct paleo_error none;
	int limited = !paleo_tile_device_of(its, preset_dtype(preset), &d, &none) &&
		      paleo_tile_power_droop(&d) > 0;

	for (int j = 0; j < PALEO_TILE_QUANTISED; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		if (limited && is_droop(q))
			continue;
		logs->sum[j] += log(paleo_parameter_get(q, &preset->model.params));
		logs->count[j]++;
	}
}

int paleo_tile_guess(const struct paleo_tile_device *d, enum paleo_dtype dtype, int batched,
		     const char *except_gpu, struct paleo_tile_model *out)
{
	int count, used = 0;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);
	struct logs logs = {0};
	struct paleo_tile_model m = {.params = paleo_tile_params_init(dtype),
				     .tiles = PALEO_TILES_ALL};

	for (int any_op = 0; !used && any_op < 2; any_op++) {
		for (int i = 0; i < count; i++) {
			int same_op = batched == !strcmp(presets[i].op, "bmm");
			if ((!same_op && !any_op) || !suits(&presets[i], d, dtype, except_gpu))
				continue;
			add_logs(&presets[i], &logs);
			used++;
		}
	}
	for (int j = 0; used && j < PALEO_TILE_QUANTISED; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		/* Presets know how launches are timed, the table does not. */
		int own = q->offset != offsetof(struct paleo_tile_params, launch_us);
		double start = log(paleo_parameter_get(q, &m.params));
		double middle = (logs.sum[j] + own * start) / (logs.count[j] + own);
		if (is_droop(q))
			middle = fmin(log(exp(middle) + paleo_tile_power_droop(d)), log(q->high));
		paleo_parameter_set_log(q, &m.params, middle);
	}
	*out = m;
	return used;
}

void paleo_tile_launches(enum paleo_dtype dtype, const char *except_gpu,
			 struct paleo_tile_launch launches[PALEO_TILE_LAUNCHES])
{
	/* Presets of graphs have 1 to 12 us, the most where activations are quantised first, those
	 * of calls 38 to 80. */
	static const double us[PALEO_TILE_LAUNCHES] = {2.5, 45}, calls_from_us = 20;
	int count;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);

	for (int i = 0; i < PALEO_TILE_LAUNCHES; i++)
		launches[i] = (struct paleo_tile_launch){us[i], 0};
	for (int i = 0; i < count; i++)
		if (is_told(&presets[i], paleo_dtype_bytes(dtype), except_gpu))
			launches[presets[i].model.params.launch_us > calls_from_us].seen = 1;
}
