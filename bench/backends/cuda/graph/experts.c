/* experts.c - the grouped GEMMs of experts as cuDNN graphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"
#include "bench/fill.h"

/* First known version of cuDNN's headers with grouped GEMMs. */
#define SINCE 91900

/* Operands: rows [rows, inputs] with each expert's [outputs, inputs]. */
struct product {
	enum paleo_role rows, weights, result;
	int64_t inputs, outputs;
};

#if CUDNN_VERSION >= SINCE
/* The start of an expert's rows is read on the device, as routing determines it. */
static int build(struct paleo_cudnn_graph *g, const struct paleo_op *w, const struct product *p,
		 struct paleo_error *err)
{
	const int64_t experts = w->geom.moe.local,
		      rows = (int64_t)paleo_fill_expert_rows(&w->geom.moe);
	const cudnnDataType_t type = paleo_cudnn_graph_type(w->dtype), sum = CUDNN_DATA_FLOAT;
	const cudnnMoeGroupedMatmulMode_t mode = CUDNN_MOE_GROUPED_MATMUL_MODE_NONE;
	const int64_t x[3] = {1, rows, p->inputs}, y[3] = {1, rows, p->outputs};
	const int64_t weights[3] = {experts, p->inputs, p->outputs}, first[3] = {experts, 1, 1};
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR);

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MODE,
			      CUDNN_TYPE_MOE_GROUPED_MATMUL_MODE, 1, &mode);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MATH_PREC,
			      CUDNN_TYPE_DATA_TYPE, 1, &sum);
	const struct paleo_graph_part parts[] = {
		{CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_DESC,
		 paleo_cudnn_graph_stack(g, paleo_graph_uid(p->rows), type, x, 0)},
		{CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_WEIGHT_DESC,
		 paleo_cudnn_graph_stack(g, paleo_graph_uid(p->weights), type, weights, 1)},
		{CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC,
		 paleo_cudnn_graph_stack(g, paleo_graph_uid(PALEO_STATE1), CUDNN_DATA_INT32, first,
					 0)},
		{CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC,
		 paleo_cudnn_graph_stack(g, paleo_graph_uid(p->result), type, y, 0)},
	};
	paleo_cudnn_graph_add_operation(g, d, parts, 4, "describe the experts' GEMMs");
	return paleo_cudnn_graph_check(g, err);
}
#else
static int build(struct paleo_cudnn_graph *g, const struct paleo_op *w, const struct product *p,
		 struct paleo_error *err)
{
	(void)g;
	(void)w;
	(void)p;
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "this plug-in was built with cuDNN %d, grouped GEMMs of experts need %d",
			  CUDNN_VERSION, SINCE);
}
#endif

/* Shapes not offered to cuDNN, in addition to those that the plan of experts refuses. */
static int check(const struct paleo_op *w, struct paleo_error *err)
{
	if (cudnnGetVersion() < SINCE)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "grouped GEMMs of experts need cudnn %d or newer, this is %d",
				  SINCE, (int)cudnnGetVersion());
	if (w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cudnn has grouped GEMMs only with weights [outputs, inputs]: no "
				  "gradients of experts");
	return PALEO_OK;
}

int paleo_cudnn_graph_experts_first(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				    struct paleo_error *err)
{
	const struct paleo_moe_geom *m = &w->geom.moe;
	const struct product p = {.rows = PALEO_DX,
				  .weights = PALEO_W,
				  .result = PALEO_INNER,
				  .inputs = m->hidden,
				  .outputs = (int64_t)m->inter * (m->gated ? 2 : 1)};
	int rc = check(w, err);

	return rc ? rc : build(g, w, &p, err);
}

int paleo_cudnn_graph_experts_second(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				     struct paleo_error *err)
{
	const struct paleo_moe_geom *m = &w->geom.moe;
	const struct product p = {.rows = PALEO_DINNER,
				  .weights = PALEO_W2,
				  .result = PALEO_DY,
				  .inputs = m->inter,
				  .outputs = m->hidden};
	int rc = check(w, err);

	return rc ? rc : build(g, w, &p, err);
}
