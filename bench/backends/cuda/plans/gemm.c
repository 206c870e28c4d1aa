/* gemm.c - GEMMs by cublasLt, with the bias or its gradient in the same kernel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/plans/product.h"
#include "bench/backends/cuda/session.h"
#include "bench/fill.h"
#include "model/op/dtype.h"

/* Factor of a sum over codes and scales: bench/fill.h. */
static float factor_of(const struct paleo_op *w)
{
	int stored = w->geom.gemm.stored;
	float scale = (float)paleo_fill_scale(w, PALEO_W);

	if (!stored)
		return 1;
	return paleo_stored_blocks(stored)->code_bits == 4 ? scale / 4 : scale;
}

/* The op without its ending. */
static struct paleo_product product_of(const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	enum paleo_scaling scaling = g->stored               ? PALEO_BLOCK_SCALED
				     : w->dtype == PALEO_FP8 ? PALEO_TENSOR_SCALED
							     : PALEO_NOT_SCALED;

	return (struct paleo_product){
		.x.role = scaling == PALEO_NOT_SCALED ? PALEO_X : PALEO_MASK,
		.w.role = PALEO_W,
		.y.role = PALEO_Y,
		.m = g->m,
		.n = g->n,
		.k = g->k,
		.batch = g->batch,
		.trans_a = g->trans_a,
		.trans_b = g->trans_b,
		.dtype = w->dtype,
		.scaling = scaling,
		.stored = g->stored,
		.factor = factor_of(w),
		.bias = PALEO_ROLES,
	};
}

/* cublasLt's GELU is the approximation with tanh, up to 5e-4 from the exact one: it does for
 * numbers that are rounded more coarsely than that. */
static int has_epilogue(const struct paleo_op *w)
{
	int act = w->geom.gemm.act;

	int bytes = paleo_dtype_bytes(paleo_dtype_wide(w->dtype)); /* of the result */

	return act == 1 + PALEO_RELU || (act == 1 + PALEO_GELU && bytes == 2);
}

static enum paleo_role bias_of(const struct paleo_op *w)
{
	if (!w->geom.gemm.bias)
		return PALEO_ROLES;
	return w->pass == PALEO_FWD ? PALEO_BIAS : PALEO_DBIAS;
}

/* The GEMM with each epilogue to try, the most complete first; returns their number. */
static int list_endings(const struct paleo_op *w, struct paleo_product out[3])
{
	enum paleo_role bias = bias_of(w);
	int count = 0;

	for (int i = 0; i < 3; i++)
		out[i] = product_of(w);
	if (has_epilogue(w)) {
		out[count].bias = bias;
		out[count++].act = w->geom.gemm.act;
	}
	if (bias != PALEO_ROLES)
		out[count++].bias = bias;
	return count + 1;
}

/* Checks the limits of tensor cores in e4m3 with our own messages: cublasLt has none. */
static int check_fp8(const struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	if (g->trans_a || !g->trans_b)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs in fp8 must be x w^T, as in inner products: trans_b=1 and "
				  "no trans_a");
	if (g->k % 16 || g->n % 8)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs in fp8 need rows of whole 16 bytes: k=%d should be a "
				  "multiple of 16, n=%d of 8",
				  g->k, g->n);
	return PALEO_OK;
}

static int check_device(const struct paleo_session *s, const struct paleo_gemm_geom *g,
			struct paleo_error *err)
{
	const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
	const char *name = paleo_stored_names[g->stored];
	int major = s->properties.major, minor = s->properties.minor;

	if (!b->narrow_x || paleo_stored_cores(g->stored) == PALEO_CORES_INT8)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs with weights in '%s' are not measured with CUDA: cuBLASLt "
				  "has none; predict them",
				  name);
	if (b->scale == PALEO_SCALE_FLOAT && major != 9)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cublasLt multiplies '%s' only on compute capability 9.0, this "
				  "device has %d.%d",
				  name, major, minor);
	if (b->scale != PALEO_SCALE_FLOAT && major < 10)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"GEMMs in '%s' need compute capability 10.0, this device has %d.%d", name,
			major, minor);
	return PALEO_OK;
}

/* The blocks are whole, which the kernels count on; the rest is cublasLt's contract. */
static int check_blocks(const struct paleo_session *s, const struct paleo_op *w,
			struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
	int rows = b->scale == PALEO_SCALE_FLOAT ? 4 : 1,
	    columns = b->columns > 32 ? b->columns : 32;
	int rc = check_device(s, g, err);

	if (rc)
		return rc;
	if (g->trans_a || !g->trans_b)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs with block scales must be x w^T, as in inner products: "
				  "trans_b=1 and no trans_a");
	if (paleo_dtype_bytes(paleo_dtype_wide(w->dtype)) != 2)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs with block scales have 16-bit results: not %s",
				  paleo_dtype_name(w->dtype));
	if (g->k % columns || g->n % 8 || g->m % rows)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "GEMMs in '%s' need whole blocks: k=%d should be a multiple of "
				  "%d, n=%d of 8, m=%d of %d",
				  paleo_stored_names[g->stored], g->k, columns, g->n, g->m, rows);
	return PALEO_OK;
}

static int check_scaled(const struct paleo_session *s, const struct paleo_op *w,
			struct paleo_error *err)
{
	if (w->geom.gemm.stored)
		return check_blocks(s, w, err);
	return w->dtype == PALEO_FP8 ? check_fp8(w, err) : PALEO_OK;
}

int paleo_gemm_algorithms(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_product ends[3];
	int rc = check_scaled(s, w, err);

	if (rc)
		return rc;
	int count = list_endings(w, ends);
	rc = PALEO_EUNSUPPORTED;
	for (int i = 0; i < count && rc; i++) /* as paleo_plan_gemm() */
		rc = paleo_product_list(s, &ends[i], o->workspace_limit_bytes, most, out, err);
	return rc;
}

/* Adds the parts that the GEMM could not do itself. */
static int add_rest(struct paleo_job *j, const struct paleo_product *done, struct paleo_error *err)
{
	enum paleo_role bias = bias_of(&j->op);
	int act = j->op.geom.gemm.act, rc = PALEO_OK;

	if (bias == PALEO_BIAS && done->bias != bias)
		rc = paleo_plan_bias(j, err);
	if (bias == PALEO_DBIAS && done->bias != bias)
		rc = paleo_plan_bias_gradient(j, err);
	if (!rc && act && !done->act)
		rc = paleo_plan_act(j, act, err);
	return rc;
}

int paleo_plan_gemm(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_product ends[3];
	int stored = j->op.geom.gemm.stored;

	int rc = check_scaled(j->session, &j->op, err), offered = 0;

	if (!rc && stored && j->is_part) /* its tensors are filled by buffers */
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"GEMMs with weights in '%s' are not measured in full passes: paleo "
				"profile measures each alone",
				paleo_stored_names[stored]);
	if (!rc && stored)
		rc = paleo_plan_quantise_blocks(j, err);
	else if (!rc && j->op.dtype == PALEO_FP8)
		rc = paleo_plan_quantise(j, err);
	if (rc)
		return rc;
	int count = list_endings(&j->op, ends);
	rc = PALEO_EUNSUPPORTED;
	for (int i = 0; i < count && rc && !offered; i++) {
		rc = paleo_product_add(j, &ends[i], j->rank, &offered, err);
		if (!rc)
			return add_rest(j, &ends[i], err);
	}
	return rc;
}
