/* features.c - what the correction of a law is told of a work. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/features.h"

#include <math.h>

#include "model/predict/axes.h"

#define LEAST_S 1e-9

enum {
	TIME, /* logarithms to the base 2 */
	RATE,
	BALANCE,
	PLACE
};

int paleo_features(const struct paleo_kernel_model *kernel, const struct paleo_tile_device *d,
		   const struct paleo_work *w, double x[PALEO_FEATURES_MAX])
{
	int count = PLACE + PALEO_AXES;

	x[TIME] = 0;
	x[BALANCE] = 0;
	x[RATE] = log2(fmax(w->flops, w->read_bytes + w->write_bytes) + 1);
	paleo_work_place(w, x + PLACE);
	if (kernel && kernel->features)
		count += kernel->features(d, w, x + count);
	return count;
}

void paleo_features_of_law(const struct paleo_parts *law, double x[PALEO_FEATURES_MAX])
{
	double compute = log2(fmax(law->compute_s, LEAST_S));
	double memory = log2(fmax(law->memory_s, LEAST_S)), time = fmax(compute, memory);

	x[TIME] += time;
	x[RATE] -= time;
	x[BALANCE] += compute - memory;
}
