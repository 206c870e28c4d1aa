/* graph_experts.c - the products of experts, all at once, as cuDNN graphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph.h"
#include "bench/fill.h"

/* cuDNN's headers have grouped products from this version on, as far as is known here. */
#define SINCE 91900

/* What is multiplied: rows [rows, inputs] with each expert's [outputs, inputs]. */
struct product {
	enum paleo_role rows, weights, result;
	int64_t inputs, outputs;
};

#if CUDNN_VERSION >= SINCE
/* Where an expert's rows begin is read on the device, as routing gives it. */
static int build(struct paleo_cudnn_graph *g, const struct paleo_work *w, const struct product *p,
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
	paleo_cudnn_graph_set_descriptor(
		g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_DESC,
		paleo_cudnn_graph_stack(g, 1 + (int64_t)p->rows, type, x, 0));
	paleo_cudnn_graph_set_descriptor(
		g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_WEIGHT_DESC,
		paleo_cudnn_graph_stack(g, 1 + (int64_t)p->weights, type, weights, 1));
	paleo_cudnn_graph_set_descriptor(
		g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC,
		paleo_cudnn_graph_stack(g, 1 + (int64_t)PALEO_STATE1, CUDNN_DATA_INT32, first, 0));
	paleo_cudnn_graph_set_descriptor(
		g, d, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC,
		paleo_cudnn_graph_stack(g, 1 + (int64_t)p->result, type, y, 0));
	paleo_cudnn_graph_add_operation(g, d, "describe the products of experts");
	return paleo_cudnn_graph_check(g, err);
}
#else
static int build(struct paleo_cudnn_graph *g, const struct paleo_work *w, const struct product *p,
		 struct paleo_error *err)
{
	(void)g;
	(void)w;
	(void)p;
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "this plug-in was built with cuDNN %d, products of experts want %d",
			  CUDNN_VERSION, SINCE);
}
#endif

/* What cuDNN is not asked for. */
static int check(const struct paleo_work *w, struct paleo_error *err)
{
	if (cudnnGetVersion() < SINCE)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "products of experts want cudnn %d or newer, this is %d", SINCE,
				  (int)cudnnGetVersion());
	if (w->pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cudnn multiplies the rows of experts with weights [outputs, "
				  "inputs] alone: it has no gradients of experts");
	if (w->geom.moe.skew)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "experts are measured at an even routing: skew 0");
	if (paleo_fill_expert_rows(&w->geom.moe) == 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "no token goes to the experts that are here");
	if (w->dtype == PALEO_FP8)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cuda backend has no experts in fp8 yet");
	return PALEO_OK;
}

int paleo_cudnn_graph_experts_first(struct paleo_cudnn_graph *g, const struct paleo_work *w,
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

int paleo_cudnn_graph_experts_second(struct paleo_cudnn_graph *g, const struct paleo_work *w,
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
