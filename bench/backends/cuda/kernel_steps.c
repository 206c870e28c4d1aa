/* kernel_steps.c - how many blocks a kernel gets, and the two stages of a sum. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"

#define PIXELS_MAX 4294967296.0 /* 2^32 */

/* A sum is split so that so many blocks work on it, but each on so many elements at least. */
#define BLOCKS_OF_A_SUM 1024.0
#define ELEMENTS_OF_A_SPLIT 2048.0

int paleo_kernel_add_packs(struct paleo_job *j, enum paleo_phase phase, const char *name,
			   double count, const struct paleo_frame *f, struct paleo_error *err)
{
	struct paleo_frame full = *f;
	int pack = PALEO_PACK_BYTES / paleo_dtype_bytes(paleo_dtype_wide(j->work.dtype));

	full.count = (long long)count;
	return paleo_kernel_add(j, phase, name, ceil(count / pack / PALEO_KERNEL_THREADS), &full,
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
	if (splits < 1)
		return 1;
	return splits > BLOCKS_OF_A_SUM ? (int)BLOCKS_OF_A_SUM : (int)splits;
}

int paleo_kernel_add_sums(struct paleo_job *j, enum paleo_phase phase, const char *what,
			  struct paleo_frame *f, struct paleo_error *err)
{
	double plane = (double)f->in_h * f->in_w;
	double rows = f->n * plane;
	int columns = plane == 1; /* neighbours in memory are of different channels */
	double groups = columns ? ceil((double)f->c / PALEO_KERNEL_THREADS) : f->c;
	/* A thread of a column sum has a split to itself, of a plane sum a block. */
	double least = columns ? ELEMENTS_OF_A_SPLIT / PALEO_KERNEL_THREADS : ELEMENTS_OF_A_SPLIT;
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
	return paleo_kernel_add(j, phase, name, ceil((double)f->c / PALEO_KERNEL_THREADS), f, err);
}
