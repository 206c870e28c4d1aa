/* plan_stored.c - products whose weights alone are codes with scales, by our own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/product.h"
#include "bench/blocks.h"
#include "bench/fill.h"
#include "model/work/weight_type.h"

/* With more tokens an expert the weights are restored first, for a product by a library: each
 * weight is read once for so many tokens, twice for this many. */
#define TOKENS_MAX (2 * PALEO_STORED_ROWS)

/* Numbers of a row that threads take together, whatever the codes. */
#define COLUMNS 32

/* The weights of a product: of each of `experts`, [outputs, inputs]. */
struct weights {
	int stored, experts, outputs, inputs, is_second;
};

static struct weights weights_of(const struct paleo_work *w, int is_second)
{
	const struct paleo_moe_geom *m = &w->geom.moe;
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (w->kind == PALEO_GEMM)
		return (struct weights){g->stored, 1, g->n, g->k, 0};
	if (is_second)
		return (struct weights){m->stored, m->local, m->hidden, m->inter, 1};
	return (struct weights){m->stored, m->local, m->inter * (m->gated ? 2 : 1), m->hidden, 0};
}

int paleo_plan_stored_check(const struct paleo_work *w, int is_second, struct paleo_error *err)
{
	const struct weights p = weights_of(w, is_second);
	const struct paleo_blocks *b = paleo_stored_blocks(p.stored);
	const char *name = paleo_stored_names[p.stored];
	int columns = b->columns > COLUMNS ? b->columns : COLUMNS;

	if (paleo_dtype_bytes(paleo_dtype_wide(w->dtype)) != 2)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products in '%s' have 16-bit results: not %s", name,
				  paleo_dtype_name(w->dtype));
	if (p.inputs % columns)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products in '%s' want whole blocks: %d inputs should be a "
				  "multiple of %d",
				  name, p.inputs, columns);
	return PALEO_OK;
}

static struct paleo_frame frame_of(const struct paleo_work *w, const struct weights *p)
{
	const struct paleo_blocks *b = paleo_stored_blocks(p->stored);
	enum paleo_role role = p->is_second ? PALEO_W2 : PALEO_W;
	struct paleo_frame f = paleo_frame_of(w);

	f.c = p->inputs;
	f.outputs = p->outputs;
	f.count = (long long)p->experts * p->outputs * p->inputs;
	paleo_plan_set_blocks(p->stored, 1, p->inputs, &f);
	f.second = p->is_second;
	f.stream = paleo_fill_stream(role, 0);
	f.factor = (float)paleo_fill_scale(w, role) / paleo_block_span(b);
	return f;
}

/* Codes in the place of numbers, and their scales: there before the timing. */
static int add_weights(struct paleo_job *j, const struct weights *p, struct paleo_error *err)
{
	struct paleo_frame f = frame_of(&j->work, p);
	double rows = (double)p->experts * p->outputs;
	int rc = paleo_job_hide(j, p->is_second ? PALEO_DSHIFT : PALEO_SHIFT,
				paleo_plan_scale_bytes(p->stored, 1, rows, p->inputs), 1, err);

	paleo_plan_pack_weights(j, p->is_second ? PALEO_W2 : PALEO_W,
				(double)f.count * f.code_bits / 8);
	return rc ? rc : paleo_plan_fill_blocks(j, &f, err);
}

/* As 16-bit numbers in a hidden operand, of which a library takes them. */
static int add_restored(struct paleo_job *j, const struct weights *p, struct paleo_product *of,
			struct paleo_error *err)
{
	struct paleo_frame f = frame_of(&j->work, p);
	int rc = paleo_job_hide(j, p->is_second ? PALEO_DV : PALEO_DK, (double)f.count, 2, err);

	of->w.role = p->is_second ? PALEO_DV : PALEO_DK;
	of->factor = f.factor;
	of->dtype = paleo_dtype_wide(j->work.dtype);
	paleo_job_name(j, "restored", "");
	return rc ? rc
		  : paleo_kernel_add_packs(j, PALEO_TIMED, "restore", (double)f.count, &f, err);
}

int paleo_plan_stored(struct paleo_job *j, int is_second, double rows, double most,
		      struct paleo_product *of, int *is_done, struct paleo_error *err)
{
	const struct weights p = weights_of(&j->work, is_second);
	struct paleo_frame f = frame_of(&j->work, &p);
	int rc = add_weights(j, &p, err);

	*is_done = most <= TOKENS_MAX;
	if (rc)
		return rc;
	if (!*is_done)
		return add_restored(j, &p, of, err);
	f.count = (long long)rows;
	f.splits = (int)ceil(most / PALEO_STORED_ROWS);
	f.turned = j->work.kind == PALEO_MOE && !is_second;
	f.from_between = is_second;
	paleo_job_name(j, "kernel", "stored_product");
	return paleo_kernel_add(j, PALEO_TIMED, "stored_product",
				ceil(p.outputs / 16.0) * p.experts * f.splits, &f, err);
}
