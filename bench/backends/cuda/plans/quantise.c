/* quantise.c - before a GEMM in fp8 or in blocks: quantises the activations. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/fill.h"
#include "model/op/dtype.h"

/* Enough to fill any device; each block reads the partial results of all. */
#define BLOCKS_MAX 2048.0

#define FLOAT_BYTES 4
#define FACTORS 2 /* of the activations, of the weights */

int paleo_plan_quantise_room(struct paleo_job *j, double count, struct paleo_error *err)
{
	int rc = paleo_job_hide(j, PALEO_MASK, count, 1, err);

	if (rc)
		return rc;
	return paleo_job_hide(j, PALEO_SCALE, 1.0 * FACTORS * PALEO_PACK_BYTES / FLOAT_BYTES,
			      FLOAT_BYTES, err);
}

/* Activations that come quantised are so before the timing. */
static enum paleo_job_phase phase_of(const struct paleo_op *w)
{
	return w->kind == PALEO_GEMM && w->geom.gemm.codes ? PALEO_SETUP : PALEO_TIMED;
}

/* The largest element, for the scale of the tensor, then the conversion. */
int paleo_plan_quantise_steps(struct paleo_job *j, const struct paleo_frame *frame, double count,
			      struct paleo_error *err)
{
	struct paleo_frame f = *frame;
	double packs =
		ceil(count * paleo_dtype_bytes(paleo_dtype_wide(j->op.dtype)) / PALEO_PACK_BYTES);

	f.count = (long long)count;
	f.splits = (int)fmin(BLOCKS_MAX, ceil(packs / PALEO_KERNEL_THREADS));
	paleo_job_need_workspace(j, 1.0 * f.splits * FLOAT_BYTES);
	paleo_job_name(j, "kernel", "quantise");
	int rc = paleo_kernel_add(j, phase_of(&j->op), "largest_parts", f.splits, &f, err);
	return rc ? rc : paleo_kernel_add(j, phase_of(&j->op), "quantise", f.splits, &f, err);
}

int paleo_plan_quantise(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	double count = paleo_operand_count(paleo_job_operand(j, PALEO_X));
	int rc = paleo_plan_quantise_room(j, count, err);

	f.factor = (float)paleo_fill_scale(&j->op, PALEO_W);
	return rc ? rc : paleo_plan_quantise_steps(j, &f, count, err);
}

/* Tiles of scales that are bytes. */
#define TILE_ROWS 128
#define TILE_BLOCKS 4

/* Bytes of the scales of [rows, columns], padding included. */
static double scale_bytes(int stored, int is_weight, double rows, double columns)
{
	const struct paleo_blocks *b = paleo_stored_blocks(stored);
	int block_rows = is_weight ? b->rows : 1;
	double blocks = columns / b->columns;
	double fours = ceil(blocks / TILE_BLOCKS) * TILE_BLOCKS;

	if (b->scale != PALEO_SCALE_FLOAT)
		return ceil(rows / TILE_ROWS) * TILE_ROWS * fours;
	return sizeof(float) * (block_rows > 1 ? ceil(rows / block_rows) * fours : rows * blocks);
}

/* The weights take so many bytes, of codes. */
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

static struct paleo_frame frame_of(const struct paleo_op *w, int rows, int is_weight)
{
	const struct paleo_blocks *b = paleo_stored_blocks(w->geom.gemm.stored);
	struct paleo_frame f = paleo_frame_of(w);

	f.n = rows;
	f.c = w->geom.gemm.k;
	f.count = (long long)rows * f.c;
	f.block_rows = is_weight ? b->rows : 1;
	f.block_columns = b->columns;
	f.blocks = f.c / b->columns;
	f.code_bits = b->code_bits;
	f.stream = paleo_fill_stream(PALEO_W, 0);
	return f;
}

static int add_clear(struct paleo_job *j, double bytes, int of_weights, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	f.count = (long long)bytes;
	f.in_place = of_weights;
	return paleo_kernel_add(j, PALEO_SETUP, "clear_scales",
				fmin(BLOCKS_MAX, ceil(bytes / PALEO_KERNEL_THREADS)), &f, err);
}

int paleo_plan_quantise_blocks(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &j->op.geom.gemm;
	const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
	struct paleo_frame of_x = frame_of(&j->op, g->m, 0);
	struct paleo_frame of_w = frame_of(&j->op, g->n, 1);
	double x_scales = scale_bytes(g->stored, 0, g->m, g->k);
	double w_scales = scale_bytes(g->stored, 1, g->n, g->k);
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
	return paleo_kernel_add(j, phase_of(&j->op), "quantise_blocks",
				ceil((double)of_x.count / threads), &of_x, err);
}
