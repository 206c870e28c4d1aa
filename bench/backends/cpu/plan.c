/* plan.c - how an op is to be done: helpers, and the choice by kind. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/plan.h"

#include <assert.h>

static struct paleo_cpu_tensor shape(dnnl_data_type_t type, int rank, const double *dims)
{
	struct paleo_cpu_tensor t = {.rank = rank, .type = type};

	assert(rank <= PALEO_CPU_RANK_MAX);
	for (int i = 0; i < rank; i++)
		t.dims[i] = (dnnl_dim_t)dims[i];
	return t;
}

void paleo_cpu_set_rows(struct paleo_cpu_tensor *t)
{
	dnnl_dim_t stride = 1;

	for (int i = t->rank - 1; i >= 0; i--) {
		t->strides[i] = stride;
		stride *= t->dims[i];
	}
}

struct paleo_cpu_tensor paleo_cpu_rows(dnnl_data_type_t type, int rank, const double *dims)
{
	struct paleo_cpu_tensor t = shape(type, rank, dims);

	paleo_cpu_set_rows(&t);
	return t;
}

struct paleo_cpu_tensor paleo_cpu_channels_last(dnnl_data_type_t type, const double dims[4])
{
	struct paleo_cpu_tensor t = shape(type, 4, dims);

	t.strides[1] = 1;
	t.strides[3] = t.dims[1];
	t.strides[2] = t.dims[1] * t.dims[3];
	t.strides[0] = t.dims[1] * t.dims[3] * t.dims[2];
	return t;
}

struct paleo_cpu_tensor paleo_cpu_any(dnnl_data_type_t type, int rank, const double *dims)
{
	struct paleo_cpu_tensor t = shape(type, rank, dims);

	t.any = 1;
	return t;
}

struct paleo_cpu_tensor paleo_cpu_image(const struct paleo_cpu_plan *p, const double dims[4])
{
	return p->op.layout == PALEO_NHWC ? paleo_cpu_channels_last(p->type, dims)
					  : paleo_cpu_any(p->type, 4, dims);
}

void paleo_cpu_bind(struct paleo_cpu_plan *p, int id, enum paleo_role role, int copy,
		    const struct paleo_cpu_tensor *view)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(&p->op, list);
	const struct paleo_operand *o = paleo_operand_find(list, n, role);

	assert(o && p->count < PALEO_CPU_ARGS_MAX && !view->any);
	p->args[p->count++] = (struct paleo_cpu_arg){
		.id = id, .role = role, .copy = copy, .access = o->access, .view = *view};
}

void paleo_cpu_bind_rows(struct paleo_cpu_plan *p, int id, enum paleo_role role, int copy,
			 const struct paleo_cpu_tensor *t)
{
	struct paleo_cpu_tensor view = *t;

	view.any = 0;
	paleo_cpu_set_rows(&view);
	paleo_cpu_bind(p, id, role, copy, &view);
}

/* Masks are bytes, an index has whole numbers; parameters of a normalisation are f32 in bf16, too.
 */
static dnnl_data_type_t type_of(const struct paleo_cpu_plan *p, const struct paleo_operand *o)
{
	if (o->role == PALEO_INDEX)
		return dnnl_s32;
	if (o->elem_bytes == 1)
		return dnnl_u8;
	return o->elem_bytes == 4 ? dnnl_f32 : p->type;
}

void paleo_cpu_bind_kernel(struct paleo_cpu_plan *p, const struct paleo_cpu_kernel *kernel)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(&p->op, list);

	p->kernel = kernel;
	for (int i = 0; i < n; i++) {
		const struct paleo_operand *o = &list[i];
		struct paleo_cpu_tensor t = paleo_cpu_rows(type_of(p, o), o->rank, o->dims);
		for (int copy = 0; copy < o->copies; copy++)
			paleo_cpu_bind(p, 0, o->role, copy, &t);
	}
}

static int check_attention(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	enum paleo_dtype stored = paleo_operand_dtype(&p->op, PALEO_K);

	if (stored != p->op.dtype)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "on a CPU keys are stored in the op's own type, not in %s",
				  paleo_dtype_name(stored));
	return PALEO_OK;
}

static int check_experts(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	if (p->op.pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cpu backend runs experts only in the forward pass");
	if (p->op.geom.moe.skew)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "experts are measured with uniform routing: skew 0");
	return PALEO_OK;
}

static int check_forward(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	if (p->op.pass == PALEO_FWD)
		return PALEO_OK;
	return paleo_fail(
		err, PALEO_EUNSUPPORTED,
		"the cpu backend runs '%s' only in the forward pass: predict its gradients",
		paleo_op_kind_name(p->op.kind));
}

static int check_scan(struct paleo_cpu_plan *p, struct paleo_error *err)
{
	const struct paleo_scan_geom *g = &p->op.geom.scan;
	int stored = g->kv ? g->kv - 1 : (int)PALEO_F32, rc = check_forward(p, err);

	if (!rc && g->cache && stored != PALEO_F32 && stored != PALEO_BF16)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"on a CPU the state of a scan is stored in f32 or bf16, not in %s",
				paleo_dtype_name((enum paleo_dtype)stored));
	return rc;
}

/* By kind: a plan, most often of oneDNN's primitives; or our own kernel on all operands as they
 * are, after a check of its limits. */
static const struct way {
	paleo_cpu_planner *plan;
	const struct paleo_cpu_kernel *(*choose)(const struct paleo_op *w);
	const struct paleo_cpu_kernel *kernel;
} ways[PALEO_OP_KINDS] = {
	[PALEO_CONV] = {.plan = paleo_cpu_plan_conv},
	[PALEO_GEMM] = {.plan = paleo_cpu_plan_gemm},
	[PALEO_POOL] = {.plan = paleo_cpu_plan_pool},
	[PALEO_ELTWISE] = {.plan = paleo_cpu_plan_eltwise},
	[PALEO_NORM] = {.plan = paleo_cpu_plan_norm},
	[PALEO_LRN] = {.plan = paleo_cpu_plan_lrn},
	[PALEO_SOFTMAX] = {.plan = paleo_cpu_plan_softmax},
	[PALEO_COPY] = {.plan = paleo_cpu_plan_copy},
	[PALEO_UPSAMPLE] = {.plan = paleo_cpu_plan_upsample},
	[PALEO_UPDATE] = {.choose = paleo_cpu_kernel_update},
	[PALEO_REDUCE] = {.plan = paleo_cpu_plan_reduce},
	[PALEO_ATTENTION] = {.plan = check_attention, .kernel = &paleo_cpu_attention},
	[PALEO_EMBEDDING] = {.choose = paleo_cpu_kernel_embedding},
	[PALEO_ROPE] = {.kernel = &paleo_cpu_rope},
	[PALEO_MOE] = {.plan = check_experts, .kernel = &paleo_cpu_moe},
	[PALEO_CAUSAL_CONV] = {.plan = check_forward, .kernel = &paleo_cpu_causal_conv},
	[PALEO_SCAN] = {.plan = check_scan, .kernel = &paleo_cpu_scan},
	[PALEO_CROSS_ENTROPY] = {.kernel = &paleo_cpu_cross_entropy},
};

int paleo_cpu_plan(const struct paleo_op *w, struct paleo_cpu_plan *out, struct paleo_error *err)
{
	const struct way *way = &ways[w->kind];

	*out = (struct paleo_cpu_plan){.op = *w,
				       .type = w->dtype == PALEO_BF16 ? dnnl_bf16 : dnnl_f32};

	if ((w->kind == PALEO_GEMM && w->geom.gemm.stored) ||
	    (w->kind == PALEO_MOE && w->geom.moe.stored))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cpu backend does not run quantised weights");
	int rc = way->plan ? way->plan(out, err) : PALEO_OK;
	if (!rc && (way->kernel || way->choose))
		paleo_cpu_bind_kernel(out, way->kernel ? way->kernel : way->choose(w));
	return rc;
}
