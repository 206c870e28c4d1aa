/* plan_copy.c - concatenation and splitting: one kernel for all parts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

/* Where the parts lie is known when the kernel is launched, and so are their widths in a whole
 * program: blocks are counted as if all were as wide and moved in whole packs. */
int paleo_plan_copy(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &j->work.geom.copy;
	struct paleo_frame f = paleo_frame_of(&j->work);
	const char *name = j->work.pass == PALEO_FWD ? "join" : "split";
	double packs = (double)g->rows * g->cols / g->parts / paleo_kernel_pack(j);

	if (g->parts > PALEO_PARTS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "more than %d parts of a copy",
				  PALEO_PARTS_MAX);
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name, ceil(packs / PALEO_KERNEL_THREADS) * g->parts,
				&f, err);
}
