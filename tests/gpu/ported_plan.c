/* ported_plan.c - a plan of cuDNN made for a device that is only described, and run on one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/backends/cuda/graph.h"
#include "bench/backends/cuda/status.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "tests/backend/cuda/description.h"

/*
 * ported_plan save DESCRIPTION.json PLAN    makes the plan; needs no GPU and no driver
 * ported_plan check DESCRIPTION.json PLAN   cuDNN takes it back, for the same description
 * ported_plan run PLAN                      runs it on GPU 0, and checks every result
 * Exit 0: good; 1: not, and why; 77: there is no GPU to run it on.
 */
enum {
	SKIP = 77,
	TEXT_MAX = 1 << 16
};

static const char *const key = "conv fwd f32 n=4 c=32 h=14 w=14 k=64 r=3 s=3 pad_t=1 pad_l=1 "
			       "pad_b=1 pad_r=1";

/* The operands of a forward convolution, by the graph's identifiers. */
static const enum paleo_role roles[] = {PALEO_X, PALEO_W, PALEO_Y};
enum {
	TENSORS = sizeof(roles) / sizeof(roles[0])
};

static int write_plan(const struct paleo_plan *p, const char *path, struct paleo_error *err)
{
	static char text[TEXT_MAX];
	int64_t length = 0;
	cudnnStatus_t status =
		cudnnBackendGetAttribute(p->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
					 CUDNN_TYPE_CHAR, sizeof(text) - 1, &length, text);

	if (status)
		return paleo_cudnn_check(status, "write the plan", err);
	FILE *f = fopen(path, "w");
	int bad = !f || fputs(text, f) < 0;
	if (f)
		bad |= fclose(f) != 0;
	printf("made %s, %.0f bytes of workspace, %lld bytes of JSON\n", p->name,
	       p->workspace_bytes, (long long)length);
	return bad ? paleo_fail(err, PALEO_EIO, "%s: cannot be written", path) : PALEO_OK;
}

static int save(const char *description, const char *path, struct paleo_error *err)
{
	const struct paleo_engine_rules rules = {.workspace_limit_bytes = 1 << 28,
						 .forbid_tensor_cores = 1};
	struct paleo_cudnn_graph g = {.handle = NULL};
	struct paleo_plan plan;
	struct paleo_work w;
	int rc = description_read(description, &g.device, err);

	if (!rc)
		rc = paleo_work_parse(key, &w, err);
	if (!rc)
		rc = paleo_cudnn_graph_conv(&g, &w, err);
	if (!rc)
		rc = paleo_plan_choose(&g, &rules, &plan, NULL, err);
	if (!rc)
		rc = write_plan(&plan, path, err);
	paleo_cudnn_graph_release(&g);
	if (g.device)
		cudnnBackendDestroyDescriptor(g.device);
	return rc;
}

/* The plan in a file, for a device that is described or one that is here. */
static int load(const char *path, cudnnHandle_t handle, cudnnBackendDescriptor_t described,
		cudnnBackendDescriptor_t *out, struct paleo_error *err)
{
	char *text;
	size_t size;
	int rc = paleo_file_read(path, TEXT_MAX, "a plan", &text, &size, err);

	if (rc)
		return rc;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, out);
	if (!status && handle)
		status = cudnnBackendSetAttribute(*out, CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
						  CUDNN_TYPE_HANDLE, 1, &handle);
	if (!status && described)
		status = cudnnBackendSetAttribute(*out, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
						  CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &described);
	if (!status)
		status = cudnnBackendSetAttribute(*out,
						  CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
						  CUDNN_TYPE_CHAR, (int64_t)strlen(text), text);
	if (!status)
		status = cudnnBackendFinalize(*out);
	free(text);
	return paleo_cudnn_check(status, "take the plan back", err);
}

static int64_t workspace_of(cudnnBackendDescriptor_t plan)
{
	int64_t bytes = 0, count = 0;

	cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
				 1, &count, &bytes);
	return bytes;
}

static int check(const char *description, const char *path, struct paleo_error *err)
{
	cudnnBackendDescriptor_t described = NULL, plan = NULL;
	int rc = description_read(description, &described, err);

	if (!rc)
		rc = load(path, NULL, described, &plan, err);
	if (!rc)
		printf("taken back, %lld bytes of workspace\n", (long long)workspace_of(plan));
	if (plan)
		cudnnBackendDestroyDescriptor(plan);
	if (described)
		cudnnBackendDestroyDescriptor(described);
	return rc;
}

/* Memory on the device for a tensor, with the values of fill.h; of a result, all ones. */
static int make_tensor(const struct paleo_work *w, enum paleo_role role, void **out, double *count,
		       struct paleo_error *err)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_work_operands(w, list);

	*count = paleo_operand_count(paleo_operand_find(list, n, role));
	size_t elements = (size_t)*count, bytes = elements * sizeof(float);
	float *host = malloc(bytes);
	if (!host)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a tensor");
	if (role == PALEO_Y)
		memset(host, 0xff, bytes);
	else
		paleo_fill(w, role, 0, 0, elements, host);
	int rc = paleo_cuda_check(cudaMalloc(out, bytes), "take memory", err);
	if (!rc)
		rc = paleo_cuda_check(cudaMemcpy(*out, host, bytes, cudaMemcpyHostToDevice),
				      "copy a tensor", err);
	free(host);
	return rc;
}

static int execute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, void *addresses[TENSORS],
		   void *workspace, struct paleo_error *err)
{
	cudnnBackendDescriptor_t pack = NULL;
	int64_t uids[TENSORS];

	for (int i = 0; i < TENSORS; i++)
		uids[i] = 1 + (int64_t)roles[i];
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
						  CUDNN_TYPE_INT64, TENSORS, uids);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
						  CUDNN_TYPE_VOID_PTR, TENSORS, addresses);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
						  CUDNN_TYPE_VOID_PTR, 1, &workspace);
	if (!status)
		status = cudnnBackendFinalize(pack);
	if (!status)
		status = cudnnBackendExecute(handle, plan, pack);
	if (pack)
		cudnnBackendDestroyDescriptor(pack);
	return paleo_cudnn_check(status, "run the plan", err);
}

/* Every element; the tolerance is that of a sum in single precision, in any order. */
static int compare(const struct paleo_work *w, const void *y, double count, struct paleo_error *err)
{
	float *found = malloc((size_t)count * sizeof(*found));
	double value, magnitude, worst = 0, wrong = 0;

	if (!found)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for the result");
	int rc = paleo_cuda_check(
		cudaMemcpy(found, y, (size_t)count * sizeof(*found), cudaMemcpyDeviceToHost),
		"read the result", err);
	for (double i = 0; i < count && !rc; i++) {
		rc = paleo_reference_value(w, PALEO_Y, 0, i, &value, &magnitude, err);
		double error = fabs(found[(size_t)i] - value) / magnitude;
		wrong += !(error < 1e-4); /* NaN, too */
		worst = fmax(worst, error);
	}
	free(found);
	if (!rc && wrong > 0)
		return paleo_fail(err, PALEO_EBACKEND, "%.0f of %.0f results are wrong", wrong,
				  count);
	if (!rc)
		printf("ran, the largest error of %.0f results is %.2g\n", count, worst);
	return rc;
}

static int run_loaded(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, struct paleo_error *err)
{
	void *tensors[TENSORS] = {NULL}, *workspace = NULL;
	double counts[TENSORS];
	struct paleo_work w;
	int rc = paleo_work_parse(key, &w, err);

	for (int i = 0; i < TENSORS && !rc; i++)
		rc = make_tensor(&w, roles[i], &tensors[i], &counts[i], err);
	if (!rc)
		rc = paleo_cuda_check(cudaMalloc(&workspace, (size_t)workspace_of(plan) + 1),
				      "take the workspace", err);
	if (!rc)
		rc = execute(handle, plan, tensors, workspace, err);
	if (!rc)
		rc = compare(&w, tensors[TENSORS - 1], counts[TENSORS - 1], err);
	for (int i = 0; i < TENSORS; i++)
		cudaFree(tensors[i]);
	cudaFree(workspace);
	return rc;
}

static int run(const char *path, struct paleo_error *err)
{
	cudnnBackendDescriptor_t plan = NULL;
	cudnnHandle_t handle = NULL;
	int rc = paleo_cudnn_check(cudnnCreate(&handle), "open the device", err);

	if (!rc)
		rc = load(path, handle, NULL, &plan, err);
	if (!rc)
		rc = run_loaded(handle, plan, err);
	if (plan)
		cudnnBackendDestroyDescriptor(plan);
	if (handle)
		cudnnDestroy(handle);
	return rc;
}

int main(int argc, char **argv)
{
	struct paleo_error err = {0};
	int devices = 0, rc;

	if (argc == 4 && !strcmp(argv[1], "save")) {
		rc = save(argv[2], argv[3], &err);
	} else if (argc == 4 && !strcmp(argv[1], "check")) {
		rc = check(argv[2], argv[3], &err);
	} else if (argc == 3 && !strcmp(argv[1], "run")) {
		if (cudaGetDeviceCount(&devices) || !devices) {
			printf("there is no GPU\n");
			return SKIP;
		}
		rc = run(argv[2], &err);
	} else {
		fprintf(stderr, "usage: ported_plan save|check DESCRIPTION PLAN | run PLAN\n");
		return 2;
	}
	if (rc)
		printf("%s\n", err.text);
	return rc != 0;
}
