/* plan_quantise.c - the stage before a product in fp8: bf16 activations become e4m3. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"
#include "bench/fill.h"

/* Enough to fill any device; each block looks at what all have found. */
#define BLOCKS_MAX 2048.0

#define FLOAT_BYTES 4

int paleo_plan_quantise_room(struct paleo_job *j, double count, struct paleo_error *err)
{
	int rc = paleo_job_hide(j, PALEO_MASK, count, 1, err);

	if (rc)
		return rc;
	return paleo_job_hide(j, PALEO_SCALE,
			      1.0 * PALEO_ATTENTION_SCALARS * PALEO_PACK_BYTES / FLOAT_BYTES,
			      FLOAT_BYTES, err);
}

/* The largest element, for the scale of the tensor, then the conversion. */
int paleo_plan_quantise_steps(struct paleo_job *j, const struct paleo_frame *frame, double count,
			      struct paleo_error *err)
{
	struct paleo_frame f = *frame;
	double packs =
		ceil(count * paleo_dtype_bytes(paleo_dtype_wide(j->work.dtype)) / PALEO_PACK_BYTES);

	f.count = (long long)count;
	f.splits = (int)fmin(BLOCKS_MAX, ceil(packs / PALEO_KERNEL_THREADS));
	paleo_job_need_workspace(j, 1.0 * f.splits * FLOAT_BYTES);
	paleo_job_name(j, "kernel", "quantise");
	int rc = paleo_kernel_add(j, PALEO_TIMED, "largest_parts", f.splits, &f, err);
	return rc ? rc : paleo_kernel_add(j, PALEO_TIMED, "quantise", f.splits, &f, err);
}

int paleo_plan_quantise(struct paleo_job *j, enum paleo_role of, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);
	double count = paleo_operand_count(paleo_job_operand(j, of));
	int rc = paleo_plan_quantise_room(j, count, err);

	f.turned = of == PALEO_DX;
	f.factor = (float)paleo_fill_scale(&j->work, PALEO_W);
	return rc ? rc : paleo_plan_quantise_steps(j, &f, count, err);
}
