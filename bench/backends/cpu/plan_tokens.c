/* plan_tokens.c - attention, experts, and what else works on tokens: kernels of our own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/plan.h"

int paleo_cpu_plan_attention(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	enum paleo_dtype stored = paleo_operand_dtype(&p->work, PALEO_K);

	if (stored != p->work.dtype)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "on a CPU keys are stored in the work's own type, not in %s",
				  paleo_dtype_name(stored));
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_attention(&p->work));
	return PALEO_OK;
}

int paleo_cpu_plan_embedding(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	(void)err;
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_embedding(&p->work));
	return PALEO_OK;
}

int paleo_cpu_plan_rope(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	(void)err;
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_rope(&p->work));
	return PALEO_OK;
}

int paleo_cpu_plan_moe(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	if (p->work.pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cpu backend runs experts forward alone yet");
	if (p->work.geom.moe.skew)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "experts are measured at an even routing: skew 0");
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_moe(&p->work));
	return PALEO_OK;
}

static int refuse_backward(const struct paleo_work *w, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "the cpu backend runs '%s' forward alone yet: predict its gradients",
			  paleo_work_kind_name(w->kind));
}

int paleo_cpu_plan_causal_conv(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	if (p->work.pass != PALEO_FWD)
		return refuse_backward(&p->work, err);
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_causal_conv(&p->work));
	return PALEO_OK;
}

int paleo_cpu_plan_scan(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_scan_geom *g = &p->work.geom.scan;
	int stored = g->kv ? g->kv - 1 : (int)PALEO_F32;

	if (p->work.pass != PALEO_FWD)
		return refuse_backward(&p->work, err);
	if (g->cache && stored != PALEO_F32 && stored != PALEO_BF16)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "on a CPU the state of a scan is stored in f32 or bf16, not in "
				  "%s",
				  paleo_dtype_name((enum paleo_dtype)stored));
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_scan(&p->work));
	return PALEO_OK;
}

int paleo_cpu_plan_cross_entropy(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	(void)err;
	paleo_cpu_bind_kernel(p, paleo_cpu_kernel_cross_entropy(&p->work));
	return PALEO_OK;
}
