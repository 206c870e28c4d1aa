/* kernel_steps.c - how many blocks a kernel gets, and the two stages of a sum. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"

#define PIXELS_MAX 4294967296.0 /* 2^32 */

/* A sum is split so that so many blocks work on it, but each on so many elements at least: 8 packs
 * of 2 bytes an element a thread. */
#define BLOCKS_OF_A_SUM 1024.0
#define ELEMENTS_OF_A_SPLIT 16384.0

int paleo_kernel_pack(const struct paleo_job *j)
{
	return PALEO_PACK_BYTES / paleo_dtype_bytes(paleo_dtype_wide(j->work.dtype));
}

int paleo_kernel_add_packs(struct paleo_job *j, enum paleo_phase phase, const char *name,
			   double count, const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame full = *f;

	full.count = (long long)count;
	return paleo_kernel_add(j, phase, name,
				ceil(count / paleo_kernel_pack(j) / PALEO_KERNEL_THREADS), &full,
				err);
}

int paleo_kernel_add_pixels(struct paleo_job *j, enum paleo_phase phase, const char *name,
			    double count, const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame full = *f;

	if (count >= PIXELS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "kernel '%s' takes tensors of fewer than 2^32 elements, not %.0f",
				  name, count);
	full.count = (long long)count;
	return paleo_kernel_add(j, phase, name, ceil(count / PALEO_KERNEL_THREADS), &full, err);
}

static int clamp_splits(double splits)
{
	return (int)fmin(fmax(splits, 1), BLOCKS_OF_A_SUM);
}

/* Groups of columns, a block for each; the kernel column_sums divides them in the same way. */
static double column_groups(const struct paleo_job *j, int columns)
{
	int pack = paleo_kernel_pack(j);
	double reads = columns % pack ? columns : columns / pack;

	return ceil(reads / PALEO_KERNEL_THREADS);
}

int paleo_kernel_add_sums(struct paleo_job *j, enum paleo_phase phase, const char *what,
			  struct paleo_frame *f, struct paleo_error *err)
{
	double plane = (double)f->in_h * f->in_w;
	double rows = f->n * plane;
	int columns = plane == 1; /* neighbours in memory are of different channels */
	double groups = columns ? column_groups(j, f->c) : f->c;
	double least = fmax(ELEMENTS_OF_A_SPLIT / (columns ? f->c / groups : 1), 1); /* rows */
	char name[48];

	if (rows >= PIXELS_MAX)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"a channel of %.0f elements is too long: fewer than 2^32 expected", rows);
	f->splits = clamp_splits(fmin(ceil(BLOCKS_OF_A_SUM / groups), floor(rows / least)));
	/* Two sums a split, and two in all. */
	paleo_job_need_workspace(j, 2.0 * f->c * (f->splits + 1) * sizeof(float));
	snprintf(name, sizeof(name), "%s_%s_sums", what, columns ? "column" : "plane");
	int rc = paleo_kernel_add(j, phase, name, groups * f->splits, f, err);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s_total", what);
	return paleo_kernel_add(j, phase, name,
				ceil((double)f->c * PALEO_WARP / PALEO_KERNEL_THREADS), f, err);
}
