/* rows.c - ops on rows by our own kernels: normalisation, reductions, tokens, copies, caches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"

/* A thread each. */
static double blocks_for(double count)
{
	return ceil(count / PALEO_KERNEL_THREADS);
}

#define ELEMENTS_MAX 4294967296.0 /* 2^32 */

static double rows(const struct paleo_frame *f)
{
	return (double)f->n * f->in_h * f->in_w;
}

/* A kernel row_stats, row_fwd or row_bwd: pack_row_... for rows of adjacent packs that the threads
 * of a warp, or of a block, can hold. */
static int add_rows(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
		    struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int pack = paleo_kernel_pack(j), held = pack * PALEO_ROW_PACKS;
	char full[32];

	f.lanes = PALEO_KERNEL_THREADS;
	int fits = f.in_h == 1 && f.in_w == 1 && f.c % pack == 0 && f.c <= f.lanes * held;
	if (fits && f.c <= PALEO_WARP * held)
		f.lanes = PALEO_WARP;
	snprintf(full, sizeof(full), "%s%s", fits ? "pack_" : "", name);
	return paleo_kernel_add(j, phase, full, blocks_for(rows(&f) * f.lanes), &f, err);
}

static int hide_statistics(struct paleo_job *j, double groups, struct paleo_error *err)
{
	int rc = paleo_job_hide(j, PALEO_STATE1, groups, sizeof(float), err);

	return rc ? rc : paleo_job_hide(j, PALEO_STATE2, groups, sizeof(float), err);
}

int paleo_plan_norm_statistics(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int rc = hide_statistics(j, f.per_row ? rows(&f) : f.c, err);

	if (rc)
		return rc;
	if (f.per_row)
		return add_rows(j, PALEO_SETUP, "row_stats", err);
	return paleo_kernel_add_sums(j, PALEO_SETUP, "stats", &f, err);
}

static int batch_forward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int rc = hide_statistics(j, f.c, err);

	if (!rc)
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "stats", &f, err);
	if (!rc)
		rc = paleo_kernel_add_packs(j, PALEO_TIMED, "batch_fwd", rows(&f) * f.c, &f, err);
	return rc;
}

/* The gradients of scale and shift are sums that the gradient of x needs, too. */
static int batch_backward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int rc = paleo_plan_norm_statistics(j, err);

	if (!rc)
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "grad", &f, err);
	if (!rc)
		rc = paleo_kernel_add_packs(j, PALEO_TIMED, "batch_bwd", rows(&f) * f.c, &f, err);
	return rc;
}

static int row_backward(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	const struct paleo_norm_geom *g = &j->op.geom.norm;
	int rc = paleo_plan_norm_statistics(j, err);

	if (!rc)
		rc = add_rows(j, PALEO_TIMED, "row_bwd", err);
	if (!rc && (g->scale || g->shift))
		rc = paleo_kernel_add_sums(j, PALEO_TIMED, "grad", &f, err);
	return rc;
}

int paleo_plan_norm_kernels(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);
	int fwd = j->op.pass == PALEO_FWD;

	if (rows(&f) * f.c >= ELEMENTS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "kernels normalise fewer than 2^32 elements");
	if (j->op.geom.norm.mode == PALEO_BATCH_INFERENCE) {
		paleo_job_name(j, "kernel", "batch_infer");
		return paleo_kernel_add_packs(j, PALEO_TIMED, "batch_infer", rows(&f) * f.c, &f,
					      err);
	}
	paleo_job_name(j, "kernel", f.per_row ? "row norm" : "batch norm");
	if (!f.per_row)
		return fwd ? batch_forward(j, err) : batch_backward(j, err);
	if (fwd)
		return add_rows(j, PALEO_TIMED, "row_fwd", err);
	return row_backward(j, err);
}

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
	const struct paleo_reduce_geom *g = &j->op.geom.reduce;
	struct paleo_frame f = paleo_frame_of(&j->op);
	char name[32];

	if (j->op.pass != PALEO_FWD) {
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
	return paleo_kernel_add(j, PALEO_TIMED, name, blocks_for(f.n), &f, err);
}

/* Scattered by lists of the tokens of each row, instead of by sums in memory: each row is written
 * once, and rounded once. */
static int add_gradient(struct paleo_job *j, struct paleo_frame *f, struct paleo_error *err)
{
	double vocab = f->limit;
	int rc = paleo_kernel_add(j, PALEO_TIMED, "embedding_no_lists", blocks_for(vocab), f, err);

	paleo_job_need_workspace(j, (vocab + f->n) * (double)sizeof(int));
	paleo_job_name(j, "kernel", "embedding_bwd");
	if (!rc)
		rc = paleo_kernel_add(j, PALEO_TIMED, "embedding_lists", blocks_for(f->n), f, err);
	if (rc)
		return rc;
	/* rows that are not whole packs are processed element by element */
	int is_packed = f->c % paleo_kernel_pack(j) == 0;
	f->count = (long long)vocab * f->c;
	return paleo_kernel_add(
		j, PALEO_TIMED, "embedding_bwd",
		blocks_for((double)f->count / (is_packed ? paleo_kernel_pack(j) : 1)), f, err);
}

int paleo_plan_embedding(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	if (j->op.pass != PALEO_FWD)
		return add_gradient(j, &f, err);
	paleo_job_name(j, "kernel", "embedding");
	return paleo_kernel_add_packs(j, PALEO_TIMED, "embedding_fwd", (double)f.n * f.c, &f, err);
}

int paleo_plan_rope(struct paleo_job *j, struct paleo_error *err)
{
	const char *name = j->op.pass == PALEO_FWD ? "rope_fwd" : "rope_bwd";
	struct paleo_frame f = paleo_frame_of(&j->op);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_pixels(j, PALEO_TIMED, name, (double)f.n * f.c * f.in_w / 2, &f,
				       err);
}

/* A block a row. */
int paleo_plan_cross_entropy(struct paleo_job *j, struct paleo_error *err)
{
	const char *name = j->op.pass == PALEO_FWD ? "cross_entropy_fwd" : "cross_entropy_bwd";
	struct paleo_frame f = paleo_frame_of(&j->op);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name, f.n, &f, err);
}

/* Addresses of the parts, and in a whole program their widths, are known only at launch: blocks are
 * counted as if all were equally wide and moved in whole packs. */
int paleo_plan_copy(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &j->op.geom.copy;
	struct paleo_frame f = paleo_frame_of(&j->op);
	const char *name = j->op.pass == PALEO_FWD ? "join" : "split";
	double packs = (double)g->rows * g->cols / g->parts / paleo_kernel_pack(j);

	if (g->parts > PALEO_PARTS_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "more than %d parts of a copy",
				  PALEO_PARTS_MAX);
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name, blocks_for(packs) * g->parts, &f, err);
}

/* Keys or values of all rows that are seen. */
static int hide_cache(struct paleo_job *j, enum paleo_role role, int width, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	double rows = (double)g->batch * paleo_attention_seen(g) * g->kv_heads;

	return paleo_job_hide(j, role, rows * width,
			      paleo_dtype_bytes(paleo_operand_dtype(&j->op, PALEO_K)), err);
}

/*
 * cuDNN reads keys and values from one tensor each. So the past is written to a cache with space
 * for the new rows before the timing; the timed part appends these, and rotates.
 */
int paleo_plan_cache(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	struct paleo_frame f = paleo_frame_of(&j->op);
	const struct paleo_operand *past = paleo_job_operand(j, PALEO_K);
	double queries = paleo_operand_count(paleo_job_operand(j, PALEO_X));
	double old = past ? paleo_operand_count(past) : 0;
	int rc = hide_cache(j, PALEO_DK, g->qk, err);

	f.count = (long long)(paleo_operand_count(paleo_job_operand(j, PALEO_NEW)) +
			      (g->rope ? queries : 0));
	if (!rc && !g->latent)
		rc = hide_cache(j, PALEO_DV, g->v, err);
	if (!rc && g->rope)
		rc = paleo_job_hide_like(j, PALEO_DX, PALEO_X, err);
	if (!rc && old > 0)
		rc = paleo_kernel_add(j, PALEO_SETUP, "past", blocks_for(old), &f, err);
	if (rc)
		return rc;
	paleo_job_name(j, "kernel", "append");
	return paleo_kernel_add(j, PALEO_TIMED, "append", blocks_for((double)f.count), &f, err);
}
