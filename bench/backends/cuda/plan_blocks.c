/* plan_blocks.c - before a product of numbers with scales of blocks: codes and scales. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"
#include "bench/fill.h"
#include "model/work/weight_type.h"

#define BLOCKS_MAX 2048.0

/* Tiles of scales that are bytes. */
#define TILE_ROWS 128
#define TILE_BLOCKS 4

/* Bytes of the scales of [rows, columns], with what no number belongs to. */
static double scale_bytes(const struct paleo_blocks *b, int block_rows, double rows, double columns)
{
	double blocks = columns / b->columns, fours = ceil(blocks / TILE_BLOCKS) * TILE_BLOCKS;

	if (b->scale != PALEO_SCALE_FLOAT)
		return ceil(rows / TILE_ROWS) * TILE_ROWS * fours;
	return sizeof(float) * (block_rows > 1 ? ceil(rows / block_rows) * fours : rows * blocks);
}

/* An operand of the work takes so many bytes: codes, in the place of numbers. */
static void pack_weights(struct paleo_job *j, double bytes)
{
	for (int i = 0; i < j->operand_count; i++) {
		struct paleo_operand *o = &j->operands[i];
		if (o->role != PALEO_W)
			continue;
		o->rank = 1;
		o->dims[0] = bytes;
		o->elem_bytes = 1;
	}
}

static struct paleo_frame frame_of(const struct paleo_work *w, int rows, int block_rows)
{
	const struct paleo_blocks *b = paleo_stored_blocks(w->geom.gemm.stored);
	struct paleo_frame f = paleo_frame_of(w);

	f.n = rows;
	f.c = w->geom.gemm.k;
	f.count = (long long)rows * f.c;
	f.block_rows = block_rows;
	f.block_columns = b->columns;
	f.code_bits = b->code_bits;
	f.stream = paleo_fill_stream(PALEO_W, 0);
	return f;
}

static int add_clear(struct paleo_job *j, double bytes, int of_weights, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);

	f.count = (long long)bytes;
	f.in_place = of_weights;
	return paleo_kernel_add(j, PALEO_SETUP, "clear_scales",
				fmin(BLOCKS_MAX, ceil(bytes / PALEO_KERNEL_THREADS)), &f, err);
}

int paleo_plan_quantise_blocks(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &j->work.geom.gemm;
	const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
	struct paleo_frame of_x = frame_of(&j->work, g->m, 1);
	struct paleo_frame of_w = frame_of(&j->work, g->n, b->rows);
	double x_scales = scale_bytes(b, 1, g->m, g->k);
	double w_scales = scale_bytes(b, b->rows, g->n, g->k);
	double threads = (double)paleo_kernel_pack(j) * PALEO_KERNEL_THREADS;
	int rc = paleo_job_hide(j, PALEO_MASK, (double)of_x.count * b->code_bits / 8, 1, err);

	pack_weights(j, (double)of_w.count * b->code_bits / 8);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_SCALE, x_scales, 1, err);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_SHIFT, w_scales, 1, err);
	if (!rc)
		rc = add_clear(j, x_scales, 0, err);
	if (!rc)
		rc = add_clear(j, w_scales, 1, err);
	if (!rc)
		rc = paleo_kernel_add(j, PALEO_SETUP, "fill_blocks",
				      fmin(BLOCKS_MAX, ceil((double)of_w.count / threads)), &of_w,
				      err);
	if (rc)
		return rc;
	paleo_job_name(j, "kernel", "quantise_blocks");
	return paleo_kernel_add(j, PALEO_TIMED, "quantise_blocks",
				ceil((double)of_x.count / threads), &of_x, err);
}
