/* plan.c - how a work is to be done: helpers, and the choice by kind. */
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
	return p->work.layout == PALEO_NHWC ? paleo_cpu_channels_last(p->type, dims)
					    : paleo_cpu_any(p->type, 4, dims);
}

void paleo_cpu_bind(struct paleo_cpu_plan *p, int id, enum paleo_role role, int copy,
		    const struct paleo_cpu_tensor *view)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_work_operands(&p->work, list);
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
	int n = paleo_work_operands(&p->work, list);

	p->kernel = kernel;
	for (int i = 0; i < n; i++) {
		const struct paleo_operand *o = &list[i];
		struct paleo_cpu_tensor t = paleo_cpu_rows(type_of(p, o), o->rank, o->dims);
		for (int copy = 0; copy < o->copies; copy++)
			paleo_cpu_bind(p, 0, o->role, copy, &t);
	}
}

static int (*const plans[PALEO_WORK_KINDS])(struct paleo_cpu_plan *p, struct paleo_error *err) = {
#define WORK(constant, name) [PALEO_##constant] = paleo_cpu_plan_##name,
#include "model/work/kinds.def"
#undef WORK
};

int paleo_cpu_plan(const struct paleo_work *w, struct paleo_cpu_plan *out, struct paleo_error *err)
{
	*out = (struct paleo_cpu_plan){.work = *w,
				       .type = w->dtype == PALEO_BF16 ? dnnl_bf16 : dnnl_f32};

	if ((w->kind == PALEO_GEMM && w->geom.gemm.stored) ||
	    (w->kind == PALEO_MOE && w->geom.moe.stored))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "on a CPU weights are run in number types alone");
	return plans[w->kind](out, err);
}
