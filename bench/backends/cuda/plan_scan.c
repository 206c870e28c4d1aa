/* plan_scan.c - causal convolutions and scans by our own kernels, forward. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

static int refuse_backward(const struct paleo_work *w, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "the cuda backend runs '%s' forward alone: predict its gradients",
			  paleo_work_kind_name(w->kind));
}

/* The state is read by the one step before the other replaces it. */
int paleo_plan_causal_conv(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_causal_conv_geom *g = &j->work.geom.causal_conv;
	struct paleo_frame f = paleo_frame_of(&j->work);
	double all = (double)g->batch * g->tokens * g->channels;
	double each = g->channels % paleo_kernel_pack(j) ? 1 : paleo_kernel_pack(j);

	if (j->work.pass != PALEO_FWD)
		return refuse_backward(&j->work, err);
	paleo_job_name(j, "kernel", "causal_conv");
	f.count = (long long)all;
	int rc = paleo_kernel_add(j, PALEO_TIMED, "causal_conv",
				  ceil(all / each / PALEO_KERNEL_THREADS), &f, err);
	if (rc || !paleo_job_operand(j, PALEO_STATE1))
		return rc;
	f.count = (long long)g->batch * g->channels;
	return paleo_kernel_add(j, PALEO_TIMED, "causal_conv_state",
				ceil((double)f.count / PALEO_KERNEL_THREADS), &f, err);
}

int paleo_plan_scan(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_scan_geom *g = &j->work.geom.scan;
	enum paleo_dtype state = paleo_operand_dtype(&j->work, PALEO_STATE1);
	struct paleo_frame f = paleo_frame_of(&j->work);
	double columns = (double)g->heads * g->v;
	int most = PALEO_SCAN_KEYS * PALEO_KERNEL_THREADS / PALEO_WARP;
	char name[32];

	if (j->work.pass != PALEO_FWD)
		return refuse_backward(&j->work, err);
	if (g->qk > most)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cuda backend scans keys of up to %d numbers, not %d", most,
				  g->qk);
	if (state != PALEO_F32 && state != paleo_dtype_wide(j->work.dtype))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cuda backend keeps the state of a scan in f32 or in the "
				  "work's own type, not in %s",
				  paleo_dtype_name(state));
	snprintf(name, sizeof(name), "scan_%s", paleo_scan_rules[g->rule]);
	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name, g->batch * ceil(columns / PALEO_WARP), &f,
				err);
}
