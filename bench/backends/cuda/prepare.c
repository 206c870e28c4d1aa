/* prepare.c - from a work to a job that has run once: plan, memory, inputs, first run. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"
#include "model/work/weight_type.h"

/* By kind of work; NULL: not yet. */
static int (*const plans[PALEO_WORK_KINDS])(struct paleo_job *j, struct paleo_error *err) = {
	[PALEO_CONV] = paleo_plan_conv,
	[PALEO_GEMM] = paleo_plan_gemm,
	[PALEO_POOL] = paleo_plan_pool,
	[PALEO_ELTWISE] = paleo_plan_eltwise,
	[PALEO_NORM] = paleo_plan_norm,
	[PALEO_LRN] = paleo_plan_lrn,
	[PALEO_SOFTMAX] = paleo_plan_softmax,
	[PALEO_COPY] = paleo_plan_copy,
	[PALEO_UPSAMPLE] = paleo_plan_upsample,
	[PALEO_UPDATE] = paleo_plan_update,
	[PALEO_REDUCE] = paleo_plan_reduce,
	[PALEO_ATTENTION] = paleo_plan_attention,
	[PALEO_EMBEDDING] = paleo_plan_embedding,
	[PALEO_ROPE] = paleo_plan_rope,
	[PALEO_CAUSAL_CONV] = paleo_plan_causal_conv,
	[PALEO_SCAN] = paleo_plan_scan,
	[PALEO_MOE] = paleo_plan_moe,
	[PALEO_CROSS_ENTROPY] = paleo_plan_cross_entropy,
};

/* No kernel here multiplies whole numbers by whole numbers. Quantising weights is no part of a
 * whole pass, whose tensors are filled by buffers. */
static int refuse_stored(const struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_work *w = &j->work;

	int stored = w->kind == PALEO_MOE    ? w->geom.moe.stored
		     : w->kind == PALEO_GEMM ? w->geom.gemm.stored
					     : 0;

	if (stored && j->session->properties.major < 8)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"weights in '%s' need compute capability 8.0, this device has %d.%d",
			paleo_stored_names[stored], j->session->properties.major,
			j->session->properties.minor);
	if (stored && paleo_stored_cores(stored) == PALEO_CORES_INT8)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products in '%s' cannot be measured: there is no plan for whole "
				  "numbers by whole numbers; weights alone of 8 bits are 'int8'",
				  paleo_stored_names[stored]);
	if (stored && j->is_part)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "whole passes have no weights in '%s' yet: works alone do",
				  paleo_stored_names[stored]);
	return PALEO_OK;
}

int paleo_job_plan(struct paleo_job *j, struct paleo_error *err)
{
	if (j->rank > 0 && j->work.kind != PALEO_CONV && j->work.kind != PALEO_GEMM)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "there is one algorithm for this kind of work");
	int rc = refuse_stored(j, err);
	if (rc)
		return rc;
	if (plans[j->work.kind])
		return plans[j->work.kind](j, err);
	return paleo_fail(
		err, PALEO_EUNSUPPORTED,
		"the cuda backend has no kernel for '%s' yet: predict it, or measure it on "
		"a CPU",
		paleo_work_kind_name(j->work.kind));
}

int paleo_job_launch(const struct paleo_job *j, enum paleo_phase phase, int copy,
		     struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < j->step_count[phase] && !rc; i++)
		rc = j->steps[phase][i].launch(&j->steps[phase][i], j, copy, err);
	return rc;
}

int paleo_job_bind(struct paleo_job *j, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int phase = 0; phase < PALEO_PHASES; phase++) {
		for (int i = 0; i < j->step_count[phase] && !rc; i++) {
			struct paleo_step *step = &j->steps[phase][i];
			if (step->bind)
				rc = step->bind(step, j, err);
		}
	}
	return rc;
}

/* The first set is filled and set up, then copied to the others; then the work runs once on it. */
static int first_run(struct paleo_job *j, struct paleo_error *err)
{
	int rc = paleo_memory_fill(j, err);

	if (!rc)
		rc = paleo_job_launch(j, PALEO_SETUP, 0, err);
	if (!rc)
		rc = paleo_memory_spread(j, err);
	if (!rc)
		rc = paleo_job_launch(j, PALEO_TIMED, 0, err);
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(j->session->stream),
				      "run the work for the first time", err);
	return rc;
}

int paleo_dtype_check(const struct paleo_session *s, enum paleo_dtype dtype,
		      struct paleo_error *err)
{
	/* Which came with later generations than the first that is served, times ten. */
	static const int since[PALEO_DTYPES] = {
		[PALEO_TF32] = 80, [PALEO_BF16] = 80, [PALEO_FP8] = 89};
	int capability = 10 * s->properties.major + s->properties.minor;

	if (capability < since[dtype])
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "%s needs compute capability %d.%d, this device has %d.%d",
				  paleo_dtype_name(dtype), since[dtype] / 10, since[dtype] % 10,
				  s->properties.major, s->properties.minor);
	return PALEO_OK;
}

int paleo_job_open_way(struct paleo_session *s, const struct paleo_work *w,
		       const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		       struct paleo_error *err)
{
	int rc = paleo_dtype_check(s, w->dtype, err);

	if (rc)
		return rc;
	struct paleo_job *j = malloc(sizeof(*j));
	if (!j)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	paleo_job_begin(j, w, o);
	j->session = s;
	j->rank = rank;
	rc = paleo_job_plan(j, err);
	if (!rc)
		rc = paleo_memory_take(j, err);
	if (!rc)
		rc = paleo_job_bind(j, err);
	if (!rc)
		rc = first_run(j, err);
	if (!rc)
		rc = paleo_timing_open(j, err);
	if (rc) {
		paleo_job_close(j);
		return rc;
	}
	*out = j;
	return PALEO_OK;
}

void paleo_job_close(struct paleo_job *j)
{
	if (!j)
		return;
	paleo_timing_close(j);
	paleo_job_clear(j);
	paleo_memory_give_back(j);
	free(j);
}
