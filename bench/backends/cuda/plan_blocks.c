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

double paleo_plan_scale_bytes(int stored, int is_weight, double rows, double columns)
{
	const struct paleo_blocks *b = paleo_stored_blocks(stored);
	int block_rows = is_weight ? b->rows : 1;
	double blocks = b->columns ? columns / b->columns : 1;
	double fours = ceil(blocks / TILE_BLOCKS) * TILE_BLOCKS;

	if (b->scale == PALEO_SCALE_HALF)
		return 2 * rows * blocks;

	if (b->scale != PALEO_SCALE_FLOAT)
		return ceil(rows / TILE_ROWS) * TILE_ROWS * fours;
	return sizeof(float) * (block_rows > 1 ? ceil(rows / block_rows) * fours : rows * blocks);
}

void paleo_plan_pack_weights(struct paleo_job *j, enum paleo_role role, double bytes)
{
	for (int i = 0; i < j->operand_count; i++) {
		struct paleo_operand *o = &j->operands[i];
		if (o->role != role)
			continue;
		o->rank = 1;
		o->dims[0] = bytes;
		o->elem_bytes = 1;
	}
}

void paleo_plan_set_blocks(int stored, int is_weight, int columns, struct paleo_frame *f)
{
	const struct paleo_blocks *b = paleo_stored_blocks(stored);

	f->block_rows = is_weight ? b->rows : 1;
	f->block_columns = b->columns ? b->columns : columns;
	f->blocks = columns / f->block_columns;
	f->block_shift = 31; /* a whole row is one */
	for (int shift = 0; b->columns && shift < 31; shift++)
		if (1 << shift == b->columns)
			f->block_shift = shift;
	f->code_bits = b->code_bits;
	f->whole = b->code == PALEO_CODE_WHOLE;
}

static struct paleo_frame frame_of(const struct paleo_work *w, int rows, int is_weight)
{
	struct paleo_frame f = paleo_frame_of(w);

	f.n = rows;
	f.c = w->geom.gemm.k;
	f.count = (long long)rows * f.c;
	paleo_plan_set_blocks(w->geom.gemm.stored, is_weight, f.c, &f);
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

int paleo_plan_fill_blocks(struct paleo_job *j, const struct paleo_frame *f,
			   struct paleo_error *err)
{
	double threads = (double)paleo_kernel_pack(j) * PALEO_KERNEL_THREADS;

	return paleo_kernel_add(j, PALEO_SETUP, "fill_blocks",
				fmin(BLOCKS_MAX, ceil((double)f->count / threads)), f, err);
}

int paleo_plan_quantise_blocks(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &j->work.geom.gemm;
	const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
	struct paleo_frame of_x = frame_of(&j->work, g->m, 0);
	struct paleo_frame of_w = frame_of(&j->work, g->n, 1);
	double x_scales = paleo_plan_scale_bytes(g->stored, 0, g->m, g->k);
	double w_scales = paleo_plan_scale_bytes(g->stored, 1, g->n, g->k);
	double threads = (double)paleo_kernel_pack(j) * PALEO_KERNEL_THREADS;
	int rc = paleo_job_hide(j, PALEO_MASK, (double)of_x.count * b->code_bits / 8, 1, err);

	paleo_plan_pack_weights(j, PALEO_W, (double)of_w.count * b->code_bits / 8);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_SCALE, x_scales, 1, err);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_SHIFT, w_scales, 1, err);
	if (!rc)
		rc = add_clear(j, x_scales, 0, err);
	if (!rc)
		rc = add_clear(j, w_scales, 1, err);
	if (!rc)
		rc = paleo_plan_fill_blocks(j, &of_w, err);
	if (rc)
		return rc;
	paleo_job_name(j, "kernel", "quantise_blocks");
	return paleo_kernel_add(j, PALEO_TIMED, "quantise_blocks",
				ceil((double)of_x.count / threads), &of_x, err);
}
