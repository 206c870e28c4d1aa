/* plan.h - how an op is to be done: a primitive or a kernel, and which operand goes where. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_PLAN_H
#define PALEO_BENCH_BACKENDS_CPU_PLAN_H

#include "bench/backends/cpu/kernels.h"
#include "bench/backends/cpu/prim.h"
#include "model/op/operand.h"

enum {
	PALEO_CPU_ARGS_MAX = 136 /* 128 parts of a copy, and their result */
};

/*
 * One tensor of an operand, and the primitive's argument it is. `view` maps an element of the
 * primitive's dims to operand.h's row-major order; its memory layout is the primitive's choice, or
 * the order of `view.dims` for a kernel.
 */
struct paleo_cpu_arg {
	int id; /* DNNL_ARG_...; 0 for a kernel */
	enum paleo_role role;
	int copy;
	int access;                   /* enum paleo_access */
	struct paleo_cpu_tensor view; /* its type is that of the memory */
};

/* A plain value. */
struct paleo_cpu_plan {
	struct paleo_op op;
	dnnl_data_type_t type;                 /* of the op */
	const struct paleo_cpu_kernel *kernel; /* NULL: the primitive below */
	struct paleo_cpu_spec spec;
	struct paleo_cpu_arg args[PALEO_CPU_ARGS_MAX];
	int count;
};

/* Fills *out for an op in f32 or bf16. EUNSUPPORTED where it is not supported. */
int paleo_cpu_plan(const struct paleo_op *w, struct paleo_cpu_plan *out, struct paleo_error *err);

/* Parts of the above, one for each kind of op that is not our own kernel; the plan already has op
 * and type. */
typedef int paleo_cpu_planner(struct paleo_cpu_plan *p, struct paleo_error *err);
paleo_cpu_planner paleo_cpu_plan_conv, paleo_cpu_plan_gemm, paleo_cpu_plan_pool,
	paleo_cpu_plan_eltwise, paleo_cpu_plan_norm, paleo_cpu_plan_lrn, paleo_cpu_plan_softmax,
	paleo_cpu_plan_copy, paleo_cpu_plan_upsample, paleo_cpu_plan_reduce;

/* Tensors of the plan's type: rows in order; channels innermost (dims are n,c,h,w); oneDNN's
 * choice. */
struct paleo_cpu_tensor paleo_cpu_rows(dnnl_data_type_t type, int rank, const double *dims);
struct paleo_cpu_tensor paleo_cpu_channels_last(dnnl_data_type_t type, const double dims[4]);
struct paleo_cpu_tensor paleo_cpu_any(dnnl_data_type_t type, int rank, const double *dims);

/* Gives a tensor the strides of rows in the order of its dims. */
void paleo_cpu_set_rows(struct paleo_cpu_tensor *t);

/* An image of the op's type for a primitive with a choice of layout: by the op's layout, or
 * oneDNN's choice. */
struct paleo_cpu_tensor paleo_cpu_image(const struct paleo_cpu_plan *p, const double dims[4]);

/* Fuses this activation into the GEMM; `act` as in op.h. */
void paleo_cpu_end_with(struct paleo_cpu_plan *p, int act);

/* Binds the primitive's argument `id` to tensor `copy` of operand `role`, positioned by `view`. */
void paleo_cpu_bind(struct paleo_cpu_plan *p, int id, enum paleo_role role, int copy,
		    const struct paleo_cpu_tensor *view);

/* The same where the primitive's dims in row-major order are the operand's. */
void paleo_cpu_bind_rows(struct paleo_cpu_plan *p, int id, enum paleo_role role, int copy,
			 const struct paleo_cpu_tensor *t);

/* A kernel that takes all operands in operand.h's order, as they are. */
void paleo_cpu_bind_kernel(struct paleo_cpu_plan *p, const struct paleo_cpu_kernel *kernel);

#endif
