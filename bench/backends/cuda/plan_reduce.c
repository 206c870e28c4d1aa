/* plan_reduce.c - reductions of rows by our own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

/* A row is split where few of them would leave the device idle, but into no smaller parts. */
#define BLOCKS_WANTED 1024.0
#define ELEMENTS_OF_A_PART 2048.0

/* A thread takes so many elements of a part at least, so that short rows share a block. */
#define ELEMENTS_OF_A_THREAD 4.0

static void share_rows(struct paleo_frame *f)
{
	double parts = fmin(ceil(BLOCKS_WANTED / f->n), floor(f->in_w / ELEMENTS_OF_A_PART));

	f->splits = parts < 1 ? 1 : (int)parts;
	double part = ceil((double)f->in_w / f->splits);
	f->lanes = 1;
	while (f->lanes < PALEO_KERNEL_THREADS && f->lanes * ELEMENTS_OF_A_THREAD <= part)
		f->lanes *= 2;
}

int paleo_plan_reduce(struct paleo_job *j, struct paleo_error *err)
{
	static const char *const names[] = {[PALEO_REDUCE_SUM] = "sum",
					    [PALEO_REDUCE_MEAN] = "sum",
					    [PALEO_REDUCE_MAX] = "max"};
	const struct paleo_reduce_geom *g = &j->work.geom.reduce;
	struct paleo_frame f = paleo_frame_of(&j->work);
	char name[32];

	if (j->work.pass != PALEO_FWD) {
		paleo_job_name(j, "kernel", "sum_bwd");
		return paleo_kernel_add_packs(j, PALEO_TIMED, "sum_bwd", (double)g->rows * g->cols,
					      &f, err);
	}
	share_rows(&f);
	int parts_of_a_block = PALEO_KERNEL_THREADS / f.lanes;
	if (f.splits > 1)
		paleo_job_need_workspace(j, (double)f.n * f.splits * sizeof(float));
	snprintf(name, sizeof(name), "%s_parts", names[g->op]);
	paleo_job_name(j, "kernel", name);
	int rc = paleo_kernel_add(j, PALEO_TIMED, name,
				  ceil((double)f.n * f.splits / parts_of_a_block), &f, err);
	if (rc || f.splits == 1)
		return rc;
	snprintf(name, sizeof(name), "%s_total", names[g->op]);
	return paleo_kernel_add(j, PALEO_TIMED, name, ceil((double)f.n / PALEO_KERNEL_THREADS), &f,
				err);
}
